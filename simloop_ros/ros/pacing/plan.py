"""Desired positions by time, as a planner sends them ahead."""

from __future__ import annotations

from collections import deque

import msgspec
import numpy as np

from ...core.values import Array, Setpoint
from ..messages.stamps import NANO


class PlanPoint(msgspec.Struct, frozen=True, gc=False):
    """What is wanted of one step.

    :ivar stamp: beginning of the step [ns].
    """

    stamp: int
    wanted: Setpoint


class Plan:
    """What a planner has sent, from the present step on.

    Between two points the way is straight; beyond the last one it goes on at its velocity. Where a
    point wants an effort, or sets out anew from where the robot is, no way leads there: it counts
    from its step on.
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
        """Take a point; those that were planned for later no longer hold."""
        points = self._points
        while points and points[-1].stamp >= point.stamp:
            points.pop()
        points.append(point)

    def at(self, stamp: int) -> Setpoint | None:
        """Return what is wanted of a step; nothing before the first point.

        What comes before is forgotten: the next stamp must not be an earlier one.

        :param stamp: beginning of the step [ns].
        """
        points = self._points
        while len(points) > 1 and points[1].stamp <= stamp:
            points.popleft()
        if not points or stamp < points[0].stamp:
            return None
        here = points[0].wanted
        since = stamp - points[0].stamp
        if here.effort is not None:
            return here
        if len(points) == 1:
            position = here.position + since / NANO * here.velocity
            return Setpoint(position, here.velocity, restart=here.restart)
        there = points[1].wanted
        if there.effort is not None or there.restart:
            return here
        share = since / (points[1].stamp - points[0].stamp)
        return Setpoint(here.position + share * (there.position - here.position), here.velocity)
