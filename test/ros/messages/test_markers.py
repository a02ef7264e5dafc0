"""What rviz shows: a ball per contact, an arrow that ends where the hand pushes."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from visualization_msgs.msg import Marker

from simloop_ros.collision.isolation import Hit
from simloop_ros.core.values import Contact, HandReport, ObjectReport
from simloop_ros.guiding.effective_mass import GuidingHint
from simloop_ros.guiding.tip_masses import TipHint
from simloop_ros.plants.config import Obstacle
from simloop_ros.ros.messages.markers import (
    LONGEST_ARROW,
    METRES_PER_NEWTON,
    MarkerSet,
    contact_markers,
    hand_markers,
    hit_markers,
    mass_markers,
    object_markers,
    obstacle_markers,
    push_markers,
)

CONTACTS = (
    Contact('tip', 'wall', 12.34, (0.1, 0.2, 0.3)),
    Contact('link1', 'ceiling', 0.5, (1.0, 2.0, 3.0)),
)
KNOWN = Hit(2, 'arm', 0.9, np.array([0.1, 0.2, 0.3]), np.array([0.0, 3.0, -4.0]), spread=0.001)
UNKNOWN = Hit(2, 'arm', 0.9)


def arrow_of(force: list[float]) -> Marker:
    [arrow] = push_markers({'tip': np.array([*force, 0.0, 0.0, 0.0])})
    return arrow


def ends(arrow: Marker) -> np.ndarray:
    return np.array([[point.x, point.y, point.z] for point in arrow.points])


def test_each_set_replaces_the_last_one_and_no_other() -> None:
    shown = MarkerSet()
    first = shown.message(contact_markers(CONTACTS, 'base')).markers
    assert {marker.action for marker in first} == {Marker.ADD}
    second = shown.message(contact_markers(CONTACTS[:1], 'base')).markers
    gone = [(marker.ns, marker.id) for marker in second if marker.action == Marker.DELETE]
    assert gone == [(marker.ns, marker.id) for marker in first[2:]]
    assert shown.message(()).markers[0].action == Marker.DELETE
    assert shown.message(()).markers == []


def position(marker: Marker) -> tuple[float, float, float]:
    place = marker.pose.position
    return place.x, place.y, place.z


def test_a_contact_is_where_it_acts_with_its_force() -> None:
    markers = contact_markers(CONTACTS, 'base')
    balls = [marker for marker in markers if marker.type == Marker.SPHERE]
    texts = [marker for marker in markers if marker.type == Marker.TEXT_VIEW_FACING]
    assert {ball.header.frame_id for ball in balls} == {'base'}
    assert [position(ball) for ball in balls] == [contact.point for contact in CONTACTS]
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


def test_a_set_has_each_marker_once_and_none_of_them_stays_for_ever() -> None:
    shown = MarkerSet(3)
    for hit in (KNOWN, UNKNOWN, KNOWN):
        markers = shown.message(hit_markers(hit, 'base')).markers
        assert len({(marker.ns, marker.id) for marker in markers}) == len(markers)
        assert {marker.action for marker in markers} <= {Marker.ADD, Marker.DELETE}
        assert {m.lifetime.sec for m in markers if m.action == Marker.ADD} == {3}


def test_a_hit_is_where_it_was_located_or_at_its_link() -> None:
    text, arrow, ball = hit_markers(KNOWN, 'base')
    assert {marker.header.frame_id for marker in (text, arrow, ball)} == {'base'}
    assert position(ball) == (0.1, 0.2, 0.3)
    np.testing.assert_allclose(ends(arrow)[1], KNOWN.point)
    [text] = hit_markers(UNKNOWN, 'base')
    assert (text.header.frame_id, text.text) == ('arm', 'hit: arm')


def test_fixed_obstacles_are_drawn_with_their_size() -> None:
    wall = Obstacle('plane', position=(0.5, 0.0, 0.0), normal=(-1.0, 0.0, 0.0))
    box = Obstacle('box', position=(1.0, 2.0, 3.0), size=(0.1, 0.2, 0.3))
    thrown, ball = Obstacle('sphere', mass=1.0), Obstacle('sphere', radius=0.2)
    rod = Obstacle('cylinder', radius=0.1, height=0.5, rpy=(0.3, 0.0, 0.0))
    plate, cube, sphere, bar = obstacle_markers((wall, box, thrown, ball, rod), 'base')
    assert (bar.type, bar.scale.x, bar.scale.z) == (Marker.CYLINDER, 0.2, 0.5)
    assert bar.pose.orientation.x == pytest.approx(np.sin(0.15))
    turn = plate.pose.orientation
    normal = pin.Quaternion(turn.w, turn.x, turn.y, turn.z).matrix()[:, 2]
    np.testing.assert_allclose(normal, wall.normal, atol=1e-12)
    assert (position(cube), cube.type) == (box.position, Marker.CUBE)
    assert (cube.scale.x, cube.scale.y, cube.scale.z) == box.size
    assert (sphere.type, sphere.scale.x) == (Marker.SPHERE, 0.4)
