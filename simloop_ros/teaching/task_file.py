"""Task files: YAML that a person reads and edits."""

from __future__ import annotations

from collections.abc import Sequence
import json
import os
from pathlib import Path
import re

import numpy as np

from ..core.config_messages import convert
from ..core.errors import ConfigError
from ..core.resources import resource_folder
from ..planning.tip_path import in_words
from ..robot.model import RobotModel
from ..scenario.keys import check_keys, check_leaves
from ..scenario.robot_files import is_robot_or_scenario_file, read_mapping, refuse_name
from ..scenario.shipped import task_names
from .task import DECIMALS, Task, TaskPoint, refuse_task

HEAD = (
    '# A task for simloop, docs/teach.md. Joints in rad or m; a path has them in the order given.'
)
PLAIN = re.compile(r'[A-Za-z][\w.-]*( [\w.-]+)*')
WORDS_OF_YAML = ('true', 'false', 'yes', 'no', 'on', 'off', 'null', 'y', 'n')


def find_task(name: str) -> Path:
    """Return the file of a task, given as a path or by the name of a shipped one.

    :raises ConfigError: there is none.
    """
    if not name:
        raise ConfigError(
            'planner.file: no task given; name a file of simloop teach, or one of '
            f'{", ".join(task_names())}'
        )
    if name in task_names():
        return resource_folder('config') / 'tasks' / f'{name}.yaml'
    if not is_robot_or_scenario_file(name):
        refuse_name('task', name, task_names())
    return Path(name).expanduser()


def load_task(name: str) -> Task:
    """Return a shipped task, or one in a file.

    :raises ConfigError: a name, key or value is not valid.
    """
    path = find_task(name)
    raw = read_mapping(path)
    try:
        check_keys(raw, Task, '')
        check_leaves(raw)
        task = convert(raw, Task, str(path))
        refuse_task(task)
    except ConfigError as error:
        text = str(error)
        raise ConfigError(text if text.startswith(str(path)) else f'{path}: {text}') from error
    return task


def task_text(task: Task, model: RobotModel, folder: Path) -> str:
    """Return a task as YAML, with comments that say where the tips are.

    :param folder: where it will be: its first line says where editors find the schema.
    """
    schema = resource_folder('config') / 'schema' / 'task.json'
    places = (str(schema), os.path.relpath(schema, folder.absolute()))
    lines = [
        f'# yaml-language-server: $schema={min(places, key=len)}',
        HEAD,
        f'robot: {_text(task.robot)}',
        f'joints: [{", ".join(map(_text, task.joints))}]',
        f'speed: {task.speed:g}',
        'points:',
    ]
    for point in task.points:
        lines += _point(point, task, model)
    return '\n'.join(lines) + '\n'


def _point(point: TaskPoint, task: Task, model: RobotModel) -> list[str]:
    order = [task.joints.index(joint) for joint in model.joint_names]
    keys: list[str] = [f'name: {_text(point.name)}'] if point.name else []
    comment: list[str] = []
    if point.joints is not None:
        values = (f'{_text(name)}: {_number(value)}' for name, value in point.joints.items())
        keys.append(f'joints: {{{", ".join(values)}}}')
        comment = [_tips([point.joints[joint] for joint in model.joint_names], model)]
    if point.tip is not None:
        pose = point.tip
        parts = [f'position: {_row(pose.position)}']
        parts += [f'rpy: {_row(pose.rpy)}'] if pose.rpy is not None else []
        parts += [f'link: {_text(pose.link)}'] if pose.link is not None else []
        keys.append(f'tip: {{{", ".join(parts)}}}')
    if point.path is not None:
        ends = [[point.path[row][i] for i in order] for row in (0, -1)]
        comment = [f'{_tips(ends[0], model)}, to {_tips(ends[1], model)}']
        keys.append('path:')
        keys += [f'  - {_row(row)}' for row in point.path]
    keys += [f'wait: {point.wait:g}'] if point.wait else []
    keys += [] if point.stop else ['stop: false']
    marks = ['- ', *['  '] * (len(keys) - 1)]
    return [
        *(f'  # {line}' for line in comment if line),
        *(f'  {mark}{key}' for mark, key in zip(marks, keys, strict=True)),
    ]


def _tips(q: Sequence[float], model: RobotModel) -> str:
    places = zip(model.tips, model.tip_positions(np.array(q)), strict=True)
    return ', '.join(f'{tip} at {in_words(place)}' for tip, place in places)


def _row(values: Sequence[float]) -> str:
    return f'[{", ".join(map(_number, values))}]'


def _number(value: float) -> str:
    """Return a number without an exponent, which YAML 1.1 takes for a text."""
    return f'{value:.{DECIMALS}f}'


def _text(text: str) -> str:
    """Return a text as YAML has it: plain where it cannot be taken for anything else."""
    plain = PLAIN.fullmatch(text) and text.lower() not in WORDS_OF_YAML
    return text if plain else json.dumps(text, ensure_ascii=False)
