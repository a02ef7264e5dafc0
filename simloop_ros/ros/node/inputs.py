"""External inputs over topics: collisions, torques, and the drivers of wrist sensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from geometry_msgs.msg import WrenchStamped
import numpy as np

from ...collision.config import MonitorConfig
from ...core.errors import MessageError
from ...core.values import Array
from ...guiding.config import AdmittanceConfig
from ..messages.arrays import wrench_from_message
from ..messages.notice import COLLISION, from_message
from ..messages.stamps import join
from ..transport.qos import SENSOR
from .block_node import BlockNode
from .topics import Topics

TORQUE_TOPICS = {
    'none': 'external_torque',
    'observer': 'external_torque',
    'truth': 'true_external_torque',
    'driver': 'measured_external_torque',
}
"""Topic of the external torque, by the source of the admittance."""


def open_inputs(
    topics: Topics,
    joint_names: Sequence[str],
    monitor: MonitorConfig,
    admittance: AdmittanceConfig,
    force_topic: str,
    call: Callable[[str, int, Any], None],
) -> tuple[str, ...]:
    """Subscribe to the external inputs that a planner needs; return their topics.

    :param force_topic: that replaces the one of the external torque; not subscribed to here.
    :param call: gets topic, stamp [ns] and value of each input.
    """
    torques = TORQUE_TOPICS[admittance.source]
    collisions = (COLLISION,) if monitor.watches else ()
    if monitor.watches:
        topics.subscribe_arrays(
            COLLISION, from_message, lambda stamp, notice: call(COLLISION, stamp, notice)
        )
    if force_topic:
        return (*collisions, force_topic)
    if not monitor.watches and not admittance.guides:
        return ()
    topics.subscribe_joints(
        torques, joint_names, ('effort',), lambda m: call(torques, m.stamp, m.effort)
    )
    return (*collisions, torques)


class WristReadings:
    """Combines the readings of the sensors, each of which has its own topic.

    :param sensors: frame of the sensor of each hand, as ``model.sensors``.
    :param call: gets a stamp [ns] and all wrenches, shape ``(hands, 6)``, for each message once
        every sensor has sent one. The stamp changes only when every sensor has sent a message
        since the last change: so a single driver that is dead is noticed by a stamp that stays.
    :ivar topics: one for each hand: ``hand_1/wrench`` and so on.
    """

    def __init__(self, sensors: Sequence[str], call: Callable[[int, Array], None]):
        self.topics = tuple(f'hand_{i + 1}/wrench' for i in range(len(sensors)))
        self._sensors = tuple(sensors)
        self._call = call
        self._last: list[Array | None] = [None] * len(sensors)
        self._received: set[int] = set()
        self._stamp = 0

    @property
    def missing(self) -> tuple[str, ...]:
        """Return the topics of which no message has come yet."""
        return tuple(t for t, last in zip(self.topics, self._last, strict=True) if last is None)

    def take(self, hand: int, frame: str, stamp: int, wrench: Array) -> None:
        """Take the reading of a hand's sensor, with the stamp [ns] and the frame, if any, it has.

        :param wrench: [N, N m], shape ``(6,)``; what is not finite counts as NaN, no reading.
        :raises MessageError: its stamp is negative, or its frame is that of another sensor.
        """
        sensor = self._sensors[hand]
        if frame and frame != sensor:
            raise MessageError(
                f'{self.topics[hand]}: frame_id is {frame!r}, the sensor of this hand is '
                f'{sensor!r}; give that or nothing, and check that no topics are swapped'
            )
        if stamp < 0:
            raise MessageError(f'{self.topics[hand]}: negative stamp')
        self._last[hand] = np.where(np.isfinite(wrench), wrench, np.nan)
        self._received.add(hand)
        if len(self._received) == len(self._last):
            self._received.clear()
            self._stamp = stamp
        known = [wrench for wrench in self._last if wrench is not None]
        if len(known) == len(self._last):
            self._call(self._stamp, np.array(known))


def read_wrist_drivers(
    node: BlockNode, sensors: Sequence[str], call: Callable[[int, Array], None]
) -> WristReadings:
    """Subscribe a node to the drivers of its robot's sensors; malformed messages are refused."""
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
