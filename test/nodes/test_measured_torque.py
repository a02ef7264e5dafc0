"""A monitor that takes what a robot's driver says of its joints: real processes over DDS."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from sensor_msgs.msg import JointState as JointStateMessage
from spun_node import SpunNode
from test_drivers import START, launch, settings, start_driver

from simloop_ros.robot.fit_robot import load_fit_robot
from simloop_ros.robot.weight import weight_efforts
from simloop_ros.ros.messages.joint_state import JointStateDecoder
from simloop_ros.ros.transport.qos import STREAM
from simloop_ros.scenario.robot_files import robot_config

STEPS = 150
UNEXPLAINED = 0.3  # share of the weight: a busy machine loses states
SETTINGS = {'effort': 'torque_without_gravity', 'reliability': 'best_effort'}


class Listener(SpunNode):
    """Hears which torque the monitor cannot explain."""

    def __init__(self, domain: int):
        self.model = load_fit_robot(robot_config('lwr'))
        self._decode = JointStateDecoder(self.model.joint_names, ('effort',)).decode
        self.torques: list[np.ndarray] = []
        super().__init__('listener', domain)
        self._node.create_subscription(
            JointStateMessage,
            'external_torque',
            lambda data: self.torques.append(self._decode(data).effort),
            STREAM,
            raw=True,
        )
        self.begin()

    @property
    def unexplained(self) -> float:
        """Return the usual torque, as a share of the robot's weight."""
        largest = np.abs(self.torques[-STEPS:]).max(axis=1)
        weight = np.abs(weight_efforts(self.model, self.model.home)).max()
        return float(np.median(largest) / weight)


@pytest.fixture
def listener(graph: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Listener]:
    monkeypatch.setenv('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    monkeypatch.setenv('FASTDDS_BUILTIN_TRANSPORTS', 'UDPv4')
    listener = Listener(int(graph.environment['ROS_DOMAIN_ID']))
    yield listener
    listener.close()


@pytest.mark.parametrize(
    'meant', ['torque_without_gravity', pytest.param('torque', marks=pytest.mark.long)]
)
def test_the_effort_of_joint_states_is_what_the_driver_file_says(
    graph: Any, listener: Listener, meant: str
) -> None:
    """Taken for a torque with gravity, it would leave the weight of the arm unexplained."""
    start_driver(graph, *settings(**SETTINGS))
    measured = ('--set', 'monitor.signal=measured', '--set', 'duration=100', '--no-record')
    launch(graph, *measured, move='[-0.02, 0, 0.02]', **{**SETTINGS, 'effort': meant})
    graph.wait_until(lambda: len(listener.torques) > STEPS, 2 * START)
    assert (listener.unexplained < UNEXPLAINED) == (meant == SETTINGS['effort'])


def test_a_driver_without_efforts_is_told_of(graph: Any, listener: Listener) -> None:
    """Its file says that there are some."""
    start_driver(graph, *settings(effort='none'))
    measured = ('--set', 'monitor.signal=measured', '--set', 'duration=100', '--no-record')
    launch(graph, *measured, move='[-0.02, 0, 0.02]')
    graph.wait_until(lambda: 'refused: measured_torque' in graph.output, 2 * START)
    assert not listener.torques
