"""``simloop teach``: a task from what a hand showed, in a run or live."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import msgspec
import numpy as np

from ..assembly.assemble import count_steps
from ..assembly.motion import MotionSettings, build_motion
from ..core.errors import ConfigError
from ..planning.config import TaskConfig
from ..record.folder import make_folder, write_keeping
from ..record.recording import Recording, read_recording, recorded_robot, recorded_summary
from ..robot.fit_robot import load_fit_robot
from ..robot.model import RobotModel
from ..scenario.robot_files import is_robot_or_scenario_file, robot_config
from ..scenario.scenario import Scenario
from ..scenario.shipped import task_names
from ..teaching.config import TeachConfig
from ..teaching.correction import CorrectedTask, corrected_task
from ..teaching.legs import task_legs
from ..teaching.planner import TaskPlanner
from ..teaching.rests import rest_poses
from ..teaching.smoothing import taught_path
from ..teaching.task import Task, TaskPoint, kept_path, kept_pose, new_task
from ..teaching.task_file import find_task, load_task, task_text
from .teach_live import teach_live

LED = 'measured_position'
"""Column of the log that was led: what a real robot knows of itself."""
DEAD_ZONE = 0.5
"""External torque beyond which a hand touches a robot whose dead zone is that of its calibration
[N m]."""


def call(options: argparse.Namespace) -> int:
    """Write a task from a run, correct one by a run, or teach live."""
    _refuse(options)
    if options.live:
        return teach_live(options.namespace)
    recording = read_recording(options.run, LED)
    robot = robot_config(options.robot) if options.robot else recorded_robot(options.run)
    model = load_fit_robot(robot)
    if options.correct:
        return _correct(options, recording, model)
    points = tuple(_points(options, recording, model))
    _write(new_task(model, points), model, options.out or Path(TeachConfig().out))
    return 0


def _refuse(options: argparse.Namespace) -> None:
    """Raise ConfigError for arguments that contradict each other, or are not valid."""
    if (options.run is None) != options.live:
        raise ConfigError(
            'name the folder of a run, or add --live; one of them (see simloop teach --help)'
        )
    ways = {'--poses': options.poses, '--keep': options.keep, '--correct': options.correct}
    given = [name for name, value in ways.items() if value]
    if len(given) > 1 or (given and options.live):
        others = given[1:] or ['--live']
        raise ConfigError(f'{given[0]}: not together with {others[0]}; leave one of them out')
    if options.out is not None and not is_robot_or_scenario_file(str(options.out)):
        raise ConfigError(f'--out: {options.out} given; a YAML file is needed, as task.yaml')
    for name in ('tolerance', 'rest'):
        value = getattr(options, name)
        if not 0.0 < value < np.inf:
            raise ConfigError(f'--{name}: {value:g} is not a positive number')


def _points(
    options: argparse.Namespace, recording: Recording, model: RobotModel
) -> Iterator[TaskPoint]:
    """Yield what was shown, and print it."""
    time, positions = recording.time, recording.columns(model.joint_names)
    if options.keep:
        for i, at in enumerate(_times(options.keep, recording), 1):
            q = np.array([np.interp(at, time, column) for column in positions.T])
            print(f'pose {i}: at {at:g} s')
            yield kept_pose(model, q, f'pose {i}')
        return
    if options.poses:
        rests = rest_poses(model, time, positions, options.rest, options.tolerance)
        if not rests:
            raise ConfigError(
                f'{options.run}: the robot never rested for {options.rest:g} s; lower --rest, '
                'name times with --keep, or leave --poses out to take the path'
            )
        for i, rest in enumerate(rests, 1):
            print(f'pose {i}: rest from {rest.begin:.2f} to {rest.end:.2f} s')
            yield kept_pose(model, rest.position, f'pose {i}')
        return
    path = taught_path(model, time, positions, options.tolerance)
    print(
        f'path: led from {path.begin:.2f} to {path.end:.2f} s, {len(path.rows)} way points, at '
        f'most {1e3 * path.deviation:.2f} mm from what was led'
    )
    yield kept_path(path.rows, 'path 1')


def _times(text: str, recording: Recording) -> list[float]:
    """Return the times of ``--keep`` [s]."""
    begin, end = float(recording.time[0]), float(recording.time[-1])
    times = []
    for word in text.split(','):
        try:
            at = float(word)
        except ValueError:
            at = np.nan
        if not begin <= at <= end:
            raise ConfigError(
                f'--keep: {word.strip()!r} given; times of the run are needed, {begin:g} to '
                f'{end:g} s, with commas between them'
            )
        times.append(at)
    return times


def _correct(options: argparse.Namespace, recording: Recording, model: RobotModel) -> int:
    """Take over the poses at which a hand pushed the robot while the task played."""
    task = load_task(options.correct)
    found = _corrected(options, task, recording, model)
    for point, way in sorted(found.moved.items()):
        print(f'{task.label(point)}: moved by {1e3 * way:.1f} mm')
    if not found.moved:
        print(
            f'no pose was pushed by more than {1e3 * options.tolerance:g} mm while it was passed; '
            'nothing is written'
        )
        return 1
    shipped = options.correct in task_names()
    own = Path(f'{options.correct}.yaml') if shipped else find_task(options.correct)
    _write(found.task, model, options.out or own)
    return 0


def _corrected(
    options: argparse.Namespace, task: Task, recording: Recording, model: RobotModel
) -> CorrectedTask:
    summary = recorded_summary(options.run)
    scenario = msgspec.convert(summary['settings'], Scenario)
    if not isinstance(scenario.planner, TaskConfig):
        raise ConfigError(f'{options.run}: no task was played, planner.kind was not task')
    played = find_task(scenario.planner.file)
    if played.resolve() != find_task(options.correct).resolve():
        raise ConfigError(f'{options.run}: the task {played} was played, not {options.correct}')
    if not scenario.admittance.guides:
        raise ConfigError(
            f'{options.run}: the robot did not yield to a hand, admittance.source was none'
        )
    if 'late_share' in summary:
        raise ConfigError(
            f'{options.run}: in real time the moments at which poses were passed are not known; '
            'keep them while it plays: simloop teach --live'
        )
    reacts = set(scenario.monitor.reactions) != {'none'}
    if reacts and any(event['kind'] == 'collision' for event in summary['events']):
        raise ConfigError(
            f'{options.run}: a contact interrupted the task; play it with monitor.reaction=none'
        )
    motion = build_motion(MotionSettings.of(scenario), model, model.home)
    planner = motion.nominal
    assert isinstance(planner, TaskPlanner)
    steps = count_steps(scenario, motion.duration)
    if summary['status'] != 'interrupted' and steps != summary['steps']:
        raise ConfigError(f'{options.run}: the task was another one then; play it again')
    desired, torque = (
        read_recording(options.run, column).columns(model.joint_names)
        for column in ('desired_position', 'external_torque')
    )
    touched = np.abs(torque).max(axis=1) > (scenario.admittance.dead_zone or DEAD_ZONE)
    measured = recording.columns(model.joint_names)
    return corrected_task(task, model, planner, desired, measured, touched, options.tolerance)


def _write(task: Task, model: RobotModel, path: Path) -> None:
    task_legs(task, model)  # refused now, not when it is played
    make_folder(path.absolute().parent)
    earlier = write_keeping(path, task_text(task, model, path.parent))
    print(f'task: {path}, {len(task.points)} points')
    if earlier is not None:
        print(f'earlier: {earlier} has what was there before')
