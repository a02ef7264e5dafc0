"""Desired positions by time, as a planner sends them ahead."""

from __future__ import annotations

from collections import deque

import msgspec
import numpy as np

from ..values import Array
from .stamps import NANO


class PlanPoint(msgspec.Struct, frozen=True, gc=False):
    """One desired position.

    :ivar stamp: beginning of the step that leads there [ns].
    :ivar position: at its end [rad], shape ``(n,)``.
    :ivar velocity: at its end [rad/s], shape ``(n,)``.
    """

    stamp: int
    position: Array
    velocity: Array


class Plan:
    """What a planner has sent, from the present step on.

    Between two points the way is straight; beyond the last one it goes on at its velocity.
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
        self._points.append(PlanPoint(stamp, position, np.zeros_like(position)))

    def add(self, point: PlanPoint) -> None:
        """Take a point; those that were planned for later no longer hold."""
        points = self._points
        while points and points[-1].stamp >= point.stamp:
            points.pop()
        points.append(point)

    def at(self, stamp: int) -> Array | None:
        """Return the desired position of a step [rad], shape ``(n,)``; none before the first.

        What comes before is forgotten: the next stamp must not be an earlier one.

        :param stamp: beginning of the step [ns].
        """
        points = self._points
        while len(points) > 1 and points[1].stamp <= stamp:
            points.popleft()
        if not points or stamp < points[0].stamp:
            return None
        point = points[0]
        since = stamp - point.stamp
        if len(points) == 1:
            return point.position + since / NANO * point.velocity
        share = since / (points[1].stamp - point.stamp)
        return point.position + share * (points[1].position - point.position)
