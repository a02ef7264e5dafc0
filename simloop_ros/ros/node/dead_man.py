"""The dead-man switch: without somebody who holds it the robot does not move."""

from __future__ import annotations

from collections.abc import Callable
import time

from std_msgs.msg import Bool

from ...core.errors import SimloopError
from ...loop.guarded_control import GuardedControl
from ...safety.config import SafetyConfig
from ..transport.qos import EVENTS
from .block_node import BlockNode

DEAD_MAN = 'dead_man'
"""Its topic; reasons of its stops begin with it."""
CHECKS = 10
"""Number of times that its silence is checked in the longest time between two messages."""


class DeadMan:
    """Stops the robot unless ``dead_man`` (std_msgs/Bool) comes and says true.

    Once it is held again the robot is released: it stays where it is until somebody asks for the
    motion.

    :param control: that is stopped, or not.
    :param stop: stops it, with the reason.
    :param release: releases it, or raises SimloopError.
    """

    def __init__(
        self,
        node: BlockNode,
        safety: SafetyConfig,
        control: GuardedControl,
        stop: Callable[[str], None],
        release: Callable[[], None],
    ):
        self._node, self._control, self._stop, self._release = node, control, stop, release
        self._used = safety.dead_man and node.graph.realtime
        self._longest = safety.dead_man_time
        self._held, self._last = False, 0.0
        if self._used:
            node.topics.subscription(Bool, DEAD_MAN, self._take, EVENTS)

    def begin(self) -> None:
        """Keep the robot stopped until the switch is held for the first time."""
        if self._used:
            self._stop(f'{DEAD_MAN}: not held yet')
            self._node.every(self._longest / CHECKS, self._watch)

    def check(self) -> None:
        """Raise SimloopError if the robot must not be released."""
        if self._used and not self._held:
            raise SimloopError(f'{DEAD_MAN}: nobody holds it; publish true on it')

    def _take(self, message: Bool) -> None:
        if not self._node.active:
            return
        held, self._held, self._last = self._held, bool(message.data), time.monotonic()
        if not self._held:
            self._stop(f'{DEAD_MAN}: released')
        elif not held and self._control.stopped.startswith(DEAD_MAN):
            try:
                self._release()
            except SimloopError as error:
                self._held = False  # the next message tries again
                self._node.get_logger().warning(f'{DEAD_MAN}: {error}', throttle_duration_sec=1.0)

    def _watch(self) -> None:
        if self._held and time.monotonic() - self._last > self._longest:
            self._held = False
            self._stop(f'{DEAD_MAN}: no message for {self._longest:g} s')
