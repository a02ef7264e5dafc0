"""Configuration of the safety functions: the one place of these defaults."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from ..core.config_types import Positive

StopKind = Literal['path', 'hold', 'damp']

TIMEOUT, MIN_TIMEOUT = 0.1, 10
"""Timeout where none is given [s, periods]: an ordinary Linux leaves out a process for up to
40 ms."""
EFFORT_RATE = 50.0
"""Largest change of a real robot's efforts [1/s]: from zero to the limit in 20 ms. Motions, hand
guiding and two hands on an object, with late messages, had at most 8; a hard collision has 900."""
TRACKING_ERROR = 0.2
"""Distance of a real robot from its setpoint [rad]: motions and hand guiding had at most 0.07."""
MAX_ACCELERATION = 50.0
"""Largest acceleration of a real robot's setpoints [rad/s^2]: motions and hand guiding had at most
19. The reaction to a collision asks for more, and takes some milliseconds longer."""
RATE_TOLERANCE = 0.01
"""Deviation of the rate of the joint states up to which they are steps of a period: the clock of
the steps follows the stamps (``ros.pacing.step_clock``, 2 % of a deviation each state), so that at
1 % it is half a period behind, and counts a step too many or too few from there on."""


class SafetyConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Which commands may reach the robot, and what it gets when they stop.

    :ivar stop: how a robot is brought to rest: ``path``, along its way within ``stop_time``
        where that is known, else as ``hold``; ``hold``, braked at once, with ``brake_time``, and
        held where it stops; ``damp``, braked at once and damped from then on, so that a person
        can move it away. Gravity is compensated in each. A robot that takes positions stops
        along its way and is held.
    :ivar effort_rate: largest change of an effort, as a share of its limit per second [1/s]. Where
        none is given it is 50 for a real robot (give what its maker allows), and any for a
        simulated one: deadbeat control, or a collision, may go from limit to limit in one step.
    :ivar max_acceleration: real time, largest acceleration of a setpoint [rad/s^2]: after a jump
        the robot catches up with it, and with the velocity limits of the model. Where none is
        given it is 50 for a real robot, and any for a simulated one.
    :ivar tracking_error: real time, distance of a joint from its setpoint at which the robot is
        stopped [rad]. Where none is given it is 0.2 for a real robot, and any for a simulated
        one, which obstacles may hold.
    :ivar first_effort: real time, largest first effort beyond gravity, as a share of its limit:
        where the plan asks for more, the motion blends in from rest.
    :ivar timeout: periods without a fresh message after which a node counts as dead, and a state
        as too old to compute a command from; 0 for as many as 0.1 s has, at least 10.
    :ivar dead_man: real time, whether somebody has to hold the robot's dead-man switch, topic
        ``dead_man``: released, or silent for ``dead_man_time``, the robot is stopped.
    :ivar dead_man_time: longest time between two messages of the dead-man switch [s].
    :ivar rate_tolerance: real time, deviation of the rate of the joint states from ``1/period``,
        as a share, beyond which the robot is not controlled.
    :ivar lateness: what is done if commands take effect later than control or motion bear:
        ``adapt``, control less stiffly, go slower, give way less, and stop softly in the end;
        ``refuse``, do not begin.
    :ivar stop_time: time in which a robot whose next command is late comes to rest along its
        way, unless the command comes after all [s].
    :ivar brake_time: time constant with which a joint is braked [s].
    :ivar hold_frequency: natural frequency with which a joint that has stopped is held [rad/s];
        for a real robot at most as ``control.natural_frequency``.
    """

    stop: StopKind = 'path'
    effort_rate: Positive | None = None
    max_acceleration: Positive | None = None
    tracking_error: Positive | None = None
    first_effort: Positive = 0.02
    dead_man: bool = False
    dead_man_time: Positive = 0.5
    timeout: Annotated[int, msgspec.Meta(ge=0, le=1000)] = 0
    rate_tolerance: Annotated[float, msgspec.Meta(gt=0.0, lt=0.5)] = RATE_TOLERANCE
    lateness: Literal['adapt', 'refuse'] = 'adapt'
    stop_time: Positive = 0.5
    brake_time: Positive = 0.05
    hold_frequency: Positive = 60.0

    def resolved(self, *, real: bool) -> SafetyConfig:
        """Return it with the open choices made: for a real robot, or for a simulated one."""
        if not real:
            return self
        return msgspec.structs.replace(
            self,
            effort_rate=self.effort_rate or EFFORT_RATE,
            max_acceleration=self.max_acceleration or MAX_ACCELERATION,
            tracking_error=self.tracking_error or TRACKING_ERROR,
        )

    def timeout_periods(self, period: float) -> int:
        """Return the timeout in periods of some length [s]."""
        if self.timeout:
            return max(2, self.timeout)
        return max(MIN_TIMEOUT, round(TIMEOUT / period))
