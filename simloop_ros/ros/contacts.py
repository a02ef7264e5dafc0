"""Contacts as messages; ROS has no standard type for them, so they are statuses of links."""

from __future__ import annotations

from collections.abc import Iterable
import math

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.publisher import Publisher

from ..errors import MessageError
from ..values import Contact
from .outbox import Outbox
from .stamps import split

FORCE = 'force [N]'


class ContactPublisher:
    """Sends contacts and keeps the last ones, for those who did not get them."""

    def __init__(self, publisher: Publisher):
        self._publisher = publisher
        self._sent: Outbox[DiagnosticArray] = Outbox()

    def send(self, stamp: int, contacts: Iterable[Contact]) -> None:
        """Publish the contacts at the end of a step, with its stamp [ns]."""
        message = to_message(stamp, contacts)
        self._sent.add(stamp, message)
        self._publisher.publish(message)

    def send_again(self, stamp: int) -> None:
        """Publish the message with this stamp once more, if it was ever sent."""
        message = self._sent.find(stamp)
        if message is not None:
            self._publisher.publish(message)


def to_message(stamp: int, contacts: Iterable[Contact]) -> DiagnosticArray:
    """Return contacts as one status each: the link is its name, the obstacle its hardware_id.

    :param stamp: end of the step [ns].
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
    """Return the contacts.

    :raises MessageError: a status is not a contact.
    """
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
