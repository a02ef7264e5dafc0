"""The markers of a node for rviz, until the node ends."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from visualization_msgs.msg import Marker, MarkerArray

from ..messages.markers import MARKER_LIFETIME, MarkerSet
from ..transport.qos import EVENTS

if TYPE_CHECKING:
    from .block_node import BlockNode


class MarkerTopic:
    """Publishes on ``markers``, beside other nodes, and deletes its own when the node ends.

    In simulated time that is the only way: the time ends with the plant, and with it no lifetime.

    :param lifetime: time for which a marker is shown that is not sent again [s].
    """

    def __init__(self, node: BlockNode, lifetime: int = MARKER_LIFETIME):
        self._publisher = node.topics.publisher(MarkerArray, 'markers', EVENTS)
        self._set = MarkerSet(lifetime)
        node.at_cleanup(lambda: self.show(()))

    @property
    def wanted(self) -> bool:
        """Return whether anybody listens."""
        return self._publisher.get_subscription_count() > 0

    def show(self, markers: Iterable[Marker]) -> None:
        """Show these instead of the last ones."""
        self._publisher.publish(self._set.message(markers))
