"""Commands in the form that a driver takes."""

from __future__ import annotations

from collections.abc import Callable

from rclpy.clock import Clock
from sensor_msgs.msg import JointState as JointStateMessage
from std_msgs.msg import Float64MultiArray

from ...core.values import Array
from ...drivers.joint_order import command_order
from ...robot.model import RobotModel
from ..messages.arrays import to_message
from ..messages.joint_state import JointStateEncoder
from ..node.topics import Topics
from ..pacing.config import DriverConfig
from ..transport.qos import STREAM


def command_output(
    topics: Topics, driver: DriverConfig, model: RobotModel, clock: Clock
) -> Callable[[Array], None]:
    """Return what sends a command, shape ``(n,)`` in the order of the model's joints.

    :raises ConfigError: driver and model do not have the same joints.
    """
    order = command_order(driver.joints, model)
    if driver.message == 'joint_state':
        joints = [model.joint_names[i] for i in order]
        encode = JointStateEncoder(joints, (driver.output,)).encode
        states = topics.publisher(JointStateMessage, driver.topic, STREAM)
        return lambda numbers: states.publish(encode(clock.now().nanoseconds, numbers[order]))
    publisher = topics.publisher(Float64MultiArray, driver.topic, STREAM)
    return lambda numbers: publisher.publish(to_message(numbers[order]))
