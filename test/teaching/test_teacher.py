"""What is kept while a robot runs, and what a push corrects."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import numpy as np
import pytest
from teach_and_repeat import Led

from simloop_ros.assembly.assemble import assemble
from simloop_ros.core.errors import ConfigError
from simloop_ros.core.values import Array
from simloop_ros.planning.config import TaskConfig
from simloop_ros.record.columns import columns_of
from simloop_ros.robot.model import RobotModel
from simloop_ros.scenario.loading import load_scenario
from simloop_ros.teaching.config import TeachConfig
from simloop_ros.teaching.correction import corrected_task, nearest_pose
from simloop_ros.teaching.legs import task_joints
from simloop_ros.teaching.planner import TaskPlanner, plan_task
from simloop_ros.teaching.task import Task, kept_path, new_task
from simloop_ros.teaching.teacher import Teacher

CONFIG = TeachConfig()


def test_poses_and_a_path_make_a_task(led: Led, lwr: RobotModel) -> None:
    teacher = Teacher(lwr, CONFIG)
    teacher.take(0.0, led.measured[0])
    assert teacher.keep() == 'kept pose 1'
    teacher.begin_path()
    assert teacher.recording
    for time, q in zip(led.time[:2000], led.measured[:2000], strict=True):
        teacher.take(time, q)
    assert 'way points' in teacher.end_path(teacher.recorded_path())
    assert not teacher.recording
    teacher.keep()
    names = [point.name for point in teacher.task().points]
    assert names == ['pose 1', 'path 1', 'pose 2']
    joints = task_joints(teacher.task(), lwr)
    np.testing.assert_allclose(joints[0][0], led.measured[0], atol=1e-6)
    np.testing.assert_allclose(joints[2][0], led.measured[1999], atol=1e-6)


def test_what_cannot_be_done_is_refused_and_changes_nothing(lwr: RobotModel, task: Task) -> None:
    teacher = Teacher(lwr, CONFIG)
    for call, message in (
        (teacher.keep, 'no joint state'),
        (teacher.task, 'nothing was kept'),
        (teacher.recorded_path, 'no path is recorded'),
    ):
        with pytest.raises(ConfigError, match=message):
            call()
    teacher.begin_path()
    with pytest.raises(ConfigError, match='recorded already'):
        teacher.begin_path()
    teacher.take(0.0, lwr.home)
    with pytest.raises(ConfigError, match='did not move'):
        teacher.recorded_path()
    assert teacher.recording
    with pytest.raises(ConfigError, match='a task is played'):
        Teacher(lwr, CONFIG, task).begin_path()


def test_while_a_task_is_played_the_nearest_pose_is_replaced(
    task: Task, poses: Array, lwr: RobotModel
) -> None:
    teacher = Teacher(lwr, CONFIG, task)
    pushed = poses[1] + 0.02
    teacher.take(0.0, pushed)
    assert 'point 2 (pose 2) moved by' in teacher.keep()
    corrected = task_joints(teacher.task(), lwr)
    np.testing.assert_allclose(np.vstack(corrected), [poses[0], pushed, poses[2]], atol=1e-6)


def test_a_task_of_paths_has_no_pose_to_correct(poses: Array, lwr: RobotModel) -> None:
    with pytest.raises(ConfigError, match='no pose to correct'):
        nearest_pose(new_task(lwr, (kept_path(poses, 'path'),)), lwr, poses[0])


def test_a_teacher_can_be_saved_and_restored(poses: Array, lwr: RobotModel) -> None:
    teacher = Teacher(lwr, CONFIG)

    def show() -> tuple[Task, Array]:
        teacher.take(1.0, poses[1])
        teacher.keep()
        teacher.take(2.0, poses[2])
        return teacher.task(), teacher.recorded_path().rows

    teacher.take(0.0, poses[0])
    teacher.keep()
    teacher.begin_path()
    for i, share in enumerate(np.linspace(0.0, 1.0, 20)):
        teacher.take(0.02 * i, poses[0] + share * (poses[1] - poses[0]))
    before = teacher.snapshot()
    first = show()
    teacher.restore(before)
    again = show()
    assert first[0] == again[0]
    np.testing.assert_array_equal(first[1], again[1])


# Correction by pushing, in a run


def pushed_run(
    task: Task, file: str, lwr: RobotModel, force: float
) -> tuple[TaskPlanner, dict[str, Array], int]:
    """Play a task while a hand pushes at its second pose; return planner, log and that step."""
    period = 0.005
    planner = plan_task(task, TaskConfig(file='-'), lwr, period, lwr.home).planner
    step = {point: step for step, point, _ in planner.passings(10**6)}[1]
    at = step * period
    push = f'{{link: flange, start: {at - 0.8}, duration: 0.9, force: [0, 0, {force}]}}'
    settings = [
        f'planner.file={file}',
        f'period={period}',
        'admittance.source=truth',
        'admittance.stuck_time=1000',
        'admittance.stiffness_time=0.1',
        'admittance.stiffness=200',
        f'plant.pushes=[{push}]',
    ]
    assembly = assemble(load_scenario('lwr_repeat', settings))
    records = []
    assembly.loop.run(assembly.facts.steps, records.append)
    return planner, columns_of(records), step


def test_a_pose_is_corrected_by_pushing_the_robot(
    task: Task, poses: Array, lwr: RobotModel, written: Callable[[Task], str]
) -> None:
    points = [msgspec.structs.replace(p, wait=1.0) for p in task.points]
    waiting = msgspec.structs.replace(task, points=tuple(points), speed=0.3)
    planner, log, step = pushed_run(waiting, written(waiting), lwr, 20.0)
    desired, measured = log['desired_position'], log['measured_position']
    touched = (np.abs(log['external_torque']) > 0.5).any(axis=1)
    found = corrected_task(waiting, lwr, planner, desired, measured, touched, 2e-3)
    assert set(found.moved) == {1}
    moved = task_joints(found.task, lwr)
    np.testing.assert_allclose(moved[1][0], log['measured_position'][step], atol=1e-6)
    assert found.moved[1] > 5e-3
    up = lwr.tip_positions(moved[1][0])[0] - lwr.tip_positions(poses[1])[0]
    assert up[2] > 5e-3
    np.testing.assert_array_equal(moved[0][0], poses[0])
    assert found.task.points[1].wait == 1.0
    # A robot that nobody touches is on its way back: that is no correction.
    alone = np.zeros_like(touched)
    assert not corrected_task(waiting, lwr, planner, desired, measured, alone, 2e-3).moved
