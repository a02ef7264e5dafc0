"""What the collision monitor says of a step, as a message: topic ``collision``."""

from __future__ import annotations

from typing import Any, get_args

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
import msgspec

from ..collision.contact_kind import Kind
from ..collision.watch import Alarm
from ..errors import MessageError
from ..loop.events import described
from .stamps import join, split

TOPIC = 'collision'
CONTACT, MARGIN = 'contact', 'margin'
LEVELS = {
    'none': DiagnosticStatus.OK,
    'push': DiagnosticStatus.WARN,
    'impact': DiagnosticStatus.ERROR,
}


class Notice(msgspec.Struct, frozen=True, gc=False):
    """What others act upon.

    :ivar stamp: end of the step [ns].
    :ivar contact: whether there is a contact now.
    :ivar kind: of the present contact.
    :ivar details: what else the message says: margin; link, point and force where they are known.
    """

    stamp: int
    contact: bool
    kind: Kind
    details: dict[str, str] = {}


NOTHING = Notice(0, False, 'none')


def to_message(stamp: int, alarm: Alarm) -> DiagnosticArray:
    """Return what is known after the step that ends at a stamp [ns]."""
    message = DiagnosticArray()
    message.header.stamp.sec, message.header.stamp.nanosec = split(stamp)
    found: dict[str, Any] = {CONTACT: alarm.contact, MARGIN: f'{alarm.reading.margin:.6g}'}
    if alarm.hit is not None:
        found |= described(alarm.hit)
    status = DiagnosticStatus(name=TOPIC, level=LEVELS[alarm.kind], message=alarm.kind)
    status.hardware_id = alarm.hit.link if alarm.hit is not None else ''
    status.values = [KeyValue(key=key, value=str(value)) for key, value in found.items()]
    message.status = [status]
    return message


def from_message(message: DiagnosticArray) -> Notice:
    """Return what a message says.

    :raises MessageError: it says nothing, or something else.
    """
    if len(message.status) != 1 or message.status[0].message not in get_args(Kind):
        raise MessageError(f'{TOPIC}: not one status whose message is one of {get_args(Kind)}')
    status = message.status[0]
    values = {item.key: item.value for item in status.values}
    stamp = join(message.header.stamp)
    if values.get(CONTACT) not in ('True', 'False') or stamp < 0:
        raise MessageError(f'{TOPIC}: it does not say whether there is a contact, or when')
    kind: Kind = status.message
    return Notice(stamp, values.pop(CONTACT) == 'True', kind, values)
