"""What the collision monitor says and which torque is felt, for those who act upon it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...core.values import ExternalInputs
from ..messages.notice import NOTHING, TOPIC, Notice
from ..messages.wrists import WRENCHES

MOST = 64
"""Words of each topic that are kept at most."""


class InputBuffer:
    """Puts together what is known of a step; in real time, what is known last.

    In real time a torque, or what wrist sensors read, counts until the next one, but no longer
    than ``longest``: whoever tells it may be dead, and nobody is to be dragged on by a hand that
    is gone. How old it is the stamps of the steps tell, from the first one on that it was used in;
    its own stamp may be of another clock, and only tells whether it is new. (A contact counts
    until the monitor takes it back.)

    :param topics: that tell something: ``collision``, and one of torques or ``wrist_wrenches``, or
        one of them only. Wrist sensors have told something before the first step, too.
    :param realtime: whether the last word counts, instead of that on a step.
    :param longest: time that a torque counts, in real time [ns]; any where none is given.
    :ivar silent: the topic of torques or wrenches, while nothing has come of it for too long, or
        ever.
    """

    def __init__(self, topics: Sequence[str], *, realtime: bool, longest: int | None = None):
        self._realtime = realtime
        self._waiting: dict[str, dict[int, Any]] = {topic: {} for topic in topics}
        self._last: dict[str, Any] = {}
        self._felt = next((topic for topic in topics if topic != TOPIC), '')
        self._last_stamp: int | None = None
        self._since: int | None = None
        self.longest = longest
        self.silent = ''

    def add(self, topic: str, stamp: int, word: Any) -> None:
        """Take a word: a ``Notice`` of ``collision``, a torque [N m], shape ``(n,)``, or
        wrenches, shape ``(hands, 6)``, of others.

        Where there are too many, the latest ones go: their turn comes last.

        :param stamp: end of the step that it is about [ns].
        """
        if self._realtime:
            self._last[topic] = word
            if topic == self._felt and stamp != self._last_stamp:
                self._last_stamp, self._since = stamp, None
            return
        waiting = self._waiting[topic]
        waiting[stamp] = word
        if len(waiting) > MOST:
            del waiting[max(waiting)]

    def lacking(self, stamp: int) -> tuple[str, ...]:
        """Return the topics that have said nothing of the step that ends at a stamp [ns] yet.

        Before the first step only wrist sensors have something to say, and in real time nobody
        waits.
        """
        if self._realtime:
            return ()
        return tuple(
            topic
            for topic, waiting in self._waiting.items()
            if stamp not in waiting and (stamp or topic == WRENCHES)
        )

    def at(self, stamp: int) -> ExternalInputs:
        """Return what is felt after the step that ends at a stamp [ns]."""
        words = (
            self._last
            if self._realtime
            else {topic: waiting.get(stamp) for topic, waiting in self._waiting.items()}
        )
        felt = words.get(self._felt)
        if self._realtime and self._felt and self._is_old(stamp):
            felt = None
        notice: Notice = words.get(TOPIC) or NOTHING
        if self._felt == WRENCHES:
            return ExternalInputs(notice.contact, notice.kind, wrenches=felt)
        return ExternalInputs(notice.contact, notice.kind, felt)

    def _is_old(self, stamp: int) -> bool:
        """Return whether the last torque does not count any more in a step, and note it."""
        if self._since is None or stamp < self._since:
            self._since = stamp
        over = self.longest is not None and stamp - self._since >= self.longest
        self.silent = self._felt if over or self._last_stamp is None else ''
        return bool(self.silent)

    def forget_until(self, stamp: int) -> None:
        """Forget what was said up to a stamp [ns]."""
        for waiting in self._waiting.values():
            for old in [each for each in waiting if each <= stamp]:
                del waiting[old]
