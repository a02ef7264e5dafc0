"""Two arms carry a beam in real time, and a node that moves them dies: the beam is kept.

Slow, as in ``test_faults``: a process that a loaded machine leaves waiting is not dead.
"""

from __future__ import annotations

from collections.abc import Iterator
import time
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus
import numpy as np
import pytest
from sensor_msgs.msg import JointState as JointStateMessage
from spun_node import SpunNode

from simloop_ros.bimanual.internal_force import split
from simloop_ros.core.values import Array
from simloop_ros.robot.fit_robot import load_fit_robot
from simloop_ros.robot.model import RobotModel
from simloop_ros.ros.launch.wiring import WiringOptions, wire
from simloop_ros.ros.messages.joint_state import JointStateDecoder
from simloop_ros.ros.messages.safety_status import from_message
from simloop_ros.ros.messages.wrists import CORRECTIONS, OBJECT, TRUE_WRENCHES, by_hand, hand_axes
from simloop_ros.ros.transport.qos import LATCHED_READER, STREAM
from simloop_ros.scenario.loading import load_scenario

pytestmark = pytest.mark.long

PERIOD = 0.01  # s, of a beam that is soft enough for it: a slow machine keeps that, too
TIMEOUT = 40  # periods
STIFF = 40.0  # rad/s: hands of a few kg that stay where they are keep the squeeze
TASKS = (
    '{do: approach, path: cp, clearance: 0.005, durations: [1]}, {do: grasp, durations: [2]}, '
    '{do: hold, duration: 1}, {do: move, by: [0, 0, 0.06], duration: 6}'
)
SETTINGS = (
    *(f'bimanual.tasks=[{TASKS}]', f'period={PERIOD}', f'safety.timeout={TIMEOUT}'),
    *('control.law=computed_torque', f'control.natural_frequency={STIFF}'),
    *('bimanual.impedance.damping=high', 'plant.object.stiffness=3e3'),
    f'bimanual.leash={0.02 * STIFF**2}',  # 0.02 m
    *('plant.mass_bias=0', 'duration=1000'),
)
WANTED = 20.0  # N
START = 60.0  # longest time for processes to start, to plan and to take the beam [s]
LOW, LIFTED = 0.82, 0.83  # m: where the beam lies, and where the node is killed
STILL = 0.003  # m/s
NOTICES = {'bimanual': 'control_simulation', 'control_simulation': 'plant'}


class Onlooker(SpunNode):
    """Sees the true squeeze and the beam, what the hands do, and who says that it stopped.

    :ivar squeezes: true ones with the time of arrival [s].
    :ivar heights: of the beam [m], with the stamps [s].
    :ivar stopped: node -> why.
    """

    def __init__(self, domain: int, model: RobotModel):
        self._model = model
        super().__init__('onlooker', domain)
        self.squeezes: list[tuple[float, float]] = []
        self.heights: list[tuple[float, float]] = []
        self.doing, self.stopped = '', dict[str, str]()
        self._q: Array = model.home
        self._joints = JointStateDecoder(model.joint_names, ('position',)).decode
        self._wrenches = JointStateDecoder(hand_axes(model.tips), ('effort',)).decode
        for topic, take in (
            ('joint_states', self._on_joints),
            (TRUE_WRENCHES, self._on_wrenches),
            (OBJECT, self._on_object),
            (CORRECTIONS, self._on_corrections),
        ):
            raw = topic in ('joint_states', TRUE_WRENCHES)
            self._node.create_subscription(JointStateMessage, topic, take, STREAM, raw=raw)
        self._node.create_subscription(DiagnosticStatus, 'safety', self._on_safety, LATCHED_READER)
        self.begin()

    def _on_joints(self, data: bytes) -> None:
        self._q = self._joints(data).position

    def _on_wrenches(self, data: bytes) -> None:
        poses = self._model.frame_poses(self._q, self._model.sensors)
        turned = [
            np.concatenate((pose.rotation @ wrench[:3], pose.rotation @ wrench[3:]))
            for pose, wrench in zip(poses, by_hand(self._wrenches(data).effort), strict=True)
        ]
        points = np.array([pose.translation for pose in poses])
        self.squeezes.append((time.monotonic(), split(points, np.array(turned)).squeeze))

    def _on_object(self, message: JointStateMessage) -> None:
        stamp = message.header.stamp
        self.heights.append((stamp.sec + 1e-9 * stamp.nanosec, message.position[2]))

    def _on_corrections(self, message: JointStateMessage) -> None:
        self.doing = message.header.frame_id

    def _on_safety(self, message: DiagnosticStatus) -> None:
        status = from_message(message)
        if status and status.stopped:
            self.stopped[status.source] = status.stopped

    def speed(self) -> float:
        """Return how fast the beam goes up, over the last few messages [m/s]."""
        (before, low), (now, high) = self.heights[-10], self.heights[-1]
        return (high - low) / (now - before)


@pytest.fixture
def onlooker(graph: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Onlooker]:
    """Return who sees a graph that is about to start."""
    monkeypatch.setenv('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    monkeypatch.setenv('FASTDDS_BUILTIN_TRANSPORTS', 'UDPv4')
    scenario = load_scenario('workerbot_carry', SETTINGS)
    onlooker = Onlooker(int(graph.environment['ROS_DOMAIN_ID']), load_fit_robot(scenario.robot))
    yield onlooker
    onlooker.close()


@pytest.fixture
def processes(graph: Any) -> Iterator[dict[str, Any]]:
    """Start all nodes."""
    nodes = wire(load_scenario('workerbot_carry', SETTINGS), WiringOptions(realtime=True))
    processes = {each.name: graph.start(*each.command) for each in graph.programs(nodes)}
    yield processes
    for process in processes.values():
        process.kill()
        process.wait()


@pytest.mark.parametrize('node', NOTICES)
def test_a_carried_beam_is_kept_when_a_node_dies(
    graph: Any, onlooker: Onlooker, processes: dict[str, Any], node: str
) -> None:
    graph.wait_until(lambda: len(onlooker.heights) > 10, START)
    graph.wait_until(lambda: onlooker.heights[-1][1] > LIFTED, START)
    assert 'move' in onlooker.doing
    assert onlooker.speed() > STILL
    assert not onlooker.stopped
    killed = time.monotonic()
    processes[node].kill()
    graph.wait_until(lambda: NOTICES[node] in onlooker.stopped, START)
    assert ': no message' in onlooker.stopped[NOTICES[node]]
    graph.wait_until(lambda: abs(onlooker.speed()) < STILL, START)
    time.sleep(1.0)
    assert abs(onlooker.speed()) < STILL
    after = [squeeze for arrival, squeeze in onlooker.squeezes if arrival > killed]
    print(f'{node}: squeeze from {min(after):.1f} to {max(after):.1f} N, {onlooker.stopped}')
    assert 0.5 * WANTED < min(after) <= max(after) < 2.0 * WANTED
    assert onlooker.heights[-1][1] > LOW + 0.005  # it is still in the hands
