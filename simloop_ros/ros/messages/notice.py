"""What the collision monitor reports of a step, as a message: topic ``collision``."""

from __future__ import annotations

from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
import msgspec
import numpy as np

from ...collision.detector import Detection
from ...collision.isolation import Hit
from ...collision.load import Load
from ...core.errors import MessageError
from ...core.values import ContactNature
from ...record.events import Located, described
from .stamps import join, split

COLLISION = 'collision'
CONTACT, MARGIN, RUNNING, LOAD, DOUBT = OWN = ('contact', 'margin', 'running', 'load', 'doubt')
LEVELS = {
    'none': DiagnosticStatus.OK,
    'push': DiagnosticStatus.WARN,
    'impact': DiagnosticStatus.ERROR,
}


class Notice(msgspec.Struct, frozen=True, gc=False):
    """Report on a step, which ends at a stamp [ns], for planner and recorder.

    :ivar margin: distance to the threshold; negative beyond it.
    :ivar located: link, and point and force where they are known, once they are.
    :ivar running: the same by the last estimate, while the contact lasts.
    :ivar load: what the contact turned out to be, in the step in which that is known, or taken.
    :ivar doubt: why the monitor is not to be trusted; empty where it is.
    """

    stamp: int
    contact: bool
    kind: ContactNature
    margin: float
    located: Located | None = None
    running: Located | None = None
    load: Load | None = None
    doubt: str = ''


NO_CONTACT = Notice(0, False, 'none', 1.0)


def hit_of(located: Located | None) -> Hit | None:
    """Return what ``described`` made a location of."""
    if located is None:
        return None
    if located.point is None or located.force is None:
        return Hit(None, located.link, located.probability)
    point, force = np.array(located.point), np.array(located.force)
    return Hit(None, located.link, located.probability, point, force, spread=0.0)


def to_message(stamp: int, detection: Detection) -> DiagnosticArray:
    """Return the message for the step that ends at a stamp [ns]."""
    message = DiagnosticArray()
    message.header.stamp.sec, message.header.stamp.nanosec = split(stamp)
    located = described(detection.hit)
    status = DiagnosticStatus(name=COLLISION, level=LEVELS[detection.kind], message=detection.kind)
    values: dict[str, Any] = {CONTACT: detection.contact, MARGIN: detection.reading.margin}
    if detection.running is not None:
        values[RUNNING] = msgspec.to_builtins(described(detection.running))
    if detection.load is not None:
        values[LOAD] = msgspec.to_builtins(detection.load)
    if detection.reading.doubt:
        values[DOUBT] = detection.reading.doubt
    if located is not None:
        status.hardware_id = located.link
        values |= msgspec.to_builtins(located)
    status.values = [
        KeyValue(key=key, value=msgspec.json.encode(value).decode())
        for key, value in values.items()
    ]
    message.status = [status]
    return message


def from_message(message: DiagnosticArray) -> Notice:
    """Return the content of a message, or raise MessageError."""
    stamp = join(message.header.stamp)
    if len(message.status) != 1 or stamp < 0:
        raise MessageError(f'{COLLISION}: expected one status and a stamp from 0 on')
    status = message.status[0]
    try:
        values = {item.key: msgspec.json.decode(item.value) for item in status.values}
        own = {key: values.pop(key) for key in OWN if key in values}
        notice = {'stamp': stamp, 'kind': status.message, **own, 'located': values or None}
        return msgspec.convert(notice, Notice)
    except msgspec.MsgspecError as error:
        raise MessageError(f'{COLLISION}: {error}') from None
