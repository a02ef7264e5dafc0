"""A smooth curve of the joints through way points."""

from __future__ import annotations

from math import ceil

import numpy as np

from ..core.values import Array
from ..planning.side_joints import SideJoints

FEWEST_SAMPLES, MOST_SAMPLES = 100, 1_600
"""Number of samples of a curve: between two of them it is a cubic."""
SAMPLES_PER_SPAN = 4
"""Samples between the two way points that are nearest to each other."""


def curve_through(rows: Array) -> SideJoints:
    """Return a curve through way points: straight between two, else a cubic spline.

    The spline is parameterised by the distance between way points in joint space, which keeps it
    from swinging out where they are unevenly spread.

    :param rows: way points [rad], shape ``(k, n)``; no two that follow each other are equal.
    """
    from scipy.interpolate import CubicSpline  # here, as it takes half a second

    spans = np.linalg.norm(np.diff(rows, axis=0), axis=1)
    if len(rows) == 2:
        shares = np.linspace(0.0, 1.0, FEWEST_SAMPLES + 1)[:, None]
        return SideJoints((1.0 - shares) * rows[0] + shares * rows[1])
    places = np.concatenate(([0.0], np.cumsum(spans)))
    wanted = ceil(SAMPLES_PER_SPAN * places[-1] / spans.min())
    samples = min(max(wanted, FEWEST_SAMPLES), MOST_SAMPLES)
    spline = CubicSpline(places, rows, bc_type='natural')
    knots = spline(np.linspace(0.0, places[-1], samples + 1))
    knots[-1] = rows[-1]
    return SideJoints(knots)


def shares_of(rows: Array) -> Array:
    """Return the places of the way points on their curve, 0 to 1, shape ``(k,)``."""
    spans = np.linalg.norm(np.diff(rows, axis=0), axis=1)
    shares = np.concatenate(([0.0], np.cumsum(spans))) / spans.sum()
    shares[-1] = 1.0
    return shares
