"""Contacts as messages: ROS has no standard type, so each is a diagnostic status."""

from __future__ import annotations

from collections.abc import Iterable
import math

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue

from ...core.errors import MessageError
from ...core.values import Contact
from .stamps import split

FORCE = 'force [N]'


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
            values=[KeyValue(key=FORCE, value=repr(contact.force))],
        )
        for contact in contacts
    ]
    return message


def from_message(message: DiagnosticArray) -> tuple[Contact, ...]:
    """Return the contacts; raise MessageError if a status is none."""
    try:
        contacts = tuple(
            Contact(status.name, status.hardware_id, float(status.values[0].value))
            for status in message.status
        )
    except (IndexError, ValueError) as error:
        raise MessageError(f'contacts: a status without a force: {error}') from error
    if not all(math.isfinite(contact.force) for contact in contacts):
        raise MessageError('contacts: a force that is not finite')
    return contacts
