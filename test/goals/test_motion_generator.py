"""Motions to goals: where they end, what they pass, and why they are refused."""

from __future__ import annotations

import math
from pathlib import Path

from goal_run import LIMITS, GoalRun, H
import msgspec
import numpy as np
import pytest

from simloop_ros.core.errors import GoalError
from simloop_ros.goals.config import GoalLimits
from simloop_ros.goals.goal import (
    JogGoal,
    JointsGoal,
    NamedGoal,
    PoseGoal,
    TrajectoryGoal,
    TrajectoryPoint,
)
from simloop_ros.goals.motion_generator import MotionGenerator
from simloop_ros.goals.trajectory import resting
from simloop_ros.robot.fit_robot import load_fit_robot
from simloop_ros.robot.model import RobotModel
from simloop_ros.scenario.robot_files import robot_config

NAN = math.nan


def points(*given: tuple[float | None, float], name: str = 'joint_1') -> TrajectoryGoal:
    """Return a trajectory of one joint, as times and positions."""
    made = tuple(TrajectoryPoint(time=time, positions=(position,)) for time, position in given)
    return TrajectoryGoal(joints=(name,), points=made)


REFUSED = {
    'out of range': JointsGoal(positions={'joint_1': 3.0}),
    'unknown joint': JointsGoal(positions={'elbow': 0.1}),
    'not a finite number': JointsGoal(positions={'joint_1': NAN}),
    'out of reach': PoseGoal(position=(2.0, 0.0, 0.4)),
    'rpy: nan is not': PoseGoal(position=(0.3, 0.0, 0.4), rpy=(NAN, 0.0, 0.0)),
    'the goal .* out of reach': PoseGoal(position=(0.9, 0.0, 0.4), straight=True),
    'unknown tip': PoseGoal(position=(0.3, 0.0, 0.4), tip='thumb'),
    'would be inside': PoseGoal(position=(0.0, 0.0, 0.1)),
    'touches': JointsGoal(positions={'joint_2': 1.9, 'joint_3': 1.2, 'joint_5': 2.0}),
    'too fast: joint_1 would have to go at': points((0.1, 0.5)),
    'do not increase': points((1.0, 0.1), (1.0, 0.2)),
    'some points have a time': points((None, 0.1), (1.0, 0.2)),
    'the point at time 0 is 0.4': points((0.0, 0.4), (1.0, 0.5)),
    'unknown pose': NamedGoal(name='bent'),
    'not of both': JogGoal(linear=(0.1, 0.0, 0.0), joints={'joint_1': 0.1}),
    'linear: nan': JogGoal(linear=(NAN, 0.0, 0.0)),
}


@pytest.mark.parametrize('reason', REFUSED)
def test_a_goal_is_refused_with_the_reason(run: GoalRun, reason: str) -> None:
    with pytest.raises(GoalError, match=reason):
        run.generator.plan(REFUSED[reason], run.planner.reference())


def test_a_goal_that_needs_too_much_effort_is_refused(irb120: RobotModel) -> None:
    weak = msgspec.structs.replace(LIMITS, effort_share=0.05)
    generator = MotionGenerator(irb120, weak, H, irb120.home)
    with pytest.raises(GoalError, match=r'too heavy: joint_. would need .* 5 % of its limit'):
        generator.plan(JointsGoal(positions={'joint_1': 0.1}), resting(irb120.home))


def test_a_pose_by_joints_is_reached(run: GoalRun) -> None:
    goal = PoseGoal(position=(0.3, 0.2, 0.45), rpy=(math.pi, 0.1, math.pi))
    found = run.generator.plan(goal, run.planner.reference())
    (pose,) = run.model.frame_poses(found.position[-1], run.model.tips)
    assert np.allclose(pose.translation, goal.position, atol=1e-8)


def test_timed_points_are_passed_at_their_times(run: GoalRun) -> None:
    goal = points((0.6, 0.2), (1.2, 0.3), (2.0, -0.1))
    found = run.generator.plan(goal, run.planner.reference())
    rows = [round(time / H) for time in (0.6, 1.2, 2.0)]
    assert np.allclose(found.position[rows, 0], [0.2, 0.3, -0.1], atol=1e-9)
    assert found.steps == rows[-1]
    assert np.array_equal(found.position[:, 1:], np.tile(run.model.home[1:], (501, 1)))


def test_given_velocities_are_kept(run: GoalRun) -> None:
    made = (
        TrajectoryPoint(time=1.0, positions=(0.3,), velocities=(0.2,)),
        TrajectoryPoint(time=2.0, positions=(0.4,), velocities=(0.0,)),
    )
    goal = TrajectoryGoal(joints=('joint_1',), points=made)
    found = run.generator.plan(goal, run.planner.reference())
    row = round(1.0 / H)
    assert found.velocity[row, 0] == pytest.approx(0.2)
    assert found.position[row, 0] == pytest.approx(0.3)


def test_a_timed_trajectory_begins_with_the_present_motion(run: GoalRun) -> None:
    run.planner.submit(JointsGoal(positions={'joint_1': 1.0, 'joint_2': 0.6}))
    run.step(40)
    assert run.planner.submit(points((1.5, 0.6), (3.0, 0.5))).accepted
    run.finish()
    run.check_limits()
    assert run.rows[-1][0] == 0.5


def test_points_without_times_are_rested_at(run: GoalRun) -> None:
    goal = points((None, 0.3), (None, -0.2))
    found = run.generator.plan(goal, run.planner.reference())
    at = int(np.argmax(found.position[:, 0]))
    assert found.position[at, 0] == 0.3
    assert not found.velocity[at].any()
    assert found.position[-1, 0] == -0.2


def test_a_jog_moves_the_tip_at_its_velocity_and_brakes(run: GoalRun) -> None:
    velocity = np.array([0.0, 0.05, -0.04])
    goal = JogGoal(linear=tuple(velocity.tolist()), timeout=1.0)
    assert run.planner.submit(goal).accepted
    run.finish()
    run.check_limits()
    tips = np.array([run.model.tip_positions(row)[0] for row in run.rows])
    middle = slice(150, 250)
    speed = np.diff(tips[middle], axis=0) / H
    assert np.allclose(speed, velocity, atol=1e-3)
    assert np.array_equal(run.rows[-1], run.rows[-2])
    assert run.states(1) == ['active', 'reached']


def test_a_jog_in_axes_of_the_tip(run: GoalRun) -> None:
    run.planner.submit(JogGoal(linear=(0.0, 0.0, 0.05), frame='tip', timeout=0.6))
    run.finish()
    way = run.model.tip_positions(run.rows[-1])[0] - run.model.tip_positions(run.model.home)[0]
    assert np.allclose(way[:2], 0.0, atol=1e-3)
    assert way[2] < -0.02  # the tool points down


def test_further_jogs_go_on_as_one(run: GoalRun) -> None:
    for _ in range(6):
        run.planner.submit(JogGoal(joints={'joint_1': 0.3}))
        run.step(25)
    run.finish()
    run.check_limits()
    assert set(run.states(1)) == {'active', 'reached'}
    assert run.planner.submit(JointsGoal(positions={'joint_1': 0.0})).id == 2


def test_a_jog_ends_before_the_range_does(run: GoalRun) -> None:
    run.planner.submit(JointsGoal(positions={'joint_1': float(run.model.upper[0]) - 0.15}))
    run.finish()
    for _ in range(20):
        reply = run.planner.submit(JogGoal(joints={'joint_1': 1.0}))
        run.step(20)
    assert not reply.accepted
    assert 'no room: joint_1 is at the end of its range' in reply.reason
    run.finish()
    run.check_limits()
    assert float(run.model.upper[0]) - 0.05 < run.rows[-1][0] <= run.model.upper[0]
    assert run.planner.submit(JogGoal(joints={'joint_1': -0.5})).accepted


def test_named_poses_are_home_and_those_of_the_srdf_file(tmp_path: Path) -> None:
    shipped = load_fit_robot(robot_config('two_link'))
    urdf = tmp_path / 'arm.urdf'
    urdf.write_text(shipped.urdf)
    name = shipped.joint_names[0]
    urdf.with_suffix('.srdf').write_text(
        f'<robot name="{shipped.name}"><group_state name="up" group="g">'
        f'<joint name="{name}" value="0.4"/></group_state></robot>'
    )
    model = load_fit_robot(msgspec.structs.replace(robot_config(str(urdf)), home={name: 0.1}))
    generator = MotionGenerator(model, GoalLimits(effort_share=1.0), H, model.home)
    begin = resting(np.zeros(model.n))
    assert generator.plan(NamedGoal(name='up'), begin).position[-1, 0] == 0.4
    assert generator.plan(NamedGoal(name='home'), begin).position[-1, 0] == 0.1
    with pytest.raises(GoalError, match='valid: home, up'):
        generator.plan(NamedGoal(name='down'), begin)
