"""Plain numbers as a message, as ros2_control takes them: std_msgs/Float64MultiArray."""

from __future__ import annotations

import array

from std_msgs.msg import Float64MultiArray

from ...core.values import Array


def to_message(values: Array) -> Float64MultiArray:
    """Return numbers, shape ``(n,)``, as a message."""
    return Float64MultiArray(data=array.array('d', values.tobytes()))
