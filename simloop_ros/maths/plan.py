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

    Between two points the position is interpolated; beyond the last one the motion coasts to rest
    (``maths.coasting``). A setpoint with an effort, or with ``restart``, is not interpolated to:
    it holds from its step on.
    """

    _remembered = ('_points',)

    def __init__(self) -> None:
        self._points: tuple[PlanPoint, ...] = ()

    def __bool__(self) -> bool:
        """Return whether there is any point."""
        return bool(self._points)

    @property
    def end(self) -> int:
        """Return the stamp of the last point [ns]."""
        return self._points[-1].stamp

    def clear(self) -> None:
        """Forget everything."""
        self._points = ()

    def hold(self, stamp: int, position: Array) -> None:
        """Stay at a position [rad], shape ``(n,)``, from a stamp [ns] on."""
        self._points = (PlanPoint(stamp, Setpoint(position, np.zeros_like(position))),)

    def add(self, point: PlanPoint) -> None:
        """Add a point; those with later stamps are dropped."""
        points = self._points
        while points and points[-1].stamp >= point.stamp:
            points = points[:-1]
        self._points = (*points, point)

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
        return max(0, stamp - self._points[-1].stamp)

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
        since = stamp - points[i].stamp
        if here.effort is not None:
            return here
        if i + 1 == len(points):
            time = since / NANO
            position = here.position + coasting_time(time, stop_time) * here.velocity
            velocity = coasting_rate(time, stop_time) * here.velocity
            return Setpoint(position, velocity, restart=here.restart)
        there = points[i + 1].setpoint
        if there.effort is not None or there.restart:
            return here
        share = since / (points[i + 1].stamp - points[i].stamp)
        return Setpoint(here.position + share * (there.position - here.position), here.velocity)
