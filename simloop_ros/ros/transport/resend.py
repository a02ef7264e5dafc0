"""Requests for lost messages: lockstep over topics that may lose and repeat."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
import time
from typing import Any

from rclpy.publisher import Publisher
from std_msgs.msg import Header

from ..messages.stamps import NANO, join, split

FIRST_REQUESTS = (1, 4, 16)
"""Ticks after which a message is requested."""
REQUEST_INTERVAL = 32
"""Number of ticks between two requests after that."""
MAX_REQUESTS = 32
"""Largest number of messages that are requested in one tick."""


class Resend:
    """Requests messages that do not come, and answers the requests of others.

    A message counts as lost when a later one of its topic is there, or when nothing at all has
    come for a tick: a node that is only late gets no additional work. A request is a Header: the
    stamp of the message and, as ``frame_id``, its topic.

    :param missing: returns topic and stamp of each message that is waited for.
    :param gaps: returns those of which later ones of the same topic are there.
    :param nearby: hands a request to the nodes of the same process; returns whether one answers.
    :ivar sources: what sends a message with a given stamp again, by topic.
    """

    def __init__(
        self,
        publisher: Publisher,
        missing: Callable[[], Iterable[tuple[str, int]]],
        gaps: Callable[[], Iterable[tuple[str, int]]],
        nearby: Callable[[Header], bool] = lambda _: False,
    ):
        self._publisher = publisher
        self._missing = missing
        self._gaps = gaps
        self._nearby = nearby
        self.sources: dict[str, Callable[[int], Any]] = {}
        self.received = 0
        self.requested = 0
        self.answered = 0
        self._received_before = -1
        self._waited: dict[tuple[str, int], int] = {}
        self._first: tuple[str, int] | None = None
        self._since = time.monotonic()

    @property
    def waiting(self) -> str:
        """Return what is waited for and since when; empty if nothing for long."""
        if self._first is None or self._waited.get(self._first, 0) < REQUEST_INTERVAL:
            return ''
        topic, stamp = self._first
        return f'waiting {time.monotonic() - self._since:.1f} s for {topic} at {stamp / NANO:g} s'

    def tick(self) -> None:
        """Request what was missing at the last tick already, at growing intervals."""
        quiet = self.received == self._received_before
        self._received_before = self.received
        missing = tuple(islice(self._missing() if quiet else self._gaps(), MAX_REQUESTS))
        first = missing[0] if missing else None
        if first != self._first:
            self._first, self._since = first, time.monotonic()
        self._waited = {item: self._waited.get(item, -1) + 1 for item in missing}
        for item, ticks in self._waited.items():
            if ticks in FIRST_REQUESTS or (ticks and not ticks % REQUEST_INTERVAL):
                self.request(*item)

    def request(self, topic: str, stamp: int) -> None:
        """Request a message."""
        request = Header(frame_id=topic)
        request.stamp.sec, request.stamp.nanosec = split(stamp)
        if not self._nearby(request):
            self._publisher.publish(request)
        self.requested += 1

    def answer(self, request: Header) -> None:
        """Send again what is requested, if it is one of our topics and was sent."""
        source = self.sources.get(request.frame_id)
        if source:
            self.answered += 1
            source(join(request.stamp))
