"""How the corners of a beam touch palms and a table: springs that never pull, and dry friction."""

from __future__ import annotations

import msgspec
import numpy as np

from ..core.values import Array, Flags
from .config import HeldObject

SHEAR = 2.0 / 3.0
"""Tangential stiffness of a corner, as a share of its normal one."""
ZERO_FORCE = 1e-300
"""Force that replaces zero where it divides [N]."""
PERMUTATION: Array = np.cross(np.eye(3)[:, None], np.eye(3))
"""The signs of a cross product: ``(a x b)_k`` is the sum of ``a_i b_j`` times ``[i, j, k]``."""
MOMENT = PERMUTATION.reshape(9, 3)
"""Takes ``sum r f^T``, row by row, to ``sum r x f``."""


class Surfaces(msgspec.Struct, frozen=True, gc=False):
    """Flat surfaces, each with its frame; z points out of it, where the beam may be.

    :ivar position: of the origins in the world [m], shape ``(m, 3)``.
    :ivar rotation: from surface to world, shape ``(m, 3, 3)``.
    :ivar velocity: linear and angular, at the origin and in axes of the surface, ``(m, 6)``.
    """

    position: Array
    rotation: Array
    velocity: Array


class Corners(msgspec.Struct, frozen=True, gc=False):
    """Corners of the beam, those of one end for each surface.

    :ivar place: in axes of their surface [m], shape ``(m, 4, 3)``.
    :ivar velocity: over their surface, in its axes [m/s], shape ``(m, 4, 3)``.
    """

    place: Array
    velocity: Array


class CornerState(msgspec.Struct, frozen=True, gc=False):
    """State of the contacts: all that their next step depends on.

    :ivar anchor: where on its surface each corner sticks [m], shape ``(m, 4, 2)``.
    :ivar faced: whether the corner is on the surface, or was before it a step ago: only such a
        corner can touch it, and none that comes from behind; shape ``(m, 4)``.
    """

    anchor: Array
    faced: Flags


class Press(msgspec.Struct, frozen=True, gc=False):
    """The wrenches of the surfaces on the beam.

    :ivar wrench: force and torque on the beam, at the origin and in axes of each surface [N, N m],
        shape ``(m, 6)``.
    :ivar corners: state of the contacts for the next step.
    """

    wrench: Array
    corners: CornerState


class BeamContact:
    """Forces at the corners of a soft beam.

    A corner at ``(x, y, z)`` over a surface, with ``z < 0`` where it is pressed in::

        f_z  = max(0, -k (z + T z'))              k = K/2,  T = r sqrt(m/K)
        s    = (x, y) - anchor                    moved so that |(2/3) k s| <= mu f_z
        f_xy = -(2/3) k (s + T s')                no longer than mu f_z

    Four corners make an end of stiffness ``2 K``, and two ends in series the beam's ``K``. Between
    palms that stand still the beam oscillates along its axis with ``sqrt(4 K/m)`` and the damping
    ratio ``r``.

    :ivar stiffness: ``k`` of a corner, normal to its surface [N/m].
    :ivar delay: ``T`` [s].
    """

    def __init__(self, config: HeldObject):
        self.stiffness = 0.5 * config.stiffness
        self.delay = config.damping_ratio * float(np.sqrt(config.mass / config.stiffness))
        self._shear = SHEAR * self.stiffness
        self._friction = config.friction

    def press(self, corners: Corners, half: Array, state: CornerState) -> Press:
        """Return the wrenches of one contact step.

        :param half: half the edge of each surface [m], shape ``(m, 1, 1)``.
        """
        place, rate = corners.place, corners.velocity
        z, across = place[..., 2], place[..., :2]
        over, sunk = inside(place, half), z < 0.0
        touching = over & sunk & state.faced
        normal = -self.stiffness * (z + self.delay * rate[..., 2])
        normal = np.maximum(normal, 0.0) * touching
        limit = self._friction * normal
        elastic = shortened(-self._shear * (across - state.anchor), limit)
        anchor = across + elastic / self._shear
        force = np.empty_like(place)
        force[..., :2] = shortened(elastic - (self._shear * self.delay) * rate[..., :2], limit)
        force[..., 2] = normal
        return Press(wrenches(place, force), CornerState(anchor, touching | (over & ~sunk)))


def inside(place: Array, half: Array) -> Flags:
    """Return which corners are over or under their surfaces, not beside them, ``(m, 4)``."""
    within = np.abs(place[..., :2]) <= half
    return within[..., 0] & within[..., 1]


def shortened(force: Array, limit: Array) -> Array:
    """Return vectors, shape ``(m, 4, 2)``, no longer than their limits, shape ``(m, 4)``."""
    size = np.maximum(np.hypot(force[..., 0], force[..., 1]), ZERO_FORCE)
    return force * np.minimum(limit / size, 1.0)[..., None]


def wrenches(place: Array, force: Array) -> Array:
    """Return the sums of forces and of their moments about the origin, shape ``(m, 6)``.

    :param place: where each force acts, shape ``(m, 4, 3)``; of them and ``force`` alike.
    """
    total = np.empty((len(place), 6))
    total[:, :3] = force.sum(axis=1)
    total[:, 3:] = (place.transpose(0, 2, 1) @ force).reshape(-1, 9) @ MOMENT
    return total


def turning(spin: Array) -> Array:
    """Return the matrices by which rows ``r`` become ``w x r``, shape ``(m, 3, 3)``.

    :param spin: ``w``, shape ``(m, 3)``.
    """
    return (spin @ PERMUTATION.reshape(3, 9)).reshape(-1, 3, 3)
