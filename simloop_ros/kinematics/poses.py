"""Validation of the poses for inverse kinematics."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
import math
from typing import TypeAlias

import numpy as np
import pinocchio as pin

from ..core.errors import ConfigError, UnreachableError
from ..core.values import Array
from ..maths.vectors import as_numbers

ROTATION_TOLERANCE = 1e-9
"""How far ``R^T R`` may be from 1: the accuracy of a solution."""
FARTHEST_POSITION = 1e50
"""A position farther away than this counts as being there [m]: no robot reaches it, and the fourth
power of a larger one would overflow."""
LAST_ROW = [0.0, 0.0, 0.0, 1.0]
POSE_FORMS = 'an SE3 or an array of shape (4, 4)'

Pose: TypeAlias = pin.SE3 | Array
"""One pose: an SE3, or its homogeneous matrix of shape ``(4, 4)``."""
Poses: TypeAlias = Array | Sequence[Pose]
"""Many poses: an array of shape ``(k, 4, 4)``, or one by one."""


def checked_poses(poses: Poses, tip: str) -> Array:
    """Return poses as matrices, shape ``(k, 4, 4)``.

    :raises UnreachableError: one is not finite or its rotation is none; it is named.
    :raises ConfigError: these are no poses, or the last row of one is not 0 0 0 1.
    """
    if isinstance(poses, np.ndarray):
        matrices = as_numbers(poses, 'poses')
    elif isinstance(poses, pin.SE3) or not isinstance(poses, Iterable):
        raise ConfigError(
            f'{type(poses).__name__} where several poses of {tip} are needed: give a list of them '
            'or an array of shape (k, 4, 4)'
        )
    else:
        found = [_matrix(pose, tip, i) for i, pose in enumerate(poses)]
        matrices = np.array(found).reshape(-1, 4, 4)
    if matrices.ndim != 3 or matrices.shape[1:] != (4, 4):
        raise ConfigError(f'poses of shape {matrices.shape}: (k, 4, 4) is needed')
    finite = np.isfinite(matrices).all(axis=(1, 2))
    if not finite.all():
        raise _not_finite(tip, int(np.argmin(finite)))
    homogeneous = (np.abs(matrices[:, 3] - LAST_ROW) <= ROTATION_TOLERANCE).all(axis=1)
    if not homogeneous.all():
        i = int(np.argmin(homogeneous))
        raise _not_homogeneous(tip, matrices[i, 3].tolist(), i)
    rotations = matrices[:, :3, :3]
    with np.errstate(over='ignore', invalid='ignore'):
        away = np.abs(np.swapaxes(rotations, 1, 2) @ rotations - np.eye(3)).max(axis=(1, 2))
        good = (away <= ROTATION_TOLERANCE) & (np.linalg.det(rotations) > 0.0)
    if not good.all():
        i = int(np.argmin(good))
        raise _not_a_rotation(tip, float(away[i]), i)
    if np.abs(matrices[:, :3, 3]).max(initial=0.0) > FARTHEST_POSITION:
        matrices = matrices.copy()
        matrices[:, :3, 3] = np.clip(matrices[:, :3, 3], -FARTHEST_POSITION, FARTHEST_POSITION)
    return matrices


def checked_pose(pose: Pose, tip: str) -> list[list[float]]:
    """Return one pose as the rows of its matrix; the same checks, in a tenth of the time."""
    rows: list[list[float]] = _matrix(pose, tip).tolist()
    (a, b, c, x), (d, e, f, y), (g, h, i, z), last = rows
    if not all(map(math.isfinite, (a, b, c, d, e, f, g, h, i, x, y, z, *last))):
        raise _not_finite(tip)
    if last != LAST_ROW and np.abs(np.subtract(last, LAST_ROW)).max() > ROTATION_TOLERANCE:
        raise _not_homogeneous(tip, last)
    away = max(
        abs(a * a + d * d + g * g - 1.0),
        abs(b * b + e * e + h * h - 1.0),
        abs(c * c + f * f + i * i - 1.0),
        abs(a * b + d * e + g * h),
        abs(a * c + d * f + g * i),
        abs(b * c + e * f + h * i),
    )
    handed = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
    if away > ROTATION_TOLERANCE or handed < 0.0:
        raise _not_a_rotation(tip, away)
    if max(abs(x), abs(y), abs(z)) > FARTHEST_POSITION:
        for row in rows[:3]:
            row[3] = min(max(row[3], -FARTHEST_POSITION), FARTHEST_POSITION)
    return rows


def of(index: int | None) -> str:
    """Return which of several poses it is, for the beginning of a message."""
    return '' if index is None else f'pose {index}: '


def _matrix(pose: Pose, tip: str, index: int | None = None) -> Array:
    """Return the homogeneous matrix of a pose, shape ``(4, 4)``; only its shape is checked."""
    if isinstance(pose, pin.SE3):
        homogeneous: Array = pose.homogeneous
        return homogeneous
    if not isinstance(pose, np.ndarray):
        raise ConfigError(
            f'{of(index)}{type(pose).__name__} for the pose of {tip}: {POSE_FORMS} is needed'
        )
    matrix = as_numbers(pose, f'{of(index)}poses')
    if matrix.shape != (4, 4):
        raise ConfigError(
            f'{of(index)}array of shape {matrix.shape} for the pose of {tip}: '
            f'{POSE_FORMS} is needed'
        )
    return matrix


def _not_homogeneous(tip: str, row: list[float], index: int | None = None) -> ConfigError:
    given = ' '.join(f'{value:g}' for value in row)
    return ConfigError(
        f'{of(index)}the last row of the pose of {tip} is {given}: 0 0 0 1 is needed; give a '
        'homogeneous matrix, with the position in its last column'
    )


def _not_finite(tip: str, index: int | None = None) -> UnreachableError:
    message = f'{of(index)}the pose of {tip} is not finite; give numbers only'
    return UnreachableError(message, 'not_finite', tip, index=index)


def _not_a_rotation(tip: str, away: float, index: int | None = None) -> UnreachableError:
    mirrored = away <= ROTATION_TOLERANCE
    what = 'it is a mirror image' if mirrored else f'R^T R differs from 1 by {away:.1e}'
    message = (
        f'{of(index)}the rotation of {tip} is not a rotation: {what}; give an orthonormal, '
        f'right-handed matrix (at most {ROTATION_TOLERANCE:g})'
    )
    return UnreachableError(message, 'not_a_rotation', tip, index=index)
