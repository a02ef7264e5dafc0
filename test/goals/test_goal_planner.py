"""Goals take over from a planner, replace each other, and wait, without a jump."""

from __future__ import annotations

from goal_run import GoalRun, H
import msgspec
import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.core.values import NO_INPUTS, JointState
from simloop_ros.goals.goal import (
    AnyGoal,
    CancelCommand,
    JogGoal,
    JointsGoal,
    NamedGoal,
    PauseCommand,
    PoseGoal,
    ResumeCommand,
    TrajectoryGoal,
    TrajectoryPoint,
)
from simloop_ros.goals.goal_list import forecast
from simloop_ros.goals.goal_planner import GoalPlanner
from simloop_ros.goals.goal_status import GoalReply
from simloop_ros.planning.offline import OfflinePlanner, Stay

FAR = JointsGoal(positions={'joint_1': 1.0, 'joint_4': -0.6})
BACK = JointsGoal(positions={'joint_1': -0.5})
PLACE = (0.35, 0.1, 0.4)


def test_until_the_first_goal_setpoints_are_those_of_the_planner_inside(run: GoalRun) -> None:
    rows = run.model.home + 0.01 * np.arange(30)[:, None]
    planner = GoalPlanner(OfflinePlanner(rows, H), run.generator)
    control = JointState(run.model.home, np.zeros(run.model.n))
    given = [planner.step(control, NO_INPUTS).position for _ in range(30)]
    assert np.array_equal(given, rows)
    assert planner.open_loop


def test_a_goal_takes_over_from_a_motion_without_a_jump(run: GoalRun) -> None:
    time = H * np.arange(1, 200)[:, None]
    rows = run.model.home + 0.5 * time**2  # 1 rad/s^2
    run.planner = GoalPlanner(OfflinePlanner(rows, H), run.generator)
    run.rows = []
    run.step(100)
    assert run.planner.submit(BACK).accepted
    run.finish()
    run.check_limits()
    assert run.rows[-1][0] == -0.5


def test_a_joint_goal_is_reached_exactly_and_other_joints_stay(run: GoalRun) -> None:
    assert run.planner.submit(FAR) == GoalReply(1, True)
    run.finish()
    run.check_limits()
    target = run.model.home.copy()
    target[[0, 3]] = 1.0, -0.6
    assert np.array_equal(run.rows[-1], target)
    assert run.states(1) == ['active', 'reached']


def test_a_goal_replaces_another_while_moving(run: GoalRun) -> None:
    run.planner.submit(FAR)
    run.step(150)
    assert np.abs(run.rows[-1] - run.rows[-2]).max() > 0.5 * H
    run.planner.submit(BACK)
    run.finish()
    run.check_limits()
    assert run.states(1) == ['active', 'replaced']
    assert run.states(2) == ['active', 'reached']
    assert run.rows[-1][0] == -0.5


def test_a_refused_goal_changes_nothing(run: GoalRun) -> None:
    run.planner.submit(FAR)
    run.step(100)
    before = run.planner.snapshot()
    reply = run.planner.submit(JointsGoal(positions={'joint_1': 9.0}))
    assert (reply.accepted, reply.id) == (False, 2)
    after = run.planner.snapshot()
    told = ('changes', 'ids')
    for name in before.__struct_fields__:
        if name not in told:
            assert getattr(before, name) is getattr(after, name) or name in ('count', 'row')
    run.finish()
    assert run.rows[-1][0] == 1.0


@pytest.mark.parametrize('steps', [3, 40, 150, 290, 330])
def test_a_pause_rests_on_the_path_and_resume_ends_at_the_goal(run: GoalRun, steps: int) -> None:
    whole = run.generator.plan(FAR, run.planner.reference())
    run.planner.submit(FAR)
    run.step(steps)
    assert run.planner.submit(PauseCommand()).accepted
    run.step(400)
    assert np.array_equal(run.rows[-1], run.rows[-2])
    # From rest the joints of a goal go along a straight line.
    line = whole.position[-1] - whole.position[0]
    for row in run.positions:
        share = (row - whole.position[0]) @ line / (line @ line)
        assert np.allclose(row, whole.position[0] + share * line, atol=1e-9)
    assert run.planner.submit(ResumeCommand()).accepted
    run.finish()
    run.check_limits()
    assert np.array_equal(run.rows[-1], whole.position[-1])
    assert run.states(1)[-1] == 'reached'


def test_resume_before_the_robot_rests_goes_on_afterwards(run: GoalRun) -> None:
    run.planner.submit(FAR)
    run.step(120)
    run.planner.submit(PauseCommand())
    run.step(4)
    run.planner.submit(ResumeCommand())
    run.finish()
    run.check_limits()
    assert run.rows[-1][0] == 1.0


def test_a_cancelled_goal_is_given_up_where_it_comes_to_rest(run: GoalRun) -> None:
    run.planner.submit(FAR)
    run.step(120)
    run.planner.submit(CancelCommand())
    run.finish()
    run.check_limits()
    assert run.states(1) == ['active', 'cancelled']
    assert 0.1 < run.rows[-1][0] < 0.9
    refused = run.planner.submit(ResumeCommand())
    assert (refused.accepted, refused.reason) == (False, 'no motion is paused')


def test_after_a_reaction_the_last_goal_is_planned_again(run: GoalRun) -> None:
    run.planner.submit(FAR)
    run.step(100)
    elsewhere = run.model.home + 0.1
    assert run.planner.restart(JointState(elsewhere, np.zeros(run.model.n)))
    assert np.array_equal(run.planner.expected.position, elsewhere)
    run.step(2000)
    assert run.rows[-1][0] == 1.0
    run.planner.submit(JogGoal(joints={'joint_1': 0.2}))
    run.planner.restart(JointState(elsewhere, np.zeros(run.model.n)))
    run.step(10)
    assert np.array_equal(run.rows[-1], elsewhere), 'nobody asked for a jog again'


def test_a_motion_planned_ahead_begins_at_its_step(run: GoalRun) -> None:
    run.planner.submit(FAR)
    run.step(100)
    planned = run.planner.plan(BACK, run.planner.reference(20))
    run.planner.splice(run.planner.count + 20, BACK, planned)
    run.finish()
    run.check_limits()
    active = next(change for change in run.planner.changes() if change.id == 2)
    assert (active.step, active.state) == (120, 'active')
    assert run.rows[-1][0] == -0.5


def test_an_interrupted_goal_is_aborted_once(run: GoalRun) -> None:
    run.planner.submit(FAR)
    run.step(10)
    run.planner.interrupt('the robot was stopped')
    run.planner.interrupt('the robot was stopped')
    assert run.states(1) == ['active', 'aborted']


ALL: tuple[AnyGoal, ...] = (
    JointsGoal(positions={'joint_1': 0.4}, at=0.1),
    PoseGoal(position=PLACE, at=0.4),
    PauseCommand(at=0.6),
    PoseGoal(position=(5.0, 0.0, 0.0), at=0.7),
    ResumeCommand(at=1.2),
    PoseGoal(position=(0.35, -0.1, 0.4), straight=True, at=1.5),
    TrajectoryGoal(joints=('joint_6',), points=(TrajectoryPoint(positions=(0.4,)),), at=4.0),
    JogGoal(linear=(0.0, 0.0, -0.1), at=5.5),
    NamedGoal(name='home', at=6.5),
)


def test_a_list_is_forecast_and_then_goes_as_forecast(run: GoalRun) -> None:
    rest = JointState(run.model.home, np.zeros(run.model.n))
    run.planner = GoalPlanner(Stay(rest), run.generator, ALL)
    foreseen = forecast(run.planner)
    assert (run.planner.count, run.planner.changes()) == (0, ())
    states = [outcome.state for outcome in foreseen.outcomes]
    assert states == [
        *('replaced', 'replaced', 'done', 'refused', 'done'),
        *('reached', 'reached', 'reached', 'reached'),
    ]
    assert foreseen.outcomes[3].reason.startswith('out of reach')
    run.finish()
    run.check_limits()
    assert foreseen.duration == pytest.approx((run.planner.count - 5) * H)
    assert np.array_equal(run.rows[-1], run.model.home)
    assert np.array_equal(foreseen.position, run.model.home)


def test_after_restore_the_same_list_gives_the_same_setpoints(run: GoalRun) -> None:
    rest = JointState(run.model.home, np.zeros(run.model.n))
    run.planner = GoalPlanner(Stay(rest), run.generator, ALL)
    run.step(160)
    before = run.planner.snapshot()
    run.step(600)
    run.planner.restore(before)
    run.step(600)
    assert np.array_equal(run.positions[-600:], run.positions[-1200:-600])


def test_the_tip_goes_straight_and_keeps_its_orientation(run: GoalRun) -> None:
    run.planner.submit(BACK)
    run.step(120)
    run.planner.submit(PoseGoal(position=PLACE, straight=True))
    run.finish()
    run.check_limits()
    model = run.model
    poses = [model.frame_poses(row, model.tips)[0] for row in run.rows[::10]]
    assert np.allclose(poses[-1].translation, PLACE, atol=1e-6)
    speeds = np.linalg.norm(np.diff(run.positions, axis=0), axis=1)
    rests = np.flatnonzero(speeds[130:] < 1e-9)[0] + 130
    (first,) = model.frame_poses(run.rows[rests], model.tips)
    line = np.array(PLACE) - first.translation
    for row in run.rows[rests::5]:
        (pose,) = model.frame_poses(row, model.tips)
        assert np.linalg.norm(np.cross(pose.translation - first.translation, line)) < 1e-6
        assert np.linalg.norm(pin.log3(first.rotation.T @ pose.rotation)) < 1e-6
    tips = np.array([model.tip_positions(row)[0] for row in run.rows[rests:]])
    assert np.linalg.norm(np.diff(tips, axis=0), axis=1).max() <= 0.25 * H * (1.0 + 1e-6)


def test_a_snapshot_is_a_value(run: GoalRun) -> None:
    run.planner.submit(FAR)
    snapshot = run.planner.snapshot()
    assert isinstance(snapshot, msgspec.Struct)
    run.step(50)
    assert snapshot.row == 0
