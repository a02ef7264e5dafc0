"""How long a force takes to settle."""

from __future__ import annotations

import numpy as np
import pytest

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
