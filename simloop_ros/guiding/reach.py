"""How far a robot reaches beyond each of its joints."""

from __future__ import annotations

import numpy as np

from ..core.values import Array
from ..robot.model import RobotModel

LEAST_REACH = 0.3
"""Least reach of a revolute joint [m]: that of a hand on a tool."""
PRISMATIC_REACH = 1.0
"""Reach of a prismatic joint [m]: it moves what it carries as far as itself."""


def reaches(model: RobotModel) -> Array:
    """Return the reach of each joint [m], shape ``(n,)``: its lever with everything stretched out.

    The length of the chain from the joint to the farthest tip or joint that it carries. The lever
    of a hand about the joint is no longer than that, whatever the posture.
    """
    pin_model = model.pin_model
    beyond = np.zeros(pin_model.njoints)
    for index in model.tip_frames:
        frame = pin_model.frames[index]
        joint = frame.parentJoint
        beyond[joint] = max(beyond[joint], float(np.linalg.norm(frame.placement.translation)))
    for joint in range(pin_model.njoints - 1, 0, -1):
        parent = pin_model.parents[joint]
        step = float(np.linalg.norm(pin_model.jointPlacements[joint].translation))
        beyond[parent] = max(beyond[parent], step + beyond[joint])
    slides = [unit == 'm' for unit in model.joint_units]
    return np.where(slides, PRISMATIC_REACH, np.maximum(beyond[1:], LEAST_REACH))
