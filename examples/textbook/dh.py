"""Denavit-Hartenberg tables: forward kinematics as documents write it."""

from __future__ import annotations

from collections.abc import Sequence
import math

import msgspec
import numpy as np

from simloop_ros.core.errors import ConfigError
from simloop_ros.core.values import Array


class DhRow(msgspec.Struct, frozen=True, kw_only=True):
    """One row of a table: ``Rot_z(theta) Trans_z(d) Trans_x(a) Rot_x(alpha)``.

    :ivar a: along the new x axis [m].
    :ivar alpha: about the new x axis [rad].
    :ivar d: along the old z axis [m].
    :ivar theta: about the old z axis [rad]; what the joint adds to.
    :ivar joint: index of the joint that turns the row, if one does.
    """

    a: float = 0.0
    alpha: float = 0.0
    d: float = 0.0
    theta: float = 0.0
    joint: int | None = None


IRB_120 = (
    DhRow(d=0.290, alpha=-0.5 * math.pi, joint=0),
    DhRow(theta=-0.5 * math.pi, a=0.270, joint=1),
    DhRow(a=0.070, alpha=-0.5 * math.pi, joint=2),
    DhRow(d=0.302),
    DhRow(alpha=0.5 * math.pi, joint=3),
    DhRow(alpha=-0.5 * math.pi, joint=4),
    DhRow(theta=math.pi, joint=5),
    DhRow(d=0.072),
)
"""002, table I: from the base frame of the ABB IRB 120 to its tool."""


def dh_forward(table: Sequence[DhRow], q: Array) -> Array:
    """Return the pose of the last frame in the first one, shape ``(..., 4, 4)``.

    :param q: joints [rad], shape ``(..., n)``.
    """
    needed = 1 + max((row.joint for row in table if row.joint is not None), default=-1)
    if q.shape[-1] < needed:
        raise ConfigError(f'{q.shape[-1]} joints given; this table has {needed}')
    pose = np.broadcast_to(np.eye(4), (*q.shape[:-1], 4, 4))
    for row in table:
        turn = np.zeros(q.shape[:-1]) if row.joint is None else q[..., row.joint]
        pose = pose @ _transform(row, row.theta + turn)
    return pose


def _transform(row: DhRow, theta: Array) -> Array:
    c, s = np.cos(theta), np.sin(theta)
    ca, sa = math.cos(row.alpha), math.sin(row.alpha)
    out = np.zeros((*theta.shape, 4, 4))
    out[..., 0, 0], out[..., 0, 1], out[..., 0, 2], out[..., 0, 3] = c, -s * ca, s * sa, row.a * c
    out[..., 1, 0], out[..., 1, 1], out[..., 1, 2], out[..., 1, 3] = s, c * ca, -c * sa, row.a * s
    out[..., 2, 1], out[..., 2, 2], out[..., 2, 3] = sa, ca, row.d
    out[..., 3, 3] = 1.0
    return out
