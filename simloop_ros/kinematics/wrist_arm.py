"""Geometry of the robots that Pieper's solution fits."""

from __future__ import annotations

import math

import msgspec
import numpy as np

from ..core.values import Array
from ..robot.chain import Chain

AXIS_TOLERANCE = 1e-11
"""How far axes may miss each other [m], or a right angle [rad]: the round-off of reading a URDF.
An arm that is off by more would be solved wrongly by as much."""
SHORTEST_LINK = 1e-6
"""Least length of a link [m]; below it, the two axes are one."""


class WristArm(msgspec.Struct, frozen=True):
    """An arm of six revolute joints with a spherical wrist, as in 002, figures 3 and 4.

    Axis 1 is perpendicular to axis 2, axis 2 parallel to axis 3, and axes 4, 5, 6 meet in one
    point, the wrist centre, each perpendicular to the next. The arm's frame has its z axis along
    axis 1, its y axis along axis 2, and its origin on axis 1 at the height of axis 2. Angles in
    its x-z plane count from z to x, as joint 2 turns.

    :ivar to_arm: from the world to the arm's frame, shape ``(4, 4)``.
    :ivar to_wrist: from the tip to a frame in the wrist centre that is ``wrist`` when all joints
        are at zero and joint 5 has turned by ``bend``, shape ``(4, 4)``.
    :ivar offset: from axis 1 to axis 2, along x [m].
    :ivar side: from axis 1 to the wrist centre, along y [m].
    :ivar upper: from axis 2 to axis 3 [m], a2 of 002.
    :ivar upper_angle: its direction at zero [rad].
    :ivar fore: from axis 3 to the wrist centre [m], r2 of 002.
    :ivar fore_angle: its direction at zero [rad]; its complement is beta of 002 (7).
    :ivar elbow: 1 if joint 3 turns as joint 2, -1 if the other way round.
    :ivar wrist: columns: normal to axes 4 and 5, axis 5, axis 4, at zero in the arm's frame.
    :ivar bend: angle from axis 4 to axis 6 about axis 5, at zero [rad].
    """

    to_arm: Array
    to_wrist: Array
    offset: float
    side: float
    upper: float
    upper_angle: float
    fore: float
    fore_angle: float
    elbow: float
    wrist: tuple[tuple[float, ...], ...]
    bend: float


def wrist_arm(chain: Chain) -> WristArm | None:
    """Return the arm's geometry, or nothing if it is not of this family."""
    if len(chain.joints) != 6 or any(chain.slides):
        return None
    w, p = chain.axes, chain.points
    perpendicular = max(abs(w[i] @ w[i + 1]) for i in (0, 3, 4)) <= AXIS_TOLERANCE
    parallel = np.linalg.norm(np.cross(w[1], w[2])) <= AXIS_TOLERANCE
    centre = p[3] + ((p[4] - p[3]) @ w[3]) * w[3]
    misses = [np.linalg.norm(np.cross(w[i], centre - p[i])) for i in (3, 4, 5)]
    if not (perpendicular and parallel and max(misses) <= AXIS_TOLERANCE):
        return None
    arm = np.column_stack((np.cross(w[1], w[0]), w[1], w[0]))
    origin = p[0] + ((p[1] - p[0]) @ w[0]) * w[0]
    shoulder, elbow, end = ((point - origin) @ arm for point in (p[1], p[2], centre))
    (upper, upper_angle), (fore, fore_angle) = _plane(elbow - shoulder), _plane(end - elbow)
    if min(upper, fore) < SHORTEST_LINK:
        return None
    wrist = arm.T @ np.column_stack((np.cross(w[4], w[3]), w[4], w[3]))
    bend = math.atan2(float(np.cross(w[4], w[3]) @ w[5]), float(w[3] @ w[5]))
    to_arm, to_wrist = np.eye(4), np.eye(4)
    to_arm[:3, :3], to_arm[:3, 3] = arm.T, -arm.T @ origin
    to_wrist[:3, :3] = chain.tip.rotation.T @ arm @ wrist @ _about_y(bend)
    to_wrist[:3, 3] = chain.tip.actInv(centre)
    return WristArm(
        to_arm=to_arm,
        to_wrist=to_wrist,
        offset=_clean(shoulder[0]),
        side=_clean(end[1]),
        upper=upper,
        upper_angle=upper_angle,
        fore=fore,
        fore_angle=fore_angle,
        elbow=float(np.sign(w[1] @ w[2])),
        wrist=tuple(tuple(row) for row in wrist.tolist()),
        bend=bend,
    )


def _plane(vector: Array) -> tuple[float, float]:
    """Return the length of a vector in the x-z plane and its angle from z to x."""
    x, z = float(vector[0]), float(vector[2])
    return math.hypot(x, z), math.atan2(x, z)


def _clean(length: float) -> float:
    """Return a length without the round-off of a zero: on axis 1 or not is a difference."""
    return 0.0 if abs(length) <= AXIS_TOLERANCE else float(length)


def _about_y(angle: float) -> Array:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
