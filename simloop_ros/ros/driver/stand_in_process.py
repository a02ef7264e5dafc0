"""A stand-in for a robot's driver, over topics, in real time."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event
import time
from typing import Any

from geometry_msgs.msg import WrenchStamped
import numpy as np
import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState as JointStateMessage
from std_msgs.msg import Float64MultiArray

from ...core.errors import MessageError
from ...drivers.config import DriverContract
from ...drivers.delivery import StateDelivery
from ...drivers.stand_in import StandIn
from ...robot.model import RobotModel
from ..messages.arrays import wrench_from_message
from ..messages.joint_state import JointStateEncoder
from ..messages.stamps import stamp_of
from ..node.process import open_middleware
from ..node.scheduling import set_priority
from ..pacing.braked_plant import ExternalWrench
from ..transport.qos import EVENTS, STREAM_DEPTH

BROADCASTER = 'joint_state_broadcaster'
"""Node that publishes joint states; the one that takes commands has its controller's name."""
CATCH_UP = 0.1
"""Time that the robot goes on in one go if the process was suspended [s]; more is left out."""


SERVICE_PERIOD = 0.02
"""Time between two looks at who asks for parameters [s]."""


class StandInProcess:
    """Joint states out and commands in, as ros2_control's nodes do it.

    The parameters ``joints`` and ``interface_name`` of the controller's node can be asked for.
    Who publishes ``external_wrench`` pushes the robot, see ``ExternalWrench``.
    """

    def __init__(
        self,
        stand_in: StandIn,
        model: RobotModel,
        delivery: StateDelivery,
        contract: DriverContract,
        namespace: str,
    ):
        self._robot = stand_in
        self._wrench = ExternalWrench(model, stand_in.period)
        self._delivery = delivery
        self.broadcaster = Node(BROADCASTER, namespace=namespace)
        self.controller = self._controller(contract, namespace)
        fields: tuple[str, ...] = ('position', 'velocity', 'effort')
        if not stand_in.state().effort.size:
            fields = fields[:2]
        self._fields = fields
        self._encode = JointStateEncoder(stand_in.joints, fields).encode
        qos = QoSProfile(
            depth=STREAM_DEPTH, reliability=ReliabilityPolicy[contract.reliability.upper()]
        )
        self._states = self.broadcaster.create_publisher(
            JointStateMessage, contract.state_topic, qos
        )
        self.broadcaster.create_subscription(
            WrenchStamped, 'external_wrench', self._on_wrench, EVENTS
        )
        self._steps = 0
        self._first_stamp = self.broadcaster.get_clock().now().nanoseconds
        self._origin = time.monotonic_ns()

    def _controller(self, contract: DriverContract, namespace: str) -> Node:
        name = contract.command_topic.split('/')[-2:][0]
        node = Node(name, namespace=namespace)
        node.declare_parameter('joints', list(self._robot.joints))
        node.declare_parameter('interface_name', contract.takes)
        self._kind: type = Float64MultiArray
        self._on_command: Callable[[Any], None] = self._on_numbers
        if contract.message == 'joint_state':
            self._kind, self._on_command = JointStateMessage, self._on_named
        self._commands = node.create_subscription(
            self._kind, contract.command_topic, self._on_command, EVENTS
        )
        self._field = contract.takes
        return node

    def _on_wrench(self, message: WrenchStamped) -> None:
        try:
            self._wrench.apply(message.header.frame_id, wrench_from_message(message))
        except MessageError as error:
            self.broadcaster.get_logger().warning(f'refused: {error}')

    def _on_numbers(self, message: Float64MultiArray) -> None:
        self._robot.take(np.array(message.data))

    def _on_named(self, message: JointStateMessage) -> None:
        self._robot.take_named(message.name, np.array(getattr(message, self._field)))

    def poll(self) -> None:
        """Take the commands that wait; the executor would need longer than a period for each."""
        handle = self._commands.handle
        with handle:
            while taken := handle.take_message(self._kind, False):
                self._on_command(taken[0])

    def step_if_due(self) -> float:
        """Take the steps that are due and publish the last; return the time until the next [s]."""
        period = self._robot.period
        late = 1e-9 * (time.monotonic_ns() - self._origin) - self._steps * period
        if late > CATCH_UP:
            skipped = stamp_of(round(late / period), period)
            self._origin += skipped
            self._first_stamp += skipped
        due = int((time.monotonic_ns() - self._origin) / stamp_of(1, period))
        if self._steps <= due:
            self.poll()
            while self._steps <= due:
                self._robot.step(self._wrench.torque(self._robot.position))
                self._steps += 1
            self._publish(self._first_stamp + stamp_of(due, period))
        next_due = self._origin + stamp_of(self._steps, period)
        return max(0.0, 1e-9 * (next_due - time.monotonic_ns()))

    def _publish(self, stamp: int) -> None:
        state = self._robot.state()
        message = self._encode(stamp, *(getattr(state, field) for field in self._fields))
        for data in self._delivery.send(message):
            self._states.publish(data)


def run_stand_in(
    stand_in: StandIn,
    model: RobotModel,
    delivery: StateDelivery,
    contract: DriverContract,
    *,
    namespace: str,
    priority: int,
    report: Callable[[str], None],
    started: str,
) -> None:
    """Play a driver until SIGINT or SIGTERM.

    :param report: called with each line for the user, of which ``started`` is the first.
    """
    received = open_middleware([])
    process = StandInProcess(stand_in, model, delivery, contract, namespace)
    executor = SingleThreadedExecutor()
    nodes = (process.broadcaster, process.controller)
    for node in nodes:
        executor.add_node(node)
    set_priority(priority)  # as ros2_control does, where the system allows it
    report(started)
    reported, clock, served, faulty = '', Event(), 0.0, delivery.faulty
    while not received:
        clock.wait(process.step_if_due())
        if time.monotonic() > served + SERVICE_PERIOD:
            executor.spin_once(timeout_sec=0.0)
            served = time.monotonic()
        if delivery.faulty != faulty:
            faulty = True
            report('the faults begin')
        if stand_in.fault != reported:
            reported = stand_in.fault
            report(f'{reported}; it takes no command any more, start it again')
    for node in nodes:
        executor.remove_node(node)
        node.destroy_node()
    executor.shutdown()
    rclpy.shutdown()
