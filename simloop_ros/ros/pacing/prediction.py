"""How a motion comes to rest along its path, sent in case that no more setpoints come."""

from __future__ import annotations

from math import ceil

import numpy as np

from ...core.values import NANO, Array, Setpoint
from ...maths.coasting import coasting_rate, coasting_time
from ...maths.plan import PlanPoint
from ...planning.planner import Planner

PREDICTED_TIME = 0.08
"""Time from a setpoint on for which a motion is predicted to go on as it does [s]; then it brakes.
Two predictions later 50 ms are left of it."""
PREDICTION_TIME = 0.015
"""Time in which a prediction is sent [s]."""
BRAKING_POINTS = 8
"""Points of a prediction while the motion brakes."""


def predicted_way(time: float, stop_time: float) -> float:
    """Return how far a motion goes on as predicted, as time at its present rate [s].

    :param time: since its last setpoint [s].
    :param stop_time: in which it brakes [s].
    """
    return min(time, PREDICTED_TIME) + coasting_time(time - PREDICTED_TIME, stop_time)


class Prediction:
    """The points of a prediction, some with each setpoint.

    The motion goes on for ``PREDICTED_TIME`` and then brakes as every motion without setpoints
    does (``maths.coasting``), but along its path. The points are sent from the last to the
    first, within ``PREDICTION_TIME``, and the receiver follows them once it has them all, see
    ``Plan``; then the next prediction begins. A motion that is no longer steady withdraws it.

    :param period: of the setpoints [s].
    :param stop_time: in which the motion brakes [s].
    """

    def __init__(self, period: float, stop_time: float):
        braking = np.linspace(0.0, stop_time, BRAKING_POINTS + 1)
        times = [0.0, 0.5 * PREDICTED_TIME, *(PREDICTED_TIME + braking)]
        self._stamps = [round(time * NANO) for time in times]
        self._ways = np.array([predicted_way(time, stop_time) / period for time in times])
        self._rates = np.array([coasting_rate(t - PREDICTED_TIME, stop_time) for t in times])
        self._period = round(period * NANO)
        self.restart()

    def restart(self) -> None:
        """Forget what is not sent yet: another motion begins."""
        self._points: tuple[PlanPoint, ...] = ()
        self._last: int | None = None

    def next(
        self, stamp: int, planner: Planner | None, position: Array | None
    ) -> tuple[PlanPoint, ...]:
        """Return the points to send after the setpoint with a stamp [ns].

        :param planner: whose motion goes on; none while the robot is held.
        :param position: of the setpoint [rad], shape ``(n,)``.
        """
        last = self._last
        if position is None:
            return ()
        if planner is None or not planner.steady:
            self.restart()
            over = Setpoint(position, np.zeros_like(position), restart=True, predicted=True)
            return () if last is None else (PlanPoint(stamp, over),)
        if not self._points:
            setpoints = planner.predict(self._ways, self._rates)
            self._points = tuple(
                PlanPoint(stamp + later, setpoint)
                for later, setpoint in zip(self._stamps, setpoints, strict=True)
            )
        passed = self._period if last is None else stamp - last
        each = ceil(len(self._stamps) * passed / NANO / PREDICTION_TIME)
        self._last = stamp
        points, self._points = self._points[-each:], self._points[:-each]
        return points[::-1]
