"""How short the steps of a contact between beam and hands must be."""

from __future__ import annotations

from math import ceil, sqrt

import numpy as np
import pinocchio as pin

from ..core.errors import ConfigError
from ..core.values import Array
from .beam_body import BeamBody
from .beam_contact import SHEAR, BeamContact
from .config import HeldObject
from .flexible_plant import MAX_SUBSTEPS

CONTACT_STEP_PHASE = 0.25
"""Largest phase of the fastest oscillation in one contact step [rad]."""


def count_contact_steps(
    config: HeldObject,
    body: BeamBody,
    contact: BeamContact,
    inertia: Array,
    jacobian: Array,
    period: float,
    substeps: int,
) -> int:
    """Return how many contact steps a physics step needs.

    The fastest oscillation is that of beam and arms with palms square to its ends, on the table
    if there is one: the largest eigenvalue of ``M^-1 K_c`` is its square.

    :param inertia: of the arms, shape ``(n, n)``.
    :param jacobian: of the palms' velocities, shape ``(12, n)``.
    :param period: control period [s], which has ``substeps`` physics steps.
    :raises ConfigError: too many, because the beam is too stiff for its mass.
    """
    axes = (SHEAR * contact.stiffness, SHEAR * contact.stiffness, contact.stiffness)
    n = len(inertia)
    mass = np.zeros((6 + n, 6 + n))
    mass[:6, :6] = np.diag([body.mass] * 3 + list(body.moments))
    mass[6:, 6:] = inertia
    stiffness = np.zeros_like(mass)
    for end, side, motion in zip(body.ends, (1.0, -1.0), jacobian.reshape(2, 6, -1), strict=True):
        grasp = pin.SE3(pin.exp3(np.array([0.5 * side * np.pi, 0.0, 0.0])), end.mean(axis=0))
        corners = (end - grasp.translation) @ grasp.rotation
        apart = np.hstack([grasp.toActionMatrixInverse(), -motion])
        stiffness += apart.T @ _spring_matrix(corners, axes) @ apart
    if config.table:
        stiffness[:6, :6] += _spring_matrix(body.ends[body.ends[:, :, 2] < 0.0], axes)
    square = np.linalg.eigvals(np.linalg.solve(mass, stiffness)).real.max()
    frequency = sqrt(square) * max(1.0, 2.0 * config.damping_ratio)
    steps = frequency * period / (CONTACT_STEP_PHASE * substeps)
    if not steps <= MAX_SUBSTEPS:
        raise ConfigError(
            f'plant.object: a beam of {config.mass:g} kg and {config.stiffness:g} N/m oscillates '
            f'with {frequency:.4g} rad/s and needs {steps:.4g} contact steps in one of '
            f'{period / substeps:g} s; {MAX_SUBSTEPS} at most: make it heavier or softer'
        )
    return max(1, ceil(steps))


def _spring_matrix(points: Array, axes: tuple[float, float, float]) -> Array:
    """Return the stiffness of springs at points against a motion at the origin, ``(6, 6)``.

    :param axes: of each spring along x, y and z [N/m].
    """
    total: Array = np.zeros((6, 6))
    for point in points:
        motion = np.hstack([np.eye(3), -pin.skew(point)])
        total += motion.T @ np.diag(axes) @ motion
    return total
