"""External inputs of a planner from its topics: contacts, torques, wrist wrenches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...core.values import ExternalInputs
from ..messages.notice import COLLISION, NO_CONTACT, Notice
from ..messages.wrists import WRENCHES

MAX_PENDING = 64
"""Inputs of each topic that are kept for later steps."""


class InputBuffer:
    """Collects the external inputs of each step; in real time, the last ones.

    In real time a torque, or the wrist wrenches, hold until the next message, but no longer than
    ``timeout``: its publisher may be dead, and the robot must not follow a force that is gone.
    The age is measured by the stamps of the steps, from the first one in which the input was
    used; its own stamp may be of another clock, and only shows whether the input is new. (A
    contact holds until the monitor reports its end.)

    :param topics: of the inputs: ``collision``, and one of torques or ``wrist_wrenches``, or one
        of them only. Wrist sensors are read before the first step, too.
    :param realtime: whether the last input holds, instead of that of each step.
    :param timeout: time for which a torque holds, in real time [ns]; unlimited where none is
        given.
    :ivar force_topic: that of torques or wrenches; empty if there is none.
    :ivar silent: ``force_topic`` while it has timed out or was never received; else empty.
    """

    def __init__(self, topics: Sequence[str], *, realtime: bool, timeout: int | None = None):
        self.topics = tuple(topics)
        self.force_topic = next((topic for topic in topics if topic != COLLISION), '')
        self.timeout = timeout
        self.silent = ''
        self._realtime = realtime
        self._pending: dict[str, dict[int, Any]] = {topic: {} for topic in topics}
        self._last: dict[str, Any] = {}
        self._last_stamp: int | None = None
        self._used_since: int | None = None

    def add(self, topic: str, stamp: int, value: Any) -> None:
        """Take an input of the step that ends at a stamp [ns].

        It is a ``Notice``, a torque [N m], shape ``(n,)``, or wrenches, shape ``(hands, 6)``. If
        there are too many, the latest ones are dropped: they are needed last.
        """
        if self._realtime:
            self._last[topic] = value
            if topic == self.force_topic and stamp != self._last_stamp:
                self._last_stamp, self._used_since = stamp, None
            return
        pending = self._pending[topic]
        pending[stamp] = value
        if len(pending) > MAX_PENDING:
            del pending[max(pending)]

    def missing(self, stamp: int) -> tuple[str, ...]:
        """Return the topics whose input of the step that ends at a stamp [ns] has not come yet.

        Before the first step only wrist sensors have an input, and in real time nothing waits.
        """
        if self._realtime:
            return ()
        return tuple(
            topic
            for topic, pending in self._pending.items()
            if stamp not in pending and (stamp or topic == WRENCHES)
        )

    def at(self, stamp: int) -> ExternalInputs:
        """Return the inputs after the step that ends at a stamp [ns]."""
        values = (
            self._last
            if self._realtime
            else {topic: pending.get(stamp) for topic, pending in self._pending.items()}
        )
        force = values.get(self.force_topic)
        if self._realtime and self.force_topic and self._has_timed_out(stamp):
            force = None
        notice: Notice = values.get(COLLISION) or NO_CONTACT
        if self.force_topic == WRENCHES:
            held = self.held(stamp) > 0
            return ExternalInputs(notice.contact, notice.kind, wrenches=force, held=held)
        return ExternalInputs(notice.contact, notice.kind, force)

    def held(self, stamp: int) -> int:
        """Return for how long the last torque has been used in a step with a stamp [ns]."""
        return 0 if self._used_since is None else stamp - self._used_since

    def _has_timed_out(self, stamp: int) -> bool:
        """Return whether the last torque no longer holds in a step, and note it."""
        if self._used_since is None or stamp < self._used_since:
            self._used_since = stamp
        over = self.timeout is not None and stamp - self._used_since >= self.timeout
        self.silent = self.force_topic if over or self._last_stamp is None else ''
        return bool(self.silent)

    def forget_until(self, stamp: int) -> None:
        """Forget the inputs up to a stamp [ns]."""
        for pending in self._pending.values():
            for old in [each for each in pending if each <= stamp]:
                del pending[old]
