"""Setpoints by time, as a planner sends them ahead."""

from __future__ import annotations

import msgspec
import numpy as np

from ..core.state import Remembering
from ..core.values import NANO, Array, Setpoint
from .coasting import coasting_rate, coasting_time

BLEND_TIME = 0.05
"""Time in which a velocity that the last point has beyond the prediction fades [s]."""


class PlanPoint(msgspec.Struct, frozen=True, gc=False):
    """The setpoint of the step that begins at a stamp [ns]."""

    stamp: int
    setpoint: Setpoint


class Plan(Remembering):
    """The setpoints that a planner has sent, in the order of their stamps.

    Between two points with velocities the motion is a cubic, else straight. Beyond the last one
    ``n`` it goes on as predicted, if there is a prediction ``w``; beyond that it coasts to rest
    (``maths.coasting``)::

        q(t) = q_n + w(t) - w(t_n) + B x (1 - x)^2 (v_n - w'(t_n)),    x = (t - t_n)/B up to 1

    with ``B`` the ``BLEND_TIME``. A prediction is sent from its end to its begin, one or more
    points per step, and counts once it is complete: with a point that is not after the last
    setpoint. Between its points it is a cubic. It stays valid until the next one is complete, or
    until it is withdrawn, by a predicted setpoint with ``restart``.

    A setpoint with an effort, with ``restart`` or with ``follows`` is not interpolated to: it
    holds from its step on.
    """

    _remembered = ('_points', '_predicted', '_incomplete')

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
        return self._predicted[-1].stamp if self._is_predicted else self._points[-1].stamp

    @property
    def rests(self) -> bool:
        """Return whether the motion is predicted until it is at rest."""
        return self._is_predicted and not self._predicted[-1].setpoint.velocity.any()

    def clear(self) -> None:
        """Forget everything."""
        self._points: tuple[PlanPoint, ...] = ()
        self._predicted: tuple[PlanPoint, ...] = ()
        self._incomplete: tuple[PlanPoint, ...] = ()

    def hold(self, stamp: int, position: Array) -> None:
        """Stay at a position [rad], shape ``(n,)``, from a stamp [ns] on."""
        self.clear()
        self.add(PlanPoint(stamp, Setpoint(position, np.zeros_like(position))))

    def add(self, point: PlanPoint) -> None:
        """Add a point; those with later stamps are dropped."""
        points = self._points
        if point.setpoint.predicted:
            self._predict(point)
            return
        while points and points[-1].stamp >= point.stamp:
            points = points[:-1]
        self._points = (*points, point)
        if not point.setpoint.is_path:
            self._predicted = self._incomplete = ()

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
        i = _before(points, stamp)
        here = points[i].setpoint
        if here.effort is not None or here.follows:
            return here
        if i + 1 == len(points):
            return self._beyond(points[i], stamp, stop_time)
        there = points[i + 1].setpoint
        if not there.is_path:
            return here
        if stamp == points[i].stamp:
            return Setpoint(here.position, here.velocity)
        if here.velocity.any() and there.velocity.any():
            return _cubic(points[i], points[i + 1], stamp)
        share = (stamp - points[i].stamp) / (points[i + 1].stamp - points[i].stamp)
        return Setpoint(here.position + share * (there.position - here.position), here.velocity)

    @property
    def _is_predicted(self) -> bool:
        """Return whether there is a prediction of what comes after the last point."""
        way = self._predicted
        return bool(way) and way[0].stamp <= self.last < way[-1].stamp

    def _predict(self, point: PlanPoint) -> None:
        """Add the point before those of a prediction that is not complete, or of a new one."""
        if not self._points:
            return
        if point.setpoint.restart:
            self._predicted = self._incomplete = ()
            return
        later = self._incomplete
        later = (point, *later) if later and point.stamp < later[0].stamp else (point,)
        if point.stamp > self.last:
            self._incomplete = later
        elif len(later) > 1:
            self._predicted, self._incomplete = later, ()

    def _beyond(self, last: PlanPoint, stamp: int, stop_time: float) -> Setpoint:
        """Return the setpoint at a stamp [ns] that is not before that of the last point."""
        if not self._is_predicted:
            return _coasted(last, stamp, stop_time)
        way, end = self._predicted, self._predicted[-1]
        then = _on(way, last.stamp)
        now = _on(way, stamp) if stamp < end.stamp else _coasted(end, stamp, stop_time)
        x = min(1.0, (stamp - last.stamp) / NANO / BLEND_TIME)
        excess = last.setpoint.velocity - then.velocity
        return Setpoint(
            last.setpoint.position
            + (now.position - then.position)
            + BLEND_TIME * x * (1.0 - x) ** 2 * excess,
            now.velocity + (1.0 - x) * (1.0 - 3.0 * x) * excess,
        )


def _before(points: tuple[PlanPoint, ...], stamp: int) -> int:
    """Return the index of the last point that is not after a stamp [ns]; 0 if all are."""
    i = 0
    while i + 1 < len(points) and points[i + 1].stamp <= stamp:
        i += 1
    return i


def _coasted(last: PlanPoint, stamp: int, stop_time: float) -> Setpoint:
    """Return the setpoint at a stamp [ns] of a motion that comes to rest from a point on."""
    here, time = last.setpoint, (stamp - last.stamp) / NANO
    position = here.position + coasting_time(time, stop_time) * here.velocity
    velocity = coasting_rate(time, stop_time) * here.velocity
    return Setpoint(position, velocity, restart=here.restart)


def _on(way: tuple[PlanPoint, ...], stamp: int) -> Setpoint:
    """Return the setpoint at a stamp [ns] within a prediction."""
    i = min(_before(way, stamp), len(way) - 2)
    return _cubic(way[i], way[i + 1], stamp)


def _cubic(first: PlanPoint, last: PlanPoint, stamp: int) -> Setpoint:
    """Return the setpoint at a stamp [ns] between two, with their positions and velocities."""
    time = (last.stamp - first.stamp) / NANO
    x = (stamp - first.stamp) / NANO / time
    p, v = first.setpoint.position, first.setpoint.velocity
    chord, end = last.setpoint.position - p, last.setpoint.velocity
    bend, twist = 3.0 * chord - time * (2.0 * v + end), time * (v + end) - 2.0 * chord
    return Setpoint(
        p + x * (time * v + x * (bend + x * twist)),
        v + x * (2.0 * bend + 3.0 * x * twist) / time,
    )
