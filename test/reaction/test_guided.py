"""A guided planner: the robot gives way, and the planner inside does not notice."""

from __future__ import annotations

import numpy as np
import pytest

from simloop_ros.core.values import Array, ExternalInputs, JointState, Setpoint
from simloop_ros.guiding.config import AdmittanceConfig
from simloop_ros.guiding.guidance import Guidance
from simloop_ros.planning.offline import OfflinePlanner
from simloop_ros.reaction.guided import Guided
from simloop_ros.robot.model import RobotModel

H = 0.001
PUSH = ExternalInputs(torque=np.array([5.0, -3.0]))


class Noting(OfflinePlanner):
    """A list of positions that notes where it is told the robot is."""

    def __init__(self, positions: Array):
        super().__init__(positions, H)
        self.told: list[JointState] = []

    def step(self, control: JointState, inputs: ExternalInputs) -> Setpoint:
        self.told.append(control)
        return super().step(control, inputs)


@pytest.fixture
def guided(two_link: RobotModel) -> Guided:
    path = two_link.home + 2.0 * (H * np.arange(500)[:, None]) ** 2
    return Guided(Noting(path), Guidance(two_link, AdmittanceConfig(source='truth'), H))


def test_the_planner_is_told_where_the_robot_would_be_without_the_hand(
    two_link: RobotModel, guided: Guided
) -> None:
    """A robot that follows is told to be where the planner sent it, however far it gave way."""
    control, sent = JointState(two_link.home, np.zeros(2)), [two_link.home]
    for _ in range(300):
        setpoint = guided.step(control, PUSH)
        control = JointState(setpoint.position, setpoint.velocity)
        sent.append(guided.planner.expected.position)
    assert np.abs(control.position - sent[-1]).max() > 0.01
    assert np.sign(control.position - sent[-1]) == pytest.approx(np.sign(PUSH.torque))
    told = [state.position for state in guided.planner.told]
    np.testing.assert_allclose(told, sent[:-1], rtol=0.0, atol=1e-12)


def test_without_a_torque_it_is_the_planner(guided: Guided) -> None:
    for _ in range(20):
        setpoint = guided.step(guided.expected, ExternalInputs(torque=np.zeros(2)))
        planned = guided.planner.expected.position
        np.testing.assert_allclose(setpoint.position, planned, rtol=0.0, atol=1e-12)
