"""A search for all solutions that knows nothing of the arm: Newton from everywhere."""

from __future__ import annotations

import math

import numpy as np

from simloop_ros.core.values import Array
from simloop_ros.robot.chain import Chain

STEPS = 60
DAMPING = 0.05
"""Of the damping to the square of the error."""
LONGEST_STEP = 0.6
"""Largest change of a joint in one step [rad]."""
FOUND = 1e-10
"""Error of a solution [m and rad]."""
SAME = 1e-5
"""Two solutions that differ by less are one [rad]."""


def search_all(chain: Chain, pose: Array, starts: Array) -> Array:
    """Return every solution found from many starts, limits left out [rad], shape ``(k, n)``.

    Every angle is within half a turn of zero.

    :param chain: of turning joints only.
    :param pose: of the tip in the world, shape ``(4, 4)``.
    :param starts: joints to start from [rad], shape ``(s, n)``.
    """
    q, found = starts, [np.empty((0, starts.shape[1]))]
    for _ in range(STEPS):
        error, jacobian = _look(chain, pose, q)
        done = np.abs(error).max(axis=1) <= FOUND
        found.append(q[done])
        q, error, jacobian = q[~done], error[~done], jacobian[~done]
        if not len(q):
            break
        square = (error**2).sum(axis=1)
        normal = np.swapaxes(jacobian, 1, 2) @ jacobian
        normal += (DAMPING * square[:, None, None] + 1e-14) * np.eye(q.shape[1])
        pull = np.swapaxes(jacobian, 1, 2) @ error[:, :, None]
        step = np.linalg.solve(normal, pull)[:, :, 0]
        step *= LONGEST_STEP / np.maximum(LONGEST_STEP, np.abs(step).max(axis=1, keepdims=True))
        q = q + step
    kept: list[Array] = []
    for joints in _wrapped(np.concatenate(found)):
        if all(np.abs(_wrapped(joints - other)).max() > SAME for other in kept):
            kept.append(joints)
    return np.array(kept).reshape(-1, starts.shape[1])


def count_within(solutions: Array, lower: Array, upper: Array) -> int:
    """Return how many joints within the limits the solutions are, each turn for itself."""
    turns = range(-3, 4)
    count = 0
    for joints in solutions:
        fits = [
            sum(low <= angle + 2.0 * math.pi * turn <= high for turn in turns)
            for angle, low, high in zip(joints, lower, upper, strict=True)
        ]
        count += math.prod(fits)
    return count


def _wrapped(angles: Array) -> Array:
    return (angles + math.pi) % (2.0 * math.pi) - math.pi


def _look(chain: Chain, pose: Array, q: Array) -> tuple[Array, Array]:
    """Return the error of the tip, shape ``(s, 6)``, and its Jacobian, shape ``(s, 6, n)``."""
    rotation = np.broadcast_to(np.eye(3), (len(q), 3, 3))
    position = np.zeros((len(q), 3))
    axes, points = [], []
    for i, (axis, point) in enumerate(zip(chain.axes, chain.points, strict=True)):
        axes.append(rotation @ axis)
        points.append(rotation @ point + position)
        x, y, z = axis
        cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        c, s = np.cos(q[:, i, None, None]), np.sin(q[:, i, None, None])
        turn = np.eye(3) + s * cross + (1.0 - c) * (cross @ cross)
        # A turn about an axis beside the origin moves the origin.
        position = position + np.einsum('sij,sj->si', rotation, point - turn @ point)
        rotation = rotation @ turn
    tip = rotation @ chain.tip.translation + position
    away = pose[:3, :3] @ np.swapaxes(rotation @ chain.tip.rotation, 1, 2)
    twice = np.stack(
        (
            away[:, 2, 1] - away[:, 1, 2],
            away[:, 0, 2] - away[:, 2, 0],
            away[:, 1, 0] - away[:, 0, 1],
        ),
        axis=1,
    )
    # As long as the angle, not as its sine, which vanishes at half a turn as well.
    sine = 0.5 * np.linalg.norm(twice, axis=1)
    cosine = 0.5 * (np.trace(away, axis1=1, axis2=2) - 1.0)
    scale = np.where(sine > 1e-9, np.arctan2(sine, cosine) / np.maximum(sine, 1e-9), 1.0)
    error = np.concatenate((pose[:3, 3] - tip, 0.5 * scale[:, None] * twice), axis=1)
    linear = [np.cross(w, tip - p) for w, p in zip(axes, points, strict=True)]
    columns = [np.concatenate(pair, axis=1) for pair in zip(linear, axes, strict=True)]
    return error, np.stack(columns, axis=2)
