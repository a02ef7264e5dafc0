"""A reference goes on without a jump, whatever the plan does, and returns to it."""

from __future__ import annotations

import numpy as np
import pytest

from simloop_ros.control.bumpless import RETURN_FREQUENCY, BumplessReference
from simloop_ros.core.values import Array, Setpoint

H = 0.002  # s
SPEED = np.array([0.5, -0.2])


def plan(time: float) -> Setpoint:
    return Setpoint(SPEED * time, SPEED)


def run(times: list[float], breaks: set[int]) -> Array:
    """Return the reference, shape ``(steps, n)``, for the plan at some times."""
    reference = BumplessReference(H)
    return np.array(
        [reference.step(plan(t), broken=i in breaks).position for i, t in enumerate(times)]
    )


def test_a_steady_plan_is_passed_on_as_it_is() -> None:
    reference = BumplessReference(H)
    for i in range(5):
        setpoint = plan(i * H)
        assert reference.step(setpoint, broken=False) is setpoint


@pytest.mark.parametrize('lead', [0.05, -0.05])
def test_a_plan_that_jumps_is_reached_softly(lead: float) -> None:
    """With the second difference of the plan itself it would be 0.05 SPEED/h^2."""
    times = [i * H + (lead if i >= 10 else 0.0) for i in range(2500)]
    path = run(times, {10})
    accelerations = np.abs(np.diff(path, 2, axis=0)) / H**2
    largest = RETURN_FREQUENCY**2 * abs(lead) * np.abs(SPEED)
    assert (accelerations.max(axis=0) < 1.1 * largest).all()
    np.testing.assert_allclose(path[-1], plan(times[-1]).position, atol=1e-9)


def test_without_a_word_a_jump_is_a_jump() -> None:
    times = [i * H + (0.05 if i >= 10 else 0.0) for i in range(20)]
    assert np.abs(np.diff(run(times, set()), 2, axis=0)).max() / H**2 > 1000.0


def test_coasting_goes_on_from_the_last_setpoint() -> None:
    reference = BumplessReference(H)
    assert reference.coast(0.01, 1.0) is None
    for i in range(3):
        reference.step(plan(i * H), broken=False)
    np.testing.assert_allclose(reference.coast(0.01, 0.5), SPEED * (2 * H + 0.01))
    going_on = reference.step(plan(0.0), broken=True)
    np.testing.assert_allclose(going_on.position, SPEED * (2 * H + 0.01 + 0.5 * H))


def test_an_effort_or_a_restart_forgets_the_way() -> None:
    reference = BumplessReference(H)
    for i in range(3):
        reference.step(plan(i * H), broken=False)
    for setpoint in (
        Setpoint(SPEED, SPEED, effort=SPEED),
        Setpoint(SPEED, SPEED, restart=True),
    ):
        assert reference.step(setpoint, broken=True) is setpoint
        assert reference.coast(1.0, 1.0) is None


def test_a_snapshot_brings_everything_back() -> None:
    reference = BumplessReference(H)
    for i in range(3):
        reference.step(plan(i * H), broken=False)
    reference.step(plan(1.0), broken=True)
    before = reference.snapshot()
    first = reference.step(plan(1.0 + H), broken=False)
    reference.restore(before)
    again = reference.step(plan(1.0 + H), broken=False)
    np.testing.assert_array_equal(first.position, again.position)
    np.testing.assert_array_equal(first.velocity, again.velocity)
