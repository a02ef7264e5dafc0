"""The block around a planner: its states, and what it remembers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from simloop_ros.core.errors import GoalError, UnknownNameError
from simloop_ros.core.values import ExternalInputs, JointState
from simloop_ros.planning.offline import OfflinePlanner
from simloop_ros.reaction.reacting import Reacting
from simloop_ros.robot.model import RobotModel

Make = Callable[..., 'Rig']  # noqa: F821 - of conftest

H = 0.001
HIT = 300
AT_GOAL = 1e-6  # m
FIRST_STEP = 40.0 * H**2  # rad: from rest, a list does not tell the velocity of its first step
PLANNERS = ('offline', 'online')
KINDS = ('stop', 'hold', 'retreat', 'float', 'comply')


@pytest.mark.parametrize('planner', PLANNERS)
@pytest.mark.parametrize('kind', ['none', *KINDS])
def test_until_there_is_a_contact_it_is_the_planner(
    robot: RobotModel, rig: Make, kind: str, planner: str
) -> None:
    """Bit for bit; and ``none`` is so whatever happens."""
    loop, bare = rig(robot, kind, planner), rig(robot, 'none', planner)
    control = bare.control.state
    for k in range(HIT):
        wanted = loop.step(contact=kind == 'none' and k > 50)
        position = bare.motion.planner.step(control)
        control = loop.control.state
        np.testing.assert_array_equal(wanted.position, position)
        np.testing.assert_array_equal(wanted.velocity, bare.motion.planner.expected.velocity)
        assert wanted.effort is None
        assert not wanted.restart
    assert loop.reacting.state == 'moving'


@pytest.mark.parametrize('planner', PLANNERS)
@pytest.mark.parametrize('law', ['deadbeat', 'computed_torque'])
@pytest.mark.parametrize('kind', KINDS)
def test_after_a_reaction_the_motion_goes_on_to_its_goal(
    robot: RobotModel, rig: Make, kind: str, planner: str, law: str
) -> None:
    """Without a leap: each wanted position goes on from the last, or from where the robot is."""
    loop = rig(robot, kind, planner, law)
    loop.run(HIT)
    loop.run(30, contact=True)
    for _ in range(1500):
        loop.step()
        if loop.reacting.state == 'resting' or kind in ('float', 'comply'):
            break
    while not loop.reacting.resume(loop.control.state):
        loop.step()
    assert loop.reacting.state == 'moving'
    loop.run(3000)
    tips = robot.tip_positions(loop.plant.truth.position)
    np.testing.assert_allclose(tips, loop.motion.goals, rtol=0.0, atol=AT_GOAL)
    assert loop.control.saturations == 0
    last = loop.wanted[0].position
    for wanted, driven in zip(loop.wanted[1:], loop.driven[:-1], strict=True):
        begin = driven if wanted.restart or wanted.effort is not None else last
        step = wanted.position - begin
        if wanted.effort is None:
            np.testing.assert_allclose(step, H * wanted.velocity, rtol=0.0, atol=FIRST_STEP)
        last = wanted.position


@pytest.mark.parametrize('planner', PLANNERS)
@pytest.mark.parametrize('kind', KINDS)
def test_memory_goes_back(yumi: RobotModel, rig: Make, kind: str, planner: str) -> None:
    """From any moment the replay is bitwise the straight run, a resumed motion included."""
    loop = rig(yumi, kind, planner)

    def run() -> list[np.ndarray]:
        out = []
        for k in range(700):
            wanted = loop.step(contact=100 <= k < 130 or k == 210)
            out += [wanted.position, wanted.velocity, loop.plant.truth.position]
            if k == 600:
                loop.reacting.resume(loop.control.state)
            if k in moments:
                saved.append(
                    (k, loop.reacting.snapshot(), loop.control.snapshot(), loop.plant.snapshot())
                )
        return out

    moments, saved = (50, 99, 101, 104, 108, 150, 211, 400, 590), []
    loop.run(HIT - 100)
    straight = run()
    moments = ()
    for k, reacting, control, plant in saved:
        loop.reacting.restore(reacting)
        loop.control.restore(control)
        loop.plant.restore(plant)
        again = []
        for j in range(k + 1, 700):
            wanted = loop.step(contact=100 <= j < 130 or j == 210)
            again += [wanted.position, wanted.velocity, loop.plant.truth.position]
            if j == 600:
                loop.reacting.resume(loop.control.state)
        np.testing.assert_array_equal(again, straight[3 * (k + 1) :])


def test_another_kind_takes_effect_at_the_next_contact(yumi: RobotModel, rig: Make) -> None:
    loop = rig(yumi, 'hold')
    loop.run(HIT)
    loop.step(contact=True)
    loop.reacting.kind = 'retreat'
    loop.until('resting', contact=True)
    assert (loop.reacting.active, loop.reacting.kind) == ('hold', 'retreat')
    assert loop.reacting.resume(loop.control.state)
    assert loop.reacting.active == 'none'
    loop.run(300)
    loop.step(contact=True)
    assert loop.reacting.active == 'retreat'
    with pytest.raises(UnknownNameError, match='did you mean retreat'):
        loop.reacting.kind = 'retret'


def test_a_contact_that_is_still_there_stops_the_resumed_motion(
    yumi: RobotModel, rig: Make
) -> None:
    loop = rig(yumi, 'hold')
    loop.run(HIT)
    loop.step(contact=True)
    loop.until('resting', contact=True)
    held = loop.step(contact=True).position
    assert loop.reacting.resume(loop.control.state)
    loop.run(5, contact=True)
    assert loop.reacting.state == 'resting'
    np.testing.assert_allclose(loop.plant.truth.position, held, rtol=0.0, atol=1e-6)


@pytest.mark.parametrize('kind', ['float', 'comply', 'retreat'])
def test_reset_holds_what_moves(yumi: RobotModel, rig: Make, kind: str) -> None:
    loop = rig(yumi, kind)
    loop.run(HIT)
    loop.run(120, contact=True)
    assert loop.reacting.state == 'reacting'
    loop.reacting.reset()
    loop.step()
    loop.until('resting', 100)
    assert loop.reacting.active == 'hold'
    held = loop.step().position
    loop.reacting.reset()
    np.testing.assert_array_equal(loop.step().position, held)


def test_a_motion_that_cannot_go_on_stays_at_rest(yumi: RobotModel) -> None:
    path = yumi.home + np.linspace(0.0, 0.1, 500)[:, None] ** 2
    reacting = Reacting(OfflinePlanner(path, H), yumi, H, 'hold')
    state = JointState(yumi.home, np.zeros(yumi.n))
    reacting.step(state, ExternalInputs(contact=True))
    assert reacting.state == 'resting'
    with pytest.raises(GoalError, match='cannot be resumed'):
        reacting.resume(state)
    assert reacting.state == 'resting'


def test_a_moving_robot_has_nothing_to_resume(yumi: RobotModel, rig: Make) -> None:
    loop = rig(yumi, 'hold')
    loop.run(10)
    before = loop.reacting.snapshot().motion
    assert loop.reacting.resume(loop.control.state)
    loop.reacting.reset()
    assert loop.reacting.state == 'moving'
    assert loop.reacting.snapshot().motion == before
