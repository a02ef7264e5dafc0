"""A plan between its points, beyond them, and when it changes."""

from __future__ import annotations

import numpy as np
import pytest

from simloop_ros.core.values import Setpoint
from simloop_ros.maths.plan import Plan, PlanPoint
from simloop_ros.ros.messages.stamps import NANO

EPOCH = 1_700_000_000 * NANO  # as many digits as today's stamps have
STEP = 2_000_000  # ns
STOP = 0.5  # s


def point(step: float, position: float, velocity: float = 0.0) -> PlanPoint:
    setpoint = Setpoint(np.array([position]), np.array([velocity]))
    return PlanPoint(EPOCH + round(step * STEP), setpoint)


def plan_of(*points: PlanPoint) -> Plan:
    plan = Plan()
    for each in points:
        plan.add(each)
    return plan


def at(plan: Plan, step: float) -> float | None:
    setpoint = plan.at(EPOCH + round(step * STEP), STOP)
    return None if setpoint is None else float(setpoint.position[0])


def test_an_empty_plan_has_no_position() -> None:
    assert not Plan()
    assert at(Plan(), 0) is None


def test_before_the_first_point_there_is_no_position() -> None:
    plan = plan_of(point(2, 1.0))
    assert at(plan, 1.999) is None
    assert at(plan, 2) == 1.0


def test_between_two_points_the_way_is_straight() -> None:
    plan = plan_of(point(0, 1.0), point(1, 3.0), point(3, 7.0))
    assert [at(plan, step) for step in (0, 0.25, 1, 1.5, 2, 3)] == [1.0, 1.5, 3.0, 4.0, 5.0, 7.0]


def test_beyond_the_last_point_it_goes_on_at_its_velocity_slower_and_slower_to_rest() -> None:
    plan = plan_of(point(0, 0.0), point(1, 1.0, velocity=10.0))
    assert at(plan, 6) == pytest.approx(1.0 + 5 * STEP / NANO * 10.0, rel=1e-4)
    assert at(plan, 1 + STOP * NANO / STEP) == pytest.approx(1.0 + 0.5 * STOP * 10.0)
    assert at(plan, 1e6) == pytest.approx(1.0 + 0.5 * STOP * 10.0)
    last = plan.at(EPOCH + 10**6 * STEP, STOP)
    assert last is not None
    assert last.velocity[0] == 0.0


def test_the_age_of_a_plan_is_the_time_since_its_last_point() -> None:
    plan = plan_of(point(0, 0.0), point(1, 1.0))
    assert [plan.age(EPOCH + step * STEP) for step in (0, 1, 4)] == [0, 0, 3 * STEP]


def test_a_point_replaces_what_was_planned_for_later() -> None:
    plan = plan_of(*(point(step, float(step)) for step in range(10)))
    plan.add(point(4, 3.0))
    assert plan.end == EPOCH + 4 * STEP
    assert [at(plan, step) for step in (3, 3.5, 4, 9)] == [3.0, 3.0, 3.0, 3.0]


def test_a_point_that_is_lost_leaves_a_straight_way() -> None:
    plan = plan_of(point(0, 0.0), point(2, 2.0))
    assert at(plan, 1) == 1.0


def test_holding_forgets_the_way() -> None:
    plan = plan_of(point(0, 0.0, 1.0), point(1, 1.0, 1.0))
    plan.hold(EPOCH, np.array([5.0]))
    assert [at(plan, step) for step in (0, 1, 100)] == [5.0, 5.0, 5.0]


def test_to_an_effort_no_way_leads() -> None:
    """It counts from its step on, until something else is setpoint."""
    still, effort = np.zeros(1), np.array([7.0])
    plan = plan_of(point(0, 0.0, 1.0))
    plan.add(PlanPoint(EPOCH + 2 * STEP, Setpoint(still, still, effort)))
    assert at(plan, 1) == 0.0
    for step in (2, 3, 50):
        setpoint = plan.at(EPOCH + step * STEP, STOP)
        assert setpoint is not None
        assert setpoint.effort is effort


def test_a_motion_that_sets_out_restarted_goes_on_at_its_velocity() -> None:
    plan = plan_of(point(0, 0.0))
    restarted = Setpoint(np.array([1.0]), np.array([10.0]), restart=True)
    plan.add(PlanPoint(EPOCH + 2 * STEP, restarted))
    assert at(plan, 1) == 0.0
    setpoint = plan.at(EPOCH + 3 * STEP, STOP)
    assert setpoint is not None
    assert setpoint.restart
    assert float(setpoint.position[0]) == pytest.approx(1.0 + 10.0 * STEP / NANO, rel=1e-5)


def predicted(step: float, position: float, velocity: float) -> PlanPoint:
    setpoint = Setpoint(np.array([position]), np.array([velocity]), predicted=True)
    return PlanPoint(EPOCH + round(step * STEP), setpoint)


A, V, H = 3.0, 0.5, STEP / NANO


def way(steps: float) -> float:
    """Where a motion with a constant acceleration is after some steps."""
    return V * steps * H + 0.5 * A * (steps * H) ** 2


def prediction(first: float, *others: float) -> list[PlanPoint]:
    """The same motion from a step on, sent from its end to its begin."""
    steps = sorted((first, *others), reverse=True)
    return [predicted(step, way(step), V + step * H * A) for step in steps]


def test_beyond_the_last_point_the_motion_goes_on_as_predicted() -> None:
    plan = plan_of(point(0, way(0), V), *prediction(0, 10, 30))
    for step in range(31):
        assert at(plan, step) == pytest.approx(way(step), abs=1e-12)
    assert plan.age(EPOCH + 4 * STEP) == 4 * STEP
    assert plan.last == EPOCH
    assert plan.end == EPOCH + 30 * STEP
    assert not plan.rests
    beyond = at(plan, 31)
    assert beyond is not None
    assert way(30) < beyond < way(31)


def test_a_prediction_counts_from_the_last_point_on() -> None:
    """That one is 1 mm and 0.1 rad/s off: the way to go is the same, and the speed fades."""
    plan = plan_of(point(0, way(0), V), *prediction(0, 10, 60))
    plan.add(point(5, way(5) + 0.001, V + 5 * H * A + 0.1))
    assert at(plan, 40) == pytest.approx(way(40) + 0.001, abs=1e-12)
    rate = [(at(plan, 5 + k) or 0.0) - way(5 + k) - 0.001 for k in (0.0, 0.01, 8.0, 12.5)]
    assert rate[0] == pytest.approx(0.0, abs=1e-12)
    assert rate[1] == pytest.approx(0.1 * 0.01 * H, rel=1e-2)
    assert 0.0 < rate[3] < rate[2] < 0.1 * 0.008
    setpoint = plan.at(EPOCH + 5 * STEP, STOP)
    assert setpoint is not None
    assert float(setpoint.velocity[0]) == pytest.approx(V + 5 * H * A + 0.1)


def test_a_prediction_counts_when_it_is_complete() -> None:
    plan = plan_of(point(0, 0.0, 1.0), *prediction(0, 10, 30))
    for each in prediction(5, 20, 40)[:-1]:
        plan.add(each)
        assert plan.end == EPOCH + 30 * STEP
    plan.add(point(5, 0.0, 1.0))
    plan.add(prediction(5)[0])
    assert plan.end == EPOCH + 40 * STEP


def test_the_begin_of_a_prediction_may_come_too_late() -> None:
    plan = plan_of(point(0, 0.0, 1.0), *prediction(0, 10, 30)[:-1], point(12, 0.0, 1.0))
    assert plan.end == plan.last
    plan = plan_of(point(0, 0.0, 1.0), predicted(30, 0.0, 0.0), point(12, 0.0, 1.0))
    for each in prediction(0, 10):
        plan.add(each)
        assert plan.end == EPOCH + 30 * STEP


def test_a_prediction_is_over_at_its_end_and_when_it_is_withdrawn() -> None:
    plan = plan_of(point(0, 0.0, 1.0), *prediction(0, 10))
    plan.add(point(9, 0.0, 1.0))
    assert plan.end == EPOCH + 10 * STEP
    plan.add(point(10, 0.0, 1.0))
    assert plan.end == plan.last
    over = Setpoint(np.zeros(1), np.zeros(1), restart=True, predicted=True)
    for half in ([], prediction(1, 20)[:1]):
        plan = plan_of(point(0, 0.0, 1.0), *prediction(0, 10), *half, PlanPoint(EPOCH, over))
        assert plan.end == plan.last
        plan.add(prediction(0)[0])
        assert plan.end == plan.last
    restart = Setpoint(np.zeros(1), np.zeros(1), restart=True)
    plan = plan_of(point(0, 0.0, 1.0), *prediction(0, 10), PlanPoint(EPOCH + STEP, restart))
    assert plan.end == plan.last
    assert not plan_of(predicted(10, 9.0, 0.0))


def test_a_motion_that_is_predicted_to_rest_rests() -> None:
    plan = plan_of(point(0, 0.0, 1.0), predicted(10, 0.01, 0.0), predicted(0, 0.0, 1.0))
    assert plan.rests
    assert at(plan, 30) == pytest.approx(0.01)
