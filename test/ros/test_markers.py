"""What rviz shows: a ball per contact, an arrow that ends where the hand pushes."""

from __future__ import annotations

import numpy as np
import pytest
from visualization_msgs.msg import Marker

from simloop_ros.ros.markers import LONGEST_ARROW, METRES_PER_NEWTON, plant_markers
from simloop_ros.values import Contact

CONTACTS = (Contact('tip', 'wall', 12.34), Contact('link1', 'ceiling', 0.5))


def arrow_of(force: list[float]) -> Marker:
    [_, arrow] = plant_markers((), 'tip', np.array([*force, 0.0, 0.0, 0.0])).markers
    return arrow


def test_each_set_replaces_the_last_one() -> None:
    [first] = plant_markers((), '', np.zeros(6)).markers
    assert first.action == Marker.DELETEALL


def test_a_contact_is_at_its_link_with_its_force() -> None:
    markers = plant_markers(CONTACTS, '', np.zeros(6)).markers[1:]
    balls = [marker for marker in markers if marker.type == Marker.SPHERE]
    texts = [marker for marker in markers if marker.type == Marker.TEXT_VIEW_FACING]
    assert [ball.header.frame_id for ball in balls] == ['tip', 'link1']
    assert [text.text for text in texts] == ['wall 12.3 N', 'ceiling 0.5 N']
    assert len({(marker.ns, marker.id) for marker in markers}) == len(markers)
    assert all(marker.color.a > 0.0 for marker in markers)


@pytest.mark.parametrize('force', [[1.0, 0.0, 0.0], [3.0, -4.0, 12.0], [1e4, 1e4, -1e4]])
def test_the_arrow_points_along_the_force_to_where_it_acts(force: list[float]) -> None:
    arrow = arrow_of(force)
    assert (arrow.header.frame_id, arrow.type) == ('tip', Marker.ARROW)
    tail, head = (np.array([point.x, point.y, point.z]) for point in arrow.points)
    np.testing.assert_array_equal(head, 0.0)
    size = np.linalg.norm(force)
    length = np.linalg.norm(tail)
    assert length == pytest.approx(min(METRES_PER_NEWTON * size, LONGEST_ARROW))
    np.testing.assert_allclose((head - tail) / length, np.array(force) / size)


def test_no_force_is_an_arrow_without_length() -> None:
    assert all(
        (point.x, point.y, point.z) == (0.0, 0.0, 0.0) for point in arrow_of([0, 0, 0]).points
    )
