"""Quality of service, in one place; each is a default that ``qos_overrides`` may change."""

from __future__ import annotations

from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

STREAM_DEPTH = 128
RECORD_DEPTH = 1024
"""Deeper than the plant may be ahead of the recorder, so that a busy one loses nothing."""

STREAM = QoSProfile(depth=STREAM_DEPTH, reliability=ReliabilityPolicy.RELIABLE)
"""A message per step."""
RECORD = QoSProfile(depth=RECORD_DEPTH, reliability=ReliabilityPolicy.RELIABLE)
"""The same for a reader that may lag behind."""
NEWEST = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE)
"""The same for a reader that wants the newest only."""
LATCHED = QoSProfile(
    depth=1,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)
"""What is sent once and must reach those who come later."""
EVENTS = QoSProfile(depth=10, reliability=ReliabilityPolicy.RELIABLE)
