"""Contacts and wrenches for rviz; each in the frame of its link, so that rviz places them."""

from __future__ import annotations

from collections.abc import Iterable

from geometry_msgs.msg import Point
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from ..values import Array, Contact

METRES_PER_NEWTON = 0.005
LONGEST_ARROW = 0.5
RED = ColorRGBA(r=0.85, g=0.1, b=0.1, a=0.9)
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


def _arrow(link: str, force: Array) -> Marker:
    """Return an arrow that ends where the force acts."""
    arrow = _marker(link, 'wrench', 0, Marker.ARROW, BLUE)
    arrow.scale.x, arrow.scale.y, arrow.scale.z = 0.01, 0.025, 0.04
    size = float((force @ force) ** 0.5)
    scale = min(METRES_PER_NEWTON, LONGEST_ARROW / size) if size else 0.0
    x, y, z = (-scale * force).tolist()
    arrow.points = [Point(x=x, y=y, z=z), Point()]
    return arrow


def _marker(link: str, namespace: str, number: int, kind: int, color: ColorRGBA) -> Marker:
    marker = Marker(ns=namespace, id=number, type=kind, action=Marker.ADD, color=color)
    marker.header.frame_id = link
    marker.frame_locked = True
    marker.pose.orientation.w = 1.0
    return marker
