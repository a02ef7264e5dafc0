"""What a robot is, in tables of plain text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import degrees

import numpy as np

from ..core.values import Array
from ..robot.model import RobotModel
from ..robot.urdf import UNBOUNDED
from ..robot.weight import weight_efforts


def robot_lines(model: RobotModel, tips: Sequence[str], worst: Array) -> Iterator[str]:
    """Yield the lines of a robot's tables: its joints with limits and weight, its tips.

    :param tips: links whose positions are shown.
    :param worst: largest effort that gravity asks of each joint [N m or N], shape ``(n,)``.
    """
    head = ('joint', 'type', 'range', 'velocity', 'effort', 'mass', 'home', 'weight', 'worst')
    yield from _aligned([head, *_joint_rows(model, worst)])
    yield ''
    yield 'mass: of the body that the joint moves, without those behind the next joints'
    yield 'weight: share of the effort limit that gravity takes at home, robot at rest'
    yield 'worst: the same at the worst posture that a search over the ranges found'
    yield ''
    poses = model.frame_poses(model.home, tips)
    places = [
        (tip, *(f'{round(x, 4) + 0.0:.4f} m' for x in pose.translation))
        for tip, pose in zip(tips, poses, strict=True)
    ]
    yield from _aligned([('tip at home', 'x', 'y', 'z'), *places])
    joints = f'{model.n} joint{"s" if model.n > 1 else ""}'
    yield f'total mass {model.total_mass:.4g} kg, {joints}, base {model.base} fixed to the world'


def home_setting(model: RobotModel, q: Array) -> str:
    """Return the argument that makes a posture the home, for a shell."""
    given = {
        name: value
        for name, value, zero in zip(
            model.joint_names, q, np.clip(0.0, model.lower, model.upper), strict=True
        )
        if value != zero
    }
    text = ', '.join(f'{name}: {value:.5g}' for name, value in given.items())
    return f"--set 'robot.home={{{text}}}'"


def _joint_rows(model: RobotModel, worst: Array) -> Iterator[tuple[str, ...]]:
    efforts = np.abs(weight_efforts(model, model.home))
    for i, name in enumerate(model.joint_names):
        unit, effort_unit, limit = (
            model.joint_units[i],
            model.effort_units[i],
            model.effort_limit[i],
        )
        endless = model.upper[i] >= UNBOUNDED
        turns = unit == 'rad'
        yield (
            name,
            'continuous' if endless else 'revolute' if turns else 'prismatic',
            'endless' if endless else _range(model.lower[i], model.upper[i], unit),
            _limit(model.velocity_limit[i], f'{unit}/s'),
            _limit(limit, effort_unit),
            f'{model.pin_model.inertias[i + 1].mass:.3g} kg',
            f'{model.home[i]:.4g} {unit}',
            f'{100.0 * efforts[i] / limit:.0f} %',
            f'{100.0 * worst[i] / limit:.0f} %',
        )


def _range(lower: float, upper: float, unit: str) -> str:
    text = f'{lower:.3f} to {upper:.3f} {unit}'
    if unit == 'rad':
        text += f' ({degrees(lower):.0f} to {degrees(upper):.0f} deg)'
    return text


def _limit(value: float, unit: str) -> str:
    return f'{value:.4g} {unit}' if np.isfinite(value) else 'none'


def _aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield rows with columns of equal width; texts to the left, numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    right = [rows[-1][i][:1] in '-0123456789' for i in range(len(widths))]
    for row in rows:
        cells = zip(row, widths, right, strict=True)
        line = '  '.join(
            text.rjust(width) if numbers else text.ljust(width) for text, width, numbers in cells
        )
        yield line.rstrip()
