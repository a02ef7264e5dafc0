"""From a motion that a hand led to a path of few way points."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
import warnings

import numpy as np

from ..core.errors import ConfigError
from ..core.values import Array
from ..robot.model import RobotModel
from .curve import curve_through
from .nearness import distances, marked, tip_distance

MOST_ROWS = 2_000
"""Number of rows of a led motion that are looked at; of a longer one every second, third, ..."""
FEWEST_ROWS = 8
"""Least number of rows with motion in them."""
FIRST_POINTS = 5
"""Way points that a path has at least."""
LARGEST_NOISE, SMALLEST_NOISE, NOISE_STEP = 1e-2, 1e-7, 0.7
"""Deviations that the spline may have [rad or m]: tried from the first on, each that much less."""
FEWEST_KNOTS, ROWS_PER_KNOT = 50, 4
"""A spline with more knots than the first, and one in so many rows, follows the noise."""
ROW_SPACING = 2e-4
"""Distance of the rows of which way points are chosen [m]: less is rest, or noise."""


@dataclass(frozen=True)
class TaughtPath:
    """A path that replays what was led.

    :ivar rows: its way points [rad], shape ``(k, n)``.
    :ivar deviation: largest distance of a tip, as it was led, from the path [m].
    :ivar begin: when the motion began, and ``end`` when it ended [s].
    """

    rows: Array
    deviation: float
    begin: float
    end: float


def taught_path(model: RobotModel, time: Array, positions: Array, tolerance: float) -> TaughtPath:
    """Return the path of a led motion: without pauses at its ends, smooth, with few way points.

    Half of the tolerance is for the spline that takes tremor and noise away, half for the choice
    of way points. Distances are those of ``marked``, so the tip's attitude is kept, too.

    :param time: of the rows, growing [s], shape ``(m,)``.
    :param positions: joints [rad], shape ``(m, n)``.
    :param tolerance: largest distance from what was led [m].
    :raises ConfigError: the robot did not move, or trembled by more than the tolerance.
    """
    stride = -(-len(time) // MOST_ROWS)
    time, positions = time[::stride], positions[::stride]
    places = marked(model, positions)
    moved = _moving(places, tolerance)
    if moved.stop - moved.start < FEWEST_ROWS:
        raise ConfigError(
            f'no path: the robot did not move by more than {1e3 * tolerance:g} mm; lead it '
            'further, or give a smaller tolerance'
        )
    led, time = positions[moved], time[moved]
    smooth = _smoothed(model, time, led, places[moved], tolerance / 2.0)
    rows = _few(model, _evenly(model, smooth), tolerance / 2.0)
    deviation = tip_distance(model, led, curve_through(rows).knots)
    return TaughtPath(rows, deviation, float(time[0]), float(time[-1]))


def _moving(places: Array, tolerance: float) -> slice:
    """Return the rows between the rest at the begin and the rest at the end."""
    begin, end = (
        int(np.argmax(np.linalg.norm(some - some[0], axis=1) > tolerance))
        for some in (places, places[::-1])
    )
    return slice(max(0, begin - 1), len(places) - max(0, end - 1)) if begin else slice(0, 0)


def _smoothed(
    model: RobotModel, time: Array, led: Array, places: Array, tolerance: float
) -> Array:
    """Return the smoothest splines that keep the tolerance [rad], shape ``(m, n)``."""
    from scipy.interpolate import UnivariateSpline  # here, as it takes half a second

    noise, knots = LARGEST_NOISE, 0
    while noise > SMALLEST_NOISE and knots < max(FEWEST_KNOTS, len(time) // ROWS_PER_KNOT):
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')  # that the spline follows the noise: judged below
            splines = [UnivariateSpline(time, column, s=len(time) * noise**2) for column in led.T]
        smooth = np.stack([spline(time) for spline in splines], axis=1)
        if np.linalg.norm(marked(model, smooth) - places, axis=1).max() <= tolerance:
            return smooth
        noise, knots = NOISE_STEP * noise, max(len(spline.get_knots()) for spline in splines)
    raise ConfigError(
        f'the led path trembles by more than {1e3 * tolerance:.3g} mm; give a larger tolerance'
    )


def _evenly(model: RobotModel, smooth: Array) -> Array:
    """Return a path with rows at even distances [rad], shape ``(k, n)``."""
    spans = np.linalg.norm(np.diff(marked(model, smooth), axis=0), axis=1)
    way = np.concatenate(([0.0], np.cumsum(spans)))
    count = min(max(int(way[-1] / ROW_SPACING), FIRST_POINTS), MOST_ROWS)
    even = np.linspace(0.0, way[-1], count + 1)
    return np.stack([np.interp(even, way, column) for column in smooth.T], axis=1)


def _few(model: RobotModel, rows: Array, tolerance: float) -> Array:
    """Return the way points among some rows whose curve keeps the tolerance, ``(k, n)``.

    From few on, one more is taken in the middle of each span that is off by more.
    """
    places = marked(model, rows)
    chosen = np.linspace(0, len(rows) - 1, FIRST_POINTS).astype(int)
    while True:
        curve = marked(model, curve_through(rows[chosen]).knots)
        off = distances(places, curve) > tolerance
        spans = pairwise(chosen.tolist())
        more = [(a + b) // 2 for a, b in spans if b - a > 1 and off[a : b + 1].any()]
        if not more:
            return rows[chosen]
        chosen = np.sort(np.concatenate((chosen, more)))
