"""What the events of a recorded run say of a moment of it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import numpy as np

from ...core.values import Array
from ..frame import Alarm

SHOWN = 1.0
"""Least time for which a located contact is shown [s]."""
TOUCHES = {'contact': 'contact_end', 'push_start': 'push_end', 'hand_start': 'hand_end'}


class LocatedContact(msgspec.Struct, frozen=True):
    """A contact that the monitor has located.

    :ivar time: when [s].
    :ivar point: in the world then [m], shape ``(3,)``, with ``force`` [N]; ``None`` where they do
        not follow from the torques.
    """

    time: float
    link: str
    probability: float
    point: Array | None
    force: Array | None


class _Alarm(msgspec.Struct, frozen=True):
    """A collision from its begin to its end [s]; its nature may change on the way."""

    start: float
    end: float
    kinds: tuple[tuple[float, str, float], ...]
    delay: float | None
    located: tuple[LocatedContact, ...]


class Timeline:
    """Alarms and activities over time.

    :param events: of the summary, in the order of time.
    """

    def __init__(self, events: Sequence[Mapping[str, Any]]):
        self._alarms = _alarms(events)
        self._starts = [alarm.start for alarm in self._alarms]
        tasks = [event for event in events if event['kind'] == 'task']
        self._task_times = [float(event['time']) for event in tasks]
        self._tasks = [str(event['doing']) for event in tasks]
        self._touches = _touches(events)

    def alarm(self, time: float) -> Alarm | None:
        """Return what the monitor said at a time [s]; ``None`` where it said nothing."""
        alarm = self._at(time)
        if alarm is None or time >= alarm.end:
            return None
        kind, margin = next(
            (kind, margin) for start, kind, margin in reversed(alarm.kinds) if start <= time
        )
        located = _last(alarm, time)
        link, probability = ('', 0.0) if located is None else (located.link, located.probability)
        return Alarm(kind, link, probability, alarm.delay, 1.0 - margin)

    def located(self, time: float) -> LocatedContact | None:
        """Return the contact that the monitor last located, while it lasts and shortly after."""
        alarm = self._at(time)
        located = None if alarm is None else _last(alarm, time)
        if alarm is None or located is None:
            return None
        return located if time < max(alarm.end, located.time + SHOWN) else None

    def activity(self, time: float) -> str:
        """Return what two hands do at a time [s], and what touches the robot."""
        task = bisect_right(self._task_times, time)
        words = [self._tasks[task - 1]] if task else []
        words += [text for start, end, text in self._touches if start <= time < end]
        return '; '.join(words)

    def _at(self, time: float) -> _Alarm | None:
        """Return the last alarm that began until a time [s]."""
        place = bisect_right(self._starts, time)
        return self._alarms[place - 1] if place else None


def _last(alarm: _Alarm, time: float) -> LocatedContact | None:
    return next((each for each in reversed(alarm.located) if each.time <= time), None)


def _alarms(events: Sequence[Mapping[str, Any]]) -> tuple[_Alarm, ...]:
    found: list[_Alarm] = []
    touched: float | None = None
    for event in events:
        kind, time = event['kind'], float(event['time'])
        if kind in ('contact', 'push_start'):
            touched = time
        elif kind == 'collision':
            # A margin that is not finite is null in the summary.
            margin = event.get('margin')
            nature = time, str(event.get('nature')), np.nan if margin is None else float(margin)
            if found and found[-1].end == np.inf:
                last = found[-1]
                found[-1] = msgspec.structs.replace(last, kinds=(*last.kinds, nature))
            else:
                delay = None if touched is None else time - touched
                found.append(_Alarm(time, np.inf, (nature,), delay, ()))
                touched = None
        elif kind == 'collision_located' and found:
            found[-1] = msgspec.structs.replace(
                found[-1], located=(*found[-1].located, _located(event))
            )
        elif kind == 'collision_end' and found:
            found[-1] = msgspec.structs.replace(found[-1], end=time)
    return tuple(found)


def _located(event: Mapping[str, Any]) -> LocatedContact:
    point, force = event.get('point'), event.get('force')
    known = point is not None and force is not None
    return LocatedContact(
        float(event['time']),
        str(event['link']),
        float(event['probability']),
        np.array(point, np.float64) if known else None,
        np.array(force, np.float64) if known else None,
    )


def _touches(events: Sequence[Mapping[str, Any]]) -> tuple[tuple[float, float, str], ...]:
    """Return begin, end and words of what touched the robot."""
    found: list[tuple[float, float, str]] = []
    ends = {end: begin for begin, end in TOUCHES.items()}
    begun: dict[tuple[str, str, str], float] = {}
    for event in events:
        kind = str(event['kind'])
        begin = ends.get(kind, kind)
        if begin not in TOUCHES:
            continue
        obstacle = str(event.get('obstacle', ''))
        key = begin, str(event['link']), obstacle
        if kind in TOUCHES:
            begun[key] = float(event['time'])
        elif key in begun:
            found.append((begun.pop(key), float(event['time']), _words(*key)))
    found += [(time, np.inf, _words(*key)) for key, time in begun.items()]
    return tuple(sorted(found))


def _words(kind: str, link: str, obstacle: str) -> str:
    match kind:
        case 'contact':
            return f'{link} touches {obstacle}'
        case 'push_start':
            return f'pushed at {link}'
    return f'held by a hand at {link}'
