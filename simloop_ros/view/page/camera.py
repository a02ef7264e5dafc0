"""Where the camera is at first."""

from __future__ import annotations

import msgspec
import numpy as np

from ...core.values import Array

FOV = float(np.deg2rad(45.0))
"""Opening angle of the camera [rad]."""
FROM: Array = np.array([1.0, -1.0, 0.6]) / np.linalg.norm([1.0, -1.0, 0.6])
"""Direction from which it looks at first: robots have x in front."""
ROOM = 1.05
"""Distance of the camera, as a multiple of that at which a ball around the robot fits."""


class View(msgspec.Struct, frozen=True):
    """A camera: where it is, and at what it looks, in the world [m], shape ``(3,)`` each."""

    position: Array
    look_at: Array


def view_of(bounds: Array, direction: Array = FROM, room: float = ROOM) -> View:
    """Return the view of all that is within bounds.

    :param bounds: lowest and highest coordinates [m], shape ``(2, 3)``.
    :param direction: to the camera, a unit vector, shape ``(3,)``.
    """
    centre = bounds.mean(axis=0)
    radius = 0.5 * float(np.linalg.norm(bounds[1] - bounds[0]))
    return View(centre + room * radius / np.sin(0.5 * FOV) * direction, centre)
