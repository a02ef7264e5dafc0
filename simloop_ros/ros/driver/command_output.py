"""Commands in the form that a driver takes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from rclpy.clock import Clock
from rclpy.publisher import Publisher
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


@dataclass(frozen=True)
class CommandOutput:
    """Sends commands to a driver.

    :ivar send: gets a command, shape ``(n,)`` in the order of the model's joints.
    """

    publisher: Publisher
    send: Callable[[Array], None]

    @property
    def connected(self) -> bool:
        """Return whether somebody hears them."""
        return int(self.publisher.get_subscription_count()) > 0


def command_output(
    topics: Topics, driver: DriverConfig, model: RobotModel, clock: Clock
) -> CommandOutput:
    """Return what sends commands to a driver.

    :raises ConfigError: driver and model do not have the same joints.
    """
    order = command_order(driver.joints, model)
    if driver.message == 'joint_state':
        joints = [model.joint_names[i] for i in order]
        encode = JointStateEncoder(joints, (driver.output,)).encode
        states = topics.publisher(JointStateMessage, driver.topic, STREAM)
        return CommandOutput(
            states,
            lambda numbers: states.publish(encode(clock.now().nanoseconds, numbers[order])),
        )
    numbers_out = topics.publisher(Float64MultiArray, driver.topic, STREAM)
    return CommandOutput(
        numbers_out, lambda numbers: numbers_out.publish(to_message(numbers[order]))
    )
