"""A reference goes on without a jump, whatever the plan does, and returns to it."""

from __future__ import annotations

import numpy as np
import pytest

from simloop_ros.control.bumpless import RETURN_FREQUENCY, BumplessReference
from simloop_ros.core.values import Array, Setpoint
from simloop_ros.maths.coasting import coasting_time

H = 0.002  # s
STOP = 0.5  # s
SPEED = np.array([0.5, -0.2])


def plan(time: float) -> Setpoint:
    return Setpoint(SPEED * time, SPEED)


def moving(steps: int = 3) -> BumplessReference:
    """Return the reference of a plan whose last setpoint was for ``(steps - 1) H``."""
    reference = BumplessReference(H)
    for i in range(steps):
        reference.step(plan(i * H))
    return reference


def path(times: list[float | None]) -> Array:
    """Return the reference, shape ``(steps, n)``, for the plan at some times, if there is one."""
    reference = BumplessReference(H)
    found = [reference.coast(STOP) if t is None else reference.step(plan(t)) for t in times]
    return np.array([setpoint.position for setpoint in found if setpoint is not None])


def test_a_steady_plan_is_passed_on_as_it_is() -> None:
    reference = BumplessReference(H)
    for i in range(5):
        setpoint = plan(i * H)
        assert reference.step(setpoint) is setpoint


@pytest.mark.parametrize('lead', [0.05, -0.05])
def test_a_plan_that_was_away_is_reached_softly(lead: float) -> None:
    """With the second difference of the plan itself it would be 0.05 SPEED/h^2."""
    away: list[float | None] = [i * H for i in range(10)] + [None]
    times = away + [i * H + lead for i in range(11, 2500)]
    found = path(times)
    accelerations = np.abs(np.diff(found, 2, axis=0)) / H**2
    largest = RETURN_FREQUENCY**2 * abs(lead) * np.abs(SPEED)
    assert (accelerations.max(axis=0) < 1.1 * largest).all()
    np.testing.assert_allclose(found[-1], SPEED * (2499 * H + lead), atol=1e-9)


def test_a_plan_that_was_there_may_jump() -> None:
    times: list[float | None] = [i * H + (0.05 if i >= 10 else 0.0) for i in range(20)]
    assert np.abs(np.diff(path(times), 2, axis=0)).max() / H**2 > 1000.0


def test_coasting_goes_on_from_the_last_setpoint_to_rest() -> None:
    assert BumplessReference(H).coast(STOP) is None
    reference = moving()
    for step in range(1, 300):
        setpoint = reference.coast(STOP)
        assert setpoint is not None
        way = coasting_time(step * H, STOP)
        np.testing.assert_allclose(setpoint.position, SPEED * (2 * H + way), atol=1e-12)
    np.testing.assert_array_equal(setpoint.velocity, 0.0)


def test_a_prediction_is_followed_and_left_without_a_jump() -> None:
    """The robot was predicted to turn back; what comes then goes on as before."""
    reference = moving()
    back = Setpoint(SPEED * (2 * H) - 0.001, -SPEED)
    assert reference.predict(back) is back
    assert reference.coasts
    going_on = reference.step(plan(4 * H))
    velocity = (back.position - SPEED * 2 * H) / H
    ahead = back.position + H * (2.0 * velocity - SPEED)  # with the acceleration that it had
    np.testing.assert_allclose(going_on.position, ahead, atol=1e-12)


def test_breaks_in_quick_succession_do_not_leave_the_reference_behind() -> None:
    """The plan accelerates, and every third setpoint is only predicted, rightly."""
    a = np.array([2.0, -1.0])
    reference, worst = BumplessReference(H), 0.0
    for step in range(500):
        time = step * H
        setpoint = Setpoint(0.5 * a * time * (time + H), a * time)
        given = reference.predict(setpoint) if step % 3 == 2 else reference.step(setpoint)
        worst = max(worst, float(np.abs(given.position - setpoint.position).max()))
    assert worst < 1e-9


def test_a_prediction_after_coasting_is_reached_without_a_jump() -> None:
    reference = moving()
    reference.coast(STOP)
    aside = reference.predict(Setpoint(plan(4 * H).position + 0.01, SPEED))
    np.testing.assert_allclose(aside.position, plan(4 * H).position, atol=1e-6)


def test_a_plan_that_rests_elsewhere_is_reached_without_a_jump() -> None:
    """A led robot that is told to stay, while it was on its way beyond."""
    reference, stay = moving(), Setpoint(SPEED * H - 0.02, np.zeros(2))
    last = reference.coast(STOP)
    assert last is not None
    positions = [last.position]
    positions += [reference.step(stay).position for _ in range(round(2.0 / H))]
    accelerations = np.diff(positions, 2, axis=0) / H**2
    braking = 2.0 * RETURN_FREQUENCY * np.abs(SPEED) + RETURN_FREQUENCY**2 * 0.03
    assert (np.abs(accelerations).max(axis=0) < 1.1 * braking).all()
    np.testing.assert_allclose(positions[-1], stay.position, atol=1e-6)


def test_an_effort_or_a_restart_forgets_the_way() -> None:
    for setpoint in (
        Setpoint(SPEED, SPEED, effort=SPEED),
        Setpoint(SPEED, SPEED, restart=True),
    ):
        reference = moving()
        reference.coast(STOP)
        assert reference.step(setpoint) is setpoint
        assert reference.coast(STOP) is None


def test_a_snapshot_brings_everything_back() -> None:
    reference = moving()
    reference.coast(STOP)
    reference.step(plan(1.0))
    before = reference.snapshot()
    first = reference.step(plan(1.0 + H))
    reference.restore(before)
    again = reference.step(plan(1.0 + H))
    np.testing.assert_array_equal(first.position, again.position)


def test_another_prediction_is_reached_without_a_jump() -> None:
    """A setpoint that came too late changes what is predicted."""
    reference = moving()
    first = reference.predict(plan(3 * H))
    aside = Setpoint(plan(4 * H).position + 0.001, SPEED)
    after = reference.predict(aside, again=False)
    np.testing.assert_allclose(after.position - first.position, H * SPEED, atol=1e-9)
    assert np.abs(BumplessReference(H).predict(aside).position - aside.position).max() == 0.0


def test_the_return_from_a_prediction_is_quick() -> None:
    reference = moving()
    reference.predict(Setpoint(plan(3 * H).position + 0.001, SPEED))
    for step in range(4, 54):
        given = reference.step(plan(step * H))
    assert np.abs(given.position - plan(53 * H).position).max() < 1e-4
