"""Contacts of a robot: what the collision monitor says of them, and when they began."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ...core.values import Contact
from ...ros.messages.notice import Notice
from ..frame import Force, ShownAlarm
from ..live.contact_watch import NOTICED


class HeardContact:
    """The last report of the monitor, and for how long something has been touching the robot."""

    def __init__(self) -> None:
        self._notice: Notice | None = None
        self._began: float | None = None
        self._delay: float | None = None
        self._pulled = False
        self.contacts: tuple[Contact, ...] = ()

    def touch(self, time: float, contacts: tuple[Contact, ...]) -> None:
        """Take the contacts at a time [s]."""
        self.contacts = contacts
        self._note(time)

    def pull(self, time: float, forces: Iterable[Force]) -> None:
        """Take the forces of the persons at the pages at a time [s]."""
        self._pulled = any(float(force.vector @ force.vector) > NOTICED**2 for force in forces)
        self._note(time)

    def _note(self, time: float) -> None:
        touched = self._pulled or any(contact.force > NOTICED for contact in self.contacts)
        if not touched:
            self._began = None
        elif self._began is None:
            self._began = time

    def report(self, time: float, notice: Notice) -> None:
        """Take what the monitor says of a time [s]."""
        self._notice = notice
        if notice.kind == 'none':
            self._delay = None
        elif self._delay is None and self._began is not None and notice.contact:
            self._delay = time - self._began

    @property
    def alarm(self) -> ShownAlarm | None:
        """Return the alarm; none while no monitor has said anything."""
        notice = self._notice
        if notice is None:
            return None
        margin = 1.0 - notice.margin
        hit = notice.running
        if notice.kind == 'none' or hit is None:
            return ShownAlarm(notice.kind, delay=self._delay, margin=margin)
        return ShownAlarm(notice.kind, hit.link, hit.probability, self._delay, margin)

    @property
    def estimated(self) -> tuple[Force, ...]:
        """Return the force that the monitor estimates, where it is known."""
        hit = None if self._notice is None else self._notice.running
        if hit is None or hit.point is None or hit.force is None:
            return ()
        return (Force('estimated', hit.link, np.array(hit.point), np.array(hit.force)),)
