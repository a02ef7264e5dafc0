"""A robot whose driver holds its last command for ever, when control dies: real processes.

The driver (``held_driver.py``) is a process of its own at 200 Hz, as is the follower beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
import os
from pathlib import Path
import signal
import subprocess
import sys
import time
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus
from held_driver import TOPIC
import numpy as np
import pytest
from sensor_msgs.msg import JointState as JointStateMessage
from spun_node import SpunNode
from std_srvs.srv import SetBool, Trigger

from simloop_ros.robot.fit_robot import load_fit_robot
from simloop_ros.ros.launch.wiring import WiringOptions, wire
from simloop_ros.ros.messages.joint_state import JointStateDecoder
from simloop_ros.ros.messages.safety_status import SafetyStatus, from_message
from simloop_ros.ros.transport.qos import LATCHED_READER, STREAM
from simloop_ros.safety.brake import STOPPED_SPEED
from simloop_ros.safety.config import SafetyConfig
from simloop_ros.scenario.loading import load_scenario

pytestmark = pytest.mark.long  # in real time: a busy machine is too late for it

PERIOD = 0.005
N = 2
TIMEOUT = 200  # periods: a busy machine leaves out a process for half a second
SETTINGS = (
    *('robot=two_link', f'period={PERIOD}', 'duration=1000', f'safety.timeout={TIMEOUT}'),
    *('planner.move=[[-0.2, 0, 0.2]]', 'planner.max_velocity=0.1'),
    *('control.law=computed_torque', f'control.natural_frequency={0.2 / PERIOD}'),
)
START = 40.0  # longest time for processes to start on a loaded machine [s]
SOON = 10.0  # longest time for anything else [s]
CRUISE = 0.08  # speed of the tip on its way [m/s]
EVEN = 0.05  # largest difference of its speed there, as a share
AT_REST = 2e-3  # [rad/s]
DRIFT = 2e-3  # [rad]
AT_GOAL = 2e-3  # [m]
HELD = 3  # periods with the same command; more, and the machine has left out driver or follower
DRIVEN: dict[str, Any] = {'realtime': True, 'simulated': False, 'driver_topic': TOPIC}
DRIVERS: dict[str, dict[str, Any]] = {
    'effort': {},
    'weightless': {'gravity_handled': True},
    'position': {'driver_output': 'position'},
}


class Witness(SpunNode):
    """Sees where the robot is, what is said on ``safety``, and calls services."""

    def __init__(self, domain: int):
        self.model = load_fit_robot(load_scenario('step', SETTINGS).robot)
        self.positions: list[np.ndarray] = []
        self.said: list[SafetyStatus] = []
        self._read = JointStateDecoder(self.model.joint_names, ('position',)).decode
        super().__init__('witness', domain)
        subscribe = self._node.create_subscription
        subscribe(JointStateMessage, 'joint_states', self._on_joints, STREAM, raw=True)
        subscribe(DiagnosticStatus, 'safety', self._on_safety, LATCHED_READER)
        self.begin()

    def _on_joints(self, data: bytes) -> None:
        self.positions.append(self._read(data).position)

    def _on_safety(self, message: DiagnosticStatus) -> None:
        status = from_message(message)
        if status:
            self.said.append(status)

    @property
    def tip_speeds(self) -> np.ndarray:
        """Return the speeds of the tip in the last three tenths of a second [m/s]."""
        if len(self.positions) < 61:
            return np.zeros(3)
        tips = [self.model.tip_positions(self.positions[i]) for i in (-61, -41, -21, -1)]
        return np.array([np.linalg.norm(b - a) / (20 * PERIOD) for a, b in pairwise(tips)])

    @property
    def rests(self) -> bool:
        """Return whether the tip has stopped."""
        return len(self.positions) > 61 and bool(self.tip_speeds.max() < 1e-3)

    def stopped(self) -> dict[str, str]:
        """Return what each source said last."""
        return {status.source: status.stopped for status in self.said}

    def call(self, kind: type, name: str, request: Any = None) -> Any:
        """Return the response of a service."""
        client = self._node.create_client(kind, name)
        until(client.service_is_ready, START, name)
        future = client.call_async(request or kind.Request())
        until(future.done, START, f'answer of {name}')
        self._node.destroy_client(client)
        return future.result()


def until(true: Callable[[], Any], seconds: float, what: str) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, f'{what}: not within {seconds:g} s'
        time.sleep(0.005)


class Cell:
    """A driver and a witness; the graph is started by the test.

    :ivar processes: of the graph, by node.
    """

    def __init__(self, graph: Any, kind: str):
        self.graph = graph
        self._file = Path(graph.folder) / 'driver.npy'
        script = str(Path(__file__).with_name('held_driver.py'))
        self._driver = graph.start(
            *(sys.executable, script, 'two_link', str(PERIOD), kind, str(self._file))
        )
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self.witness = Witness(int(graph.environment['ROS_DOMAIN_ID']))

    def start(self, options: WiringOptions) -> None:
        """Start the nodes of the graph, which nobody supervises."""
        programs = self.graph.programs(wire(load_scenario('step', SETTINGS), options))
        self.processes = {each.name: self.graph.start(*each.command) for each in programs}

    def cruise(self) -> None:
        """Wait until the robot is on its way, at its full speed."""

        def even() -> bool:
            speeds = self.witness.tip_speeds
            return bool(speeds.min() > CRUISE and np.ptp(speeds) < EVEN * CRUISE)

        until(even, START, 'even motion')

    def end(self) -> np.ndarray:
        """End the driver; return times, positions, velocities and commands of its steps."""
        self._driver.terminate()
        self._driver.wait(SOON)
        return np.array(np.load(self._file))

    def close(self) -> None:
        """End all."""
        self.witness.close()
        for process in (self._driver, *self.processes.values()):
            process.kill()
            process.wait()
        print(self.graph.output)


@pytest.fixture
def open_cell(graph: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], Cell]]:
    """Return what starts a driver of some kind."""
    monkeypatch.setenv('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    monkeypatch.setenv('FASTDDS_BUILTIN_TRANSPORTS', 'UDPv4')
    opened: list[Cell] = []

    def start(kind: str) -> Cell:
        opened.append(Cell(graph, kind))
        return opened[-1]

    yield start
    for cell in opened:
        cell.close()


def longest_hold(log: np.ndarray) -> int:
    """Return the largest number of steps in a row that had the same command."""
    changes = np.flatnonzero((np.diff(log[:, 1 + 2 * N :], axis=0) != 0.0).any(axis=1))
    return int(np.diff(np.concatenate([[-1], changes, [len(log) - 1]])).max())


def check_stop(log: np.ndarray, killed: float, *, stays: bool = True) -> None:
    """Check that the robot came to rest along its way after a moment [s], and stays there."""
    times, velocities = log[:, 0], log[:, 1 + N : 1 + 2 * N]
    begin = int(np.searchsorted(times, killed)) - 1
    speed = np.linalg.norm(velocities[begin])
    planned = 1.5 * speed / SafetyConfig().stop_time
    accelerations = np.linalg.norm(np.diff(velocities[begin:], axis=0), axis=1) / PERIOD
    positions = log[begin:, 1 : 1 + N]
    way = positions[-1] - positions[0]
    expected = 0.5 * SafetyConfig().stop_time * velocities[begin]
    print(f'speed {speed:.3f}, planned {planned:.3f}, largest {accelerations.max():.3f} rad/s^2')
    held = longest_hold(log[begin : begin + round(SafetyConfig().stop_time / PERIOD)])
    if held <= HELD:
        assert accelerations.max() <= 2.0 * planned
    length = np.linalg.norm(expected)
    assert way @ expected > 0.99 * length * np.linalg.norm(way)  # along its way
    assert 0.7 * length < np.linalg.norm(way) < 1.7 * length  # a servo lags behind, too
    assert np.abs(velocities[-1]).max() < (AT_REST if stays else STOPPED_SPEED)
    rest = positions[-round(1.0 / PERIOD) :]
    assert not stays or np.abs(rest - rest[0]).max() < DRIFT
    assert np.isfinite(log).all()


@pytest.mark.parametrize('kind', DRIVERS)
def test_control_is_killed(open_cell: Callable[[str], Cell], kind: str) -> None:
    """The follower lives: it says why it stopped the robot, and holds it."""
    cell = open_cell(kind)
    cell.start(WiringOptions(**DRIVEN, **DRIVERS[kind]))
    cell.cruise()
    killed = time.monotonic()
    cell.processes['control_simulation'].kill()
    said = cell.witness.stopped
    until(lambda: said().get('robot_follower'), SOON, 'stop')
    time.sleep(4.0)
    log = cell.end()
    assert said()['robot_follower'] == f'effort_command: no message for {TIMEOUT} periods'
    check_stop(log, killed)


@pytest.mark.parametrize('composed', [False, True])
def test_control_is_killed_and_the_launch_ends(
    open_cell: Callable[[str], Cell], composed: bool
) -> None:
    """The follower ends with the graph, but not before the robot rests."""
    cell, given = open_cell('effort'), [word for s in SETTINGS for word in ('--set', s)]
    launched = cell.graph.launch(
        *('step', *given, '--realtime', '--plant', 'none', '--driver-topic', TOPIC),
        *('--no-record', *(['--composed'] if composed else [])),
    )
    cell.cruise()
    victim = cell.graph.node_pids()['composed' if composed else 'control_simulation']
    killed = time.monotonic()
    os.kill(victim, signal.SIGKILL)
    assert launched.wait(SOON) != 0
    assert not cell.graph.node_pids()
    log = cell.end()
    # From its last command on the driver holds gravity: an arm without friction leaves its rest.
    commands = log[:, 1 + 2 * N :]
    last = int(np.flatnonzero((commands != commands[-1]).any(axis=1))[-1]) + 1
    check_stop(log[: last + 1], killed, stays=False)


def test_a_stopped_robot_is_released_and_arrives(open_cell: Callable[[str], Cell]) -> None:
    cell = open_cell('effort')
    cell.start(WiringOptions(**DRIVEN))
    witness = cell.witness
    cell.cruise()
    home = witness.model.tip_positions(witness.positions[0])
    assert witness.call(SetBool, '/control_simulation/stop', SetBool.Request(data=True)).success
    until(lambda: witness.stopped().get('robot_follower'), SOON, 'stop')
    assert witness.stopped()['robot_follower'].startswith('control_simulation: ')
    until(lambda: witness.rests, SOON, 'rest')
    where = witness.positions[-1]
    assert witness.call(SetBool, '/control_simulation/stop', SetBool.Request(data=False)).success
    until(lambda: not any(witness.stopped().values()), SOON, 'release')
    time.sleep(0.5)
    np.testing.assert_allclose(witness.positions[-1], where, atol=DRIFT)
    until(lambda: witness.call(Trigger, '/motion_planner/start').success, SOON, 'start')
    goal = home + np.array([[-0.2, 0.0, 0.2]])

    def arrived() -> bool:
        tip = witness.model.tip_positions(witness.positions[-1])
        return bool(np.abs(tip - goal).max() < AT_GOAL and witness.rests)

    until(arrived, START, 'arrival')
    assert not any(witness.stopped().values())
