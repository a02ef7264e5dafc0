"""Efforts within their limits."""

from __future__ import annotations

import numpy as np

from ..core.values import Array


def largest_share(drift: Array, change: Array, limit: Array) -> float:
    """Return the largest ``s`` with ``|drift + s change| <= limit`` in every joint.

    One share for all joints keeps the direction of a motion. It is 0 where the change adds to a
    drift that is beyond its limit already, and infinite where nothing changes.

    :param drift: effort without the change [N m], shape ``(n,)``, finite.
    :param change: effort that ``s`` scales [N m], shape ``(n,)``, finite.
    :param limit: [N m], shape ``(n,)``; infinite where a joint has none.
    """
    room = np.where(change > 0.0, limit - drift, limit + drift)
    size = np.abs(change)
    shares = np.divide(room, size, out=np.full_like(room, np.inf), where=size > 0.0)
    return max(0.0, float(shares.min()))
