"""The largest share of a change of effort that the limits allow."""

import numpy as np
import pytest

from simloop_ros.maths.effort_share import largest_share

ROUNDING = 1e-12


def test_the_largest_share_takes_one_joint_to_its_limit_and_none_beyond() -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        limit = rng.uniform(1.0, 100.0, 7)
        drift = limit * rng.uniform(-1.0, 1.0, 7)
        change = rng.normal(size=7) * 10.0 ** rng.uniform(-3.0, 3.0)
        used = np.abs(drift + largest_share(drift, change, limit) * change) / limit
        assert used.max() == pytest.approx(1.0, rel=ROUNDING)


def test_a_drift_beyond_a_limit_leaves_no_share_of_what_adds_to_it() -> None:
    limit = np.ones(2)
    assert largest_share(np.array([1.5, 0.0]), np.array([0.1, 0.1]), limit) == 0.0
    assert largest_share(np.array([1.5, 0.0]), np.array([-0.5, 0.1]), limit) == 5.0


def test_joints_without_limit_or_change_do_not_count() -> None:
    drift, change = np.array([3.0, 1.0, 0.0]), np.array([0.0, -50.0, 0.5])
    assert largest_share(drift, change, np.array([4.0, np.inf, 2.0])) == 4.0
    assert largest_share(drift, np.zeros(3), np.full(3, 4.0)) == np.inf
