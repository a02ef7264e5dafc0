"""``simloop excite``: a motion from which a robot can be identified."""

from __future__ import annotations

import argparse
import json
from typing import Any

import msgspec
import numpy as np
from rich.console import Console
import yaml

from ..core.errors import ConfigError
from ..goals.goal import TrajectoryGoal, TrajectoryPoint
from ..identification.excitation import POINT_SPACING, Excitation, exciting_motion
from ..logs.robots import named_robot
from ..record.folder import make_folder, write_keeping, write_text
from ..report.progress import progress_bar
from ..robot.config import RobotConfig
from ..robot.fit_robot import load_fit_robot
from ..scenario.loading import load_scenario

BEGIN = 0.1
"""Time at which the motion begins [s]."""
MARGIN = 1.2
"""Factor by which the limits of the goal are above what the motion needs between its points."""
SHORTEST = 5.0
"""Shortest motion [s]."""
DIGITS = 6
"""Digits of the positions in the file."""


def call(options: argparse.Namespace) -> int:
    """Search a motion, write it as a scenario and print what it is like."""
    if bool(options.scenario) == bool(options.robot):
        raise ConfigError('name a scenario, or give --robot; one of them')
    if not options.duration >= SHORTEST:
        raise ConfigError(f'--duration: {options.duration:g} s; {SHORTEST:g} s at least')
    if not 0.0 < options.speed <= 1.0:
        raise ConfigError(f'--speed: {options.speed:g}; a share above 0, up to 1')
    config = load_scenario(options.scenario, []).robot if options.scenario else None
    config = config or named_robot(options.robot)
    make_folder(options.out.parent)
    with progress_bar(Console(stderr=True)) as bar:
        task = bar.add_task('searching', total=1.0, factor='')
        found = exciting_motion(
            load_fit_robot(config),
            options.duration,
            options.speed,
            np.random.default_rng(options.seed),
            lambda share: bar.update(task, completed=share),
        )
    names = load_fit_robot(config).joint_names
    write_keeping(options.out, scenario_text(config, names, found))
    figures = {
        'condition': found.condition,
        'speed': found.speed,
        'speed_share': found.speed_share,
        'effort_share': found.effort_share,
        'duration': options.duration,
    }
    if options.json is not None:
        write_text(options.json, json.dumps(figures, indent=2) + '\n')
    print(
        f'condition number {found.condition:.3g}, largest speed {found.speed:.3g} rad/s '
        f'({100.0 * found.speed_share:.0f} % of a limit), largest effort '
        f'{100.0 * found.effort_share:.0f} % of a limit by the model'
    )
    print('clear of itself; what stands around the robot is not known here: look first')
    print(f'scenario {options.out}')
    return 0


def scenario_text(config: RobotConfig, joints: tuple[str, ...], found: Excitation) -> str:
    """Return the motion as a scenario with one goal."""
    motion = found.motion
    steps = round(motion.duration / POINT_SPACING)
    time = np.linspace(0.0, motion.duration, steps + 1)
    q = motion.positions(time)
    q[-1] = motion.home
    points = tuple(
        TrajectoryPoint(
            time=round(float(t), DIGITS), positions=tuple(np.round(row, DIGITS).tolist())
        )
        for t, row in zip(time[1:], q[1:], strict=True)
    )
    _, v, a = motion.motion(0.01)
    jerk = np.abs(np.diff(a, axis=0)).max() / 0.01
    goal = TrajectoryGoal(at=BEGIN, joints=joints, points=points)
    scenario: dict[str, Any] = {
        'description': f'a motion to identify {joints[0]} and others (simloop excite)',
        'robot': _without_defaults(config),
        'planner': {'kind': 'hold'},
        'duration': round(BEGIN + motion.duration + 0.5, 3),
        'goal_limits': {
            'velocity_share': 1.0,
            'velocity': round(MARGIN * float(np.abs(v).max()), 3),
            'acceleration': round(MARGIN * float(np.abs(a).max()), 3),
            'jerk': round(2.0 * MARGIN * float(jerk), 3),
        },
        'goals': [{'do': 'trajectory', **msgspec.to_builtins(goal)}],
    }
    return yaml.safe_dump(scenario, sort_keys=False, default_flow_style=None, width=120)


def _without_defaults(config: RobotConfig) -> dict[str, Any]:
    default = msgspec.to_builtins(RobotConfig(urdf=''))
    raw = msgspec.to_builtins(config)
    return {key: value for key, value in raw.items() if value != default[key]}
