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
CONTACT, MARGIN, LINK = 'contact', 'margin', 'link'
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
    :ivar margin: what is left to the threshold.
    :ivar located: link, and point and force where they are known, once they are.
    """

    stamp: int
    contact: bool
    kind: Kind
    margin: float = 1.0
    located: dict[str, Any] | None = None


NOTHING = Notice(0, False, 'none')


def to_message(stamp: int, alarm: Alarm) -> DiagnosticArray:
    """Return what is known after the step that ends at a stamp [ns]."""
    message = DiagnosticArray()
    message.header.stamp.sec, message.header.stamp.nanosec = split(stamp)
    located = described(alarm.hit) or {}
    status = DiagnosticStatus(name=TOPIC, level=LEVELS[alarm.kind], message=alarm.kind)
    status.hardware_id = located.get(LINK, '')
    values = {CONTACT: alarm.contact, MARGIN: alarm.reading.margin, **located}
    status.values = [
        KeyValue(key=key, value=msgspec.json.encode(value).decode())
        for key, value in values.items()
    ]
    message.status = [status]
    return message


def from_message(message: DiagnosticArray) -> Notice:
    """Return what a message says.

    :raises MessageError: it says nothing, or something else.
    """
    if len(message.status) != 1 or message.status[0].message not in get_args(Kind):
        raise MessageError(f'{TOPIC}: not one status whose message is one of {get_args(Kind)}')
    status = message.status[0]
    try:
        values = {item.key: msgspec.json.decode(item.value) for item in status.values}
    except msgspec.DecodeError as error:
        raise MessageError(f'{TOPIC}: a value is not JSON: {error}') from None
    contact, margin = values.pop(CONTACT, None), values.pop(MARGIN, None)
    stamp = join(message.header.stamp)
    if not isinstance(contact, bool) or not isinstance(margin, float | int) or stamp < 0:
        raise MessageError(f'{TOPIC}: it does not say whether there is a contact, or when')
    return Notice(
        stamp, contact, status.message, float(margin), values if LINK in values else None
    )
