"""Inverse kinematics of any robot: analytic where its geometry allows, numerical elsewhere."""

from __future__ import annotations

from ..robot.chain import chain_to
from ..robot.model import RobotModel
from .analytic import AnalyticInverse
from .numerical import NumericalInverse
from .solver import InverseKinematics
from .wrist_arm import wrist_arm


def inverse_kinematics(model: RobotModel, tip: str) -> InverseKinematics:
    """Return the solver for a tip of a robot.

    :raises ConfigError: the robot has no such link, or no joint moves it.
    """
    chain = chain_to(model, tip)
    arm = wrist_arm(chain)
    if arm is not None:
        return AnalyticInverse(model, tip, chain, arm)
    return NumericalInverse(model, tip, chain)
