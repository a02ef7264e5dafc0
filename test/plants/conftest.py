"""Small robots for the plants' tests, as URDF text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
import importlib.util
from pathlib import Path

import msgspec
import numpy as np
import pytest

from simloop_ros.plants.build import build_plant
from simloop_ros.plants.config import PlantConfig
from simloop_ros.plants.plant import Plant
from simloop_ros.robot.config import FlexibleJointsConfig, RobotConfig
from simloop_ros.robot.loading import load_robot
from simloop_ros.robot.model import RobotModel

BALL = """
<robot name="ball">
  <link name="world"/>
  <link name="ball">
    <inertial><mass value="1"/><inertia ixx="0.004" iyy="0.004" izz="0.004"
      ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><sphere radius="0.1"/></geometry></collision>
  </link>
  <joint name="z" type="prismatic">
    <parent link="world"/><child link="ball"/><axis xyz="0 0 1"/>
    <limit lower="-10" upper="10" effort="100" velocity="10"/>
  </joint>
</robot>
"""

BLOCK = """
<robot name="block">
  <link name="world"/>
  <link name="block">
    <inertial><mass value="2"/><inertia ixx="0.1" iyy="0.1" izz="0.1"
      ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="x" type="prismatic">
    <parent link="world"/><child link="block"/><axis xyz="1 0 0"/>
    <limit lower="-10" upper="10" effort="100" velocity="10"/>
  </joint>
</robot>
"""

FORK = """
<robot name="fork">
  <link name="base"/>
  <link name="left">
    <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"
      ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <link name="right">
    <inertial><mass value="2"/><inertia ixx="2" iyy="2" izz="2"
      ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="turn_right" type="continuous">
    <parent link="base"/><child link="right"/><axis xyz="0 0 1"/>
  </joint>
  <joint name="turn_left" type="continuous">
    <parent link="base"/><child link="left"/><axis xyz="0 0 1"/>
  </joint>
</robot>
"""
"""Two arms, written in the order in which Pinocchio does not list them."""

CRANE = """
<robot name="crane">
  <link name="world"/>
  <link name="bridge"/>
  <link name="trolley"/>
  <link name="hook">
    <inertial><origin xyz="0 0 -0.5"/><mass value="2"/>
      <inertia ixx="0.9" iyy="0.1" izz="0.2" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="x" type="prismatic">
    <parent link="world"/><child link="bridge"/><axis xyz="1 0 0"/>
    <limit lower="-1" upper="1" effort="100" velocity="10"/>
  </joint>
  <joint name="y" type="prismatic">
    <parent link="bridge"/><child link="trolley"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="100" velocity="10"/>
  </joint>
  <joint name="swing" type="revolute">
    <parent link="trolley"/><child link="hook"/><axis xyz="1 0 0"/>
    <limit lower="-1" upper="1" effort="100" velocity="10"/>
  </joint>
</robot>
"""
"""Moving links without mass, and moments that no solid body has: legal, and met in the wild."""


def _inertial(rng: np.random.Generator, mass: float) -> str:
    """Return a heavy-sided link: centre of mass, axes and moments in no special direction."""
    points = rng.normal(scale=0.05, size=(8, 3))
    x, y, z = 0.1 * rng.random(3)
    roll, pitch, yaw = rng.uniform(-1.0, 1.0, 3)
    squares = points.T @ points * mass / len(points)
    inertia = np.trace(squares) * np.eye(3) - squares
    return f"""<inertial>
      <origin xyz="{x} {y} {z}" rpy="{roll} {pitch} {yaw}"/><mass value="{mass}"/>
      <inertia ixx="{inertia[0, 0]}" iyy="{inertia[1, 1]}" izz="{inertia[2, 2]}"
        ixy="{inertia[0, 1]}" ixz="{inertia[0, 2]}" iyz="{inertia[1, 2]}"/></inertial>"""


def _arm() -> str:
    """Return seven joints of all types, oblique inertias, a bare link and a fixed heavy one."""
    rng = np.random.default_rng(7)
    kinds = [
        'continuous',
        'revolute',
        'revolute',
        'prismatic',
        'revolute',
        'continuous',
        'revolute',
    ]
    axes = ['0 0 1', '0 1 0', '0 0.6 0.8', '1 0 0', '0 1 0', '0 0 -1', '1 0 0']
    parts = [f'<link name="base">{_inertial(rng, 4.0)}</link>']
    parent = 'base'
    for i, (kind, axis) in enumerate(zip(kinds, axes, strict=True)):
        parts.append(
            f"""<link name="link{i}">{_inertial(rng, 3.0 - 0.3 * i)}
            <visual><geometry><sphere radius="0.05"/></geometry></visual>
            <collision><geometry><sphere radius="0.06"/></geometry></collision></link>
            <joint name="joint{i}" type="{kind}">
              <origin xyz="0.02 {0.03 * i} 0.25" rpy="0.1 {0.05 * i} 0.2"/>
              <parent link="{parent}"/><child link="link{i}"/><axis xyz="{axis}"/>
              <limit lower="-0.5" upper="0.5" effort="60" velocity="2"/>
              <dynamics damping="0.7" friction="0.3"/></joint>"""
        )
        parent = f'link{i}'
    parts.append(
        f"""<link name="flange"/><link name="tool">{_inertial(rng, 0.8)}</link>
        <joint name="mount" type="fixed"><parent link="{parent}"/><child link="flange"/>
          <origin xyz="0 0 0.05" rpy="0 0.3 0"/></joint>
        <joint name="grip" type="fixed"><parent link="flange"/><child link="tool"/>
          <origin xyz="0 0.02 0.1" rpy="0.2 0 0.4"/></joint>"""
    )
    return f'<robot name="arm">{"".join(parts)}</robot>'


def _motors() -> FlexibleJointsConfig:
    """Return the motors and springs of the arm."""
    names = [f'joint{i}' for i in range(7)]
    return FlexibleJointsConfig(
        motor_inertia=dict(zip(names, (2.0, 2.0, 1.5, 1.0, 0.8, 0.4, 0.4), strict=True)),
        stiffness=dict(zip(names, (9e3, 9e3, 9e3, 9e3, 8e3, 6e3, 6e3), strict=True)),
        damping_ratio=0.02,
    )


@pytest.fixture(params=['pinocchio', 'pybullet', 'mujoco'])
def engine(request: pytest.FixtureRequest) -> str:
    """Every engine that is installed, by name."""
    return _installed(request.param)


@pytest.fixture(params=['pybullet', 'mujoco'])
def contact_engine(request: pytest.FixtureRequest) -> str:
    """Every installed engine that knows contact."""
    return _installed(request.param)


def _installed(engine: str) -> str:
    if importlib.util.find_spec(engine) is None:
        pytest.skip(f'{engine} is not installed')
    return engine


@pytest.fixture
def build() -> Iterator[Callable[..., Plant]]:
    """Return the builder of a plant from its configuration; it is closed afterwards."""
    plants = []

    def make(model: RobotModel, period: float = 0.001, seed: int = 0, **config: object) -> Plant:
        rng = np.random.default_rng(seed)
        built = build_plant(msgspec.convert(config, PlantConfig), model, period, rng)
        plants.append(built.plant)
        return built.plant

    yield make
    for plant in plants:
        plant.close()


@pytest.fixture(scope='session')
def load(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., RobotModel]:
    """Return the reader of a robot from its URDF text."""
    folder: Path = tmp_path_factory.mktemp('urdf')

    def read(text: str, **config: object) -> RobotModel:
        path = folder / f'{abs(hash(text))}.urdf'
        path.write_text(text)
        return load_robot(RobotConfig(urdf=str(path), **config))

    return read


@pytest.fixture(scope='session')
def arm(load: Callable[..., RobotModel]) -> RobotModel:
    """Seven joints; nothing about its links is symmetric. Its motors are known."""
    return load(_arm(), tips=('tool',), flexible_joints=_motors())


@pytest.fixture(scope='session')
def ball(load: Callable[..., RobotModel]) -> RobotModel:
    """A sphere of 1 kg and radius 0.1 m that moves up and down."""
    return load(BALL, tips=('ball',))


@pytest.fixture(scope='session')
def block(load: Callable[..., RobotModel]) -> RobotModel:
    """A block of 2 kg that slides along x, across gravity."""
    return load(BLOCK, tips=('block',))


@pytest.fixture(scope='session')
def fork(load: Callable[..., RobotModel]) -> RobotModel:
    """Two turning arms on one base, without gravity."""
    return load(FORK, gravity=(0.0, 0.0, 0.0))


@pytest.fixture(scope='session')
def crane(load: Callable[..., RobotModel]) -> RobotModel:
    """A hook on two links that weigh nothing."""
    return load(CRANE)


@pytest.fixture(scope='session')
def hanging_arm(load: Callable[..., RobotModel]) -> RobotModel:
    """Return the arm with gravity pulling it straight: its motion forgets small errors."""
    return load(_arm(), gravity=(0.0, 0.0, 9.82))


@pytest.fixture(scope='session')
def weightless_arm(load: Callable[..., RobotModel]) -> RobotModel:
    """Return the arm without gravity."""
    return load(_arm(), gravity=(0.0, 0.0, 0.0), flexible_joints=_motors())


@pytest.fixture(scope='session')
def feather(load: Callable[..., RobotModel]) -> RobotModel:
    """Return the block with a hundredth of its mass."""
    return load(BLOCK.replace('<mass value="2"/>', '<mass value="0.02"/>'))
