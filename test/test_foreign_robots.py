"""Robots of others, with nothing but ``--set``: nothing is special to the shipped ones."""

from __future__ import annotations

from importlib.metadata import files
from pathlib import Path
import time

import pytest

from simloop_ros.assembly.assemble import assemble
from simloop_ros.assembly.run import run
from simloop_ros.scenario.loading import load_scenario

ROBOTS = {
    'ur5': {
        'urdf': 'ur_description/urdf/ur5_robot.urdf',
        'tips': '[tool0]',
        'home': '{shoulder_lift_joint: -1.2, elbow_joint: 1.8, wrist_1_joint: -2.0, '
        'wrist_2_joint: -1.57}',
    },
    'xarm7': {
        'urdf': 'xarm_description/urdf/xarm7.urdf',
        'tips': '[link_eef]',
        'home': '{joint2: -0.5, joint4: 1.0, joint6: 1.5}',
    },
    'z1': {
        'urdf': 'z1_description/urdf/z1.urdf',
        'tips': '[gripperMover]',
        'home': '{joint2: 1.5, joint3: -1.0, joint4: -0.5}',
    },
    'kinova': {
        'urdf': 'kinova_description/robots/kinova.urdf',
        'tips': '[j2s6s200_end_effector]',
        'home': '{j2s6s200_joint_2: 2.9, j2s6s200_joint_3: 1.3, j2s6s200_joint_4: 4.2, '
        'j2s6s200_joint_5: 1.4}',
    },
    'panda': {
        'urdf': 'panda_description/urdf/panda.urdf',
        'tips': '[panda_hand_tcp]',
        'lock': '[panda_finger_joint1, panda_finger_joint2]',
        'home': '{panda_joint2: -0.5, panda_joint4: -2.2, panda_joint6: 1.8}',
    },
}
"""Bent postures, from which the tip can go a few centimetres in every direction."""
MOVE = '[[0, 0.05, 0.05]]'
AT_GOAL = 1e-4  # asked for: a tenth of a millimetre
SAG = 1e-4
"""Path error of a robot 10 % heavier [rad]: ``h^2 M^-1 g / 10``. A joint falls freely with up to
20 rad/s^2, so with h = 1/200 s it is 5e-5 rad and somewhat more in the light wrists."""


def settings_of(robot: dict[str, str]) -> list[str]:
    listed = files('example-robot-data') or []
    urdf = next(str(file.locate()) for file in listed if str(file).endswith(robot['urdf']))
    return [f'robot.{key}={value}' for key, value in {**robot, 'urdf': urdf}.items()]


@pytest.mark.parametrize(
    ('name', 'engine'), [*((name, 'pinocchio') for name in ROBOTS), ('panda', 'mujoco')]
)
def test_step(tmp_path: Path, name: str, engine: str) -> None:
    scenario = load_scenario(
        'step',
        [
            *settings_of(ROBOTS[name]),
            f'planner.move={MOVE}',
            f'plant.engine={engine}',
            'plant.mass_bias=0.1',
        ],
    )
    summary = run(assemble(scenario), tmp_path, time.perf_counter)
    assert summary['status'] == 'reached'
    (tip,) = summary['tip_error_end'].values()
    assert tip < AT_GOAL
    assert 0.0 < summary['path_error_rms'] < SAG
    assert summary['effort_limited_steps'] == 0
    assert summary['force_difference_rms'] > 0.0
