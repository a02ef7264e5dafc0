"""The run of a real robot: planned from where it is, and over when its motion is."""

from __future__ import annotations

from threading import active_count

import numpy as np
import pytest

from simloop_ros.assembly.assemble import run_facts, started_facts
from simloop_ros.core.values import (
    Array,
    Command,
    JointState,
    PlantReport,
    Rollback,
    Setpoint,
)
from simloop_ros.loop.step_record import StepRecord
from simloop_ros.ros.pacing.real_run import RealRun
from simloop_ros.scenario.loading import load_scenario

MOVE = np.array([[-0.1, 0.0, 0.1]])
SETTINGS = ('robot=two_link', 'planner.move=[[-0.1, 0, 0.1]]')
START = np.array([0.9, -1.4])  # not its home


def record(position: Array, velocity: Array) -> StepRecord:
    zero = np.zeros(2)
    state = JointState(position, velocity)
    return StepRecord(
        0,
        Setpoint(position, velocity),
        Command(zero, zero, zero, saturated=False),
        position,
        Rollback(state, zero),
        PlantReport(state, zero),
    )


def test_goal_and_end_are_those_of_the_motion_from_there() -> None:
    facts = run_facts(load_scenario('step', SETTINGS), simulated=False)
    assert facts.goals is None
    started = started_facts(facts, START)
    assert started.goals is not None
    np.testing.assert_allclose(started.goals, facts.model.tip_positions(START) + MOVE, atol=1e-9)
    assert started.planned is not None
    expected = (started.planned + facts.scenario.rest) / facts.scenario.period
    assert started.steps == pytest.approx(expected, abs=1.0)


def test_a_duration_is_kept() -> None:
    facts = run_facts(load_scenario('step', [*SETTINGS, 'duration=3']), simulated=False)
    assert started_facts(facts, START).steps == facts.steps == round(3 / facts.scenario.period)
    run = RealRun(facts)
    run.take(record(START, np.ones(2)))
    assert run.rests


@pytest.mark.parametrize('apart', [0.0, 0.05])
def test_it_goes_on_until_the_setpoints_have_rested(apart: float) -> None:
    """Also if a load keeps the robot away from them."""
    facts = run_facts(load_scenario('step', [*SETTINGS, 'rest=0.05']), simulated=False)
    run, position, h = RealRun(facts), START, facts.scenario.period
    needed = round(0.05 / h)
    for speed, count in ((0.0, needed), (0.1, 1), (0.0, needed - 1)):
        for _ in range(count):
            position = position + h * speed
            run.take(record(position, np.full(2, speed + apart / h)))
        assert not run.rests
    run.take(record(position, np.full(2, apart / h)))
    assert run.facts(wait=True).goals is not None
    assert run.rests


def test_nothing_is_planned_while_the_robot_moves() -> None:
    """Composed, control and recorder share an interpreter."""
    run = RealRun(run_facts(load_scenario('step', SETTINGS), simulated=False))
    threads = active_count()
    for i in range(100):
        run.take(record(START + 1e-3 * i, np.ones(2)))
    assert active_count() == threads
    assert run.facts().goals is None
    assert run.facts(wait=True).goals is not None


def test_a_motion_that_cannot_be_planned_has_no_goal() -> None:
    far = ('robot=two_link', 'planner.move=[[9, 0, 0]]')
    run = RealRun(run_facts(load_scenario('step', far), simulated=False))
    run.take(record(START, np.zeros(2)))
    assert run.facts(wait=True).goals is None
