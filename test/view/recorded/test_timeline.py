"""What events say of a moment."""

from __future__ import annotations

import numpy as np
import pytest

from simloop_ros.view.recorded.timeline import SHOWN, Timeline

EVENTS = [
    {'time': 0.5, 'kind': 'task', 'doing': 'task 1 (approach)'},
    {'time': 1.0, 'kind': 'contact', 'link': 'hand', 'obstacle': 'box', 'force': 3.0},
    {'time': 1.004, 'kind': 'collision', 'nature': 'push', 'margin': -0.5},
    {'time': 1.02, 'kind': 'collision', 'nature': 'impact', 'margin': -3.0},
    {
        'time': 1.05,
        'kind': 'collision_located',
        'link': 'hand',
        'probability': 0.9,
        'point': [1.0, 2.0, 3.0],
        'force': [0.0, 0.0, 5.0],
    },
    {'time': 1.2, 'kind': 'contact_end', 'link': 'hand', 'obstacle': 'box'},
    {'time': 1.3, 'kind': 'collision_end'},
    {'time': 4.0, 'kind': 'collision', 'nature': 'push', 'margin': None},
]


def test_alarm_from_its_begin_to_its_end():
    timeline = Timeline(EVENTS)
    assert timeline.alarm(1.003) is None
    first = timeline.alarm(1.004)
    assert first is not None
    assert (first.kind, first.link, first.margin) == ('push', '', 1.5)
    assert first.delay == pytest.approx(0.004)
    later = timeline.alarm(1.1)
    assert later is not None
    assert (later.kind, later.link, later.probability) == ('impact', 'hand', 0.9)
    assert timeline.alarm(1.3) is None


def test_alarm_of_which_nothing_true_is_known():
    alarm = Timeline(EVENTS).alarm(1e3)
    assert alarm is not None
    assert (alarm.kind, alarm.delay) == ('push', None)
    assert np.isnan(alarm.margin)


def test_location_is_shown_for_a_while():
    timeline = Timeline(EVENTS)
    assert timeline.located(1.04) is None
    located = timeline.located(1.05 + 0.9 * SHOWN)
    assert located is not None
    assert located.force is not None
    assert located.force[2] == 5.0
    assert timeline.located(1.05 + 1.1 * SHOWN) is None


def test_activity_is_the_task_and_what_touches():
    timeline = Timeline(EVENTS)
    assert timeline.activity(0.4) == ''
    assert timeline.activity(0.6) == 'task 1 (approach)'
    assert timeline.activity(1.1) == 'task 1 (approach); hand touches box'
    assert timeline.activity(1.2) == 'task 1 (approach)'
