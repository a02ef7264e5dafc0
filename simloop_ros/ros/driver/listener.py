"""Listens to a driver without sending it a command."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
import time
from typing import Any

import numpy as np
import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter_client import AsyncParameterClient
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState as JointStateMessage

from ...core.errors import MessageError
from ...drivers.config import DriverContract
from ...drivers.examination import STATES
from ...drivers.heard import Controller, Endpoint, HeardDriver, HeardStates
from ...record.joint_state_cdr import scan_joint_state
from ..messages.joint_state import DecodedJointState, JointStateDecoder
from ..messages.stamps import NANO
from ..node.process import MAX_SPIN_TIME, open_middleware

DEPTH = 1000
"""Messages that may wait: those that are lost shall be lost on their way."""
ASKED = ['joints', 'interface_name']
"""Parameters of ros2_control's forward controllers."""


PATIENCE = 5.0
"""Time in which the first joint state has to come [s]."""
ASKING, ATTEMPTS = 2.0, 8
"""Time in which a controller has to answer [s], and how often it is asked."""


class Listener:
    """Collects the joint states of a driver, and who else is on its topics."""

    def __init__(self, contract: DriverContract, namespace: str):
        self._contract = contract
        self._node = Node('simloop_connect', namespace=namespace)
        self._heard: list[tuple[int, int, bytes]] = []  # steady and ROS time [ns], message
        qos = QoSProfile(depth=DEPTH, reliability=ReliabilityPolicy.BEST_EFFORT)
        self._node.create_subscription(
            JointStateMessage, contract.state_topic, self._on_state, qos, raw=True
        )
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(self._node)

    def _on_state(self, data: bytes) -> None:
        now = self._node.get_clock().now().nanoseconds
        self._heard.append((time.monotonic_ns(), now, data))

    def listen(self, seconds: float, interrupts: Sequence[int]) -> HeardDriver:
        """Return what is heard in some time from the first state on."""
        begin = time.monotonic()
        while not self._heard and time.monotonic() < begin + PATIENCE and not interrupts:
            self._executor.spin_once(timeout_sec=MAX_SPIN_TIME)
        waited = time.monotonic() - begin
        node, topic = self._node, self._contract.command_topic
        end = time.monotonic() + (seconds if self._heard else 0.0)
        while time.monotonic() < end and not interrupts:
            self._executor.spin_once(timeout_sec=MAX_SPIN_TIME)
        states = self._states(waited)
        controller = self._ask(interrupts)
        state_topic = self._contract.state_topic
        return HeardDriver(
            states=states,
            patience=PATIENCE,
            publishers=_endpoints(node.get_publishers_info_by_topic(state_topic)),
            listeners=_endpoints(node.get_subscriptions_info_by_topic(topic)),
            speakers=_endpoints(node.get_publishers_info_by_topic(topic)),
            controller=controller,
            elsewhere=tuple(
                name
                for name, kinds in node.get_topic_names_and_types()
                if STATES in kinds and name != node.resolve_topic_name(state_topic)
            ),
        )

    def _ask(self, interrupts: Sequence[int]) -> Controller | None:
        """Return what the node that takes commands says of itself; none if it does not answer.

        The middleware may lose the answer to a client that it has just met: one asks again.
        """
        ends = _endpoints(self._node.get_subscriptions_info_by_topic(self._contract.command_topic))
        if not ends:
            return None
        client = AsyncParameterClient(self._node, ends[0].node)
        end = time.monotonic() + ASKING
        asked: list[Any] = []
        while time.monotonic() < end and not interrupts:
            answers = [future.result() for future in asked if future.done()]
            if answers:
                return _controller(answers[0])
            due = time.monotonic() > end - ASKING + len(asked) * ASKING / ATTEMPTS
            if due and client.services_are_ready():
                asked.append(client.get_parameters(ASKED))
            self._executor.spin_once(timeout_sec=MAX_SPIN_TIME)
        return None

    def _states(self, waited: float) -> HeardStates | None:
        """Return the states of the joints that come most often; none if none can be read."""
        layouts: Counter[tuple[str, ...]] = Counter()
        scans = []
        for arrival, now, data in self._heard:
            try:
                scan = scan_joint_state(data)
            except ValueError:
                continue
            names = tuple(name.decode(errors='replace') for name in scan.joint_names)
            layouts[names] += 1
            scans.append((arrival, now, data, names))
        if not layouts:
            return None
        joints = _most_of(layouts, self._contract.full_joints)
        return _decode(joints, [scan[:3] for scan in scans if scan[3] == joints], waited)

    def close(self) -> None:
        """End."""
        self._executor.shutdown()
        self._node.destroy_node()


def listen(contract: DriverContract, namespace: str, seconds: float) -> HeardDriver:
    """Return what is heard of a driver; no command is sent."""
    interrupts = open_middleware([])
    listener = Listener(contract, namespace)
    try:
        observed = listener.listen(seconds, interrupts)
    finally:
        listener.close()
        rclpy.shutdown()
    if interrupts:
        raise KeyboardInterrupt
    return observed


def _controller(answer: Any) -> Controller | None:
    """Return the answer of a controller; none if it has no joints."""
    if len(answer.values) < len(ASKED) or not answer.values[0].string_array_value:
        return None
    joints, interface = answer.values
    return Controller(joints=tuple(joints.string_array_value), interface=interface.string_value)


def _most_of(layouts: Counter[tuple[str, ...]], wanted: tuple[str, ...]) -> tuple[str, ...]:
    """Return the joints with most of those that are wanted, of these the most frequent ones."""
    return max(layouts, key=lambda names: (len(set(names) & set(wanted)), layouts[names]))


def _decode(
    joints: tuple[str, ...], heard: list[tuple[int, int, bytes]], waited: float
) -> HeardStates | None:
    decoder = JointStateDecoder(
        joints, ('position',), optional=('velocity', 'effort'), finite=False
    )

    def read(data: bytes) -> DecodedJointState | None:
        with suppress(MessageError):
            return decoder.decode(data)
        return None

    decoded = ((arrival, now, read(data)) for arrival, now, data in heard)
    rows = [(arrival, now, state) for arrival, now, state in decoded if state is not None]
    if not rows:
        return None
    stamps = np.array([state.stamp for _, _, state in rows])
    width = min(state.effort.size for _, _, state in rows)
    return HeardStates(
        joints=joints,
        waited=waited,
        arrivals=np.array([arrival for arrival, _, _ in rows]) / NANO,
        stamps=(stamps - stamps[0]) / NANO,
        ages=np.array([now - state.stamp for _, now, state in rows]) / NANO,
        stamped=bool((stamps > 0).all()),
        positions=np.array([state.position for _, _, state in rows]),
        efforts=np.array([state.effort[:width] for _, _, state in rows]),
    )


def _endpoints(infos: Sequence[Any]) -> tuple[Endpoint, ...]:
    return tuple(
        Endpoint(
            node=f'{info.node_namespace.rstrip("/")}/{info.node_name}',
            kind=info.topic_type,
            reliable=info.qos_profile.reliability == ReliabilityPolicy.RELIABLE,
        )
        for info in infos
    )
