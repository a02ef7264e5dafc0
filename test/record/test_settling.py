"""How long a force takes to settle."""

from __future__ import annotations

import numpy as np
import pytest

from simloop_ros.record.events import is_disturbed
from simloop_ros.record.hands_summary import settling


@pytest.mark.parametrize(
    ('force', 'steps'),
    [
        ([50.0, 30.0, 10.5, 10.0, 9.8], 2),
        ([50.0, 10.0, 12.0, 10.0], 3),
        ([10.0, 10.1], 0),
        ([10.0, 50.0], None),
        ([], None),  # touched while nobody wanted to press: there is nothing to settle
    ],
)
def test_a_force_has_settled_once_it_stays(force: list[float], steps: int | None) -> None:
    assert settling(np.array(force), 10.0, 1.0) == steps


def test_a_force_that_was_disturbed_meanwhile_settled_again() -> None:
    events = [{'time': 0.5, 'kind': 'task', 'doing': 'grasp'}, {'time': 2.5, 'kind': 'push_start'}]
    assert is_disturbed(events, 0.8, 2.7)
    assert not is_disturbed(events, 0.4, 2.4)
