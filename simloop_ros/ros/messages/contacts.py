"""Contacts as messages: ROS has no standard type, so each is a diagnostic status."""

from __future__ import annotations

from collections.abc import Iterable
import math

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue

from ...core.errors import MessageError
from ...core.values import Contact
from .stamps import split

FORCE, POINT = 'force [N]', 'point [m]'


def to_message(stamp: int, contacts: Iterable[Contact]) -> DiagnosticArray:
    """Return the contacts at the end of a step [ns] as one status each.

    The link is its name, the obstacle its ``hardware_id``.
    """
    message = DiagnosticArray()
    message.header.stamp.sec, message.header.stamp.nanosec = split(stamp)
    message.status = [
        DiagnosticStatus(
            level=DiagnosticStatus.WARN,
            name=contact.link,
            hardware_id=contact.obstacle,
            message='contact',
            values=[
                KeyValue(key=FORCE, value=repr(contact.force)),
                KeyValue(key=POINT, value=' '.join(map(repr, contact.point))),
            ],
        )
        for contact in contacts
    ]
    return message


def from_message(message: DiagnosticArray) -> tuple[Contact, ...]:
    """Return the contacts; raise MessageError if a status is none."""
    try:
        contacts = tuple(map(_contact, message.status))
    except ValueError as error:
        raise MessageError(f'contacts: a status without force and point: {error}') from error
    if not all(math.isfinite(x) for each in contacts for x in (each.force, *each.point)):
        raise MessageError('contacts: a force or point that is not finite')
    return contacts


def _contact(status: DiagnosticStatus) -> Contact:
    force, point = (item.value for item in status.values)
    x, y, z = map(float, point.split())
    return Contact(status.name, status.hardware_id, float(force), (x, y, z))
