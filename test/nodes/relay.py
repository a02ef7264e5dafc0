"""A node between the others that loses every tenth message of each topic and repeats another.

``relay.py TOPICS NODES``: each topic, ``name:package:type``, goes from ``name_raw`` to ``name``.
Requests to send again go both ways between all nodes, so each has a topic of its own for them,
``resend_<node>``, and the relay takes what one says to the others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from importlib import import_module
import os
import signal
import sys

import rclpy
from rclpy.node import Node
from rclpy.publisher import Publisher
from rclpy.qos import QoSProfile
from rclpy.signals import SignalHandlerOptions
from std_msgs.msg import Header

CYCLE, LOST, REPEATED = 10, 3, 7
QUEUE = QoSProfile(depth=2000)  # the relay itself loses nothing


class Faults:
    """Hands messages on, but for those that are lost."""

    def __init__(self, send: Callable[[bytes], None]):
        self._send = send
        self.count = 0

    def __call__(self, message: bytes) -> None:
        place = self.count % CYCLE
        self.count += 1
        times = {LOST: 0, REPEATED: 2}.get(place, 1)
        for _ in range(times):
            self._send(message)


class Relay(Node):
    """Relays topics one way, and requests from each node to all others."""

    def __init__(self, topics: Iterable[str], nodes: Sequence[str]):
        super().__init__('relay')
        self._faults: dict[str, Faults] = {}
        for topic, package, kind in (each.split(':') for each in topics):
            message_type = getattr(import_module(f'{package}.msg'), kind)
            out = self.create_publisher(message_type, topic, QUEUE)
            faults = self._faults[topic] = Faults(out.publish)
            self.create_subscription(message_type, f'{topic}_raw', faults, QUEUE, raw=True)
        self._requests: dict[str, Publisher] = {}
        self._own: Counter[tuple[str, bytes]] = Counter()
        for node in nodes:
            topic = f'resend_{node}'
            self._requests[topic] = self.create_publisher(Header, topic, QUEUE)
            faults = self._faults[topic] = Faults(partial(self._pass_on, topic))
            take = partial(self._take, topic, faults)
            self.create_subscription(Header, topic, take, QUEUE, raw=True)

    def _take(self, topic: str, faults: Faults, request: bytes) -> None:
        """Take a request, unless it is one that the relay itself has sent there."""
        if self._own[topic, request]:
            self._own[topic, request] -= 1
        else:
            faults(request)

    def _pass_on(self, source: str, request: bytes) -> None:
        for topic, publisher in self._requests.items():
            if topic != source:
                self._own[topic, request] += 1
                publisher.publish(request)

    def tell(self) -> None:
        """Write how many messages came, so that a test can see that there were any."""
        for topic, faults in self._faults.items():
            print(f'relayed {topic} {faults.count}', flush=True)


def main() -> int:
    """Relay until SIGINT."""
    os.environ.setdefault('FASTDDS_BUILTIN_TRANSPORTS', 'UDPv4')
    ended: list[int] = []
    signal.signal(signal.SIGINT, lambda number, _: ended.append(number))
    rclpy.init(args=sys.argv, signal_handler_options=SignalHandlerOptions.NO)
    relay = Relay(sys.argv[1].split(','), sys.argv[2].split(','))
    while not ended:
        rclpy.spin_once(relay, timeout_sec=0.05)
    relay.tell()
    relay.destroy_node()
    rclpy.shutdown()
    return 0


if __name__ == '__main__':
    raise SystemExit(main())
