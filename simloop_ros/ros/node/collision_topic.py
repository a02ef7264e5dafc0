"""What the collision monitor tells of contacts: messages, log, markers."""

from __future__ import annotations

from ...collision.detector import Detection
from ...core.values import ContactNature
from ..messages.markers import HIT_LIFETIME, hit_markers
from ..messages.notice import COLLISION, to_message
from .block_node import BlockNode
from .marker_topic import MarkerTopic


class CollisionTopic:
    """Publishes detections on ``collision``: all of them, or those with something new.

    :param base: link whose frame is that of the world, for markers.
    :ivar kind: of the present contact.
    :ivar collisions: number of contacts so far.
    """

    def __init__(self, node: BlockNode, base: str, *, every_step: bool):
        self._logger = node.get_logger()
        self._base, self._every_step = base, every_step
        self._publisher = node.topics.publish_arrays(COLLISION)
        self._markers = MarkerTopic(node, HIT_LIFETIME)
        self.reset()

    def reset(self) -> None:
        """Forget what was told."""
        self.kind: ContactNature = 'none'
        self.collisions = 0
        self._told = (False, '', '')

    def send(self, stamp: int, detection: Detection) -> None:
        """Tell of the step that ends at a stamp [ns]."""
        hit, load, kind = detection.hit, detection.load, detection.kind
        link = detection.running.link if detection.running else ''
        told = (detection.contact, link, detection.reading.doubt)
        changed = told != self._told or kind != self.kind
        if self._every_step or changed or hit is not None or load is not None:
            self._publisher.send(stamp, to_message(stamp, detection))
        if kind != 'none' and self.kind == 'none':
            self.collisions += 1
            self._logger.warning(f'collision: {kind}', throttle_duration_sec=0.1)
        if hit is not None and hit.link:
            self._logger.warning(f'collision: at {hit.link}')
            self._markers.show(hit_markers(hit, self._base))
        if load is not None:
            state = 'taken over' if load.taken else 'call take_payload to take it over'
            self._logger.warning(f'load: {load.mass:.3g} kg at {load.tip}; {state}')
        self._told, self.kind = told, kind
