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
from .stage import Stage
from .task_config import HingeTask, HoldTask, InsertTask, MoveTask, SlideTask, YieldTask
from .ways import Arc, Rest, Way, curved, displaced

STIFF = 1e7
"""Stiffness of an object that does not give way along an axis [N/m]: 100 N move it by 0.01 mm."""
HEAVIER = 3.0
"""How much heavier an impedance must be than the object that gives way by it: measured were swings
up to 2.2 and none from 2.6 on, docs/bimanual.md."""
SHORTEST = 1e-6
"""Length of a displacement that has no direction [m]: as little as joints resolve."""
ASKEW = 1e-3
"""Angle from an axis of the object at which a slide is not along it any more [rad]."""


def hold(stage: Stage, task: HoldTask, name: str) -> Leg:
    """Return how the object is held still: Bi-Hold.

    Hands that have not found it yet seek it, if it is known to be there.
    """
    if task.squeeze is not None:
        stage.guard.refuse_free(name)
        stage.target = ContactTarget(task.squeeze)
    target = ContactTarget(stage.target.squeeze, seek=stage.expected)
    return _leg(stage, name, Rest(stage.object), task.duration, target)


def give_way(stage: Stage, task: YieldTask, name: str) -> Leg:
    """Return how a push from outside may move the object: Bi-Yield."""
    soft = impedance(task.impedance)
    _refuse_light(stage, soft, name)
    target = ContactTarget(stage.target.squeeze, soft)
    return _leg(stage, name, Rest(stage.object), task.duration, target)


def move(stage: Stage, task: MoveTask, name: str) -> Leg:
    """Return how the object is carried: Bi-Move."""
    by, turn = np.array(task.by), np.array(task.turn)
    way: Way
    if task.through:
        points = stage.object.translation + np.array([*task.through, task.by])
        way = curved(stage.object, points, turn, name)
    elif by.any() or turn.any():
        way = displaced(stage.object, by, turn)
    else:
        raise ConfigError(f'{name}: neither by nor turn is given; give one, or use hold')
    return _leg(stage, name, way, task.duration, stage.target)


def slide(stage: Stage, task: SlideTask, name: str) -> Leg:
    """Return how the object is pushed along a surface: Bi-Slide.

    Along the displacement it does not give way, in all other axes it does.

    :raises ConfigError: the displacement is not along an axis of the object.
    """
    by = _displacement(task.by, name)
    along = stage.object.rotation.T @ by / np.linalg.norm(by)
    axis = int(np.argmax(np.abs(along)))
    if np.linalg.norm(np.delete(along, axis)) > ASKEW:
        x, y, z = along
        raise ConfigError(
            f'{name}: by points to ({x:.3f}, {y:.3f}, {z:.3f}) in axes of the object, and it can '
            'only slide along one of them; turn the object, or choose another by'
        )
    soft = impedance(task.impedance)
    _refuse_light(stage, soft, name)
    target = ContactTarget(stage.target.squeeze, _stiffened(soft, axis))
    return _leg(stage, name, displaced(stage.object, by, np.zeros(3)), task.duration, target)


def hinge(stage: Stage, task: HingeTask, name: str) -> Leg:
    """Return how the object is turned about a line: Bi-Hinge."""
    turn = np.array(task.turn)
    if not turn.any():
        raise ConfigError(f'{name}: turn is zero; give an angle about the line, or use hold')
    way = Arc(stage.object, np.array(task.pivot), turn)
    leg = _leg(stage, name, way, task.duration, stage.target)
    return replace(leg, hinge=True)


def insert(stage: Stage, task: InsertTask, name: str) -> Leg:
    """Return how the object is pushed on until something resists: Bi-Insert, Bi-Extract.

    :raises ConfigError: noise of the sensors could end it.
    """
    by = _displacement(task.by, name)
    least = stage.config.contact_force
    if task.max_force < least:
        raise ConfigError(
            f'{name}: max_force {task.max_force:g} N is below bimanual.contact_force, {least:g} '
            'N: noise of the sensors might end it; raise max_force, or lower contact_force if the '
            'sensors are quiet enough'
        )
    way = displaced(stage.object, by, np.zeros(3))
    insertion = Insertion(by / np.linalg.norm(by), task.max_force)
    return _leg(stage, name, way, task.duration, stage.target, insertion)


def _displacement(by: tuple[float, float, float], name: str) -> Array:
    if not hypot(*by) > SHORTEST:
        raise ConfigError(
            f'{name}: by is zero, or as good as that: {hypot(*by):.3g} m; give a displacement of '
            f'more than {SHORTEST:g} m, or use hold'
        )
    return np.array(by)


def _stiffened(soft: Parameters, axis: int) -> Parameters:
    """Return an impedance that is stiff, and critically damped, along one axis."""
    stiffness, damping = soft.stiffness.copy(), soft.damping.copy()
    stiffness[axis] = STIFF
    damping[axis] = 2.0 * np.sqrt(STIFF * soft.mass[axis])
    return msgspec.structs.replace(soft, stiffness=stiffness, damping=damping)


def _refuse_light(stage: Stage, soft: Parameters, name: str) -> None:
    """Refuse an impedance that the object would swing with.

    The inertia of the object is felt as a push against its acceleration, a period and more late.
    Over a period the impedance is as sluggish as a mass of ``M + beta h``.

    :raises ConfigError: that is less than ``HEAVIER`` times the known mass of the object.
    """
    mass = stage.config.object.mass
    sluggish = float(np.min(soft.mass[:3] + stage.period * soft.damping[:3]))
    if sluggish < HEAVIER * mass:
        raise ConfigError(
            f'{name}: an impedance as light as {sluggish:.3g} kg (mass + damping x period) would '
            f'swing with an object of {mass:g} kg; at least {HEAVIER:g} times as much is needed: '
            'raise impedance.mass or impedance.damping'
        )


def _refuse_loose(stage: Stage, target: ContactTarget, name: str) -> None:
    """Refuse to move an object that the hands do not press: it would stay behind."""
    if stage.config.force_control and target.squeeze == 0.0:
        raise GoalError(
            f'{name}: the hands do not press the object, squeeze is 0: it would stay behind; give '
            'the grasp, or a hold before it, a squeeze'
        )


def _leg(
    stage: Stage,
    name: str,
    way: Way,
    duration: float,
    target: ContactTarget,
    insertion: Insertion | None = None,
) -> Leg:
    """Return how the hands go with the object along its way.

    :raises GoalError: they do not hold it, or cannot go with it.
    """
    stage.guard.refuse_free(name)
    if not isinstance(way, Rest):
        _refuse_loose(stage, target, name)
    share = stage.shares((duration,), name)[0]
    objects = tuple(way.poses(share))
    joints = stage.through([tuple(pose * hold for hold in stage.hold) for pose in objects], name)
    stage.object = objects[-1]
    return Leg(
        name,
        joints,
        objects,
        (target,) * len(joints),
        np.full(len(joints), stage.at_object),
        bound=True,
        holds=0 if stage.expected else None,
        insertion=insertion,
    )
