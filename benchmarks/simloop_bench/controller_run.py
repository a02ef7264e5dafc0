"""One controller on one motion of one robot, and how well it did."""

from __future__ import annotations

import msgspec
import numpy as np
import pinocchio as pin

from simloop_ros.assembly.assemble import Assembly, assemble
from simloop_ros.core.errors import DivergenceError
from simloop_ros.core.values import Array, JointState
from simloop_ros.loop.step_record import StepRecord
from simloop_ros.planning.offline import Stay
from simloop_ros.record.columns import COLUMNS, stacked
from simloop_ros.robot.model import RobotModel
from simloop_ros.scenario.loading import load_scenario

from .controller_motions import MOTIONS, control_settings
from .ripple import torque_ripple

SEED = 2026
LEAD_IN = 0.25
"""Time at the start before the motion begins [s]: control finds the weight of the robot."""
REST = 0.5
"""Time at the goal [s]."""
RESTLESS = 1e-4
"""Motion of a tip, rms about its mean place, of a robot that is not at rest [m]."""
PATIENCE, LASTING = 2.0, 0.8
"""A robot that is not at rest is watched for so long [s]; it is unstable if it still moves by more
than this part of what it did before."""


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
    prepared = assemble(scenario)
    facts, loop = prepared.facts, prepared.loop
    lead_in, patience = (round(time / case.period) for time in (LEAD_IN, PATIENCE))
    motion_planner = loop.planner
    try:
        loop.planner = Stay(JointState(facts.model.home, np.zeros(facts.model.n)))
        before = _rows(prepared, lead_in)
        loop.planner = motion_planner
        rows = np.concatenate((before, _rows(prepared, facts.steps)))
        limited = loop.control.saturations / len(rows)
        moving = restless(facts.model, rows, case.period)
        unstable = moving > RESTLESS and (
            restless(facts.model, _rows(prepared, patience), case.period) > LASTING * moving
        )
    except DivergenceError:
        return DIVERGED
    finally:
        loop.plant.close()
    return outcome(facts.model, rows, case.period, lead_in, limited, unstable)


def restless(model: RobotModel, rows: Array, period: float) -> float:
    """Return by how much tips move at the end, for half of ``REST``: rms about their means [m].

    :param rows: the log, shape ``(steps, columns, n)``.
    """
    last = rows[-round(0.5 * REST / period) :, COLUMNS.index('true_position')]
    path = tip_paths(model, last)
    return _rms(np.linalg.norm(path - path.mean(axis=0), axis=2))


def outcome(
    model: RobotModel, rows: Array, period: float, lead_in: int, limited: float, unstable: bool
) -> Outcome:
    """Return the measures of a run that came to its end.

    :param rows: the log, shape ``(steps, columns, n)``.
    :param lead_in: number of steps before the motion.
    :param limited: share of steps in which an effort limit was applied.
    :param unstable: whether the robot did not come to rest.
    """
    true, desired = (
        tip_paths(model, rows[:, COLUMNS.index(name)])
        for name in ('true_position', 'desired_position')
    )
    every = np.linalg.norm(true - desired, axis=2)
    start, error = every[:lead_in], every[lead_in:]
    effort = rows[lead_in:, COLUMNS.index('effort')]
    return Outcome(
        tip_rms=_rms(error),
        tip_max=float(error.max()),
        start_max=float(start.max()),
        ripple=torque_ripple(effort, period),
        effort=_rms(effort / model.effort_limit),
        limited=limited,
        unstable=unstable,
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


def _rows(prepared: Assembly, steps: int) -> Array:
    """Take steps and return their log, shape ``(steps, columns, n)``.

    :raises DivergenceError: numbers ran away.
    """
    records: list[StepRecord] = []
    with np.errstate(all='ignore'):
        prepared.loop.run(steps, records.append)
    return stacked(records)


def _rms(values: Array) -> float:
    return float(np.sqrt(np.square(values).mean()))
