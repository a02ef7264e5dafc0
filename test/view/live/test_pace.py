"""When the steps of a live run are taken, and which blocks."""

from __future__ import annotations

from math import inf

import pytest

from simloop_ros.goals.goal_planner import GoalPlanner
from simloop_ros.planning.online import OnlinePlanner
from simloop_ros.plants.carrying import Carrying
from simloop_ros.plants.pinocchio_plant import PinocchioPlant
from simloop_ros.scenario.loading import load_scenario
from simloop_ros.view.actions import Halt, Pause, Play, PutPayload, Reset, SetSpeed
from simloop_ros.view.live.live_run import BATCH, LiveRun
from simloop_ros.view.live.pace import LONGEST_LAG, RealTimePace


def test_steps_are_due_one_period_after_the_other() -> None:
    pace = RealTimePace(0.01)
    pace.start(100.0, 7)
    assert [pace.due(7), pace.due(8)] == pytest.approx([100.0, 100.01])
    pace.speed = 0.5
    pace.start(101.0, 8)
    assert pace.due(9) == pytest.approx(101.02)
    pace.speed = 0.0
    pace.start(102.0, 9)
    assert pace.due(9) < 0.0


def test_late_steps_and_the_speed_are_counted() -> None:
    pace = RealTimePace(0.01)
    pace.start(100.0, 0)
    assert (pace.late_share, pace.factor) == (0.0, 0.0)
    for step in range(1, 101):
        pace.ended(100.0 + 0.01 * step, step)
    assert pace.late_share == 0.0
    assert pace.factor == pytest.approx(1.0)
    # A step that ends one and a half periods after it should have, and the next on time again.
    pace.ended(100.0 + 0.01 * 101 + 0.015, 101)
    for step in range(102, 201):
        pace.ended(100.0 + 0.01 * step, step)
    assert pace.late_share == pytest.approx(1 / 200)
    # Half of a period late is not late.
    pace.ended(100.0 + 0.01 * 201 + 0.005, 201)
    assert pace.late_share == pytest.approx(1 / 201)


def test_a_long_stall_is_not_caught_up() -> None:
    pace = RealTimePace(0.01)
    pace.start(100.0, 0)
    pace.ended(100.01, 1)
    late = 100.02 + 4.0 * LONGEST_LAG
    pace.ended(late, 2)
    assert pace.due(2) == pytest.approx(late)
    assert pace.late_share == pytest.approx(1.0, abs=0.05)


def test_twice_as_fast_is_a_factor_of_two() -> None:
    pace = RealTimePace(0.01, 2.0)
    pace.start(100.0, 0)
    for step in range(1, 500):
        pace.ended(100.0 + 0.005 * step, step)
    assert pace.factor == pytest.approx(2.0)
    assert pace.late_share == 0.0


def test_a_run_that_plays_tells_how_it_keeps_pace() -> None:
    run = LiveRun(load_scenario('sphere_step', ('period=0.01',)))
    run.take(Play(), 50.0)
    for k in range(200):
        assert run.due == pytest.approx(50.0 + 0.01 * k)
        run.play(lambda: run.due - 0.002, inf)
        assert run.index == k + 1
    progress = run.frame().progress
    assert progress.playing
    assert progress.factor == pytest.approx(1.0, abs=0.01)
    assert progress.late_share == 0.0
    run.take(SetSpeed(0.5), 60.0)
    assert run.due == pytest.approx(60.0)
    run.step()
    assert run.due == pytest.approx(60.02)
    run.take(Pause(), 61.0)
    assert run.frame().progress.factor == 0.0
    run.take(Play(), 70.0)
    assert run.due == pytest.approx(70.0)
    run.close()


def test_steps_that_are_behind_are_taken_until_a_message_may_wait() -> None:
    run = LiveRun(load_scenario('sphere_step', ('period=0.01',)))
    run.take(Play(), 50.0)
    run.play(lambda: 50.105, inf)
    assert run.index == 11  # the next is due at 50.11 s
    assert run.frame().progress.late_share == pytest.approx(9 / 11)
    late = iter([50.15, 50.16, 50.17])
    run.play(late.__next__, 50.165)
    assert run.index == 14
    run.close()


@pytest.mark.parametrize('is_seen', [False, True])
def test_as_fast_as_it_goes_ends_after_a_time(is_seen: bool) -> None:
    run = LiveRun(load_scenario('sphere_step', ('period=0.01',)))
    run.take(SetSpeed(0.0), 0.0)
    run.take(Play(), 0.0)
    if is_seen:
        run.frame()
    looks = iter([0.001, 0.002, 0.003, 0.004])
    run.play(looks.__next__, 0.003)
    assert next(looks) == 0.004
    assert run.index == (3 if is_seen else 1 + 2 * BATCH)  # the first asks what there is to do
    run.close()


def test_a_run_that_nobody_touches_steps_no_more_than_acts() -> None:
    run = LiveRun(load_scenario('yumi_step', ('period=0.002',)))
    loop = run._loop
    assert (type(loop.planner), type(loop.plant)) == (OnlinePlanner, PinocchioPlant)
    run.take(PutPayload('yumi_link_7_l', 0.1), 0.0)
    assert isinstance(loop.plant, Carrying)
    run.take(Halt(), 0.0)
    assert isinstance(loop.planner, GoalPlanner)
    run.take(Reset(), 0.0)
    assert (type(loop.planner), type(loop.plant)) == (OnlinePlanner, PinocchioPlant)
    run.close()
