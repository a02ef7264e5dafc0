"""Task files: what is written is read again, and what is wrong is refused in words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import numpy as np
import pytest
import yaml

from simloop_ros.core.errors import ConfigError, GoalError
from simloop_ros.core.values import Array
from simloop_ros.robot.model import RobotModel
from simloop_ros.scenario.shipped import task_names
from simloop_ros.teaching.legs import task_joints, task_legs
from simloop_ros.teaching.task import Task, TaskPoint, TipPose, kept_path, new_task
from simloop_ros.teaching.task_file import find_task, load_task

JOINTS = 'lwr_a1_joint, lwr_a2_joint, lwr_e1_joint, lwr_a3_joint, lwr_a4_joint, lwr_a5_joint, '
HEAD = f'robot: lwr\njoints: [{JOINTS}lwr_a6_joint]\npoints: '
ROW = '[0, 0, 0, 0, 0, 0, 0]'


def test_what_is_written_is_read_again(
    task: Task, poses: Array, written: Callable[[Task], str]
) -> None:
    points = (
        msgspec.structs.replace(task.points[0], name='at: the "door"', wait=0.25),
        msgspec.structs.replace(task.points[1], name='yes', stop=False),
        TaskPoint(tip=TipPose(position=(0.5, 0.0, 0.4), rpy=(0.0, 3.0, 0.0), link='flange')),
        kept_path(poses, 'path 1'),
    )
    whole = msgspec.structs.replace(task, points=points, speed=0.25)
    assert load_task(written(whole)) == whole


def test_a_file_tells_a_person_where_the_tip_is(
    task: Task, lwr: RobotModel, poses: Array, written: Callable[[Task], str]
) -> None:
    text = Path(written(task)).read_text()
    place = ', '.join(f'{x:.3f}' for x in lwr.tip_positions(poses[1])[0])
    assert f'# flange at ({place}) m\n  - name: pose 2\n' in text


@pytest.mark.parametrize('name', task_names())
def test_shipped_tasks_are_valid(name: str, lwr: RobotModel) -> None:
    assert task_legs(load_task(name), lwr).legs


@pytest.mark.parametrize(
    ('points', 'message'),
    [
        ('[]', 'points'),
        ('[{}]', 'point 1 has no pose; give one of joints, tip, path'),
        (f'[{{path: [{ROW}, {ROW}], tip: {{position: [0, 0, 0]}}}}]', 'tip and path'),
        (f'[{{name: up, path: [{ROW}]}}]', r'point 1 \(up\): path: 1 way points'),
        (f'[{{path: [{ROW}, [0, 0]]}}]', 'row 2 has 2 numbers, the task 7 joints'),
        ('[{joints: {lwr_a1_joint: 0}}]', 'missing or unknown: lwr_a2_joint'),
        (f'[{{path: [{ROW}, {ROW}], stop: false, wait: 1}}]', 'has wait, and stop: false'),
        ('[{jonts: {}}]', 'did you mean'),
        ('[{wait: -1}]', 'wait'),
        (f'[{{path: [{ROW}, [.nan, 0, 0, 0, 0, 0, 0]]}}]', 'not a finite number'),
    ],
)
def test_what_is_wrong_is_refused_with_the_file(points: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / 'task.yaml'
    path.write_text(HEAD + points)
    with pytest.raises(ConfigError, match=message) as caught:
        load_task(str(path))
    assert str(caught.value).startswith(str(path))
    assert '\n' not in str(caught.value)


@pytest.mark.parametrize(
    ('name', 'message'),
    [
        ('', 'no task given'),
        ('lwr_ld', 'did you mean lwr_led'),
        ('nowhere.yaml', 'cannot be read'),
        ('a/b', 'not a task file'),
    ],
)
def test_a_task_that_is_not_there_is_refused(name: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        load_task(name)


def test_a_shipped_task_is_found_by_its_name() -> None:
    assert yaml.safe_load(find_task('lwr_led').read_text())['robot'] == 'lwr'


@pytest.mark.parametrize(
    ('change', 'message'),
    [({'robot': 'yumi'}, 'for the robot yumi, this one is lwr'), ({'joints': ('a',)}, 'joints a')],
)
def test_a_task_of_another_robot_is_refused(
    task: Task, lwr: RobotModel, change: dict[str, object], message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        task_legs(msgspec.structs.replace(task, **change), lwr)


def test_joints_are_taken_by_name(task: Task, poses: Array, lwr: RobotModel) -> None:
    backwards = tuple(reversed(task.joints))
    point = task.points[1]
    turned = msgspec.structs.replace(
        point, joints={name: point.joints[name] for name in backwards}
    )
    path = kept_path(poses[:, ::-1], 'path')
    other = msgspec.structs.replace(task, joints=backwards, points=(turned, path))
    pose, rows = task_joints(other, lwr)
    np.testing.assert_array_equal(pose, poses[1:2])
    np.testing.assert_array_equal(rows, poses)


def test_a_tip_is_put_where_it_shall_be(task: Task, poses: Array, lwr: RobotModel) -> None:
    """Near the pose before, which gives the attitude where none is given."""
    place = lwr.tip_positions(poses[0])[0] + [0.0, 0.03, 0.02]
    edited = TaskPoint(tip=TipPose(position=tuple(place)))
    first, reached = task_joints(new_task(lwr, (task.points[0], edited)), lwr)
    np.testing.assert_allclose(lwr.tip_positions(reached[0])[0], place, atol=1e-6)
    before, after = (lwr.frame_poses(q[0], ['flange'])[0].rotation for q in (first, reached))
    np.testing.assert_allclose(after, before, atol=1e-6)
    assert np.abs(reached - first).max() < 0.3


@pytest.mark.parametrize(
    ('position', 'message'),
    [((3.0, 0.0, 0.0), r'point 2: .*reach'), ((0.0, 0.0, 0.1), r'point 2: ')],
)
def test_a_tip_out_of_reach_is_refused(
    task: Task, lwr: RobotModel, position: tuple[float, float, float], message: str
) -> None:
    far = TaskPoint(tip=TipPose(position=position))
    with pytest.raises(GoalError, match=message):
        task_legs(new_task(lwr, (task.points[0], far)), lwr)


def test_a_joint_out_of_its_range_is_refused(task: Task, lwr: RobotModel) -> None:
    beyond = {**task.points[1].joints, 'lwr_a2_joint': float(lwr.upper[1]) + 0.01}
    points = (task.points[0], msgspec.structs.replace(task.points[1], joints=beyond))
    with pytest.raises(
        GoalError, match=r'point 2 \(pose 2\): lwr_a2_joint at .* out of its range'
    ):
        task_legs(new_task(lwr, points), lwr)
