"""Quality of service, in one place; each is a default that ``qos_overrides`` may change."""

from __future__ import annotations

from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

STREAM_DEPTH = 128
RECORD_DEPTH = 1024
"""More than the plant may be ahead of the recorder, so that a busy recorder loses nothing."""

STREAM = QoSProfile(depth=STREAM_DEPTH, reliability=ReliabilityPolicy.RELIABLE)
"""A message per step: publishers."""
LATCHED = QoSProfile(
    depth=1, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL
)
"""Messages that must reach readers that start later: publishers."""
LATCHED_READER = QoSProfile(
    depth=100, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL
)
"""Subscriptions of the same: the depth counts for all publishers together, and with a depth of 1
the last message of one would push out that of another which was not read yet."""
EVENTS = QoSProfile(depth=10, reliability=ReliabilityPolicy.RELIABLE)
SENSOR = QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT)
"""Subscriptions of drivers of sensors: many publish best effort, which a reliable subscription
would not receive."""


JOINT_STATES = 'joint_states'
DRIVERS_TOPICS = (JOINT_STATES, 'measured_external_torque')
"""Topics that a robot's driver may publish, best effort as some do."""


def stream_reader(depth: int, *, realtime: bool, driven: bool = False) -> QoSProfile:
    """Return the quality of service of a subscription with a message per step.

    In lockstep a lost message is requested again anyway, by ``Resend``: there the middleware's own
    acknowledgements would only cost time (14 % of the steps per second, see docs/graph.md).

    :param driven: whether a driver may publish it, best effort: a reliable subscription would not
        hear that.
    """
    reliable = realtime and not driven
    reliability = ReliabilityPolicy.RELIABLE if reliable else ReliabilityPolicy.BEST_EFFORT
    return QoSProfile(depth=depth, reliability=reliability)
