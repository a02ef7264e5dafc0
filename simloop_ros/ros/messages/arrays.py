"""Plain numbers of messages."""

from __future__ import annotations

import array

from geometry_msgs.msg import WrenchStamped
import numpy as np
from std_msgs.msg import Float64MultiArray

from ...core.values import Array


def to_message(values: Array) -> Float64MultiArray:
    """Return numbers, shape ``(n,)``, as a message."""
    return Float64MultiArray(data=array.array('d', values.tobytes()))


def wrench_from_message(message: WrenchStamped) -> Array:
    """Return force and torque [N, N m], shape ``(6,)``; numbers need not be finite."""
    force, torque = message.wrench.force, message.wrench.torque
    return np.array([force.x, force.y, force.z, torque.x, torque.y, torque.z])
