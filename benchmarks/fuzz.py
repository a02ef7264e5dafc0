"""Random messages on every subscription: ``python benchmarks/fuzz.py [COUNT] [options]``.

By default all nodes are in this process, and every subscription gets COUNT messages past the
middleware, none of which is lost. With ``--distributed`` each node is a process of its own, and
COUNT messages are published on each topic. In both cases the graph runs meanwhile. With
``--guided SOURCE`` the robot gives way to torques from outside on its way. Afterwards the robot is
released and has to reach its goal. Prints the result as JSON; the exit status is 0 if no node
broke and no effort was beyond its limit.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
import argparse
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
import json
import os
from pathlib import Path
import random
import struct
import subprocess
import sys
import tempfile
import time
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from geometry_msgs.msg import WrenchStamped
import msgspec
import numpy as np
import rclpy
from rclpy._rclpy_pybind11 import RMWError
from rclpy.node import Node
from rclpy.serialization import deserialize_message, serialize_message
from rclpy.signals import SignalHandlerOptions
from sensor_msgs.msg import JointState as JointStateMessage
from std_msgs.msg import Header
from std_srvs.srv import SetBool, Trigger

from simloop_ros.calibration.calibrate import calibrate
from simloop_ros.core.errors import MessageError
from simloop_ros.nodes.composed import KINDS
from simloop_ros.nodes.plant import LARGEST_EFFORT
from simloop_ros.robot.fit_robot import load_fit_robot
from simloop_ros.ros.launch.graph import programs
from simloop_ros.ros.launch.wiring import NodeSpec, WiringOptions, parameter_file, wire
from simloop_ros.ros.messages.joint_state import JointStateDecoder
from simloop_ros.ros.messages.safety_status import DIVERGED, STAMP, STOPS
from simloop_ros.ros.node.block_node import BlockNode
from simloop_ros.ros.node.process import fastest_executor
from simloop_ros.ros.transport.channels import LocalBus
from simloop_ros.ros.transport.qos import EVENTS, LATCHED, STREAM
from simloop_ros.scenario.loading import load_scenario

FLOOR = '{kind: plane, name: floor, position: [0, 0, -5], normal: [0, 0, 1]}'
SETTINGS = (
    'robot=two_link',
    'duration=100000',
    'planner.move=[[-0.1, 0, 0.1]]',
    'plant.engine=pybullet',
    f'plant.obstacles=[{FLOOR}]',
    'plant.noise=1e-6',
    'monitor.kind=disturbance_observer',
    'monitor.reaction=stop',
    'monitor.resume_after=0.2',
)
CALIBRATION = 120.0  # free motion from which the collision monitor learns [s]
GOAL = np.array([-0.1, 0.0, 0.1])
NEAR = 0.01  # of the goal [m]; the encoders have noise
DELIVERIES = 64  # between nodes, for each message of ours on every subscription
PAUSE = 0.0005  # between two messages of ours per topic, distributed [s]
LONGEST = 120.0  # time for anything to happen [s]
AGAIN = 1.0  # time after which a robot that reacted to a collision is told to go on [s]
STOP = '/control_simulation/stop'
TOPICS: dict[str, tuple[type, Any]] = {
    'joint_states': (JointStateMessage, STREAM),
    'true_joint_states': (JointStateMessage, STREAM),
    'desired_joint_states': (JointStateMessage, STREAM),
    'control_state': (JointStateMessage, STREAM),
    'effort_command': (JointStateMessage, STREAM),
    'external_torque': (JointStateMessage, STREAM),
    'contacts': (DiagnosticArray, STREAM),
    'collision': (DiagnosticArray, STREAM),
    'safety': (DiagnosticStatus, LATCHED),
    'resend': (Header, EVENTS),
    'recorded': (Header, EVENTS),
    'external_wrench': (WrenchStamped, EVENTS),
}
TORQUES = {  # more topics of a guided robot, by the source of its torques
    'observer': ('true_external_torque',),
    'truth': ('true_external_torque',),
    'driver': ('true_external_torque', 'measured_external_torque'),
}
MESSAGE_TYPES = tuple(dict.fromkeys(kind for kind, _ in TOPICS.values()))
ROUNDS = 100  # messages on each subscription between two looks for new ones
ODD = (0.0, -0.0, 5e-324, 1e-308, 1.0, -1.0, 100.0, -100.0, 1e4, 1e150, -1e300, 1.7e308)
BAD = (float('nan'), float('inf'), float('-inf'))
SIZES = (0, 1, 2, 255, 65536, 2**24, 2**31 - 1, 2**31, 2**32 - 1)


class Fuzzer:
    """Makes messages that are right, nearly right, or nothing at all.

    :param names: joints of the robot.
    :param links: links of the robot.
    :param present: tells the stamp of the present step [ns].
    """

    def __init__(
        self,
        seed: int,
        names: tuple[str, ...],
        links: tuple[str, ...],
        period: float,
        present: Callable[[], int],
    ):
        self._random = random.Random(seed)
        self._names = names
        self._links = links
        self._period = round(period * 1e9)
        self._present = present
        self._makers: dict[type, Callable[[], Any]] = {
            JointStateMessage: self.joint_state,
            Header: self.header,
            DiagnosticStatus: self.status,
            DiagnosticArray: self.array,
            WrenchStamped: self.wrench,
        }

    def message(self, kind: type) -> Any:
        """Return a message of a type."""
        return self._makers[kind]()

    def data(self, kind: type) -> bytes:
        """Return the bytes of a message, or what is left of them."""
        choice = self._random.random()
        if choice < 0.05:
            return self._random.randbytes(self._random.randrange(200))
        data = bytearray(serialize_message(self.message(kind)))
        if choice < 0.3:
            for _ in range(self._random.randrange(1, 4)):
                place = self._random.randrange(len(data))
                if choice < 0.15:
                    data[place] = self._random.randrange(256)
                else:
                    place &= ~3
                    data[place : place + 4] = struct.pack('<I', self._random.choice(SIZES))
        if choice > 0.95:
            del data[self._random.randrange(len(data)) :]
        return bytes(data)

    def number(self) -> float:
        """Return a number."""
        choice = self._random.random()
        if choice < 0.5:
            return self._random.gauss(0.0, 1.0)
        if choice < 0.6:
            return self._random.choice(BAD)
        if choice < 0.8:
            return self._random.choice(ODD)
        return self._random.gauss(0.0, 1.0) * 10.0 ** self._random.randrange(-20, 20)

    def numbers(self, count: int) -> list[float]:
        """Return numbers, more often than not all of them usable."""
        if self._random.random() < 0.6:
            return [self._random.gauss(0.0, 2.0) for _ in range(count)]
        return [self.number() for _ in range(count)]

    def stamp(self, message: Any) -> None:
        """Give a message a time: now, nearly now, or any other."""
        choice = self._random.random()
        near = self._present() + self._random.randrange(-20, 40) * self._period
        if choice < 0.6:
            sec, nanosec = divmod(max(0, near), 1_000_000_000)
        elif choice < 0.8:
            sec, nanosec = self._random.randrange(-(2**31), 2**31), self._random.randrange(2**32)
        else:
            sec, nanosec = self._random.choice([(0, 0), (2**31 - 1, 999_999_999), (-1, 0)])
        message.sec, message.nanosec = min(sec, 2**31 - 1), nanosec

    def text(self) -> str:
        """Return a name that somebody may know, or not."""
        if self._random.random() < 0.7:
            return self._random.choice(
                (*KINDS, *self._links, *self._names, *TOPICS, 'world', 'recorder', '')
            )
        return ''.join(
            chr(self._random.choice((65, 0x20AC, 0x1F916, 10, 48)))
            for _ in range(self._random.choice((1, 8, 300)))
        )

    def joint_state(self) -> JointStateMessage:
        """Return joint states."""
        message = JointStateMessage()
        self.stamp(message.header.stamp)
        names = list(self._names)
        if self._random.random() < 0.2:
            self._random.shuffle(names)
        if self._random.random() < 0.1:
            names = [self.text() for _ in range(self._random.randrange(5))]
        message.name = names
        for field in ('position', 'velocity', 'effort'):
            wrong = self._random.random() < 0.05
            setattr(
                message,
                field,
                self.numbers(self._random.randrange(5) if wrong else len(names)),
            )
        return message

    def header(self) -> Header:
        """Return a request, or how far the recorder is."""
        message = Header(frame_id=self.text())
        self.stamp(message.stamp)
        return message

    def status(self) -> DiagnosticStatus:
        """Return a safety status."""

        def whole() -> str:
            return str(self._random.choice((0, 1, 2, -1, 10**18, 10**400, 1e300, 'NaN', '', '٣')))

        values = {
            STOPS: whole(),
            STAMP: whole(),
            DIVERGED: 'False',  # a true one from control rightly ends the recording
            self.text(): self.text(),
        }
        return DiagnosticStatus(
            level=bytes((self._random.randrange(4),)),
            name=self.text(),
            message=self.text(),
            values=[
                KeyValue(key=key, value=value)
                for key, value in values.items()
                if self._random.random() < 0.9
            ],
        )

    def array(self) -> DiagnosticArray:
        """Return contacts, or a collision."""
        message = DiagnosticArray()
        self.stamp(message.header.stamp)
        if self._random.random() < 0.5:
            message.status = [self.collision()]
            return message
        for _ in range(self._random.randrange(3)):
            force = KeyValue(key='force [N]', value=str(self.number()))
            message.status.append(
                DiagnosticStatus(name=self.text(), hardware_id=self.text(), values=[force])
                if self._random.random() < 0.7
                else self.status()
            )
        return message

    def collision(self) -> DiagnosticStatus:
        """Return what a collision monitor may say."""
        values = {
            'contact': self._random.choice(('true', 'false', '1')),
            'margin': str(self.number()),
            'link': f'"{self.text()}"',
            'probability': '0.5',
            'point': '[0, 0, 1]',
            'force': str(self.numbers(3)),
            'step': '1',
        }
        known = self._random.choice((2, 2, 4, 6, 7))
        return DiagnosticStatus(
            message=self._random.choice(('none', 'push', 'impact', 'impact', '')),
            values=[
                KeyValue(key=key, value=value)
                for key, value in list(values.items())[:known]
                if self._random.random() < 0.95
            ],
        )

    def wrench(self) -> WrenchStamped:
        """Return a push."""
        message = WrenchStamped()
        self.stamp(message.header.stamp)
        message.header.frame_id = self.text()
        for vector in (message.wrench.force, message.wrench.torque):
            vector.x, vector.y, vector.z = self.numbers(3)
        return message


class Graph(ABC):
    """A graph that is fuzzed.

    :ivar position: the last joint positions [rad].
    :ivar present: stamp of the present step [ns].
    """

    def __init__(self, joint_names: tuple[str, ...], planner: str):
        self._start = f'/{planner}/start'
        self.node: Node = rclpy.create_node('fuzz')
        self.position: np.ndarray | None = None
        self.present = 0
        self._shares: list[float] = []
        self._levels: dict[str, bytes] = {}
        self._answer: Any = None
        self._read = JointStateDecoder(joint_names, ('position',)).decode
        subscribe = self.node.create_subscription
        subscribe(JointStateMessage, 'joint_states', self._on_joints, 1, raw=True)
        subscribe(DiagnosticArray, '/diagnostics', self._on_diagnostics, 10)

    @abstractmethod
    def spin(self, seconds: float) -> None:
        """Let happen what comes in this time [s]."""

    @abstractmethod
    def fuzz(self, fuzzer: Fuzzer, count: int) -> dict[str, int]:
        """Send this many messages everywhere; return how many went where."""

    @abstractmethod
    def broken(self) -> list[str]:
        """Return the nodes that broke."""

    @abstractmethod
    def pids(self) -> list[int]:
        """Return the processes."""

    def memory(self) -> float:
        """Return the memory of all nodes [MB]."""
        pages = sum(int(Path(f'/proc/{pid}/statm').read_text().split()[1]) for pid in self.pids())
        return pages * os.sysconf('SC_PAGE_SIZE') / 1e6

    def _on_joints(self, data: bytes) -> None:
        with suppress(MessageError):
            message = self._read(data)
            self.position, self.present = message.position, message.stamp

    def _on_diagnostics(self, message: DiagnosticArray) -> None:
        for status in message.status:
            self._levels[status.name] = status.level
            self._shares += [float(v.value) for v in status.values if v.key == LARGEST_EFFORT]

    def wait_until(self, true: Callable[[], Any], what: str) -> None:
        """Run the graph until something is true."""
        end = time.monotonic() + LONGEST
        while not true():
            if time.monotonic() > end or self.broken():
                raise SystemExit(
                    f'fuzz: {what} did not come; last answer: {self._answer}; broken: '
                    f'{self.broken()}'
                )
            self.spin(0.01)

    def call(self, kind: type, name: str, request: Any = None) -> Any:
        """Return the response of a service."""
        client = self.node.create_client(kind, name)
        self.wait_until(client.service_is_ready, name)
        future = client.call_async(request or kind.Request())
        self.wait_until(future.done, f'answer of {name}')
        self.node.destroy_client(client)
        self._answer = future.result()
        return self._answer

    def largest_effort(self) -> float:
        """Return the largest effort that reached the plant, as a share of its limit."""
        self._shares.clear()
        self.wait_until(lambda: self._shares, 'report of the plant')
        return self._shares[-1]

    def recover(self, moved: Callable[[np.ndarray], np.ndarray]) -> None:
        """Bring the robot home, release it, and wait until it has reached its goal.

        :param moved: tells the way of the tip from home [m].
        """

        def is_near(way: np.ndarray) -> bool:
            return self.position is not None and bool(
                np.abs(moved(self.position) - way).max() < NEAR
            )

        self.call(SetBool, STOP, SetBool.Request(data=True))
        self.wait_until(lambda: self.call(Trigger, '/plant/reset').success, 'reset')
        self.wait_until(lambda: is_near(np.zeros(3)), 'the robot at home')
        self.wait_until(self._released, 'release')
        self.wait_until(lambda: self.call(Trigger, self._start).success, 'start')
        end = 0.0

        def arrives() -> bool:
            nonlocal end
            if time.monotonic() > end:  # a reset looks like a collision: then it has to go on
                self.call(Trigger, self._start)
                end = time.monotonic() + AGAIN
            return is_near(GOAL)

        self.wait_until(arrives, 'the robot at its goal')

    def _released(self) -> bool:
        """Release the robot; return whether neither control nor plant is stopped then."""
        self.call(SetBool, STOP, SetBool.Request(data=False))
        self._levels.clear()
        both = ('/control_simulation', '/plant')
        self.wait_until(lambda: all(name in self._levels for name in both), 'reports')
        return all(self._levels[name] != DiagnosticStatus.ERROR for name in both)


class OneProcess(Graph):
    """All nodes are here; messages go straight into the subscriptions, and none gets lost."""

    def __init__(self, joint_names: tuple[str, ...], specs: tuple[NodeSpec, ...]):
        super().__init__(joint_names, specs[0].executable)
        self._bus = LocalBus()
        self._executor = fastest_executor()
        self._executor.add_node(self.node)
        self._nodes: list[BlockNode] = []
        for spec in specs:
            node = KINDS[spec.executable](spec.executable, bus=self._bus)
            self._nodes.append(node)
            self._executor.add_node(node)
        for node in self._nodes:
            node.start()

    def close(self) -> None:
        """End all nodes."""
        for node in self._nodes:
            node.stop()

    def spin(self, seconds: float) -> None:
        """Let the nodes do what is due."""
        self._executor.spin_once(timeout_sec=0.0 if self._bus.busy else seconds)
        self._bus.run(DELIVERIES)

    def fuzz(self, fuzzer: Fuzzer, count: int) -> dict[str, int]:
        """Send messages everywhere."""
        given: Counter[str] = Counter()
        while not self.broken():
            left = [each for each in self._subscriptions() if given[each[0]] < count]
            if not left:
                break
            most = max(given[name] for name, _ in left)
            for _ in range(min(ROUNDS, count - most)):
                messages = {kind: _pair(fuzzer, kind) for kind in MESSAGE_TYPES}
                for name, subscription in left:
                    data, message = messages[subscription.msg_type]
                    subscription.callback(data if subscription.raw else message)
                    given[name] += 1
                self.spin(0.0)
        return dict(given)

    def _subscriptions(self) -> list[tuple[str, Any]]:
        """Return all that there are now; a planner opens one after its first stop."""
        return [
            (f'{node.get_name()} {subscription.topic_name}', subscription)
            for node in self._nodes
            for subscription in (*node.subscriptions, *node.topics.polled)
            if subscription.topic_name.lstrip('/') in TOPICS
        ]

    def broken(self) -> list[str]:
        """Return the nodes that broke."""
        return [f'{node.get_name()}: {node.failure}' for node in self._nodes if node.failure]

    def pids(self) -> list[int]:
        """Return the processes."""
        return [os.getpid()]


def _pair(fuzzer: Fuzzer, kind: type) -> tuple[bytes, Any]:
    """Return bytes, and the message in them or, if the middleware sees none there, another."""
    data = fuzzer.data(kind)
    if kind is JointStateMessage:
        return data, None  # only ever read as bytes
    try:
        return data, deserialize_message(data, kind)
    except RMWError:
        return data, fuzzer.message(kind)


class Processes(Graph):
    """A process per node; messages are published."""

    def __init__(
        self, joint_names: tuple[str, ...], specs: tuple[NodeSpec, ...], parameters: Path
    ):
        super().__init__(joint_names, specs[0].executable)
        self._executor = fastest_executor()
        self._executor.add_node(self.node)
        self._processes = {
            program.name: subprocess.Popen(program.command, stdout=subprocess.DEVNULL)
            for program in programs(specs, parameters, composed=False)
        }

    def close(self) -> None:
        """End all processes."""
        for process in self._processes.values():
            process.terminate()
        for process in self._processes.values():
            process.wait()

    def spin(self, seconds: float) -> None:
        """Let the nodes do what is due."""
        self._executor.spin_once(timeout_sec=seconds)

    def fuzz(self, fuzzer: Fuzzer, count: int) -> dict[str, int]:
        """Send messages everywhere."""
        publishers = {
            topic: (self.node.create_publisher(kind, topic, qos), kind)
            for topic, (kind, qos) in TOPICS.items()
        }
        self.wait_until(
            lambda: all(
                publisher.get_subscription_count() for publisher, _ in publishers.values()
            ),
            'subscriptions',
        )
        for _ in range(count):
            for publisher, kind in publishers.values():
                publisher.publish(fuzzer.data(kind))
                self.spin(PAUSE)
        for publisher, _ in publishers.values():
            self.node.destroy_publisher(publisher)
        return dict.fromkeys(publishers, count)

    def broken(self) -> list[str]:
        """Return the nodes that broke."""
        return [name for name, process in self._processes.items() if process.poll() is not None]

    def pids(self) -> list[int]:
        """Return the processes."""
        return [process.pid for process in self._processes.values()]


def main() -> int:
    """Fuzz, print the result and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('count', type=int, nargs='?', default=100_000)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--realtime', action='store_true')
    parser.add_argument('--distributed', action='store_true')
    parser.add_argument('--guided', metavar='SOURCE', choices=TORQUES)
    parser.add_argument('--period', type=float, default=0.01)
    options = parser.parse_args()
    os.environ.setdefault('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    os.environ.setdefault('FASTDDS_BUILTIN_TRANSPORTS', 'UDPv4')
    begin = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        settings = [*SETTINGS, f'period={options.period}']
        settings.append(f'control.natural_frequency={0.2 / options.period}')
        calibration = Path(folder) / 'calibration.yaml'
        calibration.write_bytes(
            msgspec.yaml.encode(calibrate(load_scenario('step', settings), duration=CALIBRATION))
        )
        settings.append(f'monitor.calibration={calibration}')
        if options.guided:
            settings.append(f'admittance.source={options.guided}')
            more = dict.fromkeys(TORQUES[options.guided], (JointStateMessage, STREAM))
            TOPICS.update(more)
        scenario = load_scenario('step', settings)
        model = load_fit_robot(scenario.robot)
        wiring = WiringOptions(
            realtime=options.realtime,
            out=f'{folder}/out',
            figures=False,
            priority=0,  # a process that never waits would keep the machine from everything else
        )
        specs = wire(scenario, wiring)
        parameters = Path(folder) / 'parameters.yaml'
        parameters.write_text(parameter_file(specs))
        rclpy.init(
            args=['fuzz', '--ros-args', '--params-file', str(parameters)],
            signal_handler_options=SignalHandlerOptions.NO,
        )
        graph = (
            Processes(model.joint_names, specs, parameters)
            if options.distributed
            else OneProcess(model.joint_names, specs)
        )
        try:
            home = model.tip_positions(model.home)

            def moved(position: np.ndarray) -> np.ndarray:
                return np.asarray((model.tip_positions(position) - home)[0])

            graph.wait_until(
                lambda: graph.position is not None and np.abs(moved(graph.position)).max() > NEAR,
                'motion',
            )
            links = tuple(frame.name for frame in model.pin_model.frames)
            fuzzer = Fuzzer(
                options.seed, model.joint_names, links, options.period, lambda: graph.present
            )
            memory = graph.memory()
            given = graph.fuzz(fuzzer, options.count)
            grown = graph.memory() - memory
            graph.recover(moved)
            share, broken = graph.largest_effort(), graph.broken()
        finally:
            graph.close()
    result = {
        'messages': sum(given.values()),
        'least_per_target': min(given.values()),
        'targets': sorted(given),
        'broken': broken,
        'largest_effort_share': share,
        'memory_growth_mb': round(grown, 1),
        'seconds': round(time.perf_counter() - begin, 1),
    }
    print(json.dumps(result))
    return 0 if not broken and 0.0 < share <= 1.0 else 1


if __name__ == '__main__':
    sys.exit(main())
