"""How time along a plan slows down and speeds up."""

from __future__ import annotations

import numpy as np

from simloop_ros.bimanual.pace import MAX_SLOPE, Pace


def test_ends_are_exact_and_what_is_between_is_smooth() -> None:
    steps = 50
    rates = np.array([Pace(k, steps).rate for k in range(steps + 1)])
    assert rates[0] == 0.0
    assert rates[-1] == 1.0
    slopes = np.diff(rates) * steps
    assert slopes.min() > 0.0
    assert slopes.max() <= MAX_SLOPE + 1e-12
    assert np.abs(np.diff(slopes)).max() < 0.25  # of 1.11: built up in a tenth of the time
    np.testing.assert_allclose(rates + rates[::-1], 1.0, atol=1e-15)


def test_up_and_down() -> None:
    pace = Pace().stretched(3)
    assert pace.rate == 1.0
    down = [pace := pace.slower for _ in range(4)]
    assert [p.ramp for p in down] == [2, 1, 0, 0]
    up = [pace := pace.faster for _ in range(4)]
    assert [p.ramp for p in up] == [1, 2, 3, 3]


def test_on_its_way_the_rate_does_not_jump() -> None:
    slow = Pace(120, 500)
    quick = slow.stretched(10)
    assert quick.steps == 10
    assert quick.rate <= slow.rate < quick.faster.rate
    again = quick.stretched(500)
    assert again.rate <= quick.rate < again.faster.rate
    assert Pace(0, 10).stretched(500) == Pace(0, 500)
