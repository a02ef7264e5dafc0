"""From a way with corners to one without, as free as it was."""

from __future__ import annotations

from math import ceil

import numpy as np

from ..core.values import Array
from ..world.clearance import Clearance
from .free_search import points_along, way_is_free

WIDEST, NARROWEST = 0.8, 0.0125
"""Spacings of the control points, tried from one to the other in halves [rad]."""
SAMPLES_PER_SPACING = 4
"""Knots of the course on each spacing: enough for its bends."""
FEWEST_KNOTS = 50


def smooth_legs(clearance: Clearance, corners: Array, resolution: float) -> list[Array]:
    """Return the knots of each leg of the motion [rad], shape ``(k, n)`` each, evenly spread.

    One leg, a cubic B-spline whose control points lie on the way. It stays within the convex hull
    of four of them that follow each other (de Boor: A Practical Guide to Splines, chapter IX), so
    it comes as near to the way as they are dense: dense enough that it is free. If none is, every
    straight part is a leg of its own, with a rest at each corner.

    :param corners: of a way that is free [rad], shape ``(k, n)``.
    :param resolution: distance between two checks [rad].
    """
    spacing = WIDEST
    while len(corners) > 2 and spacing >= NARROWEST:
        knots = _rounded(corners, spacing, resolution)
        if way_is_free(clearance, knots, resolution):
            return [knots]
        spacing /= 2.0
    return [_straight(corners[i : i + 2], resolution) for i in range(len(corners) - 1)]


def _straight(ends: Array, resolution: float) -> Array:
    count = max(FEWEST_KNOTS, ceil(float(np.linalg.norm(ends[1] - ends[0])) / resolution))
    return ends[0] + np.linspace(0.0, 1.0, count + 1)[:, None] * (ends[1] - ends[0])


def _rounded(corners: Array, spacing: float, resolution: float) -> Array:
    """Return points of the B-spline that are evenly spread along its length [rad]."""
    from scipy.interpolate import BSpline  # here, as it takes half a second

    points = points_along(corners, spacing)
    if len(points) < 4:
        points = points_along(corners, spacing / 4.0)
    inner = np.linspace(0.0, 1.0, len(points) - 2)
    curve = BSpline(np.concatenate((np.zeros(3), inner, np.ones(3))), points, 3)
    fine = np.linspace(0.0, 1.0, 20 * len(points))
    along = np.cumsum(np.linalg.norm(np.diff(curve(fine), axis=0, prepend=points[:1]), axis=1))
    step = min(resolution, spacing / SAMPLES_PER_SPACING)
    count = max(FEWEST_KNOTS, ceil(float(along[-1]) / step))
    knots = curve(np.interp(np.linspace(0.0, along[-1], count + 1), along, fine))
    knots[0], knots[-1] = points[0], points[-1]
    return np.asarray(knots, np.float64)
