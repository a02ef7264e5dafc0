"""What the setpoints that were sent ask of the robot at a moment."""

from __future__ import annotations

from collections import deque

from ...core.values import JointState, Setpoint
from ..messages.stamps import NANO, stamp_of

KEPT = 2048
"""Setpoints that are remembered: more than a motion is sent ahead."""


class SentMotion:
    """Remembers setpoints; one that was sent again, for another motion, counts.

    :param period: of the planner [s].
    """

    def __init__(self, period: float):
        self._step = stamp_of(1, period)
        self._sent: deque[tuple[int, Setpoint]] = deque(maxlen=KEPT)

    @property
    def end(self) -> int | None:
        """Return the stamp at which the robot shall be where the last setpoint says [ns]."""
        return self._sent[-1][0] if self._sent else None

    def note(self, stamp: int, setpoint: Setpoint) -> None:
        """Take the setpoint of the step that begins at a stamp [ns]."""
        if setpoint.is_path and not setpoint.predicted:
            self._sent.append((stamp + self._step, setpoint))

    def at(self, stamp: int) -> JointState | None:
        """Return the desired state at a stamp [ns]; none where it is not known.

        It is that of the nearest setpoint that is not later, continued with its velocity: stamps
        of a real robot are not those of the steps.
        """
        for end, setpoint in reversed(self._sent):
            if end <= stamp + self._step // 2:
                wait = (stamp - end) / NANO
                return JointState(setpoint.position + wait * setpoint.velocity, setpoint.velocity)
        return None
