"""A motion simulated beforehand: the off-line list, or the reason to refuse it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.errors import GoalError
from ..core.values import Array, JointState
from .forced_simulation import ForcedMotion, ForcedSimulation
from .self_collision import first_touch

GOAL_TOLERANCE = 1e-6
"""Distance at which a tip has reached its goal [m]: well below any encoder."""
LAG_TOLERANCE = 1e-3
"""Distance of a tip behind its path above which it does not follow [m]."""
LOST_DISTANCE = 0.05
"""Distance of a tip behind its path above which it may never arrive [m]."""
STALL_TIME = 0.3
"""Time without progress after which a lost tip is given up [s]."""
REST_SPEED = 1e-9
"""Joint speed at which the robot is at rest [rad/s]."""
TURN_TOLERANCE = np.radians(0.5)
"""Turn of a tip above which it does not keep its orientation [rad]."""
SETTLING_TIME = 3.0
"""Longest time for the free joint motion to decay after the tips have arrived [s]."""
LIMIT_TOLERANCE = 0.02
"""Distance from the end of its range at which a joint is at its limit [rad]."""


@dataclass(frozen=True)
class Rehearsal:
    """The whole motion.

    :ivar positions: desired positions at each step [rad], shape ``(steps, n)``.
    :ivar duration: time until the robot is at rest [s].
    """

    positions: Array
    duration: float


def rehearse(simulation: ForcedSimulation, start: JointState) -> Rehearsal:
    """Return the whole motion from ``start`` to the goals, or refuse it.

    :raises GoalError: a goal is out of reach, a joint limit or another link is in the way, or a
        tip cannot follow its path at the given speed.
    """
    h = simulation.period
    motion = simulation.start(start)
    positions = []
    lag = 0.0
    lagging: tuple[int, ForcedMotion] | None = None
    turning: ForcedMotion | None = None
    nearest, nearest_missing, stalled = motion, np.inf, 0
    settling = max(1, round(SETTLING_TIME / h))
    while settling > 0:
        motion = simulation.step(motion)
        positions.append(motion.joints.position)
        tips = simulation.tip_positions(motion.joints.position)
        behind = np.linalg.norm(_path_points(simulation, motion) - tips, axis=1)
        tip = int(np.argmax(behind))
        if behind[tip] > max(lag, LAG_TOLERANCE):
            lag, lagging = float(behind[tip]), (tip, motion)
        if turning is None and simulation.turned(motion).max() > TURN_TOLERANCE:
            turning = motion
        missing = float(np.linalg.norm(simulation.goals - tips, axis=1).max())
        if missing < nearest_missing - GOAL_TOLERANCE:
            nearest, nearest_missing, stalled = motion, missing, 0
        stalled += 1
        if lag > LOST_DISTANCE and stalled * h > STALL_TIME:
            break
        if not any(travel.remaining for travel in motion.travels):
            if np.abs(motion.joints.velocity).max() < REST_SPEED:
                break
            settling -= 1
    if missing > GOAL_TOLERANCE:
        _refuse_unreached(simulation, nearest)
    if lagging is not None:
        _refuse_lag(simulation, *lagging, lag)
    if turning is not None:
        _refuse_turn(simulation, turning)
    touch = first_touch(simulation.model, start.position, positions, h)
    if touch is not None:
        raise GoalError(f'{touch}; change planner.move or robot.home{_or_turn(simulation)}')
    return Rehearsal(np.array(positions), len(positions) * h)


def _path_points(simulation: ForcedSimulation, motion: ForcedMotion) -> Array:
    """Return the present points of the paths [m], shape ``(tips, 3)``."""
    return simulation.waypoints(motion.directions, motion.travels).reshape(-1, 3)


def _at_limits(simulation: ForcedSimulation, motion: ForcedMotion) -> tuple[str, ...]:
    model, q = simulation.model, motion.joints.position
    near = np.minimum(q - model.lower, model.upper - q) < LIMIT_TOLERANCE
    return tuple(model.joint_names[i] for i in np.flatnonzero(near))


def _at_limit(joints: tuple[str, ...]) -> str:
    return f'{", ".join(joints)} at {"its limit" if len(joints) == 1 else "their limits"}'


def _refuse_unreached(simulation: ForcedSimulation, motion: ForcedMotion) -> None:
    tips = simulation.tip_positions(motion.joints.position)
    missing = np.linalg.norm(simulation.goals - tips, axis=1)
    tip = int(np.argmax(missing))
    joints = _at_limits(simulation, motion)
    where = (
        f'with {_at_limit(joints)}'
        if joints
        else 'with no joint at its limit: it is out of the workspace'
    )
    goal = ', '.join(f'{x:.3f}' for x in simulation.goals[tip])
    name = simulation.model.tips[tip]
    raise GoalError(
        f'goal out of reach: tip {name} stays {missing[tip]:.3g} m short of ({goal}) m, {where}; '
        f'shorten planner.move or start from another robot.home{_or_turn(simulation)}',
        name,
        float(missing[tip]),
        joints,
    )


def _refuse_lag(simulation: ForcedSimulation, tip: int, motion: ForcedMotion, lag: float) -> None:
    name = simulation.model.tips[tip]
    share = np.abs(motion.joints.velocity) / simulation.model.velocity_limit
    fastest = np.flatnonzero(share >= (1.0 - LIMIT_TOLERANCE) * share.max())
    joints = _at_limits(simulation, motion) or tuple(
        simulation.model.joint_names[i] for i in fastest
    )
    raise GoalError(
        f'tip {name} cannot follow its path: it lags by {lag:.3g} m, with {_at_limit(joints)}; '
        'lower planner.max_velocity or period, or start from another robot.home'
        f'{_or_turn(simulation)}',
        name,
        lag,
        joints,
    )


def _refuse_turn(simulation: ForcedSimulation, motion: ForcedMotion) -> None:
    tip = int(np.argmax(simulation.turned(motion)))
    name, joints = simulation.model.tips[tip], _at_limits(simulation, motion)
    raise GoalError(
        f'tip {name} cannot keep its orientation on the way'
        f'{f", with {_at_limit(joints)}" if joints else ": a singularity is near"}; shorten '
        f'planner.move or start from another robot.home{_or_turn(simulation)}',
        name,
        joints=joints,
    )


def _or_turn(simulation: ForcedSimulation) -> str:
    """Return the remedy that is left where orientations are kept."""
    return ', or let the tips turn: planner.keep=position' if simulation.keeps_rotations else ''
