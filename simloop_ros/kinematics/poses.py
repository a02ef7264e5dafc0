"""Poses that are poses: what is asked of the inverse kinematics is looked at first."""

from __future__ import annotations

from collections.abc import Sequence
import math
from typing import TypeAlias

import numpy as np
import pinocchio as pin

from ..errors import ConfigError, UnreachableError
from ..values import Array

ORTHONORMAL = 1e-9
"""How far ``R^T R`` may be from 1: what a result is to be good for."""

Poses: TypeAlias = Array | Sequence[pin.SE3]
"""Many poses: an array of shape ``(k, 4, 4)``, or one by one."""


def checked_poses(poses: Poses, tip: str) -> Array:
    """Return poses as matrices, shape ``(k, 4, 4)``.

    :raises UnreachableError: one is not finite or its rotation is none; it is named.
    """
    if isinstance(poses, np.ndarray):
        matrices = np.asarray(poses, dtype=float)
    else:
        matrices = np.array([pose.homogeneous for pose in poses]).reshape(-1, 4, 4)
    if matrices.ndim != 3 or matrices.shape[1:] != (4, 4):
        raise ConfigError(f'poses of shape {matrices.shape}: (k, 4, 4) is needed')
    finite = np.isfinite(matrices).all(axis=(1, 2))
    if not finite.all():
        raise _not_finite(tip, int(np.argmin(finite)))
    rotations = matrices[:, :3, :3]
    away = np.abs(np.swapaxes(rotations, 1, 2) @ rotations - np.eye(3)).max(axis=(1, 2))
    good = (away <= ORTHONORMAL) & (np.linalg.det(rotations) > 0.0)
    if not good.all():
        i = int(np.argmin(good))
        raise _not_a_rotation(tip, float(away[i]), i)
    return matrices


def checked_pose(pose: pin.SE3, tip: str) -> list[list[float]]:
    """Return one pose as the rows of its matrix; the same checks, in a tenth of the time."""
    rows: list[list[float]] = pose.homogeneous.tolist()
    (a, b, c, x), (d, e, f, y), (g, h, i, z), _ = rows
    # A sum with NaN in it, or with infinities of both signs, is NaN: no comparison is true.
    if not -math.inf < a + b + c + d + e + f + g + h + i + x + y + z < math.inf:
        raise _not_finite(tip)
    away = max(
        abs(a * a + d * d + g * g - 1.0),
        abs(b * b + e * e + h * h - 1.0),
        abs(c * c + f * f + i * i - 1.0),
        abs(a * b + d * e + g * h),
        abs(a * c + d * f + g * i),
        abs(b * c + e * f + h * i),
    )
    handed = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
    if away > ORTHONORMAL or handed < 0.0:
        raise _not_a_rotation(tip, away)
    return rows


def of(index: int | None) -> str:
    """Return which of several poses it is, for the beginning of a message."""
    return '' if index is None else f'pose {index}: '


def _not_finite(tip: str, index: int | None = None) -> UnreachableError:
    message = f'{of(index)}the pose of {tip} is not finite; give numbers only'
    return UnreachableError(message, 'not_finite', tip, index=index)


def _not_a_rotation(tip: str, away: float, index: int | None = None) -> UnreachableError:
    what = f'R^T R differs from 1 by {away:.1e}' if away > ORTHONORMAL else 'it is a mirror image'
    message = (
        f'{of(index)}the rotation of {tip} is not a rotation: {what}; give an orthonormal, '
        f'right-handed matrix (at most {ORTHONORMAL:g})'
    )
    return UnreachableError(message, 'not_a_rotation', tip, index=index)
