"""What rviz gets over DDS from a plant that touches something, and what is left at its end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lone_node import LoneNode
import numpy as np
import pytest
from sensor_msgs.msg import JointState as JointStateMessage
from visualization_msgs.msg import Marker, MarkerArray

from simloop_ros.nodes.plant import PlantNode
from simloop_ros.ros.launch.wiring import WiringOptions
from simloop_ros.ros.messages.joint_state import JointStateEncoder
from simloop_ros.ros.transport.qos import STREAM
from simloop_ros.scenario.loading import load_scenario

CEILING = 0.102  # m: the ball of radius 0.1 m starts at 0
LIFT = 12.0  # N, of which its weight takes 9.82


class Ball(LoneNode):
    """A plant whose ball is pushed against a ceiling, step by step.

    :ivar shown: what a viewer shows, by namespace and id.
    """

    def __init__(self, domain: int):
        ceiling = (
            f'{{kind: plane, name: ceiling, position: [0, 0, {CEILING}], normal: [0, 0, -1]}}'
        )
        settings = ['plant.engine=mujoco', f'plant.obstacles=[{ceiling}]']
        scenario = load_scenario('sphere_collision', settings)
        super().__init__(domain, 'plant', PlantNode, scenario, WiringOptions())
        self.shown: dict[tuple[str, int], Marker] = {}
        self._period, self._steps = scenario.period, 0
        self._efforts = self.other.create_publisher(JointStateMessage, 'effort_command', STREAM)
        self._encode = JointStateEncoder(self.model.joint_names, ('effort',)).encode
        self.other.create_subscription(MarkerArray, 'markers', self._on_markers, 10)
        self.until(self._efforts.get_subscription_count)

    def _on_markers(self, message: MarkerArray) -> None:
        keys = [(marker.ns, marker.id) for marker in message.markers]
        assert len(set(keys)) == len(keys)
        for key, marker in zip(keys, message.markers, strict=True):
            if marker.action == Marker.ADD:
                assert marker.lifetime.sec > 0
                self.shown[key] = marker
            else:
                assert marker.action == Marker.DELETE
                del self.shown[key]

    def touches(self) -> bool:
        """Push for another step; return whether a contact is shown."""
        self._efforts.publish(
            self._encode(round(self._steps * self._period * 1e9), np.array([LIFT]))
        )
        self._steps += 1
        return any(namespace == 'contact' for namespace, _ in self.shown)


@pytest.fixture
def ball(graph: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ball]:
    monkeypatch.setenv('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    monkeypatch.setenv('FASTDDS_BUILTIN_TRANSPORTS', 'UDPv4')
    opened = Ball(int(graph.environment['ROS_DOMAIN_ID']))
    yield opened
    opened.close()


def test_a_contact_is_shown_where_it_is_and_nothing_stays_after_the_run(ball: Ball) -> None:
    ball.until(ball.touches)
    place = ball.shown['contact', 0].pose.position
    assert (place.x, place.y, place.z) == pytest.approx((0.0, 0.0, CEILING), abs=1e-3)
    assert ball.shown['obstacle', 0].pose.position.z == CEILING
    ball.node.stop()
    ball.until(lambda: not ball.shown)
