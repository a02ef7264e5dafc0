"""Robots of any size, to see how the cost grows."""

from __future__ import annotations

from pathlib import Path
import tempfile

from simloop_ros.robot.config import RobotConfig
from simloop_ros.robot.loading import load_robot
from simloop_ros.robot.model import RobotModel

JOINTS_PER_ARM = 7
AXES = ('0 0 1', '0 1 0', '0 0 1', '0 1 0', '1 0 0', '0 1 0', '1 0 0')
"""Of the joints along one arm: those of YuMi."""


def row_of_arms(arms: int) -> RobotModel:
    """Return a base with equal 7-joint arms side by side."""
    parts = ['<robot name="arms"><link name="base"/>']
    for arm in range(arms):
        parent, origin = 'base', f'{arm} 0 0'
        for i, axis in enumerate(AXES):
            link = f'arm_{arm}_link_{i}'
            parts.append(
                f'<link name="{link}"><inertial><origin xyz="0.01 0 0.05"/><mass value="1"/>'
                '<inertia ixx="0.004" iyy="0.004" izz="0.002" ixy="0" ixz="0" iyz="0"/>'
                f'</inertial></link><joint name="arm_{arm}_joint_{i}" type="revolute">'
                f'<parent link="{parent}"/><child link="{link}"/><origin xyz="{origin}"/>'
                f'<axis xyz="{axis}"/>'
                '<limit lower="-3" upper="3" velocity="5" effort="200"/></joint>'
            )
            parent, origin = link, '0 0 0.1'
    parts.append('</robot>')
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / 'arms.urdf'
        path.write_text(''.join(parts))
        return load_robot(RobotConfig(urdf=str(path)))
