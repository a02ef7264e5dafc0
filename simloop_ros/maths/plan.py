"""Setpoints by time, as a planner sends them ahead."""

from __future__ import annotations

import msgspec
import numpy as np

from ..core.state import Remembering
from ..core.values import NANO, Array, Setpoint
from .coasting import coasting_rate, coasting_time


class PlanPoint(msgspec.Struct, frozen=True, gc=False):
    """The setpoint of the step that begins at a stamp [ns]."""

    stamp: int
    setpoint: Setpoint


class Plan(Remembering):
    """The setpoints that a planner has sent, in the order of their stamps.

    Between two points the position is interpolated. Beyond the last one the motion goes on to the
    predicted setpoint, if there is one, along a cubic; beyond that it coasts to rest
    (``maths.coasting``). A setpoint with an effort, or with ``restart``, is not interpolated to:
    it holds from its step on.
    """

    _remembered = ('_points', '_predicted')

    def __init__(self) -> None:
        self.clear()

    def __bool__(self) -> bool:
        """Return whether there is any point."""
        return bool(self._points)

    @property
    def last(self) -> int:
        """Return the stamp of the last point that is not predicted [ns]."""
        return self._points[-1].stamp

    @property
    def end(self) -> int:
        """Return the stamp up to which the motion is known or predicted [ns]."""
        return self._points[-1].stamp if self._predicted is None else self._predicted.stamp

    def clear(self) -> None:
        """Forget everything."""
        self._points: tuple[PlanPoint, ...] = ()
        self._predicted: PlanPoint | None = None

    def hold(self, stamp: int, position: Array) -> None:
        """Stay at a position [rad], shape ``(n,)``, from a stamp [ns] on."""
        self.clear()
        self.add(PlanPoint(stamp, Setpoint(position, np.zeros_like(position))))

    def add(self, point: PlanPoint) -> None:
        """Add a point; those with later stamps are dropped, and the prediction before it."""
        points = self._points
        if point.setpoint.predicted:
            self._predicted = point if points and points[-1].stamp < point.stamp else None
            return
        while points and points[-1].stamp >= point.stamp:
            points = points[:-1]
        self._points = (*points, point)
        self._predicted = None

    def forget(self, stamp: int) -> None:
        """Drop the points that no stamp from this one on [ns] needs."""
        points = self._points
        passed = 0
        while passed + 1 < len(points) and points[passed + 1].stamp <= stamp:
            passed += 1
        if passed:
            self._points = points[passed:]

    def age(self, stamp: int) -> int:
        """Return the time since the last point, at a stamp [ns] beyond it; else 0 [ns]."""
        return max(0, stamp - self.last)

    def at(self, stamp: int, stop_time: float) -> Setpoint | None:
        """Return the setpoint of the step that begins at a stamp [ns]; none before the plan.

        :param stop_time: in which a motion without further points comes to rest [s].
        """
        points = self._points
        if not points or stamp < points[0].stamp:
            return None
        i = 0
        while i + 1 < len(points) and points[i + 1].stamp <= stamp:
            i += 1
        here = points[i].setpoint
        if here.effort is not None:
            return here
        if i + 1 == len(points):
            return self._beyond(points[i], stamp, stop_time)
        there = points[i + 1].setpoint
        if there.effort is not None or there.restart:
            return here
        share = (stamp - points[i].stamp) / (points[i + 1].stamp - points[i].stamp)
        return Setpoint(here.position + share * (there.position - here.position), here.velocity)

    def _beyond(self, last: PlanPoint, stamp: int, stop_time: float) -> Setpoint:
        """Return the setpoint at a stamp [ns] that is not before that of the last point."""
        predicted = self._predicted
        if predicted is not None and stamp < predicted.stamp:
            return _cubic(last, predicted, stamp)
        if predicted is not None:
            last = predicted
        here, time = last.setpoint, (stamp - last.stamp) / NANO
        position = here.position + coasting_time(time, stop_time) * here.velocity
        velocity = coasting_rate(time, stop_time) * here.velocity
        return Setpoint(position, velocity, restart=here.restart)


def _cubic(first: PlanPoint, last: PlanPoint, stamp: int) -> Setpoint:
    """Return the setpoint at a stamp [ns] between two, with their positions and velocities."""
    time = (last.stamp - first.stamp) / NANO
    x = (stamp - first.stamp) / NANO / time
    p, v = first.setpoint.position, first.setpoint.velocity
    way, end = last.setpoint.position - p, last.setpoint.velocity
    bend, twist = 3.0 * way - time * (2.0 * v + end), time * (v + end) - 2.0 * way
    return Setpoint(
        p + x * (time * v + x * (bend + x * twist)),
        v + x * (2.0 * bend + 3.0 * x * twist) / time,
    )
