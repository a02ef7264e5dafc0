"""Contacts and wrenches for rviz; each in the frame of its link, so that rviz places them."""

from __future__ import annotations

from collections.abc import Iterable

from geometry_msgs.msg import Point
import numpy as np
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from ..collision.isolation import Hit
from ..values import Array, Contact

METRES_PER_NEWTON = 0.005
LONGEST_ARROW = 0.5
RED = ColorRGBA(r=0.85, g=0.1, b=0.1, a=0.9)
ORANGE = ColorRGBA(r=0.95, g=0.55, b=0.05, a=0.9)
SHOWN = 2
"""Time for which a located hit is shown [s]."""
BLUE = ColorRGBA(r=0.1, g=0.35, b=0.85, a=0.9)


def plant_markers(contacts: Iterable[Contact], link: str, wrench: Array) -> MarkerArray:
    """Return a ball with its force for each contact, and an arrow for the hand that pushes.

    :param link: link that is pushed; empty if none is.
    :param wrench: force and torque in the link's axes [N, N m], shape ``(6,)``.
    """
    markers = [Marker(action=Marker.DELETEALL)]
    for contact in contacts:
        ball = _marker(contact.link, 'contact', len(markers), Marker.SPHERE, RED)
        ball.scale.x = ball.scale.y = ball.scale.z = 0.05
        text = _marker(contact.link, 'contact', len(markers) + 1, Marker.TEXT_VIEW_FACING, RED)
        text.scale.z = 0.05
        text.pose.position.z = 0.08
        text.text = f'{contact.obstacle} {contact.force:.1f} N'
        markers += [ball, text]
    if link:
        markers.append(_arrow(link, wrench[:3]))
    return MarkerArray(markers=markers)


def hit_markers(hit: Hit, frame: str) -> MarkerArray:
    """Return the hit link's name and, where the place is known, an arrow for the force.

    :param frame: of the coordinates: the link that does not move.
    """
    markers = [Marker(ns='hit', action=Marker.DELETEALL)]
    text = _marker(hit.link, 'hit', 0, Marker.TEXT_VIEW_FACING, ORANGE)
    text.scale.z = 0.06
    text.pose.position.z = 0.12
    text.text = f'hit: {hit.link}'
    markers.append(text)
    if hit.observable and hit.point is not None and hit.force is not None:
        markers.append(_arrow(frame, hit.force, 'hit', 1, ORANGE, hit.point))
    for marker in markers:
        marker.lifetime.sec = SHOWN
    return MarkerArray(markers=markers)


def _arrow(
    link: str,
    force: Array,
    namespace: str = 'wrench',
    number: int = 0,
    color: ColorRGBA = BLUE,
    point: Array | None = None,
) -> Marker:
    """Return an arrow that ends where the force acts: at a point [m], or the link's origin."""
    arrow = _marker(link, namespace, number, Marker.ARROW, color)
    arrow.scale.x, arrow.scale.y, arrow.scale.z = 0.01, 0.025, 0.04
    size = float((force @ force) ** 0.5)
    scale = min(METRES_PER_NEWTON, LONGEST_ARROW / size) if size else 0.0
    end = np.zeros(3) if point is None else point
    arrow.points = [
        Point(x=x, y=y, z=z) for x, y, z in ((end - scale * force).tolist(), end.tolist())
    ]
    return arrow


def _marker(link: str, namespace: str, number: int, kind: int, color: ColorRGBA) -> Marker:
    marker = Marker(ns=namespace, id=number, type=kind, action=Marker.ADD, color=color)
    marker.header.frame_id = link
    marker.frame_locked = True
    marker.pose.orientation.w = 1.0
    return marker
