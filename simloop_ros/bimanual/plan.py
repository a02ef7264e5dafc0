"""Planning of all tasks in advance: nominal joints for every step, or the reason of a refusal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pinocchio as pin

from ..core.errors import ConfigError, GoalError
from ..core.values import Array, JointState
from ..planning.cartesian import whole_steps
from ..planning.config import LONGEST_MOTION
from ..robot.chain import chain_to
from ..robot.model import RobotModel
from . import arm_tasks, hand_tasks, object_tasks, task_config
from .config import BimanualConfig, refuse_tips
from .contact import ContactTarget
from .leg import Leg
from .pace import stop_steps
from .plan_limits import (
    refuse_collision,
    refuse_range,
    refuse_singular,
    refuse_slow,
    refuse_swept,
    refuse_weak,
)
from .task_config import Task
from .task_context import FREE, TaskContext

HOME_TOLERANCE = 0.02
"""Distance of a joint from ``robot.home`` at which the robot is there [rad]."""
PALM_CLEARANCE, PALM_REACH = 1e-3, 0.02
"""Least distance of a palm before its end of the object at the start, and how far beside or beyond
that end a palm may be and still hold the object [m]."""

PLANNERS: dict[type[Any], Callable[[TaskContext, Any, str], Leg]] = {
    task_config.ApproachTask: hand_tasks.approach,
    task_config.GraspTask: hand_tasks.grasp,
    task_config.ReleaseTask: hand_tasks.release,
    task_config.RetractTask: hand_tasks.retract,
    task_config.ReachTask: arm_tasks.reach,
    task_config.JogTask: arm_tasks.jog,
    task_config.HoldTask: object_tasks.hold,
    task_config.YieldTask: object_tasks.yielding,
    task_config.MoveTask: object_tasks.move,
    task_config.SlideTask: object_tasks.slide,
    task_config.HingeTask: object_tasks.hinge,
    task_config.InsertTask: object_tasks.insert,
}


@dataclass(frozen=True)
class BimanualPlan:
    """The nominal motion. Row 0 of each array is the start, row k the end of step k.

    :ivar joints: positions [rad], shape ``(steps + 1, n)``.
    :ivar object_position: of its centre in the world [m], shape ``(steps + 1, 3)``.
    :ivar object_rotation: from its axes to those of the world, shape ``(steps + 1, 3, 3)``.
    :ivar targets: of the contact, ``steps + 1`` of them.
    :ivar legs: the tasks, one after the other.
    :ivar ends: row at which each of them ends, shape ``(legs,)``.
    :ivar leg_of: which of them a row belongs to, shape ``(steps + 1,)``.
    :ivar held: whether the object must be in the hands, shape ``(steps + 1,)``.
    :ivar hinged: turn of the hinges so far, from and to world axes, shape ``(steps + 1, 3, 3)``.
    :ivar at_object: share of the object's displacement that the hands take part in, shape
        ``(steps + 1,)``.
    :ivar stop_steps: number of steps in which the robot can stop from there, ``(steps + 1,)``.
    """

    joints: Array
    object_position: Array
    object_rotation: Array
    targets: tuple[ContactTarget, ...]
    legs: tuple[Leg, ...]
    ends: Array
    leg_of: tuple[int, ...]
    held: tuple[bool, ...]
    hinged: Array
    at_object: Array
    stop_steps: tuple[int, ...]

    @property
    def last(self) -> int:
        """Return the number of steps."""
        return len(self.joints) - 1

    def joints_at(self, place: float | Array) -> Array:
        """Return the positions at a place [rad], shape ``(n,)``; at several ``(m, n)``."""
        if isinstance(place, np.ndarray):
            rows = np.minimum(place.astype(int), self.last - 1)
            part = (place - rows)[:, None]
            result: Array = (1.0 - part) * self.joints[rows] + part * self.joints[rows + 1]
            return result
        return _between(self.joints, place)

    def object_position_at(self, place: float) -> Array:
        """Return the planned centre of the object at a place [m], shape ``(3,)``."""
        return _between(self.object_position, place)

    def displacement_share_at(self, place: float) -> float:
        """Return the share of the object's displacement that the hands take part in, 0 to 1."""
        return float(_between(self.at_object, place))


def plan_bimanual(
    config: BimanualConfig, model: RobotModel, period: float, start: JointState
) -> BimanualPlan:
    """Return the motion of ``config.tasks`` from ``start``, or refuse it.

    Every task goes from rest to rest along a quintic profile, and takes a whole number of steps.

    :raises ConfigError: the tasks are invalid.
    :raises GoalError: a pose cannot be reached, or not within the limits of the robot; or tasks
        are in an order that the guard forbids.
    """
    _refuse_robot(model)
    _refuse_start(model, start)
    if not config.tasks:
        raise ConfigError(
            'bimanual.tasks is empty: list what to do, for instance '
            '[{do: approach}, {do: grasp}, {do: hold}, {do: release}, {do: retract}]'
        )
    _refuse_long(config, period)
    context = TaskContext(config, model, period, start.position)
    _refuse_touch(context)
    placed = context.object
    legs: list[Leg] = []
    for number, task in enumerate(config.tasks, 1):
        leg = PLANNERS[type(task)](context, task, _name(number, task))
        context.q = leg.joints[-1]
        context.steps += leg.steps
        legs.append(leg)
    joints = np.concatenate([start.position[None], *(leg.joints for leg in legs)])
    objects = [placed, *(pose for leg in legs for pose in leg.objects)]
    refuse_range(model, legs)
    refuse_singular(model, legs)
    refuse_slow(model, period, joints, legs)
    refuse_weak(model, period, joints, objects, config.object.mass, legs)
    refuse_collision(model, period, joints, legs)
    refuse_swept(config, model, period, legs)
    counts = [leg.steps for leg in legs]
    return BimanualPlan(
        joints,
        np.array([pose.translation for pose in objects]),
        np.array([pose.rotation for pose in objects]),
        _tared((FREE, *(target for leg in legs for target in leg.targets)), config, period),
        tuple(legs),
        np.cumsum(counts),
        (0, *np.repeat(np.arange(len(legs)), counts).tolist()),
        (False, *(held for leg in legs for held in _held(leg))),
        _hinged(placed, legs),
        np.concatenate([[0.0], *(leg.at_object for leg in legs)]),
        stop_steps(model, period, joints, config.stop_time),
    )


def _between(rows: Array, place: float) -> Array:
    """Return a row, interpolated; at a whole place it is that row, bit for bit."""
    row = int(place)
    part = place - row
    result: Array = rows[row] if part == 0.0 else (1.0 - part) * rows[row] + part * rows[row + 1]
    return result


def _name(number: int, task: Task) -> str:
    return f'task {number} ({task.__struct_config__.tag})'


def _held(leg: Leg) -> list[bool]:
    return [leg.holds is not None and step >= leg.holds for step in range(leg.steps)]


def _hinged(placed: pin.SE3, legs: Sequence[Leg]) -> Array:
    """Return the turn of the hinges up to each row, shape ``(steps + 1, 3, 3)``."""
    before, turn = placed.rotation, np.eye(3)
    rows = [turn]
    for leg in legs:
        turns = [pose.rotation @ before.T @ turn if leg.hinge else turn for pose in leg.objects]
        before, turn = leg.objects[-1].rotation, turns[-1]
        rows += turns
    return np.array(rows)


def _tared(
    targets: Sequence[ContactTarget], config: BimanualConfig, period: float
) -> tuple[ContactTarget, ...]:
    """Return the targets; in the first ones free hands learn the sensors' bias."""
    tare = ContactTarget(None, tare=True)
    return tuple(
        tare if step * period < config.tare_time and target is FREE else target
        for step, target in enumerate(targets)
    )


def _refuse_robot(model: RobotModel) -> None:
    refuse_tips(model.tips)
    first, second = (set(chain_to(model, tip).joints) for tip in model.tips)
    if first <= second or second <= first:
        raise ConfigError(
            f'robot.tips: {" and ".join(model.tips)} are not on two arms; name one link of each'
        )


def _refuse_long(config: BimanualConfig, period: float) -> None:
    """Refuse tasks of too many steps, before any of them is planned."""
    steps = 0
    for number, task in enumerate(config.tasks, 1):
        durations = getattr(task, 'durations', None) or (task.duration,)  # type: ignore[union-attr]
        steps += max(whole_steps(duration, period) for duration in durations)
        if steps > LONGEST_MOTION:
            raise ConfigError(
                f'{_name(number, task)}: with it the plan would have {steps:.3g} steps of '
                f'{period:g} s, and at most {LONGEST_MOTION} are possible; shorten it'
            )


def _refuse_start(model: RobotModel, start: JointState) -> None:
    away = np.abs(start.position - model.home)
    joint = int(np.argmax(away))
    if not away[joint] <= HOME_TOLERANCE:
        raise GoalError(
            f'{model.joint_names[joint]} is {away[joint]:.3g} {model.joint_units[joint]} away '
            f'from robot.home, at most {HOME_TOLERANCE:g} are allowed before bimanual.tasks; '
            'bring the robot home first, or make this its home',
            joints=(model.joint_names[joint],),
        )


def _refuse_touch(context: TaskContext) -> None:
    """Refuse to begin with hands that may hold the object.

    They would drop it, and take what they press for the bias of their sensors.
    """
    for tip, hand, palm in zip(context.model.tips, context.hands, context.grasps, strict=True):
        x, y, z = (context.object * palm).actInv(hand).translation
        if np.hypot(x, y) < PALM_REACH and -PALM_CLEARANCE < z < PALM_REACH:
            raise GoalError(
                f'the palm {tip} is {-1e3 * z:.2g} mm before its end of the object: it may hold '
                f'it already, at least {1e3 * PALM_CLEARANCE:g} mm are needed before '
                'bimanual.tasks; take the object away and bring the robot home first, or move one '
                'of both',
                tip,
            )
