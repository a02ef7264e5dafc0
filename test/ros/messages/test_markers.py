"""What rviz shows: a ball per contact, an arrow that ends where the hand pushes."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from visualization_msgs.msg import Marker

from simloop_ros.core.values import Contact, HandReport, ObjectReport
from simloop_ros.guiding.effective_mass import GuidingHint
from simloop_ros.guiding.tip_masses import TipHint
from simloop_ros.ros.messages.markers import (
    LONGEST_ARROW,
    METRES_PER_NEWTON,
    MarkerSet,
    hand_markers,
    mass_markers,
    object_markers,
    plant_markers,
)

CONTACTS = (Contact('tip', 'wall', 12.34), Contact('link1', 'ceiling', 0.5))


def arrow_of(force: list[float]) -> Marker:
    [arrow] = plant_markers((), 'tip', np.array([*force, 0.0, 0.0, 0.0]))
    return arrow


def ends(arrow: Marker) -> np.ndarray:
    return np.array([[point.x, point.y, point.z] for point in arrow.points])


def test_each_set_replaces_the_last_one_and_no_other() -> None:
    shown = MarkerSet()
    first = shown.message(plant_markers(CONTACTS, '', np.zeros(6))).markers
    assert {marker.action for marker in first} == {Marker.ADD}
    second = shown.message(plant_markers(CONTACTS[:1], '', np.zeros(6))).markers
    gone = [(marker.ns, marker.id) for marker in second if marker.action == Marker.DELETE]
    assert gone == [(marker.ns, marker.id) for marker in first[2:]]
    assert shown.message(()).markers[0].action == Marker.DELETE
    assert shown.message(()).markers == []


def test_a_contact_is_at_its_link_with_its_force() -> None:
    markers = plant_markers(CONTACTS, '', np.zeros(6))
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


def test_a_hand_that_holds_is_an_arrow_with_its_force() -> None:
    force, point = np.array([0.0, 3.0, -4.0]), np.array([0.1, 0.2, 0.3])
    hands = [
        HandReport('tip', held, np.zeros(3), force, power=0.0, energy=0.0)
        for held in (False, True)
    ]
    arrow, text = hand_markers(hands, np.array([np.zeros(3), point]), 'base')
    assert (arrow.type, arrow.header.frame_id) == (Marker.ARROW, 'base')
    tail, head = ends(arrow)
    np.testing.assert_allclose(head, point)
    np.testing.assert_allclose(head - tail, METRES_PER_NEWTON * force)
    assert text.text == '5.0 N'


@pytest.mark.parametrize(
    ('mass', 'rate', 'text', 'length', 'hinted'),
    [
        (2.0, -1.0, '2.00 kg', 0.2, 0.25),
        (2.0, -100.0, '2.00 kg', 0.2, LONGEST_ARROW),
        (30.0, -0.1, '30.00 kg', LONGEST_ARROW, None),
        (np.inf, 0.0, 'cannot move', LONGEST_ARROW, None),
    ],
)
def test_effective_mass_and_hint(
    mass: float, rate: float, text: str, length: float, hinted: float | None
) -> None:
    along, way = np.array([0.0, 0.0, 1.0]), np.array([0.0, -0.1, 0.0])
    hint = GuidingHint(mass, np.zeros(7), rate, way if rate else np.zeros(3))
    tips, elbows = np.array([[1.0, 0.0, 0.0]]), np.array([[0.5, 0.0, 0.2]])
    arrow, label, *more = mass_markers(
        [TipHint('tool', 'elbow', hint)], along, tips, elbows, 'base'
    )
    assert label.text == text
    np.testing.assert_allclose(ends(arrow), [tips[0], tips[0] + length * along])
    assert [marker.ns for marker in more] == ([] if hinted is None else ['guiding_hint'])
    if hinted is not None:
        np.testing.assert_allclose(ends(more[0]), [elbows[0], elbows[0] + [0.0, -hinted, 0.0]])


def test_a_held_object_is_a_box_and_each_wrist_that_feels_has_an_arrow() -> None:
    quarter = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])  # about z
    held = ObjectReport(np.array([0.1, 0.2, 0.3]), pin.log3(quarter), np.zeros(6))
    wrenches = np.array([[0.0, 0.0, -20.0, 0.0, 0.0, 0.0], [np.nan] * 6])
    box, arrow = object_markers(held, (0.04, 0.08, 0.04), ('s_l', 's_r'), wrenches, 'torso')
    assert (box.type, box.header.frame_id, box.scale.y) == (Marker.CUBE, 'torso', 0.08)
    turn, half = box.pose.orientation, np.sqrt(0.5)
    np.testing.assert_allclose([turn.x, turn.y, turn.z, turn.w], [0.0, 0.0, half, half])
    assert arrow.header.frame_id == 's_l'
    tail, head = ends(arrow)
    np.testing.assert_allclose(head - tail, [0.0, 0.0, -20.0 * METRES_PER_NEWTON])
    assert object_markers(None, (), (), None, 'torso') == []
