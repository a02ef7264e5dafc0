"""Distance of a tip from its path, from the log of a run."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..planning.tip_path import TipCourse
from ..robot.model import RobotModel, link_positions
from .columns import TRUE_POSITION
from .log import LogReader


def tip_summary(
    log: LogReader, model: RobotModel, course: TipCourse, period: float
) -> dict[str, Any]:
    """Return the additional keys of a run along a Cartesian path.

    ``tip_error_rms`` and ``tip_error_max`` [m]: distance of the true tip from its planned point
    at that time, at the end of every step and in the middle of it, where the true joints are
    interpolated. ``corners``: each corner with the time of arrival [s].
    """
    squares, count, largest = 0.0, 0, 0.0
    before, first = model.home[None], 0
    for block in log.chunks():
        position = np.concatenate((before, block[:, TRUE_POSITION]))
        before = position[-1:]
        steps = np.arange(first, first + len(block), dtype=np.float64)
        first += len(block)
        for rows, times in (
            (position[1:], (steps + 1.0) * period),
            (0.5 * (position[1:] + position[:-1]), (steps + 0.5) * period),
        ):
            error = link_positions(model.pin_model, course.tip, rows) - course.points(times)
            squared = np.square(error).sum(axis=1)
            squares += float(squared.sum())
            count += len(squared)
            largest = float(np.maximum(largest, squared.max()))
    return {
        'tip_error_rms': math.sqrt(squares / count) if count else 0.0,
        'tip_error_max': math.sqrt(largest),
        'corners': [{'name': name, 'time': time} for name, time in course.arrivals],
    }
