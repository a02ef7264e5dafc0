"""Configuration of the safety functions: the one place of these defaults."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from ..core.config_types import Positive

TIMEOUT, MIN_TIMEOUT = 0.1, 10
"""Timeout where none is given [s, periods]: an ordinary Linux leaves out a process for up to
40 ms."""


class SafetyConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Which commands may reach the robot, and what it gets when they stop.

    :ivar stop: effort that a robot is sent after a stop: ``gravity``, what holds it at its last
        known position, or ``zero``, for a robot that compensates gravity itself. The simulated
        plant brakes by itself.
    :ivar effort_rate: largest change of an effort, as a share of its limit per second [1/s]; any
        change where none is given. Deadbeat control may rightly go from limit to limit in one
        step; for a real robot give what its maker allows.
    :ivar timeout: periods without a fresh message after which a node counts as dead, and a state
        as too old to compute a command from; 0 for as many as 0.1 s has, at least 10.
    :ivar lateness: what is done if the machine is later than the motion bears: ``adapt``, go
        slower, give way less, and stop softly in the end; ``refuse``, do not begin.
    :ivar stop_time: time in which a robot whose next command is late comes to rest along its
        way, unless the command comes after all [s].
    :ivar brake_time: time constant with which the simulated plant's brake stops a joint [s].
    :ivar hold_frequency: natural frequency with which it holds a joint that has stopped [rad/s].
    """

    stop: Literal['gravity', 'zero'] = 'gravity'
    effort_rate: Positive | None = None
    timeout: Annotated[int, msgspec.Meta(ge=0, le=1000)] = 0
    lateness: Literal['adapt', 'refuse'] = 'adapt'
    stop_time: Positive = 0.5
    brake_time: Positive = 0.05
    hold_frequency: Positive = 60.0

    def timeout_periods(self, period: float) -> int:
        """Return the timeout in periods of some length [s]."""
        if self.timeout:
            return max(2, self.timeout)
        return max(MIN_TIMEOUT, round(TIMEOUT / period))
