"""Which tasks are not done, from the events of a run."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from simloop_ros.record.hands_summary import tasks_left

PERIOD = 0.002
NAMES = ['task 1 (approach)', 'task 2 (insert)', 'task 3 (move)']
BEGIN = {NAMES[0]: 0, NAMES[1]: 10, 'task 2 (insert, resisted)': 15, NAMES[2]: 30}
PLAN: Any = SimpleNamespace(
    legs=[
        SimpleNamespace(name=name, steps=steps)
        for name, steps in zip(NAMES, (10, 20, 5), strict=True)
    ]
)


def events(until: int, stop: int | None = None) -> list[dict[str, Any]]:
    found = [
        {'time': step * PERIOD, 'kind': 'task', 'doing': doing}
        for doing, step in BEGIN.items()
        if step < min(until, until if stop is None else stop)
    ]
    if stop is not None:
        found.append({'time': stop * PERIOD, 'kind': 'task', 'doing': 'stopped: task 3 is far'})
    return [*found, {'time': until * PERIOD, 'kind': 'push_end', 'link': 'palm'}]


@pytest.mark.parametrize(
    ('steps', 'left'), [(0, 3), (9, 3), (10, 2), (29, 2), (30, 1), (34, 1), (35, 0), (99, 0)]
)
def test_a_task_is_done_after_its_time(steps: int, left: int) -> None:
    assert tasks_left(PLAN, events(steps), steps, PERIOD) == NAMES[3 - left :]


@pytest.mark.parametrize(('stop', 'left'), [(5, 3), (12, 2), (16, 2), (34, 1)])
def test_a_task_in_which_the_hands_stop_is_not_done(stop: int, left: int) -> None:
    assert tasks_left(PLAN, events(99, stop), 99, PERIOD) == NAMES[3 - left :]
