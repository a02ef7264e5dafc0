"""A stand-in for a driver, ``simloop connect``, and the suite on it: real processes over DDS."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
import json
import os
import signal
import subprocess
import sys
import time
from typing import Any

import numpy as np
import pytest
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState as JointStateMessage
from spun_node import SpunNode
from std_msgs.msg import Float64MultiArray

from simloop_ros.record.mcap import read_mcap
from simloop_ros.robot.fit_robot import load_fit_robot
from simloop_ros.ros.messages.joint_state import JointStateDecoder
from simloop_ros.scenario.robot_files import robot_config

RATE = 100
SIMLOOP = (sys.executable, '-m', 'simloop_ros.cli.main')
ROBOT = ('--robot', 'lwr')
KEYS = {'rate': str(RATE), 'gravity': 'command', 'effort': 'torque'}
START = 40.0  # longest time for processes to start on a loaded machine [s]
TIP_ERROR = 1e-3  # [m]
AT_REST = 2e-3  # [rad/s]
STARTED: list[subprocess.Popen[bytes]] = []
ATTEMPTS = 3  # a busy machine loses states for real
SHORT = ('--seconds', '2')  # a whole freeze is in it, whenever it begins


def settings(option: str = '--set', **changes: str) -> list[str]:
    return [
        word for key, value in {**KEYS, **changes}.items() for word in (option, f'{key}={value}')
    ]


@pytest.fixture(autouse=True)
def _reap() -> Iterator[None]:
    """Wait for the processes that the graph has killed."""
    STARTED.clear()
    yield
    for process in STARTED:
        process.kill()
        process.wait()


def start_driver(graph: Any, *arguments: str) -> subprocess.Popen[bytes]:
    """Start a stand-in, and wait until it publishes."""
    process = graph.start(*SIMLOOP, 'standin', 'generic', *ROBOT, *arguments)
    STARTED.append(process)
    graph.wait_until(lambda: 'Ctrl-C' in graph.output, START)
    return process


def connect(graph: Any, *arguments: str) -> tuple[int, dict[str, list[str]]]:
    """Return the exit status of ``simloop connect``, and its findings by verdict."""
    done = subprocess.run(
        [*SIMLOOP, 'connect', 'generic', *ROBOT, *arguments, '--json', *SHORT],
        env=graph.environment,
        capture_output=True,
        text=True,
        timeout=2 * START,
    )
    assert done.stdout, done.stderr
    said = json.loads(done.stdout)
    assert said['fit'] == (done.returncode == 0)
    found: dict[str, list[str]] = {'fit': [], 'hint': [], 'wrong': []}
    for finding in said['findings']:
        found[finding['verdict']].append(f'{finding["check"]}: {finding["what"]}')
    print(found)
    return done.returncode, found


def checks(lines: Sequence[str]) -> set[str]:
    return {line.partition(':')[0] for line in lines}


def test_a_stand_in_without_faults_is_fit(graph: Any) -> None:
    driver = start_driver(graph, *settings(), '--set', 'reliability=best_effort')
    for _ in range(ATTEMPTS):
        status, found = connect(graph, *settings(), '--set', 'reliability=best_effort')
        if status == 0:
            break
    assert status == 0, found
    assert {'joints', 'rate', 'stamps', 'effort', 'order', 'commands'} <= checks(found['fit'])
    assert f'rate: {RATE} Hz' in found['fit']
    driver.send_signal(signal.SIGINT)
    assert driver.wait(START) == 0


@pytest.mark.parametrize(
    ('faults', 'wrong'),
    [
        (
            ('lost=0.3', 'rate=1.2', 'order', 'payload=2'),
            {'losses': '% of the states', 'rate': '120 Hz instead of 100', 'order': 'lwr_a6_joint'}
            | {'payload': '2.00 kg at flange'},
        ),
        (('bunched=20', 'current'), {'jitter': 'they come in bunches', 'effort': 'it is current'}),
        (('freeze=0.45',), {'pauses': 'no state for 0.4'}),
        (('late_start=1000',), {'states': 'no message on joint_states'}),
    ],
    ids=lambda given: given[0].partition('=')[0] if isinstance(given, tuple) else '',
)
def test_each_fault_is_found(graph: Any, faults: tuple[str, ...], wrong: dict[str, str]) -> None:
    given = [word for fault in faults for word in ('--fault', fault)]
    start_driver(graph, *settings(), *given)
    for _ in range(ATTEMPTS):  # a busy machine adds to a pause, and to what is lost
        status, found = connect(graph, *settings())
        assert status == 1
        seen = {
            check
            for check, words in wrong.items()
            if any(words in line for line in found['wrong'] if line.startswith(check))
        }
        if seen == set(wrong):
            break
    assert seen == set(wrong), found


class Witness(SpunNode):
    """Sees where the robot is, with the quality of service of a best-effort reader."""

    def __init__(self, domain: int):
        self.model = load_fit_robot(robot_config('lwr'))
        self._decode = JointStateDecoder(self.model.joint_names, ('position', 'velocity')).decode
        self.states: list[Any] = []
        super().__init__('witness', domain)
        qos = QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT)
        self._node.create_subscription(
            JointStateMessage, 'joint_states', self._on_state, qos, raw=True
        )
        self.sender = self._node.create_publisher(
            Float64MultiArray, 'forward_command_controller/commands', 10
        )
        self.begin()

    def _on_state(self, data: bytes) -> None:
        self.states.append(self._decode(data))

    @property
    def speed(self) -> float:
        """Return the largest speed of a joint [rad/s]."""
        return float(np.abs(self.states[-1].velocity).max()) if self.states else 0.0


@pytest.fixture
def witness(graph: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    monkeypatch.setenv('FASTDDS_BUILTIN_TRANSPORTS', 'UDPv4')
    witness = Witness(int(graph.environment['ROS_DOMAIN_ID']))
    yield witness
    witness.close()


def launch(graph: Any, *arguments: str, move: str, **changes: str) -> subprocess.Popen[bytes]:
    process = graph.launch(
        *('step', '--set', 'robot=lwr', '--set', f'planner.move=[{move}]'),
        *('--set', 'safety.timeout=50', '--driver', 'generic'),
        *settings('--driver-set', **changes),
        *arguments,
    )
    STARTED.append(process)
    return process


def test_a_motion_by_the_name_of_the_driver_reaches_its_goal(graph: Any) -> None:
    """The states are best effort, and the joints in another order than the model's."""
    joints = 'joints=[lwr_a6_joint, lwr_a5_joint, lwr_a4_joint, lwr_a3_joint, lwr_e1_joint, '
    joints += 'lwr_a2_joint, lwr_a1_joint]'
    changes = {'gravity': 'robot', 'reliability': 'best_effort'}
    own = ('--set', 'plant.engine=mujoco')
    start_driver(graph, *settings(**changes), '--set', joints, *own)
    for attempt in range(ATTEMPTS):
        out = graph.folder / f'run_{attempt}'
        launched = launch(
            *(graph, '--driver-set', joints, '--no-figures', '--out', str(out)),
            move='[-0.05, 0, 0.05]',
            **changes,
        )
        status = launched.wait(2 * START)
        summary = json.loads((out / 'summary.json').read_text())
        if summary['status'] != 'disturbed':  # as by a busy machine that lets the robot wait
            break
    assert status == 0, graph.output
    assert summary['status'] == 'reached'
    assert summary['tip_error_end']['flange'] < TIP_ERROR
    print(summary['tip_error_end'], summary['late_share'])


@pytest.mark.long
def test_a_hand_guides_an_arm_behind_its_driver(graph: Any) -> None:
    """Its torque comes from positions alone, and is in the log; the true one is not known."""
    hand = 'plant.hands=[{link: flange, stiffness: 800, damping: 40, max_force: 40, start: 0.5, '
    hand += 'end: 4, path: {kind: waypoints, waypoints: [{time: 3, offset: [0, 0.1, 0]}]}}]'
    start_driver(graph, *settings(rate='200'), '--set', hand)
    out = graph.folder / 'run'
    launched = graph.launch(
        *('lwr_tcp', '--set', 'plant.hands=[]', '--set', 'duration=5', '--driver', 'generic'),
        *settings('--driver-set', rate='200'),
        *('--set', 'safety.timeout=100', '--out', str(out)),
    )
    STARTED.append(launched)
    assert launched.wait(2 * START) == 0, graph.output
    log = read_mcap(out / 'log.mcap')
    columns = dict(zip(log.names, np.moveaxis(log.columns, 1, 0), strict=True))
    assert 'true_external_torque' not in columns
    assert np.abs(columns['external_torque']).max() > 0.5
    model = load_fit_robot(robot_config('lwr'))
    tips = np.array([model.tip_positions(q)[0] for q in columns['measured_position'][::20]])
    assert 0.05 < np.ptp(tips[:, 1]) < 0.15
    assert (out / 'external_torque.png').is_file()


def test_the_arm_comes_to_rest_when_control_is_killed(graph: Any, witness: Witness) -> None:
    """Its commands are JointStates, as ros2_control's topic-based hardware takes them."""
    named = {'message': 'joint_state'}
    driver = start_driver(graph, *settings(**named))
    slow = ('--set', 'planner.max_velocity=0.05', '--no-record')
    launch(graph, *slow, move='[-0.2, 0, 0.2]', **named)
    graph.wait_until(lambda: witness.speed > 0.03, START)
    os.kill(graph.node_pids()['control_simulation'], signal.SIGKILL)
    graph.wait_until(lambda: witness.speed < AT_REST, START)
    where = witness.states[-1].position
    time.sleep(1.0)
    # Gravity alone is held in the end: an arm without friction leaves its rest slowly.
    assert np.abs(witness.states[-1].position - where).max() < 0.02
    assert driver.poll() is None


def test_a_wrong_size_is_an_error_of_the_driver(graph: Any, witness: Witness) -> None:
    driver = start_driver(graph, *settings())
    graph.wait_until(lambda: witness.sender.get_subscription_count(), START)
    witness.sender.publish(Float64MultiArray(data=[0.0] * 6))
    graph.wait_until(lambda: 'a command of 6 numbers for 7 joints' in graph.output, START)
    driver.send_signal(signal.SIGTERM)
    assert driver.wait(START) == 1
