"""The last part of the path that the robot came, and the way back along it."""

from __future__ import annotations

import msgspec
import numpy as np
import pinocchio as pin

from ..core.values import Array
from ..maths.cubic import hermite
from ..robot.model import RobotModel

SPACING = 2e-3
"""Least distance between two recorded positions, in the joint that moved most [rad]: about a
millimetre at the tip of an arm, and far above encoder noise."""
TRAIL_LENGTH = 512
"""Number of recorded positions: 1 rad of motion at least."""
SPEED_SHARE = 0.5
"""Share of its speed limit that a joint may use on the way back."""
KNOT_SPACING = 0.01
"""Least distance between two positions of the way back [rad]: about 5 mm at the tip of an arm. A
smooth curve needs no more, and each one costs time in the one step that makes the curve."""
LEAST_LEVER = 0.01
"""Path length per joint angle for a joint that moves no tip [m/rad]."""
DISTANCE_TOLERANCE = 1e-6
"""Remaining distance that needs no further piece of the curve [m]."""


def extended(trail: tuple[Array, ...], q: Array) -> tuple[Array, ...]:
    """Return the trail with one more position, if that is apart from the last one.

    :param trail: positions [rad], oldest first; beyond ``TRAIL_LENGTH`` the oldest is dropped.
    """
    if trail and not np.abs(q - trail[-1]).max() >= SPACING:
        return trail
    return (*trail[1 - TRAIL_LENGTH :], q)


class WayBack(msgspec.Struct, frozen=True):
    """A smooth curve back along a trail.

    Between two positions a cubic with the slopes of the neighbouring chords; the parameter is the
    distance that the fastest tip goes, or more where a joint would be too fast otherwise.

    :ivar positions: from the present one on [rad], shape ``(k, n)``.
    :ivar slopes: derivatives by the parameter [rad/m], shape ``(k, n)``.
    :ivar places: the parameter at each position [m], shape ``(k,)``.
    :ivar rest: the part of the trail that the way does not cover, oldest first.
    """

    positions: Array
    slopes: Array
    places: Array
    rest: tuple[Array, ...]

    @property
    def length(self) -> float:
        """Return the parameter at the end [m]."""
        return float(self.places[-1])

    def position(self, place: float) -> Array:
        """Return the position [rad], shape ``(n,)``, at a parameter [m]."""
        last = len(self.places) - 2
        if last < 0:
            return self.positions[0]
        i = min(max(int(np.searchsorted(self.places, place, 'right')) - 1, 0), last)
        size = self.places[i + 1] - self.places[i]
        u = min(max((place - self.places[i]) / size, 0.0), 1.0)
        (start, end), (out, back) = self.positions[i : i + 2], size * self.slopes[i : i + 2]
        return hermite(start, end, out, back).position(u)


class TipPoints:
    """The points whose distance counts: the tips or, without any, all frames.

    :ivar velocity_limit: of the joints [rad/s], shape ``(n,)``.
    """

    def __init__(self, model: RobotModel):
        self.velocity_limit = model.velocity_limit
        self._model = model.pin_model
        self._data = model.pin_model.createData()
        self._frames = model.tip_frames or tuple(range(1, len(model.pin_model.frames)))

    def at(self, q: Array) -> Array:
        """Return the points in the world [m], shape ``(count, 3)``."""
        pin.framesForwardKinematics(self._model, self._data, q)
        return np.array([self._data.oMf[frame].translation for frame in self._frames])


def way_back(
    points: TipPoints, trail: tuple[Array, ...], start: Array, distance: float, speed: float
) -> WayBack:
    """Return the way back from a position along the trail.

    It ends where the path of the fastest tip has the length, or at the trail's beginning.

    :param trail: positions [rad], oldest first.
    :param start: present position [rad], shape ``(n,)``.
    :param distance: length of the way [m].
    :param speed: of the fastest tip [m/s], for joints that would be too fast.
    """
    positions, places = [start], [0.0]
    here, gone = points.at(start), 0.0
    left = len(trail)
    while left and distance - gone > DISTANCE_TOLERANCE:
        q = trail[left - 1]
        step = q - positions[-1]
        if np.abs(step).max() < (KNOT_SPACING if left > 1 else 0.1 * SPACING):
            left -= 1
            continue
        there = points.at(q)
        tip = float(np.linalg.norm(there - here, axis=1).max())
        if gone + tip > distance:
            share = (distance - gone) / tip
            q, tip = positions[-1] + share * step, share * tip
            step = share * step
            gone = distance
        else:
            left -= 1
            gone += tip
            here = there
        slowest = float((np.abs(step) / (SPEED_SHARE * points.velocity_limit)).max())
        least = LEAST_LEVER * float(np.abs(step).max())
        positions.append(q)
        places.append(places[-1] + max(tip, speed * slowest, least))
    curve, parameter = np.array(positions), np.array(places)
    slopes = np.gradient(curve, parameter, axis=0) if len(positions) > 1 else np.zeros_like(curve)
    return WayBack(curve, slopes, parameter, trail[:left])
