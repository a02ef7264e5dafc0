"""Retreat: stop, then go back the way the robot came."""

from __future__ import annotations

import msgspec

from ..core.values import Array, ExternalInputs, JointState, Setpoint
from ..planning.profiles import ConstantAcceleration, Travel
from ..robot.model import RobotModel
from .config import ReactionConfig
from .hold import Hold
from .motors import FOLLOWING_LIMITS, Motors
from .reaction import Onset, Reaction
from .trail import TipPoints, WayBack, way_back

CLEAR_TIME = 0.05
"""Time without contact after which the next one is a new one [s]: longer than the transients of a
monitor."""
DROPPED_POSITIONS = 2
"""Positions at the end of the trail that may be from after the contact, which a monitor detects
some milliseconds later: they would lead once more through the deepest point of the contact."""


class Retreat(Reaction):
    """Brake as ``Hold`` does, go back along the path that the robot came, and stay.

    The way back leads straight to the position before the contact, and from there back along the
    trail. It is ``distance`` long at the fastest tip. The speed along it follows algorithm 1 of
    000 with the configured speed and acceleration, and ends at rest.

    A new contact on the way back (after ``CLEAR_TIME`` without any), or a robot that the motors
    cannot keep on it, ends the retreat: the robot is stopped and held where it is.
    """

    _remembered = ('_trail', '_way', '_travel', '_clear', '_hold')

    def __init__(self, motors: Motors, model: RobotModel, period: float, config: ReactionConfig):
        self._motors = motors
        self._points = TipPoints(model)
        self._h = period
        self._hold = Hold(motors, period)
        self._distance, self._speed = config.distance, config.speed
        self._profile = ConstantAcceleration(period, config.acceleration, config.speed)
        self._clear_steps = round(CLEAR_TIME / period)
        self._begin(())

    def _begin(self, trail: tuple[Array, ...]) -> None:
        self._trail = trail  # positions before the contact [rad], oldest first
        self._way: WayBack | None = None  # once the robot is at rest
        self._travel: Travel | None = None  # progress on the way; none before and after
        self._clear = 0  # steps since the last contact
        self._hold.brake()

    def begin(self, onset: Onset) -> None:
        """Brake from the next step on."""
        before = onset.trail[:-DROPPED_POSITIONS] or onset.trail[:1]
        self._begin(before)

    def step(self, control: JointState, inputs: ExternalInputs) -> Setpoint:
        """Return the setpoint of the next step."""
        another = inputs.contact and self._clear >= self._clear_steps
        self._clear = 0 if inputs.contact else self._clear + 1
        if self._way is not None and self._travel is not None:
            return self._go_back(self._way, self._travel, control, another)
        setpoint = self._hold.step(control, inputs)
        # While the robot still yields, going back would work against the external force.
        if self._way is None and not setpoint.restart:
            self._way = way_back(
                self._points, self._trail, setpoint.position, self._distance, self._speed
            )
            self._travel = Travel(self._way.length)
        return setpoint

    @property
    def resting(self) -> bool:
        """Return whether the robot is back, or was stopped on its way."""
        return self._way is not None and self._travel is None and self._hold.resting

    def trail(self) -> tuple[Array, ...]:
        """Return the part of the trail beyond the end of the way back."""
        return () if self._way is None else self._way.rest

    def _go_back(
        self, way: WayBack, travel: Travel, control: JointState, another: bool
    ) -> Setpoint:
        old = way.position(way.length - travel.remaining)
        travel = self._profile.advance(travel)
        position = way.position(way.length - travel.remaining)
        if another or not self._motors.can_reach(control, position, FOLLOWING_LIMITS):
            # The new obstacle may be behind the robot: no later retreat leads there.
            self._way, self._travel = msgspec.structs.replace(way, rest=()), None
            self._hold.brake()
            return self._hold.step(control)
        self._travel = travel
        if travel.remaining == 0.0:
            self._travel = None
            self._hold.take(position)
        return Setpoint(position, (position - old) / self._h)
