"""One controller on one motion of one robot, and how well it did."""

from __future__ import annotations

from pathlib import Path
import tempfile

import msgspec
import numpy as np
import pinocchio as pin

from ..errors import DivergenceError
from ..loop.log import COLUMNS, LogReader, LogWriter
from ..loop.run import Prepared, prepare
from ..loop.scenario import load_scenario
from ..model import RobotModel
from ..planning.stay import Stay
from ..values import Array, JointState
from .controller_motions import MOTIONS, control_settings
from .ripple import torque_ripple

SEED = 2026
LEAD_IN = 0.25
"""Time at the start before the motion begins [s]: control finds the weight of the robot."""
REST = 0.5
"""Time at the goal [s]."""
RESTLESS, LASTING = 1e-4, 0.8
"""A robot does not come to rest if, in the second half of the time at its goal, a tip still moves
by so much (rms about its mean place) [m], and by more than this part of the first half."""


class Case(msgspec.Struct, frozen=True):
    """What is run.

    :ivar motion: one of ``MOTIONS``.
    :ivar controller: one of ``CONTROLLERS``.
    :ivar period: [s].
    :ivar mass_error: by which part every link is heavier than the model.
    :ivar noise: standard deviation of the encoders [rad].
    :ivar friction: whether the joints have the friction of the motion.
    """

    motion: str
    controller: str
    period: float
    mass_error: float
    noise: float
    friction: bool


class Outcome(msgspec.Struct, frozen=True):
    """How well a controller did, from the start of the motion to the end of the rest.

    A tip's error is the distance between where it is and where the desired joint positions would
    put it. Infinite or NaN if the run diverged.

    :ivar tip_rms: error, rms over steps and tips [m].
    :ivar tip_max: largest error [m].
    :ivar start_max: largest error before the motion, after control was switched on [m].
    :ivar ripple: torque ripple, see ``torque_ripple`` [N m].
    :ivar effort: rms over steps and joints of effort over effort limit.
    :ivar limited: share of steps in which an effort limit was applied.
    :ivar unstable: whether the run diverged or the robot did not come to rest at its goal.
    """

    tip_rms: float
    tip_max: float
    start_max: float
    ripple: float
    effort: float
    limited: float
    unstable: bool


DIVERGED = Outcome(np.inf, np.inf, np.inf, np.inf, np.inf, 1.0, True)


def run_case(case: Case) -> Outcome:
    """Run a case and return how well the controller did."""
    motion = MOTIONS[case.motion]
    friction = (
        (
            f'plant.friction.coulomb={motion.coulomb}',
            f'plant.friction.viscous={motion.viscous}',
        )
        if case.friction
        else ()
    )
    scenario = load_scenario(
        motion.scenario,
        (
            *motion.settings,
            *control_settings(case.controller, case.period),
            *friction,
            f'period={case.period}',
            f'rest={REST}',
            f'seed={SEED}',
            f'plant.mass_bias={case.mass_error}',
            f'plant.noise={case.noise}',
        ),
    )
    prepared = prepare(scenario)
    lead_in = round(LEAD_IN / case.period)
    rows = _rows(prepared, lead_in)
    if rows is None:
        return DIVERGED
    return outcome(
        prepared.facts.model,
        rows,
        case.period,
        lead_in,
        prepared.loop.control.saturations / len(rows),
    )


def outcome(
    model: RobotModel, rows: Array, period: float, lead_in: int, limited: float
) -> Outcome:
    """Return the measures of a run that came to its end.

    :param rows: the log, shape ``(steps, columns, n)``.
    :param lead_in: number of steps before the motion.
    :param limited: share of steps in which an effort limit was applied.
    """
    true, desired = (
        tip_paths(model, rows[:, COLUMNS.index(name)])
        for name in ('true_position', 'desired_position')
    )
    every = np.linalg.norm(true - desired, axis=2)
    start, error = every[:lead_in], every[lead_in:]
    effort = rows[lead_in:, COLUMNS.index('effort')]
    half = round(0.5 * REST / period)
    before, after = _motion(true[-2 * half : -half]), _motion(true[-half:])
    return Outcome(
        tip_rms=_rms(error),
        tip_max=float(error.max()),
        start_max=float(start.max()),
        ripple=torque_ripple(effort, period),
        effort=_rms(effort / model.effort_limit),
        limited=limited,
        unstable=after > max(RESTLESS, LASTING * before),
    )


def tip_paths(model: RobotModel, positions: Array) -> Array:
    """Return where the tips are [m], shape ``(steps, tips, 3)``."""
    data = model.pin_model.createData()
    paths = np.empty((len(positions), len(model.tip_frames), 3))
    for path, q in zip(paths, positions, strict=True):
        pin.framesForwardKinematics(model.pin_model, data, q)
        for place, frame in zip(path, model.tip_frames, strict=True):
            place[:] = data.oMf[frame].translation
    return paths


def _rows(prepared: Prepared, lead_in: int) -> Array | None:
    """Return the log of a run that holds the robot before it moves; none if it diverged."""
    facts, loop = prepared.facts, prepared.loop
    planner = loop.planner
    try:
        with tempfile.TemporaryDirectory() as folder:
            raw = Path(folder) / 'log.raw'
            with LogWriter(raw, facts.model.n) as log, np.errstate(all='ignore'):
                try:
                    loop.planner = Stay(JointState(facts.model.home, np.zeros(facts.model.n)))
                    loop.run(lead_in, log)
                    loop.planner = planner
                    loop.run(facts.steps, log)
                except DivergenceError:
                    return None
            return LogReader(raw, facts.model.n).read()
    finally:
        loop.plant.close()


def _motion(path: Array) -> float:
    """Return by how much the tips move about their mean places, rms [m]."""
    return _rms(np.linalg.norm(path - path.mean(axis=0), axis=2))


def _rms(values: Array) -> float:
    return float(np.sqrt(np.square(values).mean()))
