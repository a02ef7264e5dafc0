"""The drivers of wrist sensors, as a node reads them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from geometry_msgs.msg import WrenchStamped

from ...core.errors import MessageError
from ...core.values import Array
from ..messages.stamps import join
from ..messages.wrench import wrench_from_message
from ..pacing.wrist_readings import WristReadings
from ..transport.qos import SENSOR
from .block_node import BlockNode


def read_wrist_drivers(
    node: BlockNode, sensors: Sequence[str], call: Callable[[int, Array], None]
) -> WristReadings:
    """Subscribe a node to the drivers of its robot's sensors; malformed messages are refused.

    :param sensors: as ``model.sensors``.
    :param call: see ``WristReadings``.
    """
    readings = WristReadings(sensors, call)
    for hand, topic in enumerate(readings.topics):

        def take(message: WrenchStamped, hand: int = hand) -> None:
            header = message.header
            try:
                readings.take(
                    hand, header.frame_id, join(header.stamp), wrench_from_message(message)
                )
            except MessageError as error:
                node.refuse(str(error))

        node.topics.subscription(WrenchStamped, topic, take, SENSOR)
    return readings
