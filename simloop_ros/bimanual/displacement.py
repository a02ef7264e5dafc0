"""The difference of the object from its planned pose: forces have moved it."""

from __future__ import annotations

import msgspec
import numpy as np
import pinocchio as pin

from ..core.values import Array


class Displacement(msgspec.Struct, frozen=True, gc=False):
    """Effect of yielding, and of insertions that ended early, on the planned pose ``(x, R)``.

    ::

        x + H d,    R exp(t)

    with ``H``, the rotation of the hinges so far: a hinge keeps the distance of a displaced object
    from its line. All other tasks leave ``d`` as it is: their displacements are relative to where
    the object is.

    :ivar offset: ``d`` in world axes [m], shape ``(3,)``.
    :ivar turn: ``t`` in axes of the object [rad], shape ``(3,)``.
    """

    offset: Array
    turn: Array

    @property
    def none(self) -> bool:
        """Return whether the object is where it was planned."""
        return not (self.offset.any() or self.turn.any())

    def share(self, part: float) -> Displacement:
        """Return a part of it, 0 to 1: for hands on their path to the object, or from it."""
        return self if part == 1.0 else Displacement(part * self.offset, part * self.turn)

    def axes(self, rotation: Array) -> Array:
        """Return the axes of the object, from those that are planned, shape ``(3, 3)``."""
        return rotation @ pin.exp3(self.turn) if self.turn.any() else rotation

    def moved(self, pose: pin.SE3, place: pin.SE3, hinged: Array) -> pin.SE3:
        """Return the pose of a hand that moves with the object.

        :param pose: planned one of the hand in the world.
        :param place: planned pose of the object.
        :param hinged: ``H``, shape ``(3, 3)``.
        """
        offset = hinged @ self.offset
        if not self.turn.any():
            return pin.SE3(pose.rotation, pose.translation + offset)
        there = pin.SE3(self.axes(place.rotation), place.translation + offset)
        return there * place.actInv(pose)

    def by(self, offset: Array, hinged: Array) -> Displacement:
        """Return it with a further offset in world axes [m], shape ``(3,)``."""
        return Displacement(self.offset + hinged.T @ offset, self.turn)

    def deflected(self, deflection: Array, rotation: Array, hinged: Array) -> Displacement:
        """Return it for an object that has yielded.

        :param deflection: position and rotation vector in the object's axes [m, rad], ``(6,)``.
        :param rotation: planned one of the object, shape ``(3, 3)``.
        """
        further = self.by(self.axes(rotation) @ deflection[:3], hinged)
        turn = pin.log3(pin.exp3(self.turn) @ pin.exp3(deflection[3:]))
        return Displacement(further.offset, turn)


NO_DISPLACEMENT = Displacement(np.zeros(3), np.zeros(3))
"""Of an object that is where it was planned."""
