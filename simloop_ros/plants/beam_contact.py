"""How the corners of a beam touch palms and a table: springs that never pull, and dry friction."""

from __future__ import annotations

import msgspec
import numpy as np

from ..core.values import Array, Flags
from .config import HeldObject

SHEAR = 2.0 / 3.0
"""Tangential stiffness of a corner, as a share of its normal one."""
ZERO, ONE = np.array(0.0), np.array(1.0)
ZERO_FORCE = np.array(1e-300)
"""Force that replaces zero where it divides [N]."""
PERMUTATION: Array = np.cross(np.eye(3)[:, None], np.eye(3))
"""The signs of a cross product: ``(a x b)_k`` is the sum of ``a_i b_j`` times ``[i, j, k]``."""
MOMENT = PERMUTATION.reshape(9, 3)
"""Takes ``sum r f^T``, row by row, to ``sum r x f``."""
TURN = PERMUTATION.reshape(3, 9)
"""Takes ``w`` to the matrix of ``w x``, row by row and transposed."""


class Surfaces(msgspec.Struct, frozen=True, gc=False):
    """Flat surfaces, each with its frame; z points out of it, where the beam may be.

    :ivar position: of the origins in the world [m], shape ``(m, 3)``.
    :ivar rotation: from surface to world, shape ``(m, 3, 3)``.
    :ivar velocity: linear and angular, at the origin and in axes of the surface, ``(m, 6)``.
    """

    position: Array
    rotation: Array
    velocity: Array


class Corners:
    """Corners of the beam, those of one end for each surface: the memory of a contact step.

    Its views are made once, because making one takes as long as computing with it. Along each
    axis the numbers are kept together, because numpy is three times as fast then.

    :param m: number of surfaces, which face the ends by turns.
    :ivar place: in axes of their surface [m], shape ``(m, 4, 3)``.
    :ivar velocity: over their surface, in its axes [m/s], shape ``(m, 4, 3)``.
    :ivar wrench: on the beam, at the origin of each surface [N, N m], shape ``(m, 6)``.
    """

    def __init__(self, m: int):
        self._scratch_world = np.empty((m, 8, 3))
        self._scratch_rows = np.empty((m, 8, 3))
        self._scratch_axes = np.empty((2, 3, m, 4))
        self._scratch_force = np.empty((m, 4, 3))
        self._scratch_force_axes = np.empty((3, m, 4))
        self._scratch_wrench = np.empty((m, 6))
        self.world, self.rows = self._scratch_world, self._scratch_rows
        by_ends = self.world.reshape(-1, 2, 8, 3)
        self.world_place, self.world_velocity = by_ends[:, :, :4], by_ends[:, :, 4:]
        self.place, self.velocity = self.rows[:, :4], self.rows[:, 4:]
        self.place_columns = self.place.transpose(0, 2, 1)
        self.axes = self._scratch_axes
        self.rows_by_axes = self.rows.reshape(m, 2, 4, 3).transpose(1, 3, 0, 2)
        (self.across, self.across_rate), (self.z, self.z_rate) = self.axes[:, :2], self.axes[:, 2]
        self.force = self._scratch_force
        self.force_axes = self._scratch_force_axes
        self.force_rows = self.force_axes.transpose(1, 2, 0)
        self.tangential, self.normal = self.force_axes[:2], self.force_axes[2]
        self.wrench = self._scratch_wrench
        self.total_force, self.total_moment = self.wrench[:, :3], self.wrench[:, 3:]


class CornerState(msgspec.Struct, frozen=True, gc=False):
    """State of the contacts: all that their next step depends on.

    :ivar anchor: where on its surface each corner sticks, x and y [m], shape ``(2, m, 4)``.
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
        # As arrays these spare numpy a conversion in every product.
        self._pull = np.array(-self.stiffness)
        self._late = np.array(self.delay)
        self._shear = np.array(SHEAR * self.stiffness)
        self._shear_pull = -self._shear
        self._shear_damping = np.array(SHEAR * self.stiffness * self.delay)
        self._friction = np.array(config.friction)

    def press(self, corners: Corners, half: Array, state: CornerState) -> Press:
        """Return the wrenches of one contact step.

        :param half: half the edge of the surface of each corner [m], shape ``(m, 4)``.
        """
        corners.axes[:] = corners.rows_by_axes
        across, z, normal = corners.across, corners.z, corners.normal
        sunk = z < ZERO
        faced = ~sunk
        faced |= state.faced
        faced &= inside(across, half)
        np.multiply(self._late, corners.z_rate, normal)
        normal += z
        normal *= self._pull
        np.maximum(normal, ZERO, out=normal)
        normal *= (faced & sunk).astype(np.float64)
        limit = self._friction * normal
        elastic = across - state.anchor
        elastic *= self._shear_pull
        shorten(elastic, limit)
        anchor = elastic / self._shear
        anchor += across
        force = corners.tangential
        np.multiply(self._shear_damping, corners.across_rate, force)
        np.subtract(elastic, force, force)
        shorten(force, limit)
        _add_up(corners)
        return Press(corners.wrench, CornerState(anchor, faced))


def inside(across: Array, half: Array) -> Flags:
    """Return which corners are over or under their surfaces, not beside them, ``(m, 4)``.

    :param across: their x and y, shape ``(2, m, 4)``.
    """
    x, y = np.abs(across) <= half
    x &= y
    return x


def shorten(force: Array, limit: Array) -> None:
    """Make vectors, shape ``(2, m, 4)``, no longer than their limits, shape ``(m, 4)``."""
    x, y = force
    size = np.hypot(x, y)
    np.maximum(size, ZERO_FORCE, out=size)
    np.divide(limit, size, size)
    np.minimum(size, ONE, out=size)
    x *= size
    y *= size


def _add_up(corners: Corners) -> None:
    """Set the wrenches: the sums of the forces and of their moments about the origins."""
    force = corners.force
    force[:] = corners.force_rows
    np.add.reduce(force, 1, out=corners.total_force)
    corners.total_moment[:] = (corners.place_columns @ force).reshape(-1, 9) @ MOMENT


def turning(spin: Array) -> Array:
    """Return the matrices by which rows ``r`` become ``w x r``, shape ``(m, 3, 3)``.

    :param spin: ``w``, shape ``(m, 3)``.
    """
    return (spin @ TURN).reshape(-1, 3, 3)
