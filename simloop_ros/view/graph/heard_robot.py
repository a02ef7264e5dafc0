"""The model of a robot that is known by its topics only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
import xml.etree.ElementTree as ET

import numpy as np

from ...core.errors import ModelError
from ...core.values import Array
from ...robot.config import RobotConfig
from ...robot.loading import build_robot
from ...robot.model import RobotModel
from ...robot.urdf import MOVING_TYPES

SOURCE = Path('robot_description')
"""What messages call the description."""


def heard_robot(urdf: str, joints: Sequence[str], tips: Sequence[str]) -> RobotModel:
    """Return the robot of a description; joints that nobody tells of stay where they are.

    :param urdf: what the topic ``robot_description`` said.
    :param joints: that the joint states have.
    :param tips: names of links; those that the description does not have are left out.
    :raises ModelError: the description is none of an arm that these joints move.
    """
    try:
        root = ET.fromstring(urdf)
    except ET.ParseError as error:
        raise ModelError(f'{SOURCE}: not XML: {error}') from None
    links = {link.get('name') for link in root.findall('link')}
    moving = [
        joint.get('name', '')
        for joint in root.findall('joint')
        if joint.get('type') in MOVING_TYPES
    ]
    heard = set(joints)
    if not heard.intersection(moving):
        raise ModelError(
            f'{SOURCE}: none of its joints ({", ".join(moving) or "none"}) is in joint_states '
            f'({", ".join(joints)})'
        )
    config = RobotConfig(
        urdf=str(SOURCE),
        tips=tuple(tip for tip in tips if tip in links),
        lock=tuple(name for name in moving if name not in heard),
    )
    return build_robot(config, SOURCE, root)


def at_rest(model: RobotModel, position: Array) -> RobotModel:
    """Return the robot with a position as its home [rad], shape ``(n,)``, within its range."""
    return replace(model, home=np.clip(position, model.lower, model.upper))
