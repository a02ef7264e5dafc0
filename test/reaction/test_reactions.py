"""Each reaction in a closed loop: what it promises, on every robot, planner and law."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.core.values import NO_INPUTS, Array, JointState
from simloop_ros.planning.offline import OfflinePlanner
from simloop_ros.reaction.config import ReactionConfig
from simloop_ros.reaction.floating import Float
from simloop_ros.reaction.motors import Motors
from simloop_ros.reaction.reacting import Reacting
from simloop_ros.reaction.reaction import Onset
from simloop_ros.reaction.stop import Stop
from simloop_ros.robot.model import RobotModel

Make = Callable[..., 'Rig']  # noqa: F821 - of conftest

H = 0.001
HIT = 300  # steps: in the middle of the motion
MARGIN = ReactionConfig().margin
STILL = 1e-6  # rad/s
PLANNERS = ('offline', 'online')
LAWS = ('deadbeat', 'computed_torque')


def efforts(rig, robot: RobotModel, first: int) -> Array:
    """Return the share of the effort limits that was used from a step on."""
    return np.array([np.abs(command.effort) for command in rig.commands[first:]]) / (
        robot.effort_limit
    )


def still(state: JointState) -> JointState:
    return JointState(state.position, np.zeros_like(state.velocity))


def hit(rig, steps: int = 20) -> None:
    rig.run(HIT)
    rig.run(steps, contact=True)


@pytest.mark.parametrize('law', LAWS)
@pytest.mark.parametrize('planner', PLANNERS)
@pytest.mark.parametrize('kind', ['stop', 'hold', 'retreat'])
def test_it_comes_to_rest_within_the_limits_and_stays(
    robot: RobotModel, rig: Make, kind: str, planner: str, law: str
) -> None:
    loop = rig(robot, kind, planner, law)
    hit(loop)
    loop.until('resting')
    loop.run(10)
    held = loop.step().position
    loop.run(100)
    loop.run(50, contact=True)  # nothing can disturb it any more
    np.testing.assert_array_equal(loop.positions[-100:], np.tile(held, (100, 1)))
    np.testing.assert_allclose(loop.plant.truth.position, held, rtol=0.0, atol=1e-9)
    assert np.abs(loop.plant.truth.velocity).max() < STILL
    # The margin, and what rounding and the path's corners between two steps add.
    assert efforts(loop, robot, HIT).max() <= MARGIN + 0.1
    assert loop.control.saturations == 0


@pytest.mark.parametrize('kind', ['stop', 'hold', 'retreat', 'comply'])
def test_what_is_wanted_never_leaps(robot: RobotModel, rig: Make, kind: str) -> None:
    """Each wanted position is a step of the wanted velocity from the last, all the way."""
    loop = rig(robot, kind)
    hit(loop)
    loop.run(800)
    velocities = np.diff(loop.positions, axis=0) / H
    np.testing.assert_allclose(velocities, loop.velocities[1:], rtol=0.0, atol=1e-8)


@pytest.mark.parametrize('planner', PLANNERS)
def test_hold_slows_all_joints_by_the_same_share(
    robot: RobotModel, rig: Make, planner: str
) -> None:
    loop = rig(robot, 'hold', planner)
    loop.run(HIT)
    before = loop.plant.truth.velocity
    moves = np.abs(before) > 1e-3 * np.abs(before).max()
    share = 1.0
    while loop.reacting.activity != 'resting':
        loop.step(contact=True)
        shares = (loop.plant.truth.velocity / np.where(moves, before, 1.0))[moves]
        np.testing.assert_allclose(shares, shares[0], rtol=0.0, atol=1e-6)
        assert shares[0] < share
        share = shares[0]


def test_hold_is_the_shortest_stop_and_stop_nearly_as_short(yumi: RobotModel, rig: Make) -> None:
    """The path costs no time but the two ramps of the deceleration."""
    times = {}
    for kind in ('hold', 'stop'):
        loop = rig(yumi, kind)
        loop.run(HIT)
        loop.step(contact=True)
        times[kind] = H * loop.until('resting', contact=True)
    ramps = 2.0 * ReactionConfig().ramp_time
    assert times['hold'] <= times['stop'] <= times['hold'] + ramps


@pytest.mark.parametrize('planner', PLANNERS)
def test_stop_stays_on_the_planned_path_and_slows_down_steadily(
    robot: RobotModel, rig: Make, planner: str
) -> None:
    loop, undisturbed = rig(robot, 'stop', planner), rig(robot, 'none', planner)
    undisturbed.run(HIT + 200)
    hit(loop)
    loop.until('resting')
    path = undisturbed.positions
    chord = np.abs(np.diff(path, axis=0)).max()
    speeds = []
    for setpoint in loop.setpoints[HIT:]:
        i = int(np.argmin(np.abs(path - setpoint.position).max(axis=1)))
        near = [_distance(setpoint.position, path[j], path[j + 1]) for j in (max(i - 1, 0), i)]
        assert min(near) < 1e-3 * chord
        speeds.append(np.abs(setpoint.velocity).max())
    assert speeds[0] > 10.0 * speeds[-1]
    fastest = np.argmax(np.abs(loop.setpoints[HIT].velocity))
    planned = undisturbed.setpoints[HIT].velocity[fastest]
    rate = [setpoint.velocity[fastest] / planned for setpoint in loop.setpoints]
    assert np.all(np.diff(rate[HIT:]) <= 1e-3)


def _distance(point: Array, begin: Array, end: Array) -> float:
    way = end - begin
    share = np.clip((point - begin) @ way / max(way @ way, 1e-300), 0.0, 1.0)
    return float(np.abs(begin + share * way - point).max())


@pytest.mark.parametrize('kind', ['stop', 'hold', 'retreat', 'comply'])
def test_a_robot_that_is_kept_back_is_not_pushed_on(
    yumi: RobotModel, rig: Make, kind: str
) -> None:
    """A wall: whatever the motors do, the robot stays. Braking from where it is needs its weight.

    Under ``none`` control would push with all it has.
    """
    weight = pin.computeGeneralizedGravity(yumi.pin_model, yumi.pin_model.createData(), yumi.home)
    for some in (kind, 'none'):
        loop = rig(yumi, some)
        loop.run(HIT)
        wall = still(loop.plant.truth)
        for _ in range(30):
            loop.plant.start(wall)
            loop.step(contact=True)
            loop.plant.start(wall)
            loop.control.state = wall
        used = np.abs(loop.commands[-1].effort / yumi.effort_limit).max()
        if some == 'none':
            assert used == 1.0
        else:
            assert used < 2.0 * np.abs(weight / yumi.effort_limit).max()


@pytest.mark.parametrize('kind', ['stop', 'hold', 'retreat'])
def test_it_rests_on_a_robot_that_is_heavier_than_its_model(
    yumi: RobotModel, rig: Make, kind: str
) -> None:
    loop = rig(yumi, kind, bias=0.2)
    hit(loop)
    loop.until('resting')
    loop.run(200)
    assert np.abs(loop.plant.truth.velocity).max() < 1e-3


def test_hold_yields_at_its_limits_and_does_not_swing_back(yumi: RobotModel, rig: Make) -> None:
    loop = rig(yumi, 'hold')
    hit(loop)
    loop.until('resting')
    held = loop.step().position
    loop.push = 1.5 * yumi.effort_limit * np.eye(yumi.n)[0]
    loop.run(20)
    loop.push = 0.0
    loop.run(200)
    moved = loop.plant.truth.position[0] - held[0]
    assert moved > 1e-3
    positions = np.array(loop.driven)[-220:, 0]
    assert np.all(np.diff(positions) > -1e-4 * moved)


# Retreat


@pytest.mark.parametrize('planner', PLANNERS)
@pytest.mark.parametrize('distance', [0.02, 0.05])
def test_retreat_goes_back_by_its_distance_along_the_way_it_came(
    robot: RobotModel, rig: Make, planner: str, distance: float
) -> None:
    loop = rig(robot, 'retreat', planner, distance=distance, speed=0.1, acceleration=0.5)
    hit(loop)
    turn = len(loop.setpoints) - 1 + loop.until('resting', contact=False)
    driven = np.array(loop.driven)
    tips = np.array([robot.tip_positions(q) for q in driven])
    back_from = int(np.argmax(np.linalg.norm(tips - tips[0], axis=2).max(axis=1)))
    way = np.linalg.norm(np.diff(tips[back_from:], axis=0), axis=2)
    assert way.sum(axis=0).max() == pytest.approx(distance, rel=0.02)
    speeds = way / H
    assert speeds.max() <= 0.1 * 1.02
    slower = np.abs(np.diff(speeds[5:], axis=0)).max() / H
    assert slower <= 0.5 + 0.5  # of the profile, and of the curve's own bends
    there = driven[: back_from + 1]
    resolution = 0.6 * np.abs(np.diff(there, axis=0)).max()  # half a step, and the curve's own
    for q in driven[back_from::10]:
        assert np.abs(there - q).max(axis=1).min() < resolution
    assert turn > HIT


def test_retreat_ends_where_the_robot_set_out(robot: RobotModel, rig: Make) -> None:
    loop = rig(robot, 'retreat', distance=10.0, speed=0.2)
    loop.run(200)
    loop.run(10, contact=True)
    loop.until('resting', 20_000)
    np.testing.assert_allclose(loop.step().position, robot.home, rtol=0.0, atol=1e-3)


def test_a_second_contact_ends_the_retreat(yumi: RobotModel, rig: Make) -> None:
    """The first one lasts for a while; a new one, after a while without any, counts."""
    loop = rig(yumi, 'retreat')
    loop.run(HIT)
    loop.run(150, contact=True)
    loop.run(10)
    loop.run(20, contact=True)  # a monitor that cannot make up its mind
    assert loop.reacting.activity == 'reacting'
    loop.run(100)
    before = np.abs(loop.plant.truth.velocity).max()
    assert before > 0.01
    assert loop.until('resting', 50, contact=True) < 10
    held = loop.step().position
    loop.run(500)
    np.testing.assert_array_equal(loop.step().position, held)
    assert loop.control.saturations == 0
    # No later retreat goes on into what was hit behind.
    assert loop.reacting.resume(loop.control.state)
    assert loop.reacting.snapshot().trail == ()


def test_a_retreat_that_is_blocked_ends_without_a_word_from_the_monitor(
    yumi: RobotModel, rig: Make
) -> None:
    loop = rig(yumi, 'retreat')
    hit(loop)
    loop.run(100)
    assert loop.reacting.activity == 'reacting'
    wall = still(loop.plant.truth)
    for _ in range(30):
        loop.step()
        loop.plant.start(wall)
        loop.control.state = wall
    assert loop.reacting.activity == 'resting'
    np.testing.assert_allclose(loop.step().position, wall.position, rtol=0.0, atol=1e-12)


def test_after_a_retreat_the_trail_is_what_lies_behind(yumi: RobotModel, rig: Make) -> None:
    """So that two retreats in a row lead further back, and not into the first obstacle again."""
    loop = rig(yumi, 'retreat', distance=0.03)
    hit(loop)
    loop.until('resting')
    first = loop.step().position
    assert loop.reacting.resume(loop.control.state)
    loop.run(3, contact=True)
    loop.until('resting')
    second = loop.step().position
    goal = loop.motion.goals
    tips = [np.linalg.norm(yumi.tip_positions(q) - goal, axis=1) for q in (first, second)]
    np.testing.assert_allclose(tips[1] - tips[0], 0.03, rtol=0.1)


# Float


@pytest.mark.parametrize('law', LAWS)
def test_float_bears_the_weight_only(robot: RobotModel, rig: Make, law: str) -> None:
    """Nobody takes energy away: what is left of the motion goes on."""
    loop = rig(robot, 'float', law=law)
    loop.run(HIT)
    data = robot.pin_model.createData()
    state = loop.plant.truth
    before = pin.computeKineticEnergy(robot.pin_model, data, state.position, state.velocity)
    for _ in range(50):
        setpoint = loop.step(contact=True)
        weight = pin.computeGeneralizedGravity(robot.pin_model, data, np.array(setpoint.position))
        np.testing.assert_array_equal(setpoint.effort, weight)
    state = loop.plant.truth
    after = pin.computeKineticEnergy(robot.pin_model, data, state.position, state.velocity)
    assert after == pytest.approx(before, rel=0.02)
    assert loop.reacting.activity == 'reacting'


def test_float_can_be_damped(yumi: RobotModel, rig: Make) -> None:
    loop = rig(yumi, 'float', float_time=0.05)
    loop.run(HIT)
    before = loop.plant.truth.velocity
    loop.run(50, contact=True)
    np.testing.assert_allclose(
        loop.plant.truth.velocity, before * np.exp(-1.0), rtol=0.0, atol=1e-6
    )


def test_a_joint_at_its_end_ends_the_floating(yumi: RobotModel, rig: Make) -> None:
    loop = rig(yumi, 'float')
    hit(loop)
    here = loop.plant.truth.position
    ends = {'lower': here - 0.3, 'upper': here + 0.3}
    loop.reacting = Reacting(loop.motion.planner, replace(yumi, **ends), H, 'float')
    loop.push = 0.05 * yumi.effort_limit * np.eye(yumi.n)[1]
    loop.step(contact=True)
    loop.until('resting')
    assert np.all(np.abs(loop.plant.truth.position - here) < 0.3)


# Comply


@pytest.mark.parametrize('law', LAWS)
def test_comply_follows_a_push_and_stays_where_it_ends(
    yumi: RobotModel, rig: Make, law: str
) -> None:
    loop = rig(yumi, 'comply', law=law)
    hit(loop)
    loop.run(200)
    before = loop.plant.truth.position
    push = np.array([8.0, *np.zeros(yumi.n - 1)])
    loop.push = push
    loop.run(300)
    pushed = loop.plant.truth.position
    assert pushed[0] - before[0] > 1e-3
    loop.push = 0.0
    loop.run(300)
    rest = loop.plant.truth.position
    loop.run(200)
    np.testing.assert_allclose(loop.plant.truth.position, rest, rtol=0.0, atol=1e-7)
    assert loop.control.saturations == 0
    assert loop.reacting.activity == 'reacting'


def test_the_deceleration_of_a_stop_fades_as_it_built_up(two_link: RobotModel) -> None:
    """From the first step to the last it changes by its jerk, or by twice that at the very end."""
    path = two_link.home + 5e-4 * np.arange(3000)[:, None]
    planner = OfflinePlanner(path, H)
    stop = Stop(Motors(two_link, H, 0.8, H**2), planner, H, ramp_time=0.02)
    for _ in range(2):
        setpoint = planner.step(planner.expected, NO_INPUTS)
    planned = setpoint.velocity[0]
    stop.begin(Onset(JointState(setpoint.position, setpoint.velocity), ()))
    rates = [1.0]
    while not stop.resting:
        setpoint = stop.step(JointState(setpoint.position, setpoint.velocity), NO_INPUTS)
        rates.append(setpoint.velocity[0] / planned)
    decelerations = np.append(-np.diff(rates), 0.0)
    assert decelerations.max() > 10.0 * decelerations[0]
    assert np.abs(np.diff(decelerations)).max() <= 2.01 * decelerations[0]


@pytest.mark.parametrize('side', [1.0, -1.0])
def test_floating_ends_before_a_joint_leaves_its_range_on_either_side(
    two_link: RobotModel, side: float
) -> None:
    """Not where it comes back from there."""
    model = replace(two_link, lower=-np.ones(2), upper=np.ones(2))
    for velocity, floats in ((side, False), (-side, True)):
        reaction = Float(Motors(model, H, 0.8, H**2), model, H, None)
        state = JointState(side * np.array([0.0, 0.99]), velocity * np.array([0.0, 0.5]))
        reaction.begin(Onset(state, ()))
        assert (reaction.step(state, NO_INPUTS).effort is not None) is floats


@pytest.mark.parametrize('side', [1.0, -1.0])
def test_within_its_range_a_joint_floats_to_either_side_of_home(
    two_link: RobotModel, side: float
) -> None:
    """Only the ends of its range end the floating."""
    home = two_link.home
    model = replace(two_link, lower=home - 1.0, upper=home + 1.0)
    reaction = Float(Motors(model, H, 0.8, H**2), model, H, None)
    reaction.begin(Onset(JointState(home, np.zeros(2)), ()))
    for away in (0.0, 0.5, 0.9):
        state = JointState(home + side * away, np.full(2, 0.5 * side))
        assert reaction.step(state, NO_INPUTS).effort is not None
