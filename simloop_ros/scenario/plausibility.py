"""What is allowed in a scenario, but hardly meant: notes for the user."""

from __future__ import annotations

from collections.abc import Iterator
from math import hypot
from typing import Any

import msgspec
import numpy as np

from ..kinematics.velocity import TipVelocity
from ..robot.model import RobotModel
from .scenario import Scenario

USUAL = {
    'planner.max_velocity': (1.0, 'm/s'),
    'planner.acceleration': (10.0, 'm/s^2'),
    'planner.jerk': (1000.0, 'm/s^3'),
    'planner.joint_acceleration': (100.0, 'rad/s^2'),
    'plant.noise': (1e-3, 'rad'),
    'plant.resolution': (1e-3, 'rad'),
    'plant.pushes.force': (100.0, 'N'),
    'plant.pushes.torque': (50.0, 'N m'),
    'plant.hands.max_force': (100.0, 'N'),
    'plant.hands.stiffness': (1e4, 'N/m'),
    'plant.hands.path.velocity': (1.0, 'm/s'),
    'plant.obstacles.velocity': (5.0, 'm/s'),
    'plant.obstacles.mass': (10.0, 'kg'),
    'plant.object.mass': (10.0, 'kg'),
}
"""Usual size of values of scenarios, by key, and their units."""
SUSPECT = 100.0
"""Multiple of its usual size at which a value is probably a mistake."""
LARGEST_BIAS = 2.0
"""Share of its mass above which a robot is hardly meant to be heavier than its model."""
BEGINNINGS = (
    'plant.pushes.start',
    'plant.hands.start',
    'plant.stops.start',
    'plant.sensors.faults.start',
)
"""Keys of the times at which something begins [s]."""


def doubts(scenario: Scenario, model: RobotModel, duration: float) -> tuple[str, ...]:
    """Return what is hardly meant, one line each.

    :param duration: of the run [s].
    """
    raw = msgspec.to_builtins(scenario)
    return (
        *_late(raw, duration),
        *_absurd(raw),
        *_heavy(scenario.plant.mass_bias),
        *_unmoved(scenario, model),
        *_too_fast(scenario, model),
    )


def _late(raw: Any, duration: float) -> Iterator[str]:
    for key in BEGINNINGS:
        for where, start in _sizes(raw, key.split('.')):
            if start >= duration:
                yield (
                    f'{where}: {start:g} s is after the end of the run at {duration:.4g} s, so it '
                    'has no effect; raise duration, or let it begin earlier'
                )


def _absurd(raw: Any) -> Iterator[str]:
    for key, (usual, unit) in USUAL.items():
        for where, size in _sizes(raw, key.split('.')):
            if size > SUSPECT * usual:
                yield (
                    f'{where}: {size:g} {unit} is far beyond what is usual, {usual:g} {unit}; is '
                    'the unit right?'
                )


def _heavy(mass_bias: float) -> Iterator[str]:
    if mass_bias > LARGEST_BIAS:
        yield (
            f'plant.mass_bias: {mass_bias:g} makes the robot {1.0 + mass_bias:g} times as heavy '
            'as its model; 10 % is 0.1'
        )


def _unmoved(scenario: Scenario, model: RobotModel) -> Iterator[str]:
    """Yield a note for every push and hand on a link that stands, and for pushes of nothing."""
    frames = model.pin_model.frames
    for i, push in enumerate(scenario.plant.pushes):
        if not any((*push.force, *push.torque)):
            yield f'plant.pushes[{i}]: it has no effect; give it a force [N] or a torque [N m]'
    for key in ('pushes', 'hands'):
        for i, item in enumerate(getattr(scenario.plant, key)):
            if item.link in model.links and frames[model.frame(item.link)].parentJoint == 0:
                yield (
                    f'plant.{key}[{i}].link: no joint moves {item.link}, so it has no effect; '
                    'name a link further out'
                )


def _too_fast(scenario: Scenario, model: RobotModel) -> Iterator[str]:
    """Yield a note if no joint velocities give the tips the speed that is allowed."""
    wanted = getattr(scenario.planner, 'max_velocity', 0.0)
    if not model.tips or not np.isfinite(model.velocity_limit).all():
        return
    possible = max(_tip_speed(model, tip) for tip in model.tips)
    if wanted > possible:
        yield (
            f'planner.max_velocity: {wanted:g} m/s is more than the joints can give a tip at '
            f'home, {possible:.3g} m/s at most'
        )


def _tip_speed(model: RobotModel, tip: str) -> float:
    """Return a bound of the speed of a tip at home, with all joints at their limits [m/s]."""
    velocities = TipVelocity(model, tip).jacobian(model.home)[:3]
    return float(np.linalg.norm(velocities, axis=0) @ model.velocity_limit)


def _sizes(value: Any, keys: list[str], where: str = '') -> Iterator[tuple[str, float]]:
    """Yield key and size of every number or vector that a path leads to, through lists too."""
    if isinstance(value, (list, tuple)) and keys:
        for i, item in enumerate(value):
            yield from _sizes(item, keys, f'{where}[{i}]')
    elif isinstance(value, dict) and keys:
        name = f'{where}.{keys[0]}' if where else keys[0]
        yield from _sizes(value.get(keys[0]), keys[1:], name)
    elif not keys and isinstance(value, (list, tuple)):
        yield where, hypot(*value)
    elif not keys and isinstance(value, (int, float)):
        yield where, float(value)
