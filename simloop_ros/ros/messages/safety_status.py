"""Whether the robot may move, as a latched message: topic ``safety``."""

from __future__ import annotations

from diagnostic_msgs.msg import DiagnosticStatus, KeyValue
import msgspec

SAFETY = 'safety'
STOPS = 'stops'
DIVERGED = 'diverged'
STAMP = 'stamp [ns]'
LEVEL = 'lateness'
STATE = 'state'
PAUSED = 'paused'
MAX_WORD = 20
"""Letters of a level or state that are read."""
CONTROL = 'control_simulation'
"""Source whose release opens the brakes."""
PLANT, FOLLOWER = 'plant', 'robot_follower'
"""Sources beside the robot: what stops them stops control, too."""
NO_DRIVER, NO_CONTROL = 'waits for the driver', 'waits for control'
SWITCHING, GIVING_BACK = 'takes the robot over', 'gives the robot back'
NO_CONTROLLER = 'no controller'
"""States of a follower in which control does not begin: nobody takes its commands, nobody sends it
any; controllers are switched, to ours or from ours; or they could not be switched."""
COUNT_LIMIT = 2**63
"""Bound of stops and stamps that are accepted."""


class SafetyStatus(msgspec.Struct, frozen=True):
    """State of control, plant or follower: stopped or free to move.

    :ivar stopped: why the robot is stopped; empty if it is not.
    :ivar stops: number of stops so far; shows a reader that it missed one.
    :ivar stamp: of the step in which it stopped [ns].
    :ivar level: of lateness that a planner has come to, see ``LatenessLevel``; else empty.
    :ivar paused: whether a simulated plant holds its time; that is no fault.
    :ivar state: of a follower, why control may not begin, see ``NO_DRIVER``; empty if it may.
    """

    source: str
    stopped: str
    stops: int
    diverged: bool = False
    stamp: int = 0
    level: str = ''
    paused: bool = False
    state: str = ''


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
            *([KeyValue(key=LEVEL, value=status.level)] if status.level else []),
            *([KeyValue(key=STATE, value=status.state)] if status.state else []),
            *([KeyValue(key=PAUSED, value=str(True))] if status.paused else []),
        ],
    )


def from_message(message: DiagnosticStatus) -> SafetyStatus | None:
    """Return the content of a message; ``None`` if it is malformed."""
    values = {item.key: item.value for item in message.values}
    try:
        stops, stamp = int(values[STOPS]), int(values[STAMP])
    except (KeyError, ValueError):
        return None
    if not (0 <= stops < COUNT_LIMIT and abs(stamp) < COUNT_LIMIT):
        return None
    stopped = message.level != DiagnosticStatus.OK
    return SafetyStatus(
        source=message.name,
        stopped=(message.message or 'stopped') if stopped else '',
        stops=stops,
        diverged=values.get(DIVERGED) == str(True),
        stamp=stamp,
        level=values.get(LEVEL, '')[:MAX_WORD],
        paused=values.get(PAUSED) == str(True),
        state=values.get(STATE, '')[:MAX_WORD],
    )


def origin(status: SafetyStatus) -> tuple[str, str]:
    """Return who stopped the robot first, and why: the sources repeat each other's stop."""
    source, reason = status.source, status.stopped
    while reason.startswith(tuple(f'{name}: ' for name in (CONTROL, PLANT, FOLLOWER))):
        source, _, reason = reason.partition(': ')
    return source, reason
