"""Filled gaps: one acceleration all the way, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from simloop_ros.collision.gaps import filled

RNG = np.random.default_rng(0)


@pytest.mark.parametrize('steps', [1, 2, 3, 7])
def test_a_motion_with_one_acceleration_is_filled_exactly(steps: int) -> None:
    start, speed, acceleration = RNG.normal(size=(3, 4))
    i = np.arange(-1, steps + 1)[:, None]
    path = start + i * speed + 0.5 * i * (i + 1) * acceleration
    found = filled(path[0], path[1], path[-1], steps)
    np.testing.assert_allclose(found, path[2:-1], rtol=0.0, atol=1e-13)


@pytest.mark.parametrize('steps', [2, 5])
def test_the_second_differences_are_equal_whatever_happened(steps: int) -> None:
    before, last, now = RNG.normal(size=(3, 2))
    path = np.vstack([before, last, filled(before, last, now, steps), now])
    second = np.diff(path, 2, axis=0)
    np.testing.assert_allclose(second, np.broadcast_to(second[0], second.shape), atol=1e-12)
