"""Self-collision of the robot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..core.values import Array
from ..robot.model import RobotModel
from ..world.geometry import collision_data, robot_geometry, touching_pairs

COLLISION_SPACING = 0.02
"""Time between two checks for self-collision [s]."""


@dataclass(frozen=True)
class Touch:
    """Two links that touch.

    :ivar step: index of the step at which it was found.
    :ivar time: of it [s].
    """

    step: int
    time: float
    link: str
    other: str

    def __str__(self) -> str:
        return (
            f'the robot would run into itself: {self.link} touches {self.other} at '
            f't = {self.time:.2f} s'
        )


class SelfCollision:
    """Pairs of links that must not touch.

    See ``world.geometry.robot_geometry`` for which pairs are left out.

    :param positions: of the joints [rad], shape ``(n,)`` each.
    """

    def __init__(self, model: RobotModel, *positions: Array):
        self._pin_model = model.pin_model
        self._data = model.pin_model.createData()
        self._geometry = robot_geometry(model, *positions)
        bodies = self._geometry.geometryObjects
        self._links = [model.pin_model.frames[body.parentFrame].name for body in bodies]
        self._geometry_data = collision_data(self._geometry)

    def first(self, q: Array) -> tuple[str, str] | None:
        """Return two links that touch at ``q``, if any do."""
        touching = touching_pairs(
            self._pin_model, self._data, self._geometry, self._geometry_data, q
        )
        if not touching:
            return None
        a, b = touching[0]
        return self._links[a], self._links[b]


def first_touch(
    model: RobotModel, start: Array, positions: Sequence[Array] | Array, period: float
) -> Touch | None:
    """Return the first self-collision on a motion, if there is one.

    :param start: joint position that is known to be free [rad], shape ``(n,)``.
    :param positions: at each step [rad], shape ``(steps, n)``.
    """
    check = SelfCollision(model, start)
    stride = max(1, round(COLLISION_SPACING / period))
    for step in range(0, len(positions), stride):
        links = check.first(positions[step])
        if links is not None:
            return Touch(step, step * period, *links)
    return None
