"""The path generator: point to point, continuous paths and jogs, of one arm and of the object."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import msgspec
import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.bimanual.config import BimanualConfig
from simloop_ros.bimanual.plan import BimanualPlan, plan_bimanual
from simloop_ros.bimanual.task_config import GraspTask, JogTask, MoveTask, ReachTask
from simloop_ros.core.errors import GoalError, UnknownNameError
from simloop_ros.core.values import Array, JointState
from simloop_ros.robot.config import RobotConfig
from simloop_ros.robot.loading import load_robot
from simloop_ros.robot.model import RobotModel

H = 4e-3
ON_THE_WAY = 1e-9  # of a tip from its place, as asked for [m, rad]

Configured = Callable[..., BimanualConfig]


def planned(model: RobotModel, config: BimanualConfig) -> BimanualPlan:
    return plan_bimanual(config, model, H, JointState(model.home, np.zeros(model.n)))


def hands(model: RobotModel, q: Array) -> list[pin.SE3]:
    return model.frame_poses(q, model.tips)


def quintic(steps: int) -> Array:
    """Return the share of a way from rest to rest that is done, by step, from 0 on."""
    u = np.arange(steps + 1) / steps
    return 10.0 * u**3 - 15.0 * u**4 + 6.0 * u**5


def away(model: RobotModel) -> tuple[Array, Array, tuple[float, float, float]]:
    """Return a point on the way, and a pose, of the first hand: outwards, upwards and turned."""
    here = hands(model, model.home)[0]
    aside, up = np.array([0.0, 0.06, 0.0]), np.array([-0.02, 0.0, 0.05])
    turned = pin.exp3(np.array([0.0, 0.2, 0.1])) @ here.rotation
    roll, pitch, yaw = pin.rpy.matrixToRpy(turned)
    return here.translation + aside, here.translation + aside + up, (roll, pitch, yaw)


@pytest.mark.parametrize('path', ['ptp', 'cp', 'through'])
def test_a_hand_reaches_a_pose_and_the_other_one_rests(
    two_arms: RobotModel, configured: Configured, path: Literal['ptp', 'cp', 'through']
) -> None:
    point, position, rpy = away(two_arms)
    task = ReachTask(
        tip=two_arms.tips[0],
        position=tuple(position),
        rpy=rpy,
        path='ptp' if path == 'ptp' else 'cp',
        through=(tuple(point),) if path == 'through' else (),
        duration=1.0,
    )
    plan = planned(two_arms, configured(two_arms, task))
    assert plan.last == 250
    there = hands(two_arms, plan.joints[-1])[0]
    np.testing.assert_allclose(there.translation, position, atol=ON_THE_WAY)
    np.testing.assert_allclose(there.rotation, pin.rpy.rpyToMatrix(np.array(rpy)), atol=ON_THE_WAY)
    np.testing.assert_array_equal(plan.joints[:, 7:], np.tile(two_arms.home[7:], (251, 1)))
    tips = np.array([hands(two_arms, q)[0].translation for q in plan.joints])
    way = position - tips[0]
    bow = np.linalg.norm(np.cross(tips - tips[0], way / np.linalg.norm(way)), axis=1).max()
    if path == 'ptp':
        share, joints = quintic(250)[:, None], plan.joints
        np.testing.assert_allclose(
            joints, joints[0] + share * (joints[-1] - joints[0]), atol=1e-14
        )
    if path == 'cp':
        assert bow < ON_THE_WAY
    if path == 'through':
        steps = np.linalg.norm(np.diff(tips, axis=0), axis=1)
        distances = np.linalg.norm(tips - point, axis=1)
        passed = int(np.argmin(distances))
        assert distances[passed] <= 0.51 * steps.max()  # between two steps of the plan
        assert steps[passed] > steps.mean()  # it does not stop there
        assert bow > 0.02


@pytest.mark.parametrize('path', ['ptp', 'cp'])
def test_a_reach_without_rpy_keeps_the_orientation(
    workerbot: RobotModel, configured: Configured, path: Literal['ptp', 'cp']
) -> None:
    position = tuple(away(workerbot)[1])
    task = ReachTask(tip='palm_l', position=position, path=path)
    q = planned(workerbot, configured(workerbot, task)).joints
    before, after = (hands(workerbot, row)[0].rotation for row in (q[0], q[-1]))
    np.testing.assert_allclose(after, before, atol=ON_THE_WAY)


def test_a_jog_of_joints_moves_them_and_no_other(
    two_arms: RobotModel, configured: Configured
) -> None:
    tip = two_arms.tips[1]
    own = {two_arms.joint_names[8]: 0.2, two_arms.joint_names[12]: -0.3}
    tasks = (JogTask(tip=tip, by=(0.0, -0.06, 0.0)), JogTask(tip=tip, joints=own, duration=0.8))
    plan = planned(two_arms, configured(two_arms, *tasks))
    joints = plan.joints[plan.ends[0] :]
    expected = np.tile(joints[0], (201, 1))
    for joint, angle in ((8, 0.2), (12, -0.3)):
        expected[:, joint] += quintic(200) * angle
    np.testing.assert_allclose(joints, expected, atol=1e-14)
    rest = np.delete(np.arange(two_arms.n), [8, 12])
    np.testing.assert_array_equal(joints[:, rest], expected[:, rest])


def test_by_joints_a_hand_leaves_a_singular_place(
    workerbot: RobotModel, configured: Configured
) -> None:
    """With a stretched elbow it cannot go straight; bent by itself, or from point to point."""
    _, position, rpy = away(workerbot)
    stretched = (
        JogTask(tip='palm_l', joints={'wb_joint_2_l': -0.8}, duration=2.0),
        JogTask(tip='palm_l', joints={'wb_joint_4_l': -workerbot.home[3]}, duration=2.0),
    )
    bent = JogTask(tip='palm_l', joints={'wb_joint_4_l': -0.5}, duration=2.0)
    back = ReachTask(tip='palm_l', position=tuple(position), rpy=rpy, duration=3.0)
    plan = planned(workerbot, configured(workerbot, *stretched, bent, back))
    assert plan.joints[plan.ends[1], 3] == pytest.approx(0.0, abs=1e-15)
    tip = workerbot.tip_positions(plan.joints[-1])[0]
    np.testing.assert_allclose(tip, position, atol=ON_THE_WAY)
    straight = JogTask(tip='palm_l', by=(0.0, 0.0, 0.01))
    with pytest.raises(GoalError, match=r'task 3 \(jog\): .*(singular|reach|limit)'):
        planned(workerbot, configured(workerbot, *stretched, straight))


def test_the_object_goes_through_points(two_arms: RobotModel, configured: Configured) -> None:
    """Not stopping there, from rest to rest, turned evenly, in the hands all along."""
    points, by, turn = ((0.0, 0.0, 0.06), (0.06, 0.02, 0.08)), (0.09, 0.0, 0.02), (0.0, 0.0, 0.3)
    task = MoveTask(by=by, turn=turn, through=points, duration=2.0)
    plan = planned(two_arms, configured(two_arms, GraspTask(press=0.002), task))
    rows = slice(int(plan.ends[0]), plan.last + 1)
    way = plan.object_position[rows] - plan.object_position[0]
    speed = np.linalg.norm(np.diff(way, axis=0), axis=1) / H
    np.testing.assert_allclose(way[-1], by, atol=1e-15)
    passed = []
    for point in points:
        distances = np.linalg.norm(way - point, axis=1)
        passed.append(int(np.argmin(distances)))
        assert distances[passed[-1]] <= 0.51 * speed.max() * H
        assert speed[passed[-1]] > speed.mean()
    assert passed == sorted(passed)
    assert max(speed[0], speed[-1]) < 1e-3 * speed.max()
    for row, share in zip(range(rows.start, rows.stop, 50), quintic(500)[::50], strict=True):
        np.testing.assert_allclose(
            plan.object_rotation[row], pin.exp3(share * np.array(turn)), atol=1e-14
        )
        object_ = pin.SE3(plan.object_rotation[row], plan.object_position[row])
        left, right = (object_.actInv(hand) for hand in hands(two_arms, plan.joints[row]))
        np.testing.assert_allclose(
            [left.translation, right.translation],
            [[0.0, 0.038, 0.0], [0.0, -0.038, 0.0]],
            atol=ON_THE_WAY,
        )


def test_the_object_can_come_back(workerbot: RobotModel, configured: Configured) -> None:
    """Round through points, with `by` zero."""
    task = MoveTask(through=((0.05, 0.0, 0.05), (0.0, 0.0, 0.1)), duration=2.0)
    plan = planned(workerbot, configured(workerbot, GraspTask(), task))
    np.testing.assert_allclose(plan.object_position[-1], plan.object_position[0], atol=1e-15)
    assert np.ptp(plan.object_position[:, 2]) > 0.1


def test_points_on_a_line_are_the_straight_way(
    workerbot: RobotModel, configured: Configured
) -> None:
    by, on_it = (0.06, 0.0, 0.09), (0.02, 0.0, 0.03)
    plans = [
        planned(workerbot, configured(workerbot, GraspTask(), MoveTask(by=by, through=through)))
        for through in ((), (on_it,))
    ]
    np.testing.assert_allclose(
        plans[0].object_position, plans[1].object_position, rtol=0.0, atol=1e-15
    )


WAIST = """
<link name="floor"/>
<joint name="waist" type="revolute">
  <parent link="floor"/> <child link="wb_torso"/> <axis xyz="0 0 1"/>
  <limit lower="-1" upper="1" velocity="3" effort="1000"/>
</joint>
</robot>"""


@pytest.fixture(scope='module')
def with_waist(workerbot: RobotModel, tmp_path_factory: pytest.TempPathFactory) -> RobotModel:
    """Return the two arms on a waist, which moves both."""
    file = tmp_path_factory.mktemp('waist') / 'waist.urdf'
    file.write_text(workerbot.urdf.replace('</robot>', WAIST))
    home = dict(zip(workerbot.joint_names, workerbot.home.tolist(), strict=True))
    return load_robot(RobotConfig(urdf=str(file), tips=workerbot.tips, home=home))


def test_a_waist_does_not_take_the_other_hand_along(
    with_waist: RobotModel, configured: Configured
) -> None:
    """It is not jogged, nor turned from point to point; on a straight way the arms make up."""
    point, position, rpy = away(with_waist)
    with pytest.raises(UnknownNameError, match=r"unknown joint of palm_l in task 1 .*'waist'"):
        planned(with_waist, configured(with_waist, JogTask(tip='palm_l', joints={'waist': 0.1})))
    reach = ReachTask(tip='palm_l', position=tuple(position), rpy=rpy)
    with pytest.raises(GoalError, match=r'waist would have to move, and the other .* path: cp'):
        planned(with_waist, configured(with_waist, reach))
    straight = msgspec.structs.replace(reach, path='cp', through=(tuple(point),))
    plan = planned(with_waist, configured(with_waist, straight))
    assert np.ptp(plan.joints[:, 0]) > 1e-3
    (left, right), (_, rests) = (hands(with_waist, plan.joints[row]) for row in (-1, 0))
    np.testing.assert_allclose(left.translation, position, atol=ON_THE_WAY)
    assert rests.isApprox(right, ON_THE_WAY)
