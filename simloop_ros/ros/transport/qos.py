"""Quality of service, in one place; each is a default that ``qos_overrides`` may change."""

from __future__ import annotations

from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

STREAM_DEPTH = 128
RECORD_DEPTH = 1024
"""Deeper than the plant may be ahead of the recorder, so that a busy one loses nothing."""

STREAM = QoSProfile(depth=STREAM_DEPTH, reliability=ReliabilityPolicy.RELIABLE)
"""A message per step: publishers."""
LATCHED = QoSProfile(
    depth=1,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)
"""What is sent once and must reach those who come later: publishers."""
LATCHED_READER = QoSProfile(
    depth=100,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)
"""Subscriptions of the same: the depth counts for all publishers together, and with a depth of 1
the last message of one would push out that of another which was not read yet."""
EVENTS = QoSProfile(depth=10, reliability=ReliabilityPolicy.RELIABLE)
SENSOR = QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT)
"""Subscriptions of what drivers of sensors tell: many of them publish best effort, and a reliable
subscription would never hear those."""


def stream_reader(depth: int, *, realtime: bool) -> QoSProfile:
    """Return the quality of service of a subscription with a message per step.

    In lockstep a lost message is asked for again anyway, by ``Resend``: there the middleware's own
    acknowledgements would only cost time (14 % of the steps per second, see docs/graph.md).
    """
    reliability = ReliabilityPolicy.RELIABLE if realtime else ReliabilityPolicy.BEST_EFFORT
    return QoSProfile(depth=depth, reliability=reliability)
