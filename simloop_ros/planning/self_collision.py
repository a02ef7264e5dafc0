"""Self-collision of the robot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import pinocchio as pin

from ..core.values import Array
from ..robot.model import RobotModel

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

    Links up to two joints apart along the tree are left out, and so are pairs that touch at a
    position that is known to be free: simple shapes around a wrist or shoulder overlap by
    construction. Of several positions, at which the robot may be free or not, pairs that touch at
    all of them are left out.

    :param positions: of the joints [rad], shape ``(n,)`` each.
    """

    def __init__(self, model: RobotModel, *positions: Array):
        self._pin_model = model.pin_model
        self._data = model.pin_model.createData()
        self._geometry = model.collision_geometry()
        bodies = self._geometry.geometryObjects
        self._links = [model.pin_model.frames[body.parentFrame].name for body in bodies]
        joints = [body.parentJoint for body in bodies]
        for pair in combinations(range(len(bodies)), 2):
            if not self._near(*(joints[i] for i in pair)):
                self._geometry.addCollisionPair(pin.CollisionPair(*pair))
        data = self._new_data()
        touching = [set(self._touching(position, data)) for position in positions]
        for pair in sorted(set.intersection(*touching)):
            self._geometry.removeCollisionPair(pin.CollisionPair(*pair))
        self._geometry_data = self._new_data()

    def first(self, q: Array) -> tuple[str, str] | None:
        """Return two links that touch at ``q``, if any do."""
        touching = self._touching(q, self._geometry_data)
        if not touching:
            return None
        a, b = touching[0]
        return self._links[a], self._links[b]

    def _near(self, a: int, b: int) -> bool:
        parents = self._pin_model.parents
        above_a, above_b = ((i, parents[i], parents[parents[i]]) for i in (a, b))
        return a in above_b or b in above_a

    def _new_data(self) -> pin.GeometryData:
        """Return memory for the pairs of now.

        With contacts, as links that overlap by millimetres are missed without: GJK ends at some
        1e-11 m then, which Coal calls a touch only below 1e-12 m, and where it ends depends on the
        postures before.
        """
        data = self._geometry.createData()
        for request in data.collisionRequests:
            request.enable_contact = True
        return data

    def _touching(self, q: Array, data: pin.GeometryData) -> list[tuple[int, int]]:
        """Return the pairs of shapes that touch, by index."""
        if not pin.computeCollisions(self._pin_model, self._data, self._geometry, data, q, False):
            return []
        pairs = [(pair.first, pair.second) for pair in self._geometry.collisionPairs]
        results = data.collisionResults
        return [pair for pair, result in zip(pairs, results, strict=True) if result.isCollision()]


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
