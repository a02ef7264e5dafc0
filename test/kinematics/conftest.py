"""Arms of the analytic family that no shipped robot is like."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.robot.config import RobotConfig
from simloop_ros.robot.loading import load_robot
from simloop_ros.robot.model import RobotModel

JOINT = """
  <joint name="{name}" type="{kind}">
    <parent link="{parent}"/><child link="{child}"/>
    <origin xyz="{xyz}" rpy="{rpy}"/><axis xyz="{axis}"/>
    <limit lower="-2.9" upper="{upper}" velocity="3" effort="50"/>
  </joint>
  <link name="{child}">
    <inertial>
      <mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>
    </inertial>
  </link>"""


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(7)


def text(vector: np.ndarray) -> str:
    return ' '.join(repr(float(value)) for value in vector)


def odd_urdf(seed: int, miss: float = 0.0) -> str:
    """Return an arm on a tilted base, with offsets, axes of any sign, and a wrist that is bent.

    A finger hangs on its fourth link, and joints 4 and 6 have no ends.

    :param miss: by how much axis 6 misses the wrist centre [m].
    """
    rng = np.random.default_rng(seed)
    signs = rng.choice([-1.0, 1.0], 3)
    wrist = pin.exp3(rng.uniform(-2.0, 2.0, 3))
    bend = rng.uniform(-1.0, 1.0)
    side, up, forward = wrist[:, 0], wrist[:, 1], wrist[:, 2]
    last = np.cos(bend) * forward + np.sin(bend) * side
    forearm = np.array([*rng.uniform(0.1, 0.3, 3)])
    rows = [
        (rng.uniform(-0.5, 0.5, 3), rng.uniform(-1.0, 1.0, 3), [0.0, 0.0, signs[0]]),
        ([rng.uniform(0.05, 0.1), rng.uniform(-0.05, 0.05), 0.3], [0, 0, 0], [0, signs[1], 0]),
        ([rng.uniform(-0.1, 0.1), 0.02, 0.4], [0.0, 0.0, 0.0], [0.0, signs[2], 0.0]),
        (forearm - 0.2 * forward, [0.0, 0.0, 0.0], forward),
        (0.2 * forward, [0.0, 0.0, 0.0], up),
        (0.1 * last + miss * up, [0.0, 0.0, 0.0], last),
    ]
    parts = [
        JOINT.format(
            name=f'j{i}',
            kind='continuous' if i in (4, 6) else 'revolute',
            parent=f'l{i - 1}',
            child=f'l{i}',
            xyz=text(xyz),
            rpy=text(rpy),
            axis=text(axis),
            upper=2.8,
        )
        for i, (xyz, rpy, axis) in enumerate(rows, start=1)
    ]
    finger = JOINT.format(
        name='finger',
        kind='prismatic',
        parent='l4',
        child='nail',
        xyz='0 0 0',
        rpy='0 0 0',
        axis='1 0 0',
        upper=0.1,
    )
    tool = (
        '<joint name="tool_joint" type="fixed"><parent link="l6"/><child link="tool"/>'
        '<origin xyz="0.03 -0.02 0.05" rpy="0.3 0.4 -0.5"/></joint><link name="tool"/>'
    )
    return f'<robot name="odd"><link name="l0"/>{"".join(parts)}{finger}{tool}</robot>'


@pytest.fixture
def odd_arm(tmp_path: Path) -> Callable[..., RobotModel]:
    """Return the maker of such an arm."""

    def make(seed: int, miss: float = 0.0) -> RobotModel:
        path = tmp_path / 'odd.urdf'
        path.write_text(odd_urdf(seed, miss))
        return load_robot(RobotConfig(urdf=str(path), tips=('tool',)))

    return make
