"""The model identified from free motion: the real inertia and friction of the robot."""

from __future__ import annotations

import msgspec
import numpy as np
import pinocchio as pin

from ..core.values import Array
from ..robot.model import RobotModel


class Explanation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The torque that the model leaves out, linear in all but ``smoothing``.

    ::

        tau = rnea'(q, v, a) + F tanh(v / w) + c v + b

    where ``rnea'`` has the inertias below instead of the model's.

    :ivar inertias: mass [kg], mass times centre [kg m] and inertia at the joint [kg m^2] of what
        each joint carries, as Pinocchio orders them, ``n`` rows of 10.
    :ivar armature: inertia that acts on its own joint only, for instance of a rotor [kg m^2].
    :ivar coulomb: dry friction ``F`` [N m].
    :ivar smoothing: speed ``w`` below which the direction of dry friction is not certain [rad/s].
    :ivar viscous: friction per speed ``c`` [N m s/rad].
    :ivar offset: constant torque ``b`` [N m].
    :ivar fastest: largest speed that something was learnt from [rad/s].
    """

    inertias: tuple[tuple[float, ...], ...]
    armature: tuple[float, ...]
    coulomb: tuple[float, ...]
    smoothing: tuple[float, ...]
    viscous: tuple[float, ...]
    offset: tuple[float, ...]
    fastest: tuple[float, ...]

    def friction(self, speed: Array) -> Array:
        """Return the size of the friction at a speed [N m], shape ``(n,)``."""
        return np.abs(self.coulomb) + np.abs(self.viscous) * speed

    def corrected(self, model: RobotModel) -> pin.Model:
        """Return the Pinocchio model with the learnt inertias."""
        corrected = pin.Model(model.pin_model)
        for joint, parameters in enumerate(self.inertias, start=1):
            corrected.inertias[joint] = pin.Inertia.FromDynamicParameters(np.array(parameters))
        corrected.armature = np.array(self.armature)
        return corrected


def nothing_learnt(model: RobotModel) -> Explanation:
    """Return the explanation that leaves the model as it is."""
    pin_model = model.pin_model
    nothing = (0.0,) * model.n
    return Explanation(
        inertias=tuple(
            tuple(pin_model.inertias[joint].toDynamicParameters().tolist())
            for joint in range(1, pin_model.njoints)
        ),
        armature=tuple(np.asarray(pin_model.armature).tolist()),
        coulomb=nothing,
        smoothing=(1.0,) * model.n,
        viscous=nothing,
        offset=nothing,
        fastest=(np.inf,) * model.n,
    )


class Explainer:
    """Computes the torque that explains a motion.

    :ivar pin_model: with the learnt inertias.
    :param model: the robot as control knows it.
    """

    def __init__(self, model: RobotModel, explanation: Explanation):
        self.pin_model = explanation.corrected(model)
        self._data = self.pin_model.createData()
        self._coulomb = np.array(explanation.coulomb)
        self._sharpness = 1.0 / np.array(explanation.smoothing)
        self._viscous = np.array(explanation.viscous)
        self._offset = np.array(explanation.offset)

    def torque(self, q: Array, v: Array, a: Array) -> Array:
        """Return the torque [N m], shape ``(n,)``, that the motion needs without contact."""
        torque: Array = pin.rnea(self.pin_model, self._data, q, v, a)
        dry = v * self._sharpness
        np.tanh(dry, dry)
        dry *= self._coulomb
        torque += dry
        torque += self._viscous * v
        torque += self._offset
        return torque
