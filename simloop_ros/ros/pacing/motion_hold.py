"""A motion that is given up because the robot was stopped, until it is started again."""

from __future__ import annotations

from ...core.errors import SimloopError
from ...core.values import Array
from ..messages.safety_status import CONTROL, FOLLOWER, PLANT, SafetyStatus


class MotionHold:
    """From a stop of the robot until ``release`` its motion is given up.

    :ivar position: where it is held [rad], shape ``(n,)``; none until a control state has come
        since the last stop or release of the control simulation.
    :ivar stopped: whether the control simulation is stopped.
    """

    def __init__(self) -> None:
        self._stops: int | None = None
        self.active = False
        self.position: Array | None = None
        self.stopped = False
        self._paused = self._was_paused = False

    @property
    def control_known(self) -> bool:
        """Return whether the control simulation has published its state."""
        return self._stops is not None

    def take(self, status: SafetyStatus) -> bool:
        """Take a safety status; return whether the motion is given up, even for a missed stop."""
        if status.source == PLANT:
            self._paused = status.paused
            self._was_paused |= status.paused
        if status.source in (PLANT, FOLLOWER):  # control says so, too
            return False
        from_control = status.source == CONTROL
        missed = from_control and status.stops != (self._stops or 0)
        if from_control:
            self._stops, self.stopped = status.stops, bool(status.stopped)
            self.position = None  # the next state gives the position and the step that is due
        if status.stopped or missed:
            self.active = True
            self.position = None
            return True
        return False

    def pauses(self) -> bool:
        """Return whether the plant is paused, or was since the last call."""
        was, self._was_paused = self._was_paused, self._paused
        return was

    def start_position(self) -> Array:
        """Return where a new motion starts [rad], shape ``(n,)``, or raise SimloopError."""
        if not self.control_known:
            raise SimloopError('control has not published its safety status yet: try again')
        if not self.active:
            raise SimloopError('the motion is under way already')
        if self.stopped:
            raise SimloopError('the robot is stopped: release it first (control_simulation/stop)')
        if self.position is None:
            raise SimloopError('no control state has come since the release: try again')
        return self.position

    def release(self) -> None:
        """Hold the robot no longer: a new motion starts."""
        self.active = False
        self.position = None
