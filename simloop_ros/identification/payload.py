"""What a robot carries, identified from a motion with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from ..collision.explanation import Explanation
from ..core.errors import ConfigError
from ..core.values import Array
from ..robot.model import RobotModel
from .config import CUTOFF
from .consistent import Body, ConsistentFit, fit_consistent, link_bodies
from .identify import SPREAD, Step, WeightedRows, explanation_of, weighted_rows
from .low_pass import FilterForm
from .motion import Stretch
from .pseudo_inertia import SIZE, LogCholesky
from .regression import known_parameters

ROBOT_SPREADS = (0.001, 0.03, 0.1)
"""Standard deviations of the prior of each link of the robot itself that are tried: from a
description that is right to one that is off by ten percent."""
PAYLOAD_SPREAD = 5.0
"""The same of the payload: next to nothing is known about it."""
RADIUS = 0.05
"""Radius of a ball that a payload is like, as long as nothing else is known [m]."""
FARTHEST = 1.0
"""Distance of its centre from the link to start from, at most [m]."""
LEAST_MASS = 1e-2
"""Mass of a payload to start from, at least [kg]."""


@dataclass(frozen=True)
class PayloadEstimate:
    """A payload, in the frame of the link that carries it.

    :ivar link: which carries it.
    :ivar mass: [kg]; ``mass_error`` is its standard error.
    :ivar centre: of its mass [m], shape ``(3,)``; ``centre_error`` likewise.
    :ivar spread: by how much the robot's own links differ from their description, as a share;
        ``None`` where logs without the payload told about them.
    :ivar explanation: the robot with it.
    """

    link: str
    mass: float
    mass_error: float
    centre: Array
    centre_error: Array
    spread: float | None
    explanation: Explanation


def identify_payload(
    model: RobotModel,
    stretches: Sequence[Stretch],
    link: str,
    cutoff: float = CUTOFF,
    form: FilterForm = 'causal',
    step: Step = lambda _: None,
    unloaded: Sequence[Stretch] = (),
) -> PayloadEstimate:
    """Identify the body that is fixed to a link, in addition to the robot's own inertia.

    The payload is one more body of the consistent fit, about which nothing is known. With logs
    of the robot without it, both are fitted at once::

        L tau_0 = L (Y phi + friction_0),    L tau = L (Y phi + Y' phi' + friction)

    The friction of each may be another: gears get warm. Without such logs the links are as
    described within a spread: of ``ROBOT_SPREADS`` the one under which the log is most probable.
    Torques show the sum of payload and last link only, so an error of that link is then taken for
    payload, and the standard error knows of it only as far as the spread does.

    :param unloaded: the same robot without the payload.
    :raises ConfigError: no joint moves the link, or there is too little data.
    """
    frame = model.pin_model.frames[model.frame(link)]
    joint = int(frame.parentJoint) - 1
    if joint < 0:
        raise ConfigError(f'--payload-on {link}: no joint moves it; name a link that moves')
    data = weighted_rows(model, stretches, cutoff, form, step)
    alone = weighted_rows(model, unloaded, cutoff, form, step) if unloaded else None
    step('payload')
    inertial = SIZE * model.n
    own = slice(SIZE * joint, SIZE * joint + SIZE)
    to_joint = _transform(frame.placement)
    carried = data.design[:, :, own] @ to_joint
    design = np.concatenate(
        (data.design[:, :, :inertial], carried, data.design[:, :, inertial:]), axis=2
    )
    if alone is None:
        spread, fit = _most_probable(model, data, design)
    else:
        spread, fit = None, _beside(model, data, design, alone)
    found = fit.coefficients[inertial : inertial + SIZE]
    errors = fit.covariance[inertial : inertial + 4, inertial : inertial + 4]
    whole = np.delete(fit.coefficients[: design.shape[2]], np.r_[inertial : inertial + SIZE])
    whole[own] += to_joint @ found
    centre = found[1:4] / found[0]
    slope = np.column_stack((-centre / found[0], np.eye(3) / found[0]))
    return PayloadEstimate(
        link=link,
        mass=float(found[0]),
        mass_error=float(np.sqrt(errors[0, 0])),
        centre=centre,
        centre_error=np.sqrt(np.diag(slope @ errors @ slope.T)),
        spread=spread,
        explanation=explanation_of(data.terms, whole, data.rows.fastest),
    )


def _first_guess(data: WeightedRows, design: Array, known: Array) -> Array:
    """Return a ball with the mass and centre that least squares find, the links as described.

    :param design: columns of the links, of the payload, and of the terms.
    """
    free = data.scaled(design[:, :, len(known) :])
    unknown = data.scaled(data.rows.torque - design[:, :, : len(known)] @ known)
    scale = np.maximum(np.linalg.norm(free, axis=0), np.finfo(float).tiny)
    found = (np.linalg.lstsq(free / scale, unknown, rcond=None)[0] / scale)[:4]
    mass = max(LEAST_MASS, float(found[0]))
    centre = np.clip(found[1:] / mass, -FARTHEST, FARTHEST)
    body = pin.Inertia(mass, centre, 0.4 * mass * RADIUS**2 * np.eye(3))
    parameters: Array = body.toDynamicParameters()
    return parameters


def _most_probable(
    model: RobotModel, data: WeightedRows, design: Array
) -> tuple[float, ConsistentFit]:
    """Return the spread of the links under which the log is most probable, and its fit."""
    payload = _unknown_body(_first_guess(data, design, known_parameters(model)))
    columns, torque = data.scaled(design), data.scaled(data.rows.torque)
    fits = {
        spread: fit_consistent(
            [*link_bodies(model, spread), payload],
            data.terms,
            columns,
            torque,
            data.start[SIZE * model.n :],
        )
        for spread in ROBOT_SPREADS
    }
    spread = min(fits, key=lambda each: fits[each].surprise)
    return spread, fits[spread]


def _beside(
    model: RobotModel, data: WeightedRows, design: Array, alone: WeightedRows
) -> ConsistentFit:
    """Return the fit of a payload and of the links that both logs show.

    Its coefficients are the links, the payload, the terms with it and those without it.
    """
    inertial = SIZE * model.n
    payload = _unknown_body(_first_guess(data, design, alone.start[:inertial]))
    with_it, without = data.scaled(design), alone.scaled(alone.design)
    more = without.shape[1] - inertial
    columns = np.zeros((len(with_it) + len(without), with_it.shape[1] + more))
    columns[: len(with_it), : with_it.shape[1]] = with_it
    columns[len(with_it) :, :inertial] = without[:, :inertial]
    columns[len(with_it) :, with_it.shape[1] :] = without[:, inertial:]
    return fit_consistent(
        [*link_bodies(model, SPREAD), payload],
        (*data.terms, *alone.terms),
        columns,
        np.concatenate((data.scaled(data.rows.torque), alone.scaled(alone.rows.torque))),
        np.concatenate((data.start[inertial:], alone.start[inertial:])),
    )


def _unknown_body(guess: Array) -> Body:
    return Body(LogCholesky(guess, guess), PAYLOAD_SPREAD)


def _transform(placement: pin.SE3) -> Array:
    """Return the matrix that takes inertial parameters from a frame to its joint, ``(10, 10)``."""
    columns = []
    # The map is linear, but Pinocchio knows bodies only: differences to one.
    ball = pin.Inertia(1.0, np.zeros(3), np.eye(3)).toDynamicParameters()

    def moved(parameters: Array) -> Array:
        body = pin.Inertia.FromDynamicParameters(parameters)
        return np.asarray(placement.act(body).toDynamicParameters())

    for k in range(SIZE):
        change = np.zeros(SIZE)
        change[k] = 1e-1
        columns.append((moved(ball + change) - moved(ball - change)) / 2e-1)
    return np.column_stack(columns)
