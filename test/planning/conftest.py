"""Robots for the planners' tests: the shipped ones, and an arm with a joint that soon ends."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from simloop_ros.core.values import JointState
from simloop_ros.planning.config import OnlineConfig
from simloop_ros.planning.forced_simulation import ForcedSimulation
from simloop_ros.robot.config import RobotConfig
from simloop_ros.robot.loading import load_robot
from simloop_ros.robot.model import RobotModel


def _planar(shoulder_end: float) -> str:
    """Return three links of 0.5 m in the plane, whose first joint ends at ``shoulder_end``."""
    links, parent, x = ['<link name="base"/>'], 'base', 0.0
    for i, upper in enumerate((shoulder_end, 2.5, 2.5), 1):
        links.append(
            f"""<link name="link{i}"><inertial><origin xyz="0.25 0 0"/><mass value="1"/>
              <inertia ixx="0.01" iyy="0.03" izz="0.03" ixy="0" ixz="0" iyz="0"/>
            </inertial></link>
            <joint name="joint{i}" type="revolute"><origin xyz="{x} 0 0"/>
              <parent link="{parent}"/><child link="link{i}"/><axis xyz="0 0 1"/>
              <limit lower="-2.5" upper="{upper}" effort="50" velocity="2"/></joint>"""
        )
        parent, x = f'link{i}', 0.5
    links.append(
        """<link name="tip"/><joint name="mount" type="fixed"><origin xyz="0.5 0 0"/>
        <parent link="link3"/><child link="tip"/></joint>"""
    )
    return f'<robot name="planar">{"".join(links)}</robot>'


@pytest.fixture(scope='session')
def planar(tmp_path_factory: pytest.TempPathFactory) -> Callable[[float], RobotModel]:
    """Return the maker of a redundant arm in the horizontal plane, by the end of its shoulder."""
    folder: Path = tmp_path_factory.mktemp('urdf')

    def make(shoulder_end: float) -> RobotModel:
        path = folder / 'planar.urdf'
        path.write_text(_planar(shoulder_end))
        home = {'joint1': 0.2, 'joint2': 0.8, 'joint3': 0.8}
        return load_robot(RobotConfig(urdf=str(path), tips=('tip',), home=home))

    return make


@pytest.fixture(scope='session')
def at_home() -> Callable[[RobotModel], JointState]:
    """Return a robot's home, at rest."""
    return lambda robot: JointState(robot.home, np.zeros(robot.n))


@pytest.fixture(scope='session')
def forced() -> Callable[..., ForcedSimulation]:
    """Return the maker of a planner's simulation from home by ``move`` [m], a row per tip."""

    def make(
        robot: RobotModel, move: list[list[float]], period: float = 0.005, **config: float
    ) -> ForcedSimulation:
        goals = robot.tip_positions(robot.home) + np.array(move)
        return ForcedSimulation(robot, OnlineConfig(**config), period, goals)

    return make
