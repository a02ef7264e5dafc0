"""Whether the robot may move, as a message that latecomers get too: topic ``safety``."""

from __future__ import annotations

from diagnostic_msgs.msg import DiagnosticStatus, KeyValue
import msgspec

TOPIC = 'safety'
STOPS = 'stops'
DIVERGED = 'diverged'
STAMP = 'stamp [ns]'
CONTROL = 'control_simulation'
"""Source that stops for all, and whose release opens the brakes."""
LARGEST = 2**63
"""Number that none of ours reaches."""


class SafetyStatus(msgspec.Struct, frozen=True):
    """What control or plant says about a stop.

    :ivar source: name of the node.
    :ivar stopped: why the robot is stopped; empty if it is not.
    :ivar stops: number of stops so far, so that a stop which was not seen is noticed.
    :ivar diverged: whether numbers ran away.
    :ivar stamp: of the step that it happened in [ns].
    """

    source: str
    stopped: str
    stops: int
    diverged: bool = False
    stamp: int = 0


def to_message(status: SafetyStatus) -> DiagnosticStatus:
    """Return the status as a message."""
    return DiagnosticStatus(
        level=DiagnosticStatus.ERROR if status.stopped else DiagnosticStatus.OK,
        name=status.source,
        message=status.stopped or 'free to move',
        values=[
            KeyValue(key=STOPS, value=str(status.stops)),
            KeyValue(key=DIVERGED, value=str(status.diverged)),
            KeyValue(key=STAMP, value=str(status.stamp)),
        ],
    )


def from_message(message: DiagnosticStatus) -> SafetyStatus | None:
    """Return what a message says; nothing if it is not one of ours."""
    values = {item.key: item.value for item in message.values}
    try:
        stops, stamp = int(values[STOPS]), int(values[STAMP])
    except (KeyError, ValueError):
        return None
    if not (0 <= stops < LARGEST and abs(stamp) < LARGEST):
        return None
    stopped = message.level != DiagnosticStatus.OK
    return SafetyStatus(
        source=message.name,
        stopped=(message.message or 'stopped') if stopped else '',
        stops=stops,
        diverged=values.get(DIVERGED) == str(True),
        stamp=stamp,
    )
