"""What the two ways to answer control states need of a planner's node."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, Protocol

from ...core.values import Setpoint
from .input_buffer import InputBuffer
from .motion_guide import MotionGuide
from .motion_hold import MotionHold


class BackgroundTask(Protocol):
    """Something that is computed in the background."""

    def done(self) -> bool:
        """Return whether it is over."""

    def result(self) -> Any:
        """Return its result, or raise its exception."""

    def __await__(self) -> Generator[Any, None, Any]:
        """Wait for its result."""


class MotionPort(Protocol):
    """The motion of a planner, its inputs and its outputs.

    :ivar guide: the motion, with its reaction to collisions.
    :ivar inputs: external inputs of the steps.
    :ivar hold: whether the robot is held after a stop.
    """

    guide: MotionGuide
    inputs: InputBuffer
    hold: MotionHold

    def send(self, stamp: int, setpoint: Setpoint) -> None:
        """Send the setpoint of the step that begins at a stamp [ns]."""

    def send_again(self, stamp: int) -> bool:
        """Send the setpoint with this stamp [ns] again; return whether it was sent before."""

    def in_background(self, call: Callable[[], Any]) -> BackgroundTask:
        """Call something in a thread of its own."""

    def note_silence(self, topic: str) -> None:
        """Report that nothing comes on the topic of an external input, or, if empty, again."""
