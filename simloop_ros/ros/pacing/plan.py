"""Setpoints by time, as a planner sends them ahead."""

from __future__ import annotations

from collections import deque

import msgspec
import numpy as np

from ...core.values import Array, Setpoint
from ...maths.coasting import coasting_rate, coasting_time
from ..messages.stamps import NANO


class PlanPoint(msgspec.Struct, frozen=True, gc=False):
    """The setpoint of the step that begins at a stamp [ns]."""

    stamp: int
    setpoint: Setpoint


class Plan:
    """The setpoints that a planner has sent, from the present step on.

    Between two points the position is interpolated; beyond the last one the motion coasts to rest
    (``maths.coasting``). A setpoint with an effort, or with ``restart``, is not interpolated to:
    it holds from its step on.
    """

    def __init__(self) -> None:
        self._points: deque[PlanPoint] = deque()

    def __bool__(self) -> bool:
        """Return whether there is any point."""
        return bool(self._points)

    @property
    def end(self) -> int:
        """Return the stamp of the last point [ns]."""
        return self._points[-1].stamp

    def clear(self) -> None:
        """Forget everything."""
        self._points.clear()

    def hold(self, stamp: int, position: Array) -> None:
        """Stay at a position [rad], shape ``(n,)``, from a stamp [ns] on."""
        self._points.clear()
        self._points.append(PlanPoint(stamp, Setpoint(position, np.zeros_like(position))))

    def add(self, point: PlanPoint) -> None:
        """Add a point; those with later stamps are dropped."""
        points = self._points
        while points and points[-1].stamp >= point.stamp:
            points.pop()
        points.append(point)

    def age(self, stamp: int) -> int:
        """Return the time since the last point, at a stamp [ns] beyond it; else 0 [ns]."""
        return max(0, stamp - self._points[-1].stamp)

    def at(self, stamp: int, stop_time: float) -> Setpoint | None:
        """Return the setpoint of the step that begins at a stamp [ns]; none before the plan.

        Earlier points are dropped: the next stamp must not be an earlier one.

        :param stop_time: in which a motion without further points comes to rest [s].
        """
        points = self._points
        while len(points) > 1 and points[1].stamp <= stamp:
            points.popleft()
        if not points or stamp < points[0].stamp:
            return None
        here = points[0].setpoint
        since = stamp - points[0].stamp
        if here.effort is not None:
            return here
        if len(points) == 1:
            time = since / NANO
            position = here.position + coasting_time(time, stop_time) * here.velocity
            velocity = coasting_rate(time, stop_time) * here.velocity
            return Setpoint(position, velocity, restart=here.restart)
        there = points[1].setpoint
        if there.effort is not None or there.restart:
            return here
        share = since / (points[1].stamp - points[0].stamp)
        return Setpoint(here.position + share * (there.position - here.position), here.velocity)
