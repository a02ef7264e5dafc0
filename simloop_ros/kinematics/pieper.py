"""Pieper's solution: the eight branches of an arm with a spherical wrist, 002 (1) to (22).

With the wrist centre ``(x, y, z)`` and the plane of the arm, in which it is at ``(u, z)``::

    u = +-sqrt(x^2 + y^2 - side^2)                            shoulder
    q1 = atan2(y, x) - atan2(side, u)                         002 (1), (2)
    r1^2 = (u - offset)^2 + z^2 = upper^2 + fore^2 + 2 upper fore cos(delta)
    delta = +-acos(...)                                       elbow, 002 (4), (6), (8), (9)
    q2 = atan2(u - offset, z) - upper_angle
         - atan2(fore sin(delta), upper + fore cos(delta))    002 (3), (5)
    q3 = delta + upper_angle - fore_angle                     002 (10)
    G = R_04^T R = Rot_z(q4) Rot_y(q5 + bend) Rot_z(q6)       002 (13), (15)
    q5 = +-atan2(sqrt(g13^2 + g23^2), g33) - bend             wrist, 002 (17)
    q4 = atan2(g23, g13), q6 from Rot_z(q4)^T G               002 (18), (19)

Joint 6 is what the rotation leaves after joints 4 and 5, and so the rotation is met however near a
singularity is. A cosine of more than 1 counts as 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
import math
from typing import Any, NamedTuple

import numpy as np

from .wrist_arm import WristArm

SINGULARITY_TOLERANCE = 1e-10
"""Distance of the wrist centre from axis 1 [m], or sine of joint 5's angle, below which the joint
that they decide about is free. The pose is then met within twice that."""
BRANCHES = 8

Value = Any
"""A number, or an array of shape ``(k,)``: the formulas are the same."""


class Functions(NamedTuple):
    """Functions of numbers, or of arrays."""

    sin: Callable[[Value], Value]
    cos: Callable[[Value], Value]
    sqrt: Callable[[Value], Value]
    atan2: Callable[[Value, Value], Value]
    larger: Callable[[Value, Value], Value]


NUMBERS = Functions(math.sin, math.cos, math.sqrt, math.atan2, max)
ARRAYS = Functions(np.sin, np.cos, np.sqrt, np.arctan2, np.maximum)


class Branch(NamedTuple):
    """One of the eight solutions; they are in the order of shoulder, elbow and wrist.

    :ivar joints: joints 1 to 6 [rad], each in some turn.
    :ivar missing: by how much the arm is too short, or too long [m]; not above 0 if it reaches.
    :ivar free: whether axes 4 and 6 are in line, 002 (20), (21), so that joint 4 is as it was.
    :ivar straight: cosine of the angle between axes 4 and 6.
    """

    joints: tuple[Value, ...]
    missing: Value
    free: Value
    straight: Value


def branches(
    arm: WristArm, wrist: Sequence[Sequence[Value]], near: Sequence[Value], f: Functions
) -> Iterator[Branch]:
    """Yield the eight branches, whether the arm reaches so far or not.

    :param wrist: pose of the wrist in the arm's frame, its first three rows, 002 (22).
    :param near: joints 1 and 4 [rad], for where any value is a solution.
    """
    (a11, a12, a13, x), (a21, a22, a23, y), (a31, a32, a33, z) = wrist
    (dxx, dyx, dzx), (dxy, dyy, dzy), (dxz, dyz, dzz) = arm.wrist
    near_1, near_4 = near
    side, upper, fore = arm.side, arm.upper, arm.fore
    sin, cos, sqrt, atan2 = f.sin, f.cos, f.sqrt, f.atan2
    from_axis_2 = x * x + y * y
    from_axis = sqrt(from_axis_2)
    any_turn = from_axis < SINGULARITY_TOLERANCE
    known = 1 - any_turn
    turn = atan2(y * known + sin(near_1) * any_turn, x * known + cos(near_1) * any_turn)
    root = sqrt(_positive(from_axis_2 - side * side))
    cos_4, sin_4 = cos(near_4), sin(near_4)
    for shoulder in (1.0, -1.0):
        u = shoulder * root
        q1 = turn - atan2(side, u)
        c1, s1 = cos(q1), sin(q1)
        ahead = u - arm.offset
        distance_2 = ahead * ahead + z * z
        distance = sqrt(distance_2)
        missing = f.larger(
            abs(side) - from_axis,
            f.larger(distance - (upper + fore), abs(upper - fore) - distance),
        )
        cosine = (distance_2 - upper * upper - fore * fore) / (2.0 * upper * fore)
        delta = atan2(sqrt(_positive((1.0 - cosine) * (1.0 + cosine))), cosine)
        direction = atan2(ahead, z) - arm.upper_angle
        inside = atan2(fore * sin(delta), upper + fore * cos(delta))
        for elbow in (1.0, -1.0):
            q2 = direction - elbow * inside
            q23 = elbow * delta + arm.upper_angle - arm.fore_angle
            c, s = cos(q2 + q23), sin(q2 + q23)
            # The columns of Rot_z(q1) Rot_y(q2 + q3) wrist: R_04 of 002 (12).
            ex, ey, ez = c * dxx + s * dxz, c * dyx + s * dyz, c * dzx + s * dzz
            x1, x2, x3 = c1 * ex - s1 * dxy, s1 * ex + c1 * dxy, c * dxz - s * dxx
            y1, y2, y3 = c1 * ey - s1 * dyy, s1 * ey + c1 * dyy, c * dyz - s * dyx
            g13 = x1 * a13 + x2 * a23 + x3 * a33
            g23 = y1 * a13 + y2 * a23 + y3 * a33
            g33 = (
                (c1 * ez - s1 * dzy) * a13 + (s1 * ez + c1 * dzy) * a23 + (c * dzz - s * dzx) * a33
            )
            sine = sqrt(g13 * g13 + g23 * g23)
            free = sine < SINGULARITY_TOLERANCE
            scale = sine * (1 - free) + free
            c4 = (g13 * (1 - free) + cos_4 * free) / scale
            s4 = (g23 * (1 - free) + sin_4 * free) / scale
            m1, m2, m3 = c4 * y1 - s4 * x1, c4 * y2 - s4 * x2, c4 * y3 - s4 * x3
            q3, q4, q5 = arm.elbow * q23, atan2(s4, c4), atan2(sine, g33)
            q6 = atan2(m1 * a11 + m2 * a21 + m3 * a31, m1 * a12 + m2 * a22 + m3 * a32)
            yield Branch((q1, q2, q3, q4, q5 - arm.bend, q6), missing, free, g33)
            flipped = (q1, q2, q3, q4 + math.pi, -q5 - arm.bend, q6 + math.pi)
            yield Branch(flipped, missing, free, g33)


def _positive(value: Value) -> Value:
    """Return the value, or 0 if it is negative."""
    return 0.5 * (value + abs(value))
