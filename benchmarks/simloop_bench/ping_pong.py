"""A bare ping-pong of JointStates: what the graph's steps per second are measured against.

``python -m simloop_bench.ping_pong ROLE FORM JOINT,JOINT,... [SECONDS WINDOWS FILE]``: the role
``pong`` answers until a signal comes; ``ping`` measures, and writes the largest number of round
trips per second of all windows to the file; ``both`` does so with the two nodes in one process.
Messages of the form ``typed`` are built, sent and received as rclpy offers it, those of the form
``serialized`` are bytes that nobody looks at.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
import math
from pathlib import Path
import sys
import time
from typing import Any

import rclpy
from rclpy.executors import Executor
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState

from simloop_ros.ros.node.process import MAX_SPIN_TIME, fastest_executor, open_middleware

QOS = QoSProfile(depth=10, reliability=ReliabilityPolicy.RELIABLE)
WARM_UP = 0.2
"""Time of playing before the first window [s]."""
LONGEST_SEARCH = 20.0
"""Time after which the partner ought to have answered [s]."""
SERVE_AGAIN = 0.5
"""Time after which the first message counts as lost: the partner did not know us yet [s]."""


class Player(Node):
    """Sends a message on one topic for each that comes on the other.

    :param sends: topic of its messages; those of the other player come on ``receives``.
    :ivar received: number of messages that came.
    """

    def __init__(self, sends: str, receives: str, joint_names: list[str], *, serialized: bool):
        super().__init__(f'{sends}_player')
        self.received = 0
        self._publisher = self.create_publisher(JointState, sends, QOS)
        self._message = _bytes_of(joint_names) if serialized else _typed_of(joint_names)
        self._subscription = self.create_subscription(
            JointState, receives, self._answer, QOS, raw=serialized
        )

    @property
    def met(self) -> bool:
        """Return whether the other player is there."""
        return bool(
            self._publisher.get_subscription_count() and self._subscription.get_publisher_count()
        )

    def send(self) -> None:
        """Send a message."""
        self._publisher.publish(self._message(self.received))

    def _answer(self, _: Any) -> None:
        self.received += 1
        self.send()


def _typed_of(joint_names: list[str]) -> Callable[[int], JointState]:
    """Return what builds a message, in the fastest way that rclpy has."""
    values = bytes(8 * len(joint_names))

    def build(stamp: int) -> JointState:
        message = JointState()
        message.header.stamp.nanosec = stamp
        message.name = joint_names
        message.position = array('d', values)
        message.velocity = array('d', values)
        message.effort = array('d', values)
        return message

    return build


def _bytes_of(joint_names: list[str]) -> Callable[[int], bytes]:
    data = bytes(serialize_message(_typed_of(joint_names)(0)))
    return lambda _: data


def round_trips_per_s(
    executor: Executor, ping: Player, seconds: float, windows: int, received: list[int]
) -> float:
    """Return the largest number of round trips per second, of several windows.

    :param seconds: length of a window.
    :param received: signals that came; with the first one it is over.
    :raises TimeoutError: there is nobody to play with.
    """
    deadline = time.monotonic() + LONGEST_SEARCH
    served = -math.inf
    while not ping.received and not received:
        if ping.met and time.monotonic() - served > SERVE_AGAIN:
            ping.send()
            served = time.monotonic()
        executor.spin_once(timeout_sec=MAX_SPIN_TIME)
        if time.monotonic() > deadline:
            raise TimeoutError(f'no partner for the ping-pong within {LONGEST_SEARCH:g} s')
    best = 0.0
    for length in (WARM_UP, *[seconds] * windows):
        before, begin = ping.received, time.perf_counter()
        while (elapsed := time.perf_counter() - begin) < length and not received:
            executor.spin_once(timeout_sec=MAX_SPIN_TIME)
        if length == seconds:
            best = max(best, (ping.received - before) / elapsed)
    return best


def main() -> int:
    """Play as the arguments say."""
    role, form, names, *measuring = sys.argv[1:]
    serialized, joint_names = form == 'serialized', names.split(',')
    received = open_middleware([])
    executor = fastest_executor()
    topics = {'ping': ('ping', 'pong'), 'pong': ('pong', 'ping')}
    players = {
        name: Player(*topics[name], joint_names, serialized=serialized)
        for name in topics
        if role in (name, 'both')
    }
    try:
        for player in players.values():
            executor.add_node(player)
        if role == 'pong':
            while not received:
                executor.spin_once(timeout_sec=MAX_SPIN_TIME)
        else:
            seconds, windows, path = measuring
            rate = round_trips_per_s(
                executor, players['ping'], float(seconds), int(windows), received
            )
            Path(path).write_text(f'{rate}\n')
    finally:
        for player in players.values():
            executor.remove_node(player)
            player.destroy_node()
        rclpy.shutdown()
    return 0


if __name__ == '__main__':
    raise SystemExit(main())
