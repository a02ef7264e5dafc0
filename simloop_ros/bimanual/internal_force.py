"""The wrenches of several hands on an object: the part that moves it, and the internal part."""

from __future__ import annotations

import math

import msgspec
import numpy as np
import pinocchio as pin

from ..core.errors import ConfigError
from ..core.values import Array
from ..maths.vectors import as_numbers

MIN_GRASP_DISTANCE = 1e-3
"""Distance below which two grasp points count as one [m]: no two palms are so near, and the line
between the hands, along which they press, would be undefined."""

_Triple = tuple[float, float, float]


class WrenchSplit(msgspec.Struct, frozen=True, gc=False):
    """Wrenches at several points, force first, as a sum of two parts.

    :ivar internal: wrenches whose sum is zero, shape ``(hands, 6)``; 003 (2.11).
    :ivar moving: the smallest ones with the same sum, shape ``(hands, 6)``; 003 (C.1).
    :ivar press: the internal wrenches of a squeeze of 1 N, shape ``(hands, 6)``.
    :ivar squeeze: how much of ``press`` is in ``internal`` [N].
    :ivar total: sum of all wrenches at the mean of the points, shape ``(6,)``; 003 (2.8).
    """

    internal: Array
    moving: Array
    press: Array
    squeeze: float
    total: Array


def split(points: Array, wrenches: Array) -> WrenchSplit:
    """Return the moving and the internal part of wrenches, 003 (2.11).

    With the grasp map ``G``, see ``grasp_map``::

        moving   = G^T (G G^T)^-1 G w
        internal = w - moving = null(G) null(G)^T w

    Neither depends on the point that ``G`` refers to. About the mean of the points ``G G^T`` has
    two blocks, ``n 1`` and ``A``, so that with the sums ``F`` and ``T`` of forces and torques
    there, and with ``r_i`` from the mean to point ``i``::

        A = n 1 + sum(|r_i|^2 1 - r_i r_i^T),    a = F/n,    b = A^-1 T
        moving_i = (a + b x r_i, b)

    ``A`` is never near singular, whatever the points are. Hands that press along the lines from
    their mean do it with ``press_i = (r_i/mean|r|, 0)``, which is internal, as ``sum r_i = 0``.

    :param points: where the wrenches act [m], shape ``(hands, 3)``; see ``checked_points``.
    :param wrenches: in the same axes [N, N m], shape ``(hands, 6)``.
    :raises ConfigError: the points are one.
    """
    places, rows = points.tolist(), wrenches.tolist()
    n = len(places)
    cx = cy = cz = 0.0
    for x, y, z in places:
        cx, cy, cz = cx + x, cy + y, cz + z
    cx, cy, cz = cx / n, cy / n, cz / n
    arms = [(x - cx, y - cy, z - cz) for x, y, z in places]
    fx = fy = fz = tx = ty = tz = 0.0
    xx = yy = zz = xy = xz = yz = reach = 0.0
    for (x, y, z), (ux, uy, uz, vx, vy, vz) in zip(arms, rows, strict=True):
        fx, fy, fz = fx + ux, fy + uy, fz + uz
        tx += vx + (y * uz - z * uy)
        ty += vy + (z * ux - x * uz)
        tz += vz + (x * uy - y * ux)
        sx, sy, sz = x * x, y * y, z * z
        xx, yy, zz = xx + sx, yy + sy, zz + sz
        xy, xz, yz = xy - x * y, xz - x * z, yz - y * z
        reach += math.sqrt(sx + sy + sz)
    if reach < 0.5 * n * MIN_GRASP_DISTANCE:
        raise _too_near(2.0 * reach / n)
    ax, ay, az = fx / n, fy / n, fz / n
    diagonal = n + yy + zz, n + xx + zz, n + xx + yy
    bx, by, bz = _solved(diagonal, (xy, xz, yz), (tx, ty, tz))
    parts: tuple[list[list[float]], ...] = ([], [], [])
    internal, moving, press = parts
    k, pressed = n / reach, 0.0
    for (x, y, z), (ux, uy, uz, vx, vy, vz) in zip(arms, rows, strict=True):
        mx, my, mz = ax + (by * z - bz * y), ay + (bz * x - bx * z), az + (bx * y - by * x)
        ix, iy, iz = ux - mx, uy - my, uz - mz
        moving.append([mx, my, mz, bx, by, bz])
        internal.append([ix, iy, iz, vx - bx, vy - by, vz - bz])
        press.append([k * x, k * y, k * z, 0.0, 0.0, 0.0])
        pressed += ix * x + iy * y + iz * z
    both = np.array(parts)
    # In the mean over the hands, the force of ``press`` is (k r) 1 N: the least-squares factor.
    squeeze = pressed / (k * (xx + yy + zz))
    return WrenchSplit(both[0], both[1], both[2], squeeze, np.array([fx, fy, fz, tx, ty, tz]))


def _solved(diagonal: _Triple, beside: _Triple, right: _Triple) -> _Triple:
    """Return ``b`` of ``A b = T`` by L D L^T, exact to rounding for every positive matrix.

    :param beside: elements xy, xz and yz of ``A``.
    """
    xx, yy, zz = diagonal
    xy, xz, yz = beside
    tx, ty, tz = right
    p, q = xy / xx, xz / xx
    e = yy - p * xy
    s = (yz - p * xz) / e
    g = zz - q * xz - s * s * e
    u = ty - p * tx
    bz = (tz - q * tx - s * u) / g
    by = u / e - s * bz
    return tx / xx - p * by - q * bz, by, bz


def wrench_map(rotation: Array, origin: Array) -> Array:
    """Return what takes a wrench from a frame S to a frame C, shape ``(6, 6)``.

    003 (2.5), with the inverse transpose of (2.6) worked out. ``R`` turns from S to C and ``p``
    is the origin of S in C, ``S(p) f = p x f`` (2.7)::

        W_C = [R      0] W_S
              [S(p) R R]

    :param rotation: ``R``, shape ``(3, 3)``.
    :param origin: ``p`` [m], shape ``(3,)``.
    """
    matrix: Array = pin.SE3(rotation, origin).toDualActionMatrix()
    return matrix


def grasp_map(points: Array, centre: Array) -> Array:
    """Return what adds wrenches at points up at a centre, 003 (2.9), shape ``(6, 6 hands)``.

    Each block is the dual action of a pose, 003 (2.5) with the inverse transpose of (2.6) worked
    out; here of pure displacements.

    :param points: [m], shape ``(hands, 3)``.
    :param centre: the compliance point C [m], shape ``(3,)``.
    """
    return np.hstack([wrench_map(np.eye(3), point - centre) for point in points])


def checked_points(points: Array) -> Array:
    """Return grasp points [m], shape ``(hands, 3)``.

    :raises ConfigError: they are not points, fewer than two, not finite, or two are the same.
    """
    places = as_numbers(points, 'grasp points')
    if places.ndim != 2 or places.shape[1] != 3:
        raise ConfigError(f'grasp points of shape {places.shape}: (hands, 3) is needed')
    if len(places) < 2:
        raise ConfigError(f'{len(places)} hand: internal forces need two hands at least')
    if not np.isfinite(places).all():
        raise ConfigError('grasp points that are not finite; give numbers only')
    for i, place in enumerate(places):
        for j in range(i):
            distance = float(np.linalg.norm(place - places[j]))
            if distance < MIN_GRASP_DISTANCE:
                raise _too_near(distance, f'{j + 1} and {i + 1} ')
    return places


def _too_near(distance: float, which: str = '') -> ConfigError:
    return ConfigError(
        f'grasp points {which}are {distance:.2g} m apart: there is no line along which the hands '
        f'press; at least {MIN_GRASP_DISTANCE:g} m is needed, take the object at other points'
    )
