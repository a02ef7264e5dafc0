"""Tasks of the object that both hands hold: hold, yield, move, slide, hinge, insert.

Its motion is given, and the hands keep their places on it: 003's object motion policy.
"""

from __future__ import annotations

from dataclasses import replace
from math import hypot

import msgspec
import numpy as np

from ..core.errors import ConfigError, GoalError
from ..core.values import Array
from ..maths.discretisation import Parameters
from .contact import ContactTarget
from .impedance import impedance
from .leg import Insertion, Leg
from .pose_path import ArcPath, ConstantPath, PosePath, displaced_path, spline_path
from .task_config import HingeTask, HoldTask, InsertTask, MoveTask, SlideTask, YieldTask
from .task_context import TaskContext

RIGID_STIFFNESS = 1e7
"""Stiffness along an axis in which the object does not yield [N/m]: 100 N move it by 0.01 mm."""
MIN_MASS_RATIO = 3.0
"""Least ratio of the mass of an impedance to that of the object that yields by it: oscillations
were measured up to 2.2 and none from 2.6 on, docs/bimanual.md."""
MIN_DISPLACEMENT = 1e-6
"""Length of a displacement up to which it has no direction [m]: what joints resolve."""
AXIS_TOLERANCE = 1e-3
"""Largest angle of a slide from an axis of the object [rad]."""


def hold(context: TaskContext, task: HoldTask, name: str) -> Leg:
    """Return how the object is held still: Bi-Hold.

    Hands that have not found it yet seek it, if it is known to be there.
    """
    if task.squeeze is not None:
        context.guard.refuse_free(name)
        context.target = ContactTarget(task.squeeze)
    target = ContactTarget(context.target.squeeze, seek=context.expected)
    return _leg(context, name, ConstantPath(context.object), task.duration, target)


def yielding(context: TaskContext, task: YieldTask, name: str) -> Leg:
    """Return how an external force may move the object: Bi-Yield."""
    soft = impedance(task.impedance)
    _refuse_light(context, soft, name)
    target = ContactTarget(context.target.squeeze, soft)
    return _leg(context, name, ConstantPath(context.object), task.duration, target)


def move(context: TaskContext, task: MoveTask, name: str) -> Leg:
    """Return how the object is carried: Bi-Move."""
    by, turn = np.array(task.by), np.array(task.turn)
    path: PosePath
    if task.through:
        points = context.object.translation + np.array([*task.through, task.by])
        path = spline_path(context.object, points, turn, name)
    elif by.any() or turn.any():
        path = displaced_path(context.object, by, turn)
    else:
        raise ConfigError(f'{name}: neither by nor turn is given; give one, or use hold')
    return _leg(context, name, path, task.duration, context.target)


def slide(context: TaskContext, task: SlideTask, name: str) -> Leg:
    """Return how the object is pushed along a surface: Bi-Slide.

    Along the displacement it does not yield, in all other axes it does.

    :raises ConfigError: the displacement is not along an axis of the object.
    """
    by = _displacement(task.by, name)
    along = context.object.rotation.T @ by / np.linalg.norm(by)
    axis = int(np.argmax(np.abs(along)))
    if np.linalg.norm(np.delete(along, axis)) > AXIS_TOLERANCE:
        x, y, z = along
        raise ConfigError(
            f'{name}: by points to ({x:.3f}, {y:.3f}, {z:.3f}) in axes of the object, and it can '
            'only slide along one of them; turn the object, or choose another by'
        )
    soft = impedance(task.impedance)
    _refuse_light(context, soft, name)
    target = ContactTarget(context.target.squeeze, _stiffened(soft, axis))
    return _leg(
        context, name, displaced_path(context.object, by, np.zeros(3)), task.duration, target
    )


def hinge(context: TaskContext, task: HingeTask, name: str) -> Leg:
    """Return how the object is turned about a line: Bi-Hinge."""
    turn = np.array(task.turn)
    if not turn.any():
        raise ConfigError(f'{name}: turn is zero; give an angle about the line, or use hold')
    path = ArcPath(context.object, np.array(task.pivot), turn)
    leg = _leg(context, name, path, task.duration, context.target)
    return replace(leg, hinge=True)


def insert(context: TaskContext, task: InsertTask, name: str) -> Leg:
    """Return how the object is pushed on until something resists: Bi-Insert, Bi-Extract.

    :raises ConfigError: noise of the sensors could end it.
    """
    by = _displacement(task.by, name)
    limit = context.config.contact_force
    if task.max_force < limit:
        raise ConfigError(
            f'{name}: max_force {task.max_force:g} N is below bimanual.contact_force, {limit:g} '
            'N: noise of the sensors might end it; raise max_force, or lower contact_force if the '
            'sensors are quiet enough'
        )
    path = displaced_path(context.object, by, np.zeros(3))
    insertion = Insertion(by / np.linalg.norm(by), task.max_force)
    return _leg(context, name, path, task.duration, context.target, insertion)


def _displacement(by: tuple[float, float, float], name: str) -> Array:
    if not hypot(*by) > MIN_DISPLACEMENT:
        raise ConfigError(
            f'{name}: by is zero, or as good as that: {hypot(*by):.3g} m; give a displacement of '
            f'more than {MIN_DISPLACEMENT:g} m, or use hold'
        )
    return np.array(by)


def _stiffened(soft: Parameters, axis: int) -> Parameters:
    """Return an impedance that is stiff, and critically damped, along one axis."""
    stiffness, damping = soft.stiffness.copy(), soft.damping.copy()
    stiffness[axis] = RIGID_STIFFNESS
    damping[axis] = 2.0 * np.sqrt(RIGID_STIFFNESS * soft.mass[axis])
    return msgspec.structs.replace(soft, stiffness=stiffness, damping=damping)


def _refuse_light(context: TaskContext, soft: Parameters, name: str) -> None:
    """Refuse an impedance with which the object would oscillate.

    The inertia of the object is measured as an external force, a period or more late.
    Over a period the impedance acts as a mass of ``M + beta h``.

    :raises ConfigError: that is less than ``MIN_MASS_RATIO`` times the known mass of the object.
    """
    mass = context.config.object.mass
    effective = float(np.min(soft.mass[:3] + context.period * soft.damping[:3]))
    if effective < MIN_MASS_RATIO * mass:
        raise ConfigError(
            f'{name}: an impedance as light as {effective:.3g} kg (mass + damping x period) would '
            f'oscillate with an object of {mass:g} kg; at least {MIN_MASS_RATIO:g} times as much '
            'is needed: raise impedance.mass or impedance.damping'
        )


def _refuse_loose(context: TaskContext, target: ContactTarget, name: str) -> None:
    """Refuse to move an object that the hands do not press: it would stay behind."""
    if context.config.force_control and target.squeeze == 0.0:
        raise GoalError(
            f'{name}: the hands do not press the object, squeeze is 0: it would stay behind; give '
            'the grasp, or a hold before it, a squeeze'
        )


def _leg(
    context: TaskContext,
    name: str,
    path: PosePath,
    duration: float,
    target: ContactTarget,
    insertion: Insertion | None = None,
) -> Leg:
    """Return how the hands move with the object along its path.

    :raises GoalError: they do not hold it, or cannot go with it.
    """
    context.guard.refuse_free(name)
    if not isinstance(path, ConstantPath):
        _refuse_loose(context, target, name)
    share = context.shares((duration,), name)[0]
    objects = tuple(path.poses(share))
    joints = context.through(
        [tuple(pose * hold for hold in context.hold) for pose in objects], name
    )
    context.object = objects[-1]
    return Leg(
        name,
        joints,
        objects,
        (target,) * len(joints),
        np.full(len(joints), context.at_object),
        bound=True,
        holds=0 if context.expected else None,
        insertion=insertion,
    )
