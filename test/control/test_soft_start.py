"""A motion that has begun without the robot takes it along from rest, without a jump."""

from __future__ import annotations

import numpy as np
import pytest

from simloop_ros.control.soft_start import SoftStart
from simloop_ros.core.values import NANO, Array, Setpoint

H = 0.002
EPOCH = 1_700_000_000 * NANO
START = np.array([0.3, -0.7])
ACCELERATION = np.array([4.0, -2.0])


def planned(step: int) -> Setpoint:
    t = H * (step + 1)
    return Setpoint(START + 0.5 * t * t * ACCELERATION, t * ACCELERATION)


def path(late: int, steps: int) -> Array:
    """Return the positions of a motion that is some steps ahead when the robot is taken over."""
    soft = SoftStart(H)
    soft.begin(EPOCH, START, [planned(late + k).position for k in range(3)])
    found = [soft.add(EPOCH + round(k * H * NANO), planned(late + k)) for k in range(steps)]
    velocities = np.diff([each.position for each in found], axis=0) / H
    told = np.array([each.velocity for each in found])
    np.testing.assert_allclose(0.5 * (told[1:] + told[:-1]), velocities, atol=1e-3)
    return np.array([each.position for each in found])


@pytest.mark.parametrize('late', [0, 1, 9, 50])
def test_it_begins_at_rest_and_ends_on_the_plan(late: int) -> None:
    positions = path(late, 2000)
    np.testing.assert_allclose(positions[:3], np.tile(START, (3, 1)), atol=1e-12)
    end = [planned(late + k).position for k in range(1990, 2000)]
    np.testing.assert_allclose(positions[1990:], end, atol=1e-12)


@pytest.mark.parametrize('late', [1, 9])
def test_acceleration_grows_steadily_and_is_not_much_more_than_planned(late: int) -> None:
    accelerations = np.diff(path(late, 1500), 2, axis=0) / H**2
    assert (np.abs(accelerations[0]) < 1e-6).all()
    assert (np.abs(np.diff(accelerations, axis=0)) < 0.2 * np.abs(ACCELERATION)).all()
    assert (np.abs(accelerations) < 2.0 * np.abs(ACCELERATION)).all()


def test_without_a_begin_and_for_efforts_nothing_changes() -> None:
    soft = SoftStart(H)
    setpoint = planned(5)
    assert soft.add(EPOCH, setpoint) is setpoint
    soft.begin(EPOCH, START, [planned(k).position for k in range(3)])
    floating = Setpoint(START, 0.0 * START, effort=np.ones(2))
    assert soft.add(EPOCH, floating) is floating
    soft.reset()
    assert soft.add(EPOCH, setpoint) is setpoint
