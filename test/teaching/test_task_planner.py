"""A task that is played: through its points, within the limits, and on after a stop."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.assembly.assemble import assemble
from simloop_ros.core.errors import ConfigError, GoalError
from simloop_ros.core.values import NO_INPUTS, Array, ExternalInputs, JointState
from simloop_ros.planning.config import TaskConfig
from simloop_ros.robot.model import RobotModel
from simloop_ros.scenario.loading import load_scenario
from simloop_ros.teaching.nearness import distances, marked
from simloop_ros.teaching.planner import LOOK_BACK, TaskPlanner, plan_task
from simloop_ros.teaching.task import Task, kept_path, kept_pose, new_task

PERIOD = 0.005
CONFIG = TaskConfig(file='-')


def planned(task: Task, model: RobotModel, config: TaskConfig = CONFIG) -> TaskPlanner:
    return plan_task(task, config, model, PERIOD, model.home).planner


def steps(planner: TaskPlanner, count: int) -> Array:
    """Return the next setpoints [rad], shape ``(count, n)``."""
    state = planner.expected
    return np.array([planner.step(state, NO_INPUTS).position for _ in range(count)])


def whole(planner: TaskPlanner) -> Array:
    assert planner.duration is not None
    return steps(planner, round(planner.duration / PERIOD))


def with_points(task: Task, *changes: dict[str, object]) -> Task:
    points = [msgspec.structs.replace(p, **c) for p, c in zip(task.points, changes, strict=True)]
    return msgspec.structs.replace(task, points=tuple(points))


def test_poses_are_reached_in_their_order_and_at_rest(
    task: Task, poses: Array, lwr: RobotModel
) -> None:
    planner = planned(with_points(task, {}, {'wait': 0.5}, {}), lwr)
    passings = planner.passings(10**6)
    q = whole(planner)
    assert [point for _, point, _ in passings] == [0, 1, 2]
    for step, point, there in passings:
        np.testing.assert_allclose(q[step], poses[point], atol=1e-9)
        np.testing.assert_array_equal(there, q[step])
    waiting = q[passings[1][0] - 99 : passings[1][0] + 1]
    assert np.ptp(waiting, axis=0).max() == 0.0
    np.testing.assert_array_equal(q[-1], planner.step(planner.expected, NO_INPUTS).position)


@pytest.mark.parametrize('speed', [1.0, 0.3])
def test_the_limits_hold(task: Task, lwr: RobotModel, speed: float) -> None:
    """Also with an acceleration that needs all of the velocity and of the effort."""
    config = TaskConfig(file='-', speed=speed, joint_acceleration=40.0, limit_share=0.9)
    q = np.vstack((lwr.home, whole(planned(task, lwr, config))))
    v = np.diff(q, axis=0) / PERIOD
    a = np.diff(v, axis=0) / PERIOD
    assert (np.abs(v) <= speed * 0.9 * lwr.velocity_limit * (1 + 1e-6)).all()
    assert np.abs(a).max() <= speed**2 * 40.0 * 1.1  # where the path bends, over ramp_time
    data = lwr.pin_model.createData()
    rows = zip(q[1:-1], v[:-1], a, strict=True)
    tau = np.array([pin.rnea(lwr.pin_model, data, *row) for row in rows])
    assert (np.abs(tau) <= lwr.effort_limit).all()
    if speed == 1.0:  # it is as fast as that, too
        assert (np.abs(v) / lwr.velocity_limit).max() > 0.5


def test_half_the_speed_takes_twice_as_long(task: Task, lwr: RobotModel) -> None:
    ramp = CONFIG.ramp_time
    times = [planned(task, lwr, TaskConfig(file='-', speed=s)).duration for s in (1.0, 0.5)]
    legs = len(task.points)
    assert times[1] - legs * ramp == pytest.approx(2 * (times[0] - legs * ramp), rel=0.03)


def test_the_speed_is_that_of_the_task_unless_another_is_given(
    task: Task, lwr: RobotModel
) -> None:
    slow = msgspec.structs.replace(task, speed=0.2)
    given = TaskConfig(file='-', speed=0.2)
    assert planned(slow, lwr).duration == planned(task, lwr, given).duration


def test_accelerations_rise_and_fall_in_the_ramp_time(task: Task, lwr: RobotModel) -> None:
    def jerk(ramp: float) -> float:
        q = whole(planned(task, lwr, TaskConfig(file='-', ramp_time=ramp)))
        return float(np.abs(np.diff(q, 3, axis=0)).max() / PERIOD**3)

    assert jerk(0.1) < 0.2 * jerk(0.0)


def test_a_point_without_stop_is_passed_moving(task: Task, poses: Array, lwr: RobotModel) -> None:
    planner = planned(with_points(task, {}, {'stop': False}, {}), lwr)
    step = {point: step for step, point, _ in planner.passings(10**6)}[1]
    q = whole(planner)
    v = np.diff(q, axis=0) / PERIOD
    assert distances(poses[1:2], q).max() < 1e-5
    assert np.abs(v[step]).max() > 0.1


def test_a_path_is_followed_and_poses_around_it_too(
    task: Task, poses: Array, lwr: RobotModel
) -> None:
    rows = poses[1] + np.linspace(0.0, 0.3, 6)[:, None] * np.sin(np.arange(7))
    points = (task.points[0], kept_path(rows, 'path'), task.points[2])
    q = whole(planned(new_task(lwr, points), lwr))
    for wanted in (poses[[0]], rows, poses[[2]]):
        assert distances(wanted, q).max() < 1e-5


def test_a_finite_loop_ends_at_the_last_point(task: Task, poses: Array, lwr: RobotModel) -> None:
    planner = planned(task, lwr, TaskConfig(file='-', loop=3))
    assert [point for _, point, _ in planner.passings(10**6)] == [0, 1, 2] * 3
    np.testing.assert_allclose(whole(planner)[-1], poses[2], atol=1e-9)


def test_a_loop_without_end_repeats_itself(task: Task, lwr: RobotModel) -> None:
    planner = planned(task, lwr, TaskConfig(file='-', loop=0))
    assert planner.duration is None
    (first, *_), *_ = [p for p in planner.passings(5000) if p[1] == 0]
    rounds = [step for step, point, _ in planner.passings(5000) if point == 0]
    length = rounds[1] - rounds[0]
    q = steps(planner, first + 3 * length)
    once, again = q[first : first + length], q[first + length : first + 2 * length]
    np.testing.assert_array_equal(once, again)
    assert np.abs(np.diff(q, axis=0)).max() < 3.0 * PERIOD  # no jump from round to round


def test_one_pose_is_a_task(task: Task, poses: Array, lwr: RobotModel) -> None:
    for loop in (0, 1, 2):
        planner = planned(new_task(lwr, task.points[1:2]), lwr, TaskConfig(file='-', loop=loop))
        np.testing.assert_allclose(whole(planner)[-1], poses[1], atol=1e-12)


def test_a_robot_that_is_there_already_stays(task: Task, poses: Array, lwr: RobotModel) -> None:
    found = plan_task(new_task(lwr, task.points[:1]), CONFIG, lwr, PERIOD, poses[0])
    np.testing.assert_array_equal(steps(found.planner, 3), poses[[0, 0, 0]])


def test_a_robot_that_is_there_already_waits(task: Task, poses: Array, lwr: RobotModel) -> None:
    """Also at a second point that is the same."""
    here = msgspec.structs.replace(task.points[0], wait=0.5)
    for points, wait in (((here,), 0.5), ((here, here), 1.0)):
        planner = plan_task(new_task(lwr, points), CONFIG, lwr, PERIOD, poses[0]).planner
        assert wait <= planner.duration < wait + 0.5
        assert np.ptp(whole(planner), axis=0).max() < 1e-12


# After a stop


@pytest.mark.parametrize('loop', [0, 1, 2])
@pytest.mark.parametrize('share', [0.02, 0.4, 0.9])
def test_after_a_stop_the_rest_is_played_and_nothing_is_left_out(
    task: Task, lwr: RobotModel, share: float, loop: int
) -> None:
    """Wherever the robot was pushed to: back on the path where it left it, then on."""
    config = TaskConfig(file='-', loop=loop)
    straight = planned(task, lwr, config)
    count = 3000 if loop == 0 else round(straight.duration / PERIOD)
    q = steps(straight, count)
    stopped = int(share * count)
    planner = planned(task, lwr, config)
    steps(planner, stopped)
    pushed = q[stopped - 1] + 0.03
    place = planner.place_near(pushed)
    rest = plan_task(task, config, lwr, PERIOD, pushed, place).planner
    left = steps(rest, round(rest.duration / PERIOD) if loop else 3000)
    begun = max(stopped, straight.passings(count)[0][0])  # the way to the first point is another
    missed = q[begun:] if loop else q[begun : begun + 1000]
    assert distances(marked(lwr, missed), marked(lwr, left)).max() < 1e-4
    assert np.abs(left[0] - pushed).max() < 1e-3
    last = [point for _, point, _ in straight.passings(count)][-1]
    if loop:
        assert [point for _, point, _ in rest.passings(10**6)][-1] == last
        # A second stop at the end does not begin the task again.
        again = rest.place_near(left[-1])
        done = plan_task(task, config, lwr, PERIOD, left[-1], again).planner
        assert np.abs(whole(done) - left[-1]).max() < 1e-9


def test_a_place_that_was_passed_long_ago_does_not_count(task: Task, lwr: RobotModel) -> None:
    """In the last of three rounds the robot is brought exactly to where the first one began."""
    planner = planned(task, lwr, msgspec.structs.replace(CONFIG, loop=3))
    q = whole(planner)
    lately = len(q) - round(LOOK_BACK / planner.period)
    assert planner.place_near(q[0]).leg >= planner.plan.legs[lately] > 1


def test_on_the_way_back_it_does_not_go_there_again(
    task: Task, poses: Array, lwr: RobotModel
) -> None:
    """There and back along the same line, within the time that it looks back."""
    there_and_back = new_task(lwr, (*task.points[:2], task.points[0]))
    planner = planned(there_and_back, lwr, TaskConfig(file='-', speed=1.0))
    (_, turned, end) = (step for step, _, _ in planner.passings(10**6))
    q = steps(planner, (turned + end) // 2)
    for ahead in (0, 20):  # steps that were planned but not made
        place = planner.place_near(q[-1 - ahead] + 1e-4)
        assert place.leg == 1
        rest = plan_task(there_and_back, CONFIG, lwr, PERIOD, q[-1 - ahead], place).planner
        assert distances(poses[1:2], whole(rest)).max() > 0.05


def test_a_reaction_in_the_middle_goes_on_with_the_rest(
    task: Task, poses: Array, lwr: RobotModel, written: Callable[[Task], str]
) -> None:
    """The monitor awake: a contact stops the robot, then it plays the rest of the task."""
    h = 0.002
    settings = [
        f'planner.file={written(task)}',
        f'period={h}',
        'monitor.kind=momentum_observer',
        'monitor.calibration=lwr_guiding',
        'monitor.reaction=stop',
    ]
    planner = assemble(load_scenario('lwr_repeat', settings)).loop.planner
    base = planner.planner
    arrived = {point: step for step, point, _ in base.passings(10**6)}
    hit = (arrived[1] + arrived[2]) // 2
    state, q = JointState(lwr.home, np.zeros(lwr.n)), []
    for step in range(4 * hit):
        contact = ExternalInputs(contact=True, kind='impact')
        setpoint = planner.step(state, contact if step == hit else NO_INPUTS)
        velocity = (setpoint.position - state.position) / h
        state = JointState(setpoint.position, velocity)
        q.append(setpoint.position)
        if planner.activity == 'resting' and step > hit + 200:
            assert planner.resume(state)
    assert planner.activity == 'moving'
    after = np.array(q[hit:])
    assert distances(poses[2:], after).max() < 1e-6  # it comes to the last pose
    assert distances(poses[:2], after).min() > 0.05  # and to neither of the first two again


# Refused before motion


def test_a_task_through_the_robot_itself_is_refused(yumi: RobotModel) -> None:
    """The left arm turns into the body."""
    inwards = yumi.home.copy()
    inwards[0] = 1.0
    task = new_task(yumi, (kept_pose(yumi, inwards, 'in'),))
    with pytest.raises(GoalError, match='way to the first point: the robot would run into itself'):
        plan_task(task, CONFIG, yumi, PERIOD, yumi.home)


def test_a_pose_that_the_motors_cannot_hold_is_refused(task: Task, lwr: RobotModel) -> None:
    heavy = lwr.with_mass_bias(12.0)
    with pytest.raises(GoalError, match=r'no motion along it|weight alone'):
        plan_task(task, CONFIG, heavy, PERIOD, lwr.home)


def test_too_many_rounds_are_refused(task: Task, lwr: RobotModel) -> None:
    with pytest.raises(ConfigError, match=r'planner\.loop: .* 0 for a loop without end'):
        planned(task, lwr, TaskConfig(file='-', loop=10**6))


def test_a_loop_without_end_needs_a_duration(written: Callable[[Task], str], task: Task) -> None:
    settings = [f'planner.file={written(task)}', 'planner.loop=0']
    with pytest.raises(ConfigError, match='duration: needed'):
        assemble(load_scenario('lwr_repeat', settings))
