"""Who touched the robot, what the monitor made of it, and how the robot reacted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import numpy as np

from ..core.config_types import ReactionKind
from ..core.values import Array, Flags
from ..plants.config import OBJECT, Hand
from ..scenario.scenario import Scenario
from .columns import DESIRED_POSITION, TRUE_POSITION
from .log import LogReader
from .wording import moment, span

Events = Sequence[Mapping[str, Any]]

BOUNCE = 0.5
"""Time in which contacts with the same obstacle count as one [s]."""
AFTER = 0.1
"""Time after a contact in which a monitor may still report it [s]."""
STANDING = 0.02
"""Speed of a joint below which it stands [rad/s]."""
LONGEST_STOP = 5.0
"""Time after an alarm in which a robot stops, if it does [s]."""
STANDING_TIME = 0.05
"""Time over which that speed is averaged: encoders make a robot jitter where it stands [s]."""
YIELDING = {'float': 'floated', 'comply': 'yielded'}
"""Reactions that end nowhere."""


class TouchSpan(msgspec.Struct, frozen=True):
    """Something that acted on the robot, as the simulation knows it.

    :ivar words: what happened, with its time.
    :ivar end: [s]; later than every time while it lasts.
    :ivar guiding: whether it is a hand that guides the robot: an incident only with an alarm.
    :ivar obstacle: that the robot touches; empty for pushes and hands.
    """

    words: str
    start: float
    end: float
    guiding: bool = False
    obstacle: str = ''


class Alarm(msgspec.Struct, frozen=True):
    """A collision that the monitor reported.

    :ivar link: where it was located, if it was.
    :ivar reaction: that its nature asks for.
    """

    time: float
    end: float
    reaction: ReactionKind
    link: str | None = None


class Incident(msgspec.Struct, frozen=True):
    """A touch, the alarm about it, or both."""

    touch: TouchSpan | None
    alarm: Alarm | None

    @property
    def time(self) -> float:
        """Return when it began [s]."""
        return self.touch.start if self.touch else self.last

    @property
    def last(self) -> float:
        """Return when it was known to the robot, or, if it was not, when it began [s]."""
        return self.alarm.time if self.alarm else self.touch.start if self.touch else 0.0


def find_touches(scenario: Scenario, events: Events) -> tuple[TouchSpan, ...]:
    """Return contacts with obstacles, pushes and hands, in the order of time."""
    period, thrown = scenario.period, {o.name for o in scenario.plant.obstacles if o.mass > 0.0}
    found: dict[tuple[str, str], TouchSpan] = {}
    done = [_hand(hand, period) for hand in scenario.plant.hands]
    for event in events:
        kind, time = str(event['kind']), float(event['time'])
        if kind == 'contact':
            link, obstacle = str(event['link']), str(event['obstacle'])
            last = found.get(('contact', obstacle))
            if last is not None and time - last.end <= BOUNCE:
                found['contact', obstacle] = msgspec.structs.replace(last, end=np.inf)
                continue
            if last is not None:
                done.append(last)
            verb = f'hit by {obstacle}' if obstacle in thrown else f'{link} hit {obstacle}'
            where = f' on {link}' if obstacle in thrown else ''
            words = f'{verb} at {moment(time, period)}{where}'
            found['contact', obstacle] = TouchSpan(words, time, np.inf, obstacle=obstacle)
        elif kind == 'push_start' and event['link'] != OBJECT:
            words = f'pushed at {event["link"]} at {moment(time, period)}'
            found['push', str(event['link'])] = TouchSpan(words, time, np.inf)
        elif kind in ('contact_end', 'push_end'):
            key = kind.removesuffix('_end'), str(event.get('obstacle', event['link']))
            if key in found:
                found[key] = msgspec.structs.replace(found[key], end=time)
    return tuple(sorted([*done, *found.values()], key=lambda touch: touch.start))


def _hand(hand: Hand, period: float) -> TouchSpan:
    words = f'held by a hand at {hand.link} from {moment(hand.start, period)}'
    return TouchSpan(words, hand.start, np.inf if hand.end is None else hand.end, guiding=True)


def find_alarms(scenario: Scenario, events: Events) -> tuple[Alarm, ...]:
    """Return the collisions that the monitor reported, from their begin to their end."""
    impact, push = scenario.monitor.reactions
    alarms: list[Alarm] = []
    active = False
    for event in events:
        kind, time = event['kind'], float(event['time'])
        if kind == 'collision' and not active:
            reaction = push if event['nature'] == 'push' else impact
            alarms.append(Alarm(time, np.inf, reaction))
            active = True
        elif kind == 'collision' and alarms[-1].reaction == 'none':
            alarms[-1] = msgspec.structs.replace(alarms[-1], reaction=impact)
        elif kind == 'collision_located' and alarms and alarms[-1].link is None:
            alarms[-1] = msgspec.structs.replace(alarms[-1], link=str(event['link']))
        elif kind == 'collision_end':
            active = False
            alarms[-1] = msgspec.structs.replace(alarms[-1], end=time)
    return tuple(alarms)


def join(touches: Sequence[TouchSpan], alarms: Sequence[Alarm]) -> tuple[Incident, ...]:
    """Return each touch with the first alarm about it, and the alarms about nothing."""
    alarm_of: dict[int, Alarm] = {}
    false: list[Alarm] = []
    for alarm in alarms:
        about = [i for i, t in enumerate(touches) if t.start <= alarm.time <= t.end + AFTER]
        if not about:
            false.append(alarm)
        elif about[-1] not in alarm_of:
            alarm_of[about[-1]] = alarm
    incidents = [
        Incident(touch, alarm_of.get(i))
        for i, touch in enumerate(touches)
        if i in alarm_of or not touch.guiding
    ]
    incidents += [Incident(None, alarm) for alarm in false]
    return tuple(sorted(incidents, key=lambda incident: incident.time))


def untouched(touches: Sequence[TouchSpan], times: Array, margin: float) -> Flags:
    """Return whether nothing touches the robot at some times [s], both of shape ``(m,)``.

    :param margin: time before and after a touch that counts as part of it [s].
    """
    free = np.ones(len(times), dtype=np.bool_)
    for touch in touches:
        free &= (times < touch.start - margin) | (times > touch.end + margin)
    return free


def describe(
    incident: Incident, until: float, log: LogReader, scenario: Scenario, *, simulated: bool
) -> str:
    """Return an incident in words: what happened, how it was found, what the robot did.

    :param until: time of the next alarm, or of the end [s].
    """
    touch, alarm, period = incident.touch, incident.alarm, scenario.period
    if alarm is None:
        assert touch is not None
        watched = scenario.monitor.watches
        return touch.words + (', not found by the monitor' if watched else '')
    if touch is not None:
        late = alarm.time - touch.start
        words = [touch.words, f'found after {span(late)}' if late > 1e-9 else 'found at once']
    elif simulated:
        words = [
            f'the monitor reported a collision at {moment(alarm.time, period)}, '
            'but nothing touched the robot'
        ]
    else:
        where = f' on {alarm.link}' if alarm.link else ''
        words = [f'collision{where} at {moment(alarm.time, period)}']
    if alarm.reaction in YIELDING:
        words.append(YIELDING[alarm.reaction])
    elif alarm.reaction != 'none':
        words += _halt(alarm, until, log, period)
    return ', '.join(words)


def _halt(alarm: Alarm, until: float, log: LogReader, period: float) -> list[str]:
    """Return how long the robot took to stand after an alarm, and whether it moved on."""
    first, last = max(0, round(alarm.time / period) - 1), min(round(until / period), log.rows)
    steps = max(1, round(STANDING_TIME / period))
    soon = min(last, first + max(steps + 1, round(LONGEST_STOP / period)))
    near = log.read(first, soon)[:, TRUE_POSITION]
    if len(near) <= steps:
        return []
    # The range of the positions, not their ends: a robot that turns back has not stopped.
    ranges = np.ptp(np.lib.stride_tricks.sliding_window_view(near, steps + 1, axis=0), axis=2)
    slow = ranges.max(axis=1) <= STANDING * STANDING_TIME
    if not slow.any():
        return ['not yet at rest']
    stood = int(slow.argmax())
    verb = 'retreated' if alarm.reaction == 'retreat' else 'stopped'
    words = [f'{verb} in {span(stood * period)}' if stood else f'{verb} at once']
    desired = log.read(first + stood, last, steps)[:, DESIRED_POSITION]
    way = np.abs(np.diff(desired, axis=0))
    return [*words, 'resumed'] if (way > STANDING * STANDING_TIME).any() else words
