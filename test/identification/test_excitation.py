"""Exciting motions: within all limits, from rest to rest, and better than a random one."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.identification import excitation
from simloop_ros.identification.excitation import exciting_motion
from simloop_ros.planning.self_collision import first_touch


@pytest.fixture(scope='module')
def found(two_link):
    return exciting_motion(two_link, 10.0, 0.5, np.random.default_rng(1))


def test_it_is_within_limits_and_clear_of_itself(two_link, found):
    q, v, a = found.motion.motion(0.01)
    assert np.all((q >= two_link.lower) & (q <= two_link.upper))
    data = two_link.pin_model.createData()
    tau = [pin.rnea(two_link.pin_model, data, *row) for row in zip(q, v, a, strict=True)]
    assert np.all(np.abs(tau) <= two_link.effort_limit)
    assert np.all(np.abs(v) <= two_link.velocity_limit)
    assert first_touch(two_link, two_link.home, q, 0.01) is None


def test_it_begins_and_ends_at_rest_at_home(two_link, found):
    q, v, a = found.motion.motion(0.01)
    for row in (0, -1):
        np.testing.assert_allclose(q[row], two_link.home, atol=1e-6)
        np.testing.assert_allclose(v[row], 0.0, atol=1e-4)
        np.testing.assert_allclose(a[row], 0.0, atol=1e-2)


def test_the_search_improves(two_link, found, monkeypatch):
    monkeypatch.setattr(excitation, 'CANDIDATES', 1)
    first = exciting_motion(two_link, 10.0, 0.5, np.random.default_rng(1))
    assert found.condition < first.condition


def test_the_same_seed_gives_the_same_motion(two_link, found):
    again = exciting_motion(two_link, 10.0, 0.5, np.random.default_rng(1))
    np.testing.assert_array_equal(again.motion.sines, found.motion.sines)
