"""What two hands feel and how they leave their paths, over topics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
import math
from typing import TYPE_CHECKING

from geometry_msgs.msg import WrenchStamped
import numpy as np

from ...core.errors import MessageError
from ...core.values import Array
from ...record.hands_log import AXES
from ..transport.qos import SENSOR
from .stamps import join

if TYPE_CHECKING:
    from ..node.block_node import BlockNode

WRENCHES, TRUE_WRENCHES = 'wrist_wrenches', 'true_wrist_wrenches'
"""Topics of what the wrist sensors read, and of the truth: in ``effort``, by hand and axis."""
CORRECTIONS = 'path_corrections'
"""Topic of the path corrections, in axes of the object: in ``position``, by hand and axis. Its
``frame_id`` says what the hands do, or why they stop."""
OBJECT = 'object_state'
"""Topic of the object's pose and velocity in the world, by axis."""


def hand_axes(tips: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the numbers of all hands: six axes for each tip."""
    return tuple(f'{tip}/{axis}' for tip in tips for axis in AXES)


def by_hand(numbers: Array) -> Array:
    """Return the numbers of all hands, shape ``(6 hands,)``, one row for each hand."""
    return numbers.reshape(-1, len(AXES))


class WristDrivers:
    """Puts together what the drivers of the sensors tell, each on its own topic.

    :param sensors: frame of the sensor of each hand, as ``model.sensors``.
    :ivar topics: one for each hand: ``hand_1/wrench`` and so on.
    :param call: gets a stamp [ns] and all wrenches, shape ``(hands, 6)``, whenever one has come
        and each has told something before. The stamp is a new one only if each has told something
        since the last one: whoever waits for that notices a single driver that is dead.
    """

    def __init__(self, sensors: Sequence[str], call: Callable[[int, Array], None]):
        self.topics = tuple(f'hand_{i + 1}/wrench' for i in range(len(sensors)))
        self._sensors = tuple(sensors)
        self._call = call
        self._last: list[Array | None] = [None] * len(sensors)
        self._heard: set[int] = set()
        self._stamp = 0

    @property
    def unheard(self) -> tuple[str, ...]:
        """Return the topics on which nothing has come yet."""
        return tuple(t for t, last in zip(self.topics, self._last, strict=True) if last is None)

    def take(self, hand: int, message: WrenchStamped) -> None:
        """Take what the sensor of a hand reads; NaN where it reads nothing.

        :raises MessageError: it was read before time began, or by another sensor.
        """
        frame, sensor = message.header.frame_id, self._sensors[hand]
        if frame and frame != sensor:
            raise MessageError(
                f'{self.topics[hand]}: frame_id is {frame!r}, the sensor of this hand is '
                f'{sensor!r}; give that or nothing, and see that no topics are swapped'
            )
        stamp = join(message.header.stamp)
        if stamp < 0:
            raise MessageError(f'{self.topics[hand]}: a stamp before time began')
        force, torque = message.wrench.force, message.wrench.torque
        numbers = (force.x, force.y, force.z, torque.x, torque.y, torque.z)
        self._last[hand] = np.array([x if math.isfinite(x) else math.nan for x in numbers])
        self._heard.add(hand)
        if len(self._heard) == len(self._last):
            self._heard.clear()
            self._stamp = stamp
        known = [wrench for wrench in self._last if wrench is not None]
        if len(known) == len(self._last):
            self._call(self._stamp, np.array(known))


def listen_to_drivers(
    node: BlockNode, sensors: Sequence[str], call: Callable[[int, Array], None]
) -> WristDrivers:
    """Subscribe a node to the drivers of its robot's sensors; what makes no sense is refused.

    :param sensors: as ``model.sensors``.
    :param call: see ``WristDrivers``.
    """
    drivers = WristDrivers(sensors, call)
    for hand, topic in enumerate(drivers.topics):

        def take(message: WrenchStamped, hand: int = hand) -> None:
            try:
                drivers.take(hand, message)
            except MessageError as error:
                node.refuse(str(error))

        node.subscription(WrenchStamped, topic, take, SENSOR)
    return drivers
