"""Lost messages once more: lockstep over topics that may lose and repeat."""

from __future__ import annotations

from collections.abc import Callable, Iterable
import time

from rclpy.publisher import Publisher
from std_msgs.msg import Header

from .channels import JointPublisher
from .stamps import NANO, split

LONGEST_WAIT = 32
"""Largest number of ticks between two requests for the same message."""


class Resend:
    """Asks for messages that do not come, and answers those who ask.

    A request is a Header: the stamp of the message and, as ``frame_id``, its topic.

    :param publisher: of the requests.
    :param missing: tells topic and stamp of each message that is waited for.
    :ivar sources: the publishers that can send again, by topic.
    :ivar asked: number of requests made.
    :ivar answered: number of requests answered.
    """

    def __init__(self, publisher: Publisher, missing: Callable[[], Iterable[tuple[str, int]]]):
        self._publisher = publisher
        self._missing = missing
        self.sources: dict[str, JointPublisher] = {}
        self.asked = 0
        self.answered = 0
        self._last: tuple[tuple[str, int], ...] = ()
        self._since = time.monotonic()
        self._ticks = 0

    @property
    def waiting(self) -> str:
        """Return what is waited for and since when; empty if nothing for long."""
        wanted = tuple(self._missing())
        if not wanted or wanted != self._last:
            return ''
        topic, stamp = wanted[0]
        return f'waiting {time.monotonic() - self._since:.1f} s for {topic} at {stamp / NANO:g} s'

    def tick(self) -> None:
        """Ask for what is still missing since the last tick, ever more rarely."""
        wanted = tuple(self._missing())
        if wanted != self._last:
            self._last, self._since, self._ticks = wanted, time.monotonic(), 0
            return
        self._ticks += 1
        # At ticks 1, 2, 4, 8, ... and then regularly.
        if self._ticks & (self._ticks - 1) and self._ticks % LONGEST_WAIT:
            return
        for topic, stamp in wanted:
            request = Header(frame_id=topic)
            request.stamp.sec, request.stamp.nanosec = split(stamp)
            self._publisher.publish(request)
            self.asked += 1

    def answer(self, request: Header) -> None:
        """Send again what is asked for, if it is ours and was sent."""
        source = self.sources.get(request.frame_id)
        if source:
            self.answered += 1
            source.send_again(request.stamp.sec * NANO + request.stamp.nanosec)
