"""Tells all nodes of a running graph what the robot carries."""

from __future__ import annotations

from threading import Event
import time

from geometry_msgs.msg import InertiaStamped
import rclpy
from rclpy.duration import Duration
from rclpy.node import Node

from ...robot.config import Payload
from ..messages.payload import LEAD, TOPIC, to_message
from ..messages.stamps import NANO
from ..transport.qos import EVENTS
from .process import MAX_SPIN_TIME, open_middleware

PATIENCE = 5.0
"""Time in which a node that listens has to be found [s]."""
DISCOVERY = 0.5
"""Time in which the others have to be found after the first one [s]."""


def tell_payload(payload: Payload, namespace: str) -> int:
    """Publish a payload that holds in a moment; return the number of nodes that were told."""
    interrupts = open_middleware([])
    node = Node('simloop_payload', namespace=namespace)
    try:
        publisher = node.create_publisher(InertiaStamped, TOPIC, EVENTS)
        begin = found = time.monotonic()
        told, clock = 0, Event()
        while not interrupts and time.monotonic() < (
            found + DISCOVERY if told else begin + PATIENCE
        ):
            clock.wait(MAX_SPIN_TIME)
            count = publisher.get_subscription_count()
            if count > told:
                told, found = count, time.monotonic()
        if interrupts:
            raise KeyboardInterrupt
        # In lockstep nodes have times of their own: there it holds at once.
        stamp = 0
        if not node.count_publishers('/clock'):
            stamp = node.get_clock().now().nanoseconds + round(LEAD * NANO)
        if told:
            publisher.publish(to_message(payload, stamp))
            publisher.wait_for_all_acked(Duration(seconds=PATIENCE))
        return told
    finally:
        node.destroy_node()
        rclpy.shutdown()
