"""Contacts, obstacles, wrenches, hands, held objects and effective masses for rviz."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
import math

from geometry_msgs.msg import Point
import numpy as np
import pinocchio as pin
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from ...collision.isolation import Hit
from ...core.values import Array, Contact, HandReport, ObjectReport
from ...guiding.tip_masses import TipHint
from ...plants.config import Obstacle
from ...plants.overlap import turned

MARKER_PERIOD = 0.05
"""Time between two sets of markers [s]."""
MARKER_LIFETIME = 1
"""Time for which a marker is shown that is not sent again [s]: of a node that was killed."""
HIT_LIFETIME = 2
"""Time for which a located hit is shown [s]."""
METRES_PER_NEWTON = 0.005
LONGEST_ARROW = 0.5
RED = ColorRGBA(r=0.85, g=0.1, b=0.1, a=0.9)
ORANGE = ColorRGBA(r=0.95, g=0.55, b=0.05, a=0.9)
BLUE = ColorRGBA(r=0.1, g=0.35, b=0.85, a=0.9)
GREEN = ColorRGBA(r=0.1, g=0.6, b=0.2, a=0.9)
WOOD = ColorRGBA(r=0.75, g=0.55, b=0.3, a=1.0)
GREY = ColorRGBA(r=0.5, g=0.5, b=0.55, a=0.4)
PLANE_SIZE = (4.0, 4.0, 0.002)
"""Edges of the plate that is shown for an endless plane [m]."""
BALL_SIZE = 0.05
METRES_PER_KILOGRAM = 0.1
METRES_PER_SHARE = 0.5
"""Length of the hint's arrow per share of the mass that is lost per radian."""
MIN_HINT_SHARE = 0.02
"""Change of the mass per radian, as a share of it, below which no hint is shown."""


class MarkerSet:
    """Markers of one node: deletes those that are gone, but none of other nodes.

    rviz takes each pair of namespace and id once per message, so a message has each once.

    :param lifetime: time after which rviz removes a marker that was not sent again [s].
    """

    def __init__(self, lifetime: int = MARKER_LIFETIME) -> None:
        self._lifetime = lifetime
        self._shown: set[tuple[str, int]] = set()

    def message(self, markers: Iterable[Marker]) -> MarkerArray:
        """Return the message that shows these instead of the last ones."""
        new = list(markers)
        for marker in new:
            marker.lifetime.sec = self._lifetime
        shown = {(marker.ns, marker.id) for marker in new}
        gone = [
            Marker(ns=namespace, id=number, action=Marker.DELETE)
            for namespace, number in sorted(self._shown - shown)
        ]
        self._shown = shown
        return MarkerArray(markers=[*gone, *new])


def contact_markers(contacts: Iterable[Contact], frame: str) -> list[Marker]:
    """Return a ball with its force for each contact, where it acts."""
    markers: list[Marker] = []
    for i, contact in enumerate(contacts):
        ball = _marker(frame, 'contact', 2 * i, Marker.SPHERE, RED)
        _place(ball, contact.point, (BALL_SIZE,) * 3)
        label = f'{contact.obstacle} {contact.force:.1f} N'
        text = _text(frame, 'contact', 2 * i + 1, RED, np.array(contact.point), label)
        markers += [ball, text]
    return markers


def push_markers(wrenches: Mapping[str, Array]) -> list[Marker]:
    """Return an arrow for each hand that pushes a link, in its frame, so that rviz places it.

    :param wrenches: by link, in its axes [N, N m], shape ``(6,)``.
    """
    return [
        _arrow(link, wrench[:3], number=i) for i, (link, wrench) in enumerate(wrenches.items())
    ]


def obstacle_markers(obstacles: Iterable[Obstacle], frame: str) -> list[Marker]:
    """Return the obstacles that are fixed; where a thrown one is only the engine knows."""
    markers: list[Marker] = []
    for i, obstacle in enumerate(obstacles):
        if obstacle.mass:
            continue
        kinds = {'sphere': Marker.SPHERE, 'cylinder': Marker.CYLINDER}
        marker = _marker(frame, 'obstacle', i, kinds.get(obstacle.kind, Marker.CUBE), GREY)
        wide = 2.0 * obstacle.radius
        size = {
            'plane': PLANE_SIZE,
            'box': obstacle.size,
            'sphere': (wide, wide, wide),
            'cylinder': (wide, wide, obstacle.height),
        }[obstacle.kind]
        _place(marker, obstacle.position, size, turned(obstacle))
        markers.append(marker)
    return markers


def hand_markers(hands: Iterable[HandReport], points: Array, frame: str) -> list[Marker]:
    """Return an arrow with its force for each hand, at points in the world [m], ``(hands, 3)``."""
    markers: list[Marker] = []
    for i, (hand, point) in enumerate(zip(hands, points, strict=True)):
        if hand.held:
            size = float(np.linalg.norm(hand.force))
            markers.append(_arrow(frame, hand.force, 'hand', 2 * i, BLUE, point))
            markers.append(_text(frame, 'hand', 2 * i + 1, BLUE, point, f'{size:.1f} N'))
    return markers


def object_markers(
    held: ObjectReport | None,
    size: Sequence[float],
    sensors: Iterable[str],
    wrenches: Array | None,
    frame: str,
) -> list[Marker]:
    """Return the object for two hands as a box, and an arrow with the force on each wrist.

    :param size: edges of the object along its axes [m].
    :param wrenches: on the sensors, in their axes [N, N m], shape ``(sensors, 6)``.
    """
    markers: list[Marker] = []
    if held is not None:
        box = _marker(frame, 'object', 0, Marker.CUBE, WOOD)
        turn = pin.Quaternion(pin.exp3(held.rotation_vector))
        _place(box, held.position.tolist(), size, turn)
        markers.append(box)
    if wrenches is not None:
        for i, (sensor, wrench) in enumerate(zip(sensors, np.nan_to_num(wrenches), strict=True)):
            if wrench[:3].any():
                markers.append(_arrow(sensor, wrench[:3], 'wrist', i))
    return markers


def mass_markers(
    hints: Iterable[TipHint], direction: Array, tips: Array, elbows: Array, frame: str
) -> list[Marker]:
    """Return an arrow with the effective mass for each tip, and where to push its elbow.

    The arrow begins at the tip; its length is proportional to the effective mass in its direction.
    That of the hint begins at the elbow; its length is proportional to the decrease of the mass,
    and it is left out where the mass would not decrease.

    :param direction: along which the masses are, unit vector in world axes, shape ``(3,)``.
    :param tips: like the elbows in the world [m], shape ``(tips, 3)``.
    """
    markers: list[Marker] = []
    for i, (each, tip, elbow) in enumerate(zip(hints, tips, elbows, strict=True)):
        mass, hint = each.hint.mass, each.hint
        end = tip + min(METRES_PER_KILOGRAM * mass, LONGEST_ARROW) * direction
        text = f'{mass:.2f} kg' if math.isfinite(mass) else 'cannot move'
        markers.append(_line(frame, 'effective_mass', 2 * i, ORANGE, tip, end))
        markers.append(_text(frame, 'effective_mass', 2 * i + 1, ORANGE, end, text))
        size = float(np.linalg.norm(hint.elbow))
        if size > 0.0 and -hint.rate > MIN_HINT_SHARE * mass:
            way = min(METRES_PER_SHARE * -hint.rate / mass, LONGEST_ARROW) / size * hint.elbow
            markers.append(_line(frame, 'guiding_hint', i, GREEN, elbow, elbow + way))
    return markers


def hit_markers(hit: Hit, frame: str) -> list[Marker]:
    """Return the hit link's name; where the place is known it is there, with the force.

    Else it is at the link's origin.
    """
    label = f'hit: {hit.link}'
    if hit.observable and hit.point is not None and hit.force is not None:
        ball = _marker(frame, 'hit', 2, Marker.SPHERE, ORANGE)
        _place(ball, hit.point.tolist(), (BALL_SIZE,) * 3)
        return [
            _text(frame, 'hit', 0, ORANGE, hit.point, label),
            _arrow(frame, hit.force, 'hit', 1, ORANGE, hit.point),
            ball,
        ]
    return [_text(hit.link, 'hit', 0, ORANGE, np.zeros(3), label)]


def _arrow(
    link: str,
    force: Array,
    namespace: str = 'wrench',
    number: int = 0,
    color: ColorRGBA = BLUE,
    point: Array | None = None,
) -> Marker:
    """Return an arrow that ends where the force acts: at a point [m], or the link's origin."""
    size = float((force @ force) ** 0.5)
    scale = min(METRES_PER_NEWTON, LONGEST_ARROW / size) if size else 0.0
    end = np.zeros(3) if point is None else point
    return _line(link, namespace, number, color, end - scale * force, end)


def _line(
    frame: str, namespace: str, number: int, color: ColorRGBA, tail: Array, head: Array
) -> Marker:
    arrow = _marker(frame, namespace, number, Marker.ARROW, color)
    arrow.scale.x, arrow.scale.y, arrow.scale.z = 0.01, 0.025, 0.04
    arrow.points = [Point(x=x, y=y, z=z) for x, y, z in (tail.tolist(), head.tolist())]
    return arrow


def _text(
    frame: str, namespace: str, number: int, color: ColorRGBA, point: Array, text: str
) -> Marker:
    marker = _marker(frame, namespace, number, Marker.TEXT_VIEW_FACING, color)
    marker.scale.z = 0.05
    x, y, z = point.tolist()
    marker.pose.position.x, marker.pose.position.y, marker.pose.position.z = x, y, z + 0.05
    marker.text = text
    return marker


def _place(
    marker: Marker,
    position: Sequence[float],
    size: Sequence[float],
    turn: pin.Quaternion | None = None,
) -> None:
    """Give a solid marker its position [m], edges [m] and orientation."""
    place, pose = marker.pose.position, marker.pose.orientation
    place.x, place.y, place.z = position
    marker.scale.x, marker.scale.y, marker.scale.z = size
    if turn is not None:
        pose.x, pose.y, pose.z, pose.w = turn.coeffs().tolist()


def _marker(link: str, namespace: str, number: int, kind: int, color: ColorRGBA) -> Marker:
    marker = Marker(ns=namespace, id=number, type=kind, action=Marker.ADD, color=color)
    marker.header.frame_id = link
    marker.frame_locked = True
    marker.pose.orientation.w = 1.0
    return marker
