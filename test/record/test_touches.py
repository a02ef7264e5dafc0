"""From events to incidents: what touched the robot, and what the monitor made of it."""

from __future__ import annotations

from typing import Any

import pytest

from simloop_ros.record.touches import find_alarms, find_touches, join
from simloop_ros.scenario.loading import load_scenario
from simloop_ros.scenario.scenario import Scenario

H = 0.002


@pytest.fixture(scope='module')
def scenario() -> Scenario:
    """Return one with a ball that flies, a box that does not, and a reaction."""
    return load_scenario('yumi_collision')


def event(time: float, kind: str, **details: Any) -> dict[str, Any]:
    return {'time': time, 'kind': kind, **details}


def contact(time: float, obstacle: str, link: str = 'hand') -> dict[str, Any]:
    return event(time, 'contact', link=link, obstacle=obstacle, force=10.0)


def parted(time: float, obstacle: str, link: str = 'hand') -> dict[str, Any]:
    return event(time, 'contact_end', link=link, obstacle=obstacle)


def test_contacts_that_bounce_are_one_touch(scenario: Scenario) -> None:
    events = [contact(0.3, 'ball'), parted(0.31, 'ball'), contact(0.35, 'ball', 'arm')]
    (touch,) = find_touches(scenario, events)
    assert touch.words == 'hit by ball at 0.3 s on hand'
    assert touch.end == float('inf')
    later = [*events, parted(0.4, 'ball', 'arm'), contact(2.0, 'ball'), contact(2.1, 'box')]
    words = [touch.words for touch in find_touches(scenario, later)]
    box = 'hand hit box at 2.1 s'
    assert words == [touch.words, 'hit by ball at 2 s on hand', box]


def test_a_push_on_the_object_touches_no_robot(scenario: Scenario) -> None:
    events = [event(1.0, 'push_start', link='object'), event(1.0, 'push_start', link='elbow')]
    (touch,) = find_touches(scenario, events)
    assert touch.words == 'pushed at elbow at 1 s'


def test_an_alarm_lasts_from_its_first_report_to_its_end(scenario: Scenario) -> None:
    events = [
        event(1.0, 'collision', nature='push', margin=-1.0),
        event(1.1, 'collision', nature='impact', margin=-1.0),
        event(1.2, 'collision_located', link='hand', probability=1.0),
        event(1.5, 'collision_end'),
        event(2.0, 'collision', nature='impact', margin=-1.0),
    ]
    first, second = find_alarms(scenario, events)
    assert (first.time, first.end, first.link, first.reaction) == (1.0, 1.5, 'hand', 'stop')
    assert (second.time, second.end, second.link) == (2.0, float('inf'), None)


def test_an_alarm_belongs_to_the_touch_before_it(scenario: Scenario) -> None:
    events = [contact(1.0, 'ball'), parted(1.1, 'ball'), contact(3.0, 'box')]
    touches = find_touches(scenario, events)
    alarms = find_alarms(
        scenario,
        [
            event(0.5, 'collision', nature='impact', margin=-1.0),
            event(0.6, 'collision_end'),
            event(1.15, 'collision', nature='impact', margin=-1.0),
            event(1.3, 'collision_end'),
            event(2.0, 'collision', nature='impact', margin=-1.0),
        ],
    )
    incidents = join(touches, alarms)
    assert [(i.touch, i.alarm) for i in incidents] == [
        (None, alarms[0]),
        (touches[0], alarms[1]),
        (None, alarms[2]),
        (touches[1], None),
    ]
