"""What the markers of a graph show beside the robot: obstacles, hands, masses, pushes."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pinocchio as pin
from visualization_msgs.msg import Marker, MarkerArray

from ...core.values import Array, Contact
from ...robot.model import RobotModel
from ...ros.messages.markers import MARKER_LIFETIME, METRES_PER_NEWTON, PLANE_SIZE
from ..description import BodyDescription
from ..frame import Force, ShownBody
from ..live.describe import BEAM

OBSTACLE, OBJECT, HAND, PUSH, MASS = 'obstacle', 'object', 'hand', 'wrench', 'effective_mass'
"""Namespaces of markers."""
NUMBER = re.compile(r'[-+]?\d+(\.\d+)?')


class HeardScene:
    """The last markers of all nodes, by namespace and number."""

    def __init__(self) -> None:
        self._markers: dict[tuple[str, int], tuple[float, Marker]] = {}

    def take(self, message: MarkerArray, now: float) -> None:
        """Take a message that came at a time [s]."""
        for marker in message.markers:
            key = (marker.ns, marker.id)
            if marker.action == Marker.ADD:
                self._markers[key] = (now, marker)
            else:
                self._markers.pop(key, None)

    def forget_until(self, time: float) -> None:
        """Forget what was not sent again in its lifetime; fixed obstacles stay."""
        self._markers = {
            key: (at, marker)
            for key, (at, marker) in self._markers.items()
            if key[0] == OBSTACLE or at + MARKER_LIFETIME > time
        }

    @property
    def bodies(self) -> tuple[BodyDescription, ...]:
        """Return obstacles and the object of two hands."""
        return tuple(
            _described(marker)
            for (kind, _), (_, marker) in sorted(self._markers.items(), key=lambda item: item[0])
            if kind in (OBSTACLE, OBJECT)
        )

    @property
    def moved(self) -> tuple[ShownBody, ...]:
        """Return where the object of two hands is."""
        return tuple(
            ShownBody(_name(marker), _position(marker), _quaternion(marker))
            for marker in self._of(OBJECT).values()
        )

    def hands(self) -> tuple[Force, ...]:
        """Return the forces of the simulated hands, where they act."""
        return tuple(
            Force('hand', '', head, size * _unit(head - tail))
            for (tail, head), size in self._labelled(HAND)
        )

    def pushes(self, model: RobotModel, q: Array, own: set[str]) -> tuple[Force, ...]:
        """Return the forces of others who push a link, at joints [rad], shape ``(n,)``.

        :param own: links that are held from here.
        """
        pushes = []
        for marker in self._of(PUSH).values():
            link = marker.header.frame_id
            if link in own or link not in model.links or len(marker.points) != 2:
                continue
            pose = model.frame_poses(q, [link])[0]
            tail, head = _points(marker)
            force = pose.rotation @ (head - tail) / METRES_PER_NEWTON
            pushes.append(Force('push', link, pose.act(head), force))
        return tuple(pushes)

    def effective_masses(self, tips: int) -> Array | None:
        """Return the effective mass of each tip along its direction [kg], shape ``(tips, 3)``."""
        found = self._labelled(MASS)
        if not found or len(found) != tips:
            return None
        return np.array([mass * _unit(head - tail) for (tail, head), mass in found])

    def contact_forces(self, contacts: tuple[Contact, ...]) -> tuple[Force, ...]:
        """Return contacts as forces away from the obstacles, if their shapes are known."""
        bodies = [body for body in self.bodies if body.name != BEAM]
        return tuple(
            Force('contact', contact.link, point, contact.force * _away(point, bodies))
            for contact in contacts
            for point in [np.array(contact.point)]
        )

    def _of(self, kind: str) -> dict[int, Marker]:
        return {
            number: marker
            for (own, number), (_, marker) in sorted(
                self._markers.items(), key=lambda item: item[0]
            )
            if own == kind
        }

    def _labelled(self, kind: str) -> list[tuple[tuple[Array, Array], float]]:
        """Return tail and head of each arrow, with the number that is written beside it."""
        markers = self._of(kind)
        found = []
        for number, marker in markers.items():
            text = markers.get(number + 1)
            match = NUMBER.match(text.text) if text is not None else None
            if marker.type == Marker.ARROW and len(marker.points) == 2 and match:
                found.append((_points(marker), float(match[0])))
        return found


def _described(marker: Marker) -> BodyDescription:
    size = (marker.scale.x, marker.scale.y, marker.scale.z)
    place, turn = _position(marker), _quaternion(marker)
    if marker.type == Marker.SPHERE:
        return BodyDescription(_name(marker), 'sphere', (0.5 * size[0],), place, turn)
    if marker.type == Marker.CYLINDER:
        shape = (0.5 * size[0], size[2])
        return BodyDescription(_name(marker), 'cylinder', shape, place, turn)
    if size == PLANE_SIZE:
        return BodyDescription(_name(marker), 'plane', (), place, turn)
    return BodyDescription(_name(marker), 'box', size, place, turn, carried=marker.ns == OBJECT)


def _name(marker: Marker) -> str:
    return BEAM if marker.ns == OBJECT else f'{marker.ns} {marker.id + 1}'


def _away(point: Array, bodies: list[BodyDescription]) -> Array:
    """Return the normal of the obstacle whose surface is nearest to a point; 0 without one."""
    found = [_surface(point, body) for body in bodies]
    return min(found, key=lambda each: each[0])[1] if found else np.zeros(3)


def _surface(point: Array, body: BodyDescription) -> tuple[float, Array]:
    """Return how far the surface of a body is from a point [m], and its normal there."""
    turn = pin.Quaternion(*body.quaternion.tolist()).toRotationMatrix()
    local = turn.T @ (point - body.position)
    if body.shape == 'plane':
        return abs(local[2]), turn[:, 2]
    if body.shape == 'sphere':
        return abs(float(np.linalg.norm(local)) - body.size[0]), turn @ _unit(local)
    if body.shape == 'cylinder':
        around = np.array([local[0], local[1], 0.0])
        out = float(np.linalg.norm(around)) - body.size[0]
        above = abs(float(local[2])) - 0.5 * body.size[1]
        side = _unit(around) if out > above else np.array([0.0, 0.0, np.sign(local[2])])
        outside = float(np.hypot(max(out, 0.0), max(above, 0.0)))
        return outside or -max(out, above), turn @ side
    beyond = np.abs(local) - 0.5 * np.array(body.size)
    axis = int(np.argmax(beyond))
    normal = np.zeros(3)
    normal[axis] = np.sign(local[axis])
    outside = float(np.linalg.norm(np.maximum(beyond, 0.0)))
    return outside or abs(float(beyond[axis])), turn @ normal


def _position(marker: Marker) -> Array:
    place = marker.pose.position
    return np.array([place.x, place.y, place.z])


def _quaternion(marker: Marker) -> Array:
    turn = marker.pose.orientation
    return np.array([turn.w, turn.x, turn.y, turn.z])


def _points(marker: Marker) -> tuple[Array, Array]:
    tail, head = (np.array([point.x, point.y, point.z]) for point in marker.points)
    return tail, head


def _unit(vector: Array) -> Array:
    size: Any = np.linalg.norm(vector)
    return vector / size if size else vector
