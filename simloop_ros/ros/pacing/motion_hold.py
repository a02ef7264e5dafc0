"""Whether a planner holds the robot after a stop, until it plans again."""

from __future__ import annotations

from ...core.errors import SimloopError
from ...core.values import Array
from ..messages.safety_status import CONTROL, SafetyStatus


class MotionHold:
    """From a stop of the robot until ``release`` its motion is given up.

    :ivar active: whether the robot is held.
    :ivar position: where it is held [rad], shape ``(n,)``; none until a control state has come
        since the last stop or release of the control simulation.
    :ivar stopped: whether the control simulation is stopped.
    """

    def __init__(self) -> None:
        self._stops: int | None = None
        self.active = False
        self.position: Array | None = None
        self.stopped = False

    @property
    def control_known(self) -> bool:
        """Return whether the control simulation has published its state."""
        return self._stops is not None

    def take(self, status: SafetyStatus) -> bool:
        """Take a safety status; return whether the motion is given up, even for a missed stop.

        A stop of the plant comes from the control simulation, too.
        """
        if status.source == 'plant':
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

    def start_position(self) -> Array:
        """Return where a new motion starts [rad], shape ``(n,)``.

        :raises SimloopError: there is none now, with the reason.
        """
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
