"""Teach and repeat: a path that a hand led, and an edited pose: how near does the robot come?

    python benchmarks/teach_and_repeat.py

Runs ``lwr_teach``, makes tasks of what was led, plays them on robots that are as heavy as their
model and 10 % heavier, and prints the table of ``docs/teach.md``. The distance of two paths is
geometric: of every point of one from the nearest place on the other, both ways, of the true tip.
The exit status is 1 if a limit is exceeded.
"""

from __future__ import annotations

from pathlib import Path
import tempfile
from typing import NamedTuple

import msgspec
import numpy as np

from simloop_ros import assemble, columns_of, load_scenario
from simloop_ros.assembly.assemble import Assembly
from simloop_ros.core.values import Array
from simloop_ros.planning.planner import Planner
from simloop_ros.robot.model import RobotModel
from simloop_ros.teaching.config import TeachConfig
from simloop_ros.teaching.nearness import tip_distance
from simloop_ros.teaching.planner import TaskPlanner
from simloop_ros.teaching.rests import rest_poses
from simloop_ros.teaching.smoothing import TaughtPath, taught_path
from simloop_ros.teaching.task import Task, TipPose, kept_path, kept_pose, new_task
from simloop_ros.teaching.task_file import task_text

PATH_LIMIT, POSE_LIMIT = 2e-3, 1e-3
"""Largest distances that are allowed, of the path and of an edited pose [m]."""
EDIT = np.array([0.0, 0.03, -0.02])
"""By which a pose is moved in its file [m]."""
NOISE = 'plant.noise=1e-5'


class Led(NamedTuple):
    """A robot that was led.

    :ivar time: [s], shape ``(m,)``.
    :ivar measured: joints [rad], shape ``(m, n)``; ``true`` likewise.
    """

    model: RobotModel
    time: Array
    measured: Array
    true: Array


class Played(NamedTuple):
    """A task that was played.

    :ivar true: joints from the first point on [rad], shape ``(m, n)``.
    :ivar poses: the same where kept poses are passed, by their index, shape ``(n,)`` each.
    """

    true: Array
    poses: dict[int, Array]


def lead(*settings: str) -> Led:
    """Let the simulated hand lead the LWR."""
    assembly, columns, _ = _run('lwr_teach', *settings)
    count, period = assembly.facts.steps, assembly.facts.scenario.period
    time = period * np.arange(1, count + 1)
    model = assembly.facts.model
    return Led(model, time, columns['measured_position'], columns['true_position'])


def play(task: Task, model: RobotModel, *settings: str) -> Played:
    """Play a task, as its file says it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / 'task.yaml'
        path.write_text(task_text(task, model, path.parent))
        _, columns, planner = _run('lwr_repeat', f'planner.file={path}', *settings)
    assert isinstance(planner, TaskPlanner)
    true = columns['true_position']
    passings = planner.passings(len(true))
    plan = planner.plan
    under_way = (plan.legs > 0) | (plan.shares > 0.0)
    first = int(np.argmax(under_way)) if under_way.any() else 0
    return Played(true[max(0, first - 1) :], {point: true[step] for step, point, _ in passings})


def _run(name: str, *settings: str) -> tuple[Assembly, dict[str, Array], Planner]:
    assembly = assemble(load_scenario(name, settings))
    records = []
    assembly.loop.run(assembly.facts.steps, records.append)
    assembly.loop.plant.close()
    return assembly, columns_of(records), assembly.loop.planner


def path_task(led: Led) -> tuple[TaughtPath, Task]:
    """Return the path that was led, and the task that repeats it."""
    path = taught_path(led.model, led.time, led.measured, TeachConfig().tolerance)
    return path, new_task(led.model, (kept_path(path.rows, 'path 1'),))


def path_distance(led: Led, path: TaughtPath, played: Played) -> float:
    """Return the distance of the led and the replayed path of the tip [m], both ways."""
    moving = led.true[(led.time >= path.begin) & (led.time <= path.end)]
    ways = ((moving, played.true), (played.true, moving))
    return max(tip_distance(led.model, points, other) for points, other in ways)


def edited_task(led: Led) -> tuple[Task, Array]:
    """Return the poses at which the robot rested, the second one edited, and its place [m]."""
    config = TeachConfig()
    rests = rest_poses(led.model, led.time, led.measured, config.rest, config.tolerance)
    points = [kept_pose(led.model, rest.position, f'pose {i}') for i, rest in enumerate(rests, 1)]
    (place,) = led.model.tip_positions(rests[1].position)
    goal = np.round(place + EDIT, 3)
    points[1] = msgspec.structs.replace(
        points[1], joints=None, tip=TipPose(position=tuple(goal.tolist())), wait=0.2
    )
    return new_task(led.model, tuple(points)), goal


def main() -> int:
    """Print the table."""
    exceeded = False
    print('led             played        path, largest [mm]  edited pose [mm]')
    for noise, led_as in (((), 'exact'), ((NOISE,), 'noise 1e-5 rad')):
        led = lead(*noise)
        path, task = path_task(led)
        edited, goal = edited_task(led)
        for bias in (0.0, 0.1):
            settings = (f'plant.mass_bias={bias}', *noise)
            apart = path_distance(led, path, play(task, led.model, *settings))
            pose = play(edited, led.model, *settings).poses[1]
            off = float(np.linalg.norm(led.model.tip_positions(pose)[0] - goal))
            print(f'{led_as:15} mass +{100 * bias:2.0f} %  {1e3 * apart:12.3f} {1e3 * off:18.3f}')
            exceeded |= apart > PATH_LIMIT or off > POSE_LIMIT
        print(f'  {len(path.rows)} way points, {1e3 * path.deviation:.3f} mm from what was led')
    return 1 if exceeded else 0


if __name__ == '__main__':
    raise SystemExit(main())
