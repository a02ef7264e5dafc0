"""Robots that nobody here wrote: ``python benchmarks/foreign_robots.py [--quick] [--robot NAME]``.

Panda, UR5 and UR10 of the PyPI package example-robot-data, in MuJoCo, 10 % heavier than their
models, with friction and real encoders. Each is calibrated as docs/collision.md says, reaches a
goal, moves freely for ten minutes, and is pushed, with ``monitor.adapt`` as for a real robot.
Prints a table; the exit status is 1 if a tip is not within 1 mm of its goal, there is a false
alarm, or the push is not found.
"""

from __future__ import annotations

import argparse
from importlib.metadata import files
from pathlib import Path
import tempfile
import time
from typing import Any

import msgspec
import numpy as np

from simloop_ros.assembly.assemble import assemble
from simloop_ros.assembly.plant import build_simulated_robot
from simloop_ros.assembly.run import run
from simloop_ros.calibration.calibrate import calibrate
from simloop_ros.calibration.following import follow
from simloop_ros.calibration.free_motion import random_motion
from simloop_ros.collision.build import build_monitor
from simloop_ros.collision.calibration import load_calibration
from simloop_ros.collision.config import DriftConfig
from simloop_ros.control.control_simulation import ControlSimulation
from simloop_ros.robot.fit_robot import load_fit_robot
from simloop_ros.scenario.loading import load_scenario
from simloop_ros.scenario.scenario import Scenario

UR_HOME = (
    '{shoulder_lift_joint: -1.2, elbow_joint: 1.8, wrist_1_joint: -2.0, wrist_2_joint: -1.57}'
)
ROBOTS = {
    'panda': {
        'urdf': 'panda_description/urdf/panda.urdf',
        'tips': '[panda_hand_tcp]',
        'lock': '[panda_finger_joint1, panda_finger_joint2]',
        'home': '{panda_joint2: -0.5, panda_joint4: -2.2, panda_joint6: 1.8}',
    },
    'ur5': {
        'urdf': 'ur_description/urdf/ur5_robot.urdf',
        'tips': '[tool0]',
        'home': UR_HOME,
    },
    'ur10': {
        'urdf': 'ur_description/urdf/ur10_robot.urdf',
        'tips': '[tool0]',
        'home': UR_HOME,
    },
}
PUSHED = {'panda': 'panda_link4', 'ur5': 'wrist_1_link', 'ur10': 'wrist_1_link'}
"""Link that is pushed, at its origin: where that is on an axis, the joint feels nothing."""
PERIOD = 0.005
MOVE = '[[0, 0.1, 0.1]]'
PLANT = (
    'plant.engine=mujoco',
    'plant.mass_bias=0.1',
    'plant.friction={coulomb: 0.3, viscous: 0.3}',
    'plant.noise=1e-5',
    'plant.resolution=1e-5',
)
FREE, QUICK_FREE = 600.0, 20.0
"""Time of free motion [s]."""
CALIBRATION, QUICK_CALIBRATION = 1200.0, 120.0
"""Time of the motion that is learnt from [s], ``simloop calibrate --duration``."""
PUSH_AT, PUSH_FORCE = 0.5, [10, 15, -20]
"""Begin [s] and force [N] of the push, for 0.4 s: so that it loads more joints than the first."""
ALARM = 0.5
"""Time within which contacts are one alarm [s]."""
AT_GOAL = 1e-3
"""Distance of the tip from its goal that is asked for [m]."""
KIND = 'disturbance_observer'


def settings_of(name: str) -> list[str]:
    """Return the settings of a robot, as a user gives them."""
    robot = ROBOTS[name]
    listed = files('example-robot-data') or []
    urdf = next(str(file.locate()) for file in listed if str(file).endswith(robot['urdf']))
    chosen = [f'robot.{key}={value}' for key, value in {**robot, 'urdf': urdf}.items()]
    return [*chosen, *PLANT, f'period={PERIOD}', f'planner.move={MOVE}']


def false_alarms(scenario: Scenario, path: Path, duration: float) -> list[int]:
    """Return the alarms in free motion that nothing was learnt from: fixed, and adapting."""
    model = load_fit_robot(scenario.robot)
    plant = build_simulated_robot(scenario.plant, model, PERIOD, 7, scenario.safety).plant
    control = ControlSimulation(model, scenario.resolved_control(), PERIOD)
    calibration = load_calibration(path, model, PERIOD)
    monitors = [
        build_monitor(KIND, model, PERIOD, calibration, drift) for drift in (None, DriftConfig())
    ]
    motion = random_motion(model, duration, np.random.default_rng(7))
    alarms, quiet = [0, 0], [0.0, 0.0]
    for row in follow(control, plant, motion, PERIOD, round(duration / PERIOD)):
        for i, monitor in enumerate(monitors):
            if monitor.step(row).verdict == 'contact':
                alarms[i] += row.time > quiet[i]
                quiet[i] = row.time + ALARM
    plant.close()
    return alarms


def summary_of(settings: list[str]) -> dict[str, Any]:
    """Return the summary of a run."""
    with tempfile.TemporaryDirectory() as folder:
        assembly = assemble(load_scenario('step', settings))
        return run(assembly, Path(folder) / 'run', time.perf_counter)


def push_found(name: str, settings: list[str], calibration: Path) -> tuple[float, str]:
    """Return the delay of the alarm after a push [s], NaN if there is none, and the link named."""
    push = f'{{link: {PUSHED[name]}, start: {PUSH_AT}, duration: 0.4, force: {PUSH_FORCE}}}'
    summary = summary_of(
        [
            *settings,
            f'plant.pushes=[{push}]',
            f'monitor.kind={KIND}',
            f'monitor.calibration={calibration}',
            'monitor.adapt=true',
        ]
    )
    events = summary['events']
    found = [event['time'] for event in events if event['kind'] == 'collision']
    links = [event.get('link', '') for event in events if event['kind'] == 'collision_located']
    return (found[0] - PUSH_AT if found else float('nan')), links[0] if links else 'none'


def study(name: str, *, quick: bool) -> tuple[dict[str, str], bool]:
    """Return a row of the table, and whether everything is as asked for."""
    settings = settings_of(name)
    scenario = load_scenario('step', settings)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / 'calibration.yaml'
        learnt = calibrate(scenario, duration=QUICK_CALIBRATION if quick else CALIBRATION)
        path.write_bytes(msgspec.yaml.encode(learnt))
        free = QUICK_FREE if quick else FREE
        alarms = false_alarms(scenario, path, free)
        delay, link = push_found(name, settings, path)
    reached = summary_of(settings)
    error = max(reached['tip_error_end'].values())
    row = {
        'robot': name,
        'tip from its goal [mm]': f'{1e3 * error:.3f}',
        'status': reached['status'],
        'path error rms [mrad]': f'{1e3 * reached["path_error_rms"]:.3f}',
        f'false alarms in {free:g} s, adapting (fixed)': f'{alarms[1]} ({alarms[0]})',
        'push found after [ms]': f'{1e3 * delay:.0f}',
        'at link': f'{link} (pushed: {PUSHED[name]})',
    }
    return row, error < AT_GOAL and not alarms[1] and 0.0 <= delay < 0.4


def main() -> int:
    """Study every robot and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--quick', action='store_true', help='short motions: does it run at all?')
    parser.add_argument('--robot', choices=ROBOTS, action='append', help='only this one')
    options = parser.parse_args()
    right = True
    for i, name in enumerate(options.robot or ROBOTS):
        row, fine = study(name, quick=options.quick)
        if i == 0:
            print(f'| {" | ".join(row)} |\n|{"---|" * len(row)}')
        print(f'| {" | ".join(row.values())} |', flush=True)
        right = right and fine
    return 0 if right else 1


if __name__ == '__main__':
    raise SystemExit(main())
