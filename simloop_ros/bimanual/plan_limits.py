"""Checks of a plan: ranges, singularities, speeds, efforts, collisions with robot and object."""

from __future__ import annotations

from collections.abc import Sequence

import coal
import numpy as np
import pinocchio as pin

from ..core.errors import GoalError
from ..core.values import Array
from ..kinematics.turns import LIMIT_TOLERANCE
from ..kinematics.velocity import TipVelocity
from ..planning.cartesian import SINGULAR
from ..planning.cartesian_limits import Worst, efforts_along
from ..planning.self_collision import COLLISION_SPACING, first_touch
from ..robot.model import RobotModel
from ..robot.weight import weight_efforts
from .config import BimanualConfig
from .leg import Leg
from .task_context import REMEDY
from .tip_follower import TipFollower

CHECK_SPACING = 10
"""Steps between two checks for singularities: hands move less than 10 mm in between."""
PALM_THICKNESS = 1e-4
"""Thickness of a palm [m], behind the tip's origin."""


def refuse_range(model: RobotModel, legs: Sequence[Leg]) -> None:
    """Refuse a plan on which a joint leaves its range."""
    for leg in legs:
        beyond = np.maximum(model.lower - leg.joints, leg.joints - model.upper)
        joint = int(np.argmax(beyond.max(axis=0)))
        worst = float(beyond[:, joint].max())
        if worst > LIMIT_TOLERANCE:
            name = model.joint_names[joint]
            raise GoalError(
                f'{leg.name}: {name} would leave its range by {worst:.3g} '
                f'{model.joint_units[joint]}; {REMEDY}',
                joints=(name,),
            )


def refuse_singular(model: RobotModel, legs: Sequence[Leg]) -> None:
    """Refuse a plan on which a hand on a Cartesian path comes to a singularity."""
    for tip in model.tips:
        tip_velocity = TipVelocity(model, tip)
        for leg in legs:
            if not leg.cartesian:
                continue
            samples = (*leg.joints[::CHECK_SPACING], leg.joints[-1])
            smallest = min(tip_velocity.dexterity(q).smallest for q in samples)
            if smallest < SINGULAR:
                raise GoalError(
                    f'{leg.name}: {tip} comes to a singularity, where the joints cannot move it '
                    f'in every direction (smallest singular value {smallest:.2g}, at least '
                    f'{SINGULAR:g} is needed); {REMEDY}',
                    tip,
                )


def refuse_slow(model: RobotModel, period: float, q: Array, legs: Sequence[Leg]) -> None:
    """Refuse a plan for which a joint is too slow.

    :param q: at the start and at the end of each step [rad], shape ``(steps + 1, n)``.
    """
    ends = np.cumsum([leg.steps for leg in legs])
    worst = Worst(np.split(np.diff(q, axis=0) / period, ends[:-1]), model.velocity_limit)
    if worst.share <= 1.0:
        return
    leg = legs[worst.side]
    joint, unit = model.joint_names[worst.joint], model.joint_units[worst.joint]
    raise GoalError(
        f'{leg.name}: {joint} would have to go at {worst.value:.3g} {unit}/s, its limit is '
        f'{worst.limit:.3g} {unit}/s; raise its {leg.slower} {1.01 * worst.share:.3g} times, or '
        'shorten its path',
        joints=(joint,),
    )


def refuse_weak(
    model: RobotModel,
    period: float,
    q: Array,
    objects: Sequence[pin.SE3],
    mass: float,
    legs: Sequence[Leg],
) -> None:
    """Refuse a plan for which a joint is too weak.

    What the hands do to the object counts: each presses it with the squeeze, and bears half of
    its weight and of what accelerates its centre.

    :param q: at the start and at the end of each step [rad], shape ``(steps + 1, n)``.
    :param objects: pose of the object, where it should be, at the same times.
    :param mass: of the object [kg].
    """
    tau = efforts_along(model, period, q)
    squeezes = [None, *(target.squeeze for leg in legs for target in leg.targets)]
    tau += _held_efforts(model, period, q, objects, mass, squeezes)
    ends = np.cumsum([leg.steps for leg in legs])
    worst = Worst(np.split(tau, 1 + ends[:-1]), model.effort_limit)
    if worst.share <= 1.0:
        return
    leg = legs[worst.side]
    joint = model.joint_names[worst.joint]
    unit = model.effort_units[worst.joint]
    weight = abs(weight_efforts(model, q[worst.step])[worst.joint])
    remedy = (
        f"the robot's weight alone needs {weight:.3g} {unit}: {REMEDY}"
        if weight > worst.limit
        else f'raise its {leg.slower}, lower squeeze or mass of the object, or move it nearer'
    )
    raise GoalError(
        f'{leg.name}: {joint} would need {worst.value:.3g} {unit}, its limit is '
        f'{worst.limit:.3g} {unit}; {remedy}',
        joints=(joint,),
    )


def refuse_collision(model: RobotModel, period: float, q: Array, legs: Sequence[Leg]) -> None:
    """Refuse a plan on which the robot runs into itself.

    :param q: at the start and at the end of each step [rad], shape ``(steps + 1, n)``.
    """
    touch = first_touch(model, q[0], q, period)
    if touch is not None:
        ends = np.cumsum([leg.steps for leg in legs])
        leg = legs[int(np.searchsorted(ends, touch.step, 'left'))]
        raise GoalError(f'{leg.name}: {touch}; {REMEDY}')


def refuse_swept(
    config: BimanualConfig, model: RobotModel, period: float, legs: Sequence[Leg]
) -> None:
    """Refuse a plan on which a free hand would sweep the object from its place.

    Only palms are checked: squares, against the object as a block at its planned pose. After an
    insertion that ended early hands near the object are displaced with it.

    :raises GoalError: a task does, with its number.
    """
    known = config.object
    block = coal.Box(known.width, known.length, known.width)
    palm = coal.Box(config.palm, config.palm, PALM_THICKNESS)
    back = pin.SE3(np.eye(3), np.array([0.0, 0.0, -0.5 * PALM_THICKNESS]))
    find = TipFollower(model)
    stride = max(1, round(COLLISION_SPACING / period))
    begin = 0
    for leg in legs:
        if not leg.bound:
            there = _transform(leg.objects[0])
            for step in (*range(0, leg.steps, stride), leg.steps - 1):
                for tip, pose in zip(model.tips, find.poses(leg.joints[step]), strict=True):
                    result = coal.CollisionResult()
                    place = _transform(pose * back)
                    if coal.collide(palm, place, block, there, coal.CollisionRequest(), result):
                        raise GoalError(
                            f'{leg.name}: {tip} would sweep the object from its place at t = '
                            f'{(begin + step + 1) * period:.2f} s; lead it around with a jog '
                            'or a reach before, use the other path (ptp or cp), or set the object '
                            'down elsewhere',
                            tip,
                        )
        begin += leg.steps


def _held_efforts(
    model: RobotModel,
    period: float,
    q: Array,
    objects: Sequence[pin.SE3],
    mass: float,
    squeezes: Sequence[float | None],
) -> Array:
    """Return the efforts with which the hands press and bear the object [N m], as ``q``."""
    centres = np.array([pose.translation for pose in objects])
    rest = np.zeros((1, 3))
    v = np.concatenate((rest, np.diff(centres, axis=0) / period, rest))
    bearing = (mass / len(model.tips)) * (np.diff(v, axis=0) / period - model.gravity)
    data = model.pin_model.createData()
    aligned = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
    efforts = np.zeros_like(q)
    for row, joints, lift, squeeze in zip(efforts, q, bearing, squeezes, strict=True):
        if squeeze is None:
            continue
        pin.computeJointJacobians(model.pin_model, data, joints)
        for frame in model.tip_frames:
            palm = pin.updateFramePlacement(model.pin_model, data, frame).rotation[:, 2]
            jacobian = pin.getFrameJacobian(model.pin_model, data, frame, aligned)
            row += jacobian[:3].T @ (lift + squeeze * palm)
    return efforts


def _transform(pose: pin.SE3) -> coal.Transform3s:
    return coal.Transform3s(pose.rotation, pose.translation)
