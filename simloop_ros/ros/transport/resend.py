"""Lost messages once more: lockstep over topics that may lose and repeat."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
import time
from typing import Any

from rclpy.publisher import Publisher
from std_msgs.msg import Header

from ..messages.stamps import NANO, join, split

FIRST_REQUESTS = (1, 4, 16)
"""Ticks after which a message is asked for."""
LONGEST_WAIT = 32
"""Number of ticks between two requests after that."""
MOST_AT_ONCE = 32
"""Largest number of messages that are asked for in one tick."""


class Resend:
    """Asks for messages that do not come, and answers those who ask.

    A message counts as lost when a later one of its topic is there, or when nothing at all has
    come for a tick: a node that is only late gets no more to do. A request is a Header: the stamp
    of the message and, as ``frame_id``, its topic.

    :param publisher: of the requests.
    :param missing: tells topic and stamp of each message that is waited for.
    :param gaps: tells those of which later ones of the same topic are there.
    :ivar sources: what sends a message with a given stamp again, by topic.
    :ivar received: number of messages that came, of all topics.
    :ivar asked: number of requests made.
    :ivar answered: number of requests answered.
    """

    def __init__(
        self,
        publisher: Publisher,
        missing: Callable[[], Iterable[tuple[str, int]]],
        gaps: Callable[[], Iterable[tuple[str, int]]],
    ):
        self._publisher = publisher
        self._missing = missing
        self._gaps = gaps
        self.sources: dict[str, Callable[[int], Any]] = {}
        self.received = 0
        self.asked = 0
        self.answered = 0
        self._received_before = -1
        self._waited: dict[tuple[str, int], int] = {}
        self._first: tuple[str, int] | None = None
        self._since = time.monotonic()

    @property
    def waiting(self) -> str:
        """Return what is waited for and since when; empty if nothing for long."""
        if self._first is None or self._waited.get(self._first, 0) < LONGEST_WAIT:
            return ''
        topic, stamp = self._first
        return f'waiting {time.monotonic() - self._since:.1f} s for {topic} at {stamp / NANO:g} s'

    def tick(self) -> None:
        """Ask for what was missing at the last tick already, ever more rarely."""
        quiet = self.received == self._received_before
        self._received_before = self.received
        wanted = tuple(islice(self._missing() if quiet else self._gaps(), MOST_AT_ONCE))
        first = wanted[0] if wanted else None
        if first != self._first:
            self._first, self._since = first, time.monotonic()
        self._waited = {item: self._waited.get(item, -1) + 1 for item in wanted}
        for item, ticks in self._waited.items():
            if ticks in FIRST_REQUESTS or (ticks and not ticks % LONGEST_WAIT):
                self.ask(*item)

    def ask(self, topic: str, stamp: int) -> None:
        """Ask for a message."""
        request = Header(frame_id=topic)
        request.stamp.sec, request.stamp.nanosec = split(stamp)
        self._publisher.publish(request)
        self.asked += 1

    def answer(self, request: Header) -> None:
        """Send again what is asked for, if it is ours and was sent."""
        source = self.sources.get(request.frame_id)
        if source:
            self.answered += 1
            source(join(request.stamp))
