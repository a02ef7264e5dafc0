"""A wrench as a message: geometry_msgs/WrenchStamped."""

from __future__ import annotations

from geometry_msgs.msg import WrenchStamped
import numpy as np

from ...core.values import Array


def wrench_from_message(message: WrenchStamped) -> Array:
    """Return force and torque [N, N m], shape ``(6,)``; numbers need not be finite."""
    force, torque = message.wrench.force, message.wrench.torque
    return np.array([force.x, force.y, force.z, torque.x, torque.y, torque.z])
