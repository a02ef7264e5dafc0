"""The model identified from free motion: the real inertia and friction of the robot."""

from __future__ import annotations

import msgspec
import numpy as np
import pinocchio as pin

from ..core.values import Array
from ..robot.config import JointFrictionConfig
from ..robot.model import RobotModel


class Explanation(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The torque that the model leaves out, linear in all but ``smoothing`` and ``fading``.

    ::

        tau = rnea'(q, v, a) + tanh(v / w) (F + A tanh(v / w) + S exp(-|v| / s)) + c v + b

    where ``rnea'`` has the inertias below instead of the model's.

    :ivar inertias: mass [kg], mass times centre [kg m] and inertia at the joint [kg m^2] of what
        each joint carries, as Pinocchio orders them, ``n`` rows of 10.
    :ivar armature: inertia that acts on its own joint only, for instance of a rotor [kg m^2].
    :ivar coulomb: dry friction ``F`` [N m].
    :ivar smoothing: speed ``w`` below which the direction of dry friction is not certain [rad/s].
    :ivar viscous: friction per speed ``c`` [N m s/rad].
    :ivar offset: constant torque ``b`` [N m].
    :ivar fastest: largest speed that something was learnt from [rad/s].
    :ivar asymmetry: dry friction ``A`` more in one direction and less in the other [N m]; empty
        for none.
    :ivar stribeck: dry friction ``S`` more at rest than at speed [N m]; empty for none.
    :ivar fading: speed ``s`` over which it fades [rad/s].
    """

    inertias: tuple[tuple[float, ...], ...]
    armature: tuple[float, ...]
    coulomb: tuple[float, ...]
    smoothing: tuple[float, ...]
    viscous: tuple[float, ...]
    offset: tuple[float, ...]
    fastest: tuple[float, ...]
    asymmetry: tuple[float, ...] = ()
    stribeck: tuple[float, ...] = ()
    fading: tuple[float, ...] = ()

    def friction(self, speed: Array) -> Array:
        """Return the size of the friction at a speed [N m], shape ``(n,)``."""
        dry = np.abs(self.coulomb) + np.abs(self.viscous) * speed
        for more in (self.asymmetry, self.stribeck):
            dry = dry + np.abs(more) if more else dry
        return dry

    def corrected(self, model: RobotModel) -> pin.Model:
        """Return the Pinocchio model with the learnt inertias."""
        corrected = pin.Model(model.pin_model)
        for joint, parameters in enumerate(self.inertias, start=1):
            corrected.inertias[joint] = pin.Inertia.FromDynamicParameters(np.array(parameters))
        corrected.armature = np.array(self.armature)
        return corrected


def nothing_learnt(model: RobotModel) -> Explanation:
    """Return the explanation that leaves the model as it is, with the friction that it knows."""
    pin_model = model.pin_model
    known = model.friction or (JointFrictionConfig(smoothing=1.0),) * model.n
    asymmetry, stribeck = (
        tuple(getattr(each, key) for each in known) for key in ('asymmetry', 'stribeck')
    )
    return Explanation(
        inertias=tuple(
            tuple(pin_model.inertias[joint].toDynamicParameters().tolist())
            for joint in range(1, pin_model.njoints)
        ),
        armature=tuple(np.asarray(pin_model.armature).tolist()),
        coulomb=tuple(each.coulomb for each in known),
        smoothing=tuple(each.smoothing for each in known),
        viscous=tuple(each.viscous for each in known),
        offset=tuple(each.offset for each in known),
        fastest=(np.inf,) * model.n,
        asymmetry=asymmetry if any(asymmetry) else (),
        stribeck=stribeck if any(stribeck) else (),
        fading=tuple(each.fading for each in known) if any(stribeck) else (),
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
        self._asymmetry = np.array(explanation.asymmetry)
        self._stribeck = np.array(explanation.stribeck)
        self._slowness = 1.0 / np.array(explanation.fading or (1.0,))

    def torque(self, q: Array, v: Array, a: Array) -> Array:
        """Return the torque [N m], shape ``(n,)``, that the motion needs without contact."""
        torque: Array = pin.rnea(self.pin_model, self._data, q, v, a)
        dry = v * self._sharpness
        np.tanh(dry, dry)
        size = self._coulomb
        if self._asymmetry.size or self._stribeck.size:
            size = size + self._more_dry(dry, v)
        dry *= size
        torque += dry
        torque += self._viscous * v
        torque += self._offset
        return torque

    def _more_dry(self, direction: Array, v: Array) -> Array:
        """Return the dry friction that depends on direction and speed [N m], shape ``(n,)``.

        :param direction: ``tanh(v / w)``.
        """
        more: Array = np.zeros_like(v)
        if self._asymmetry.size:
            more = self._asymmetry * direction
        if self._stribeck.size:
            more = more + self._stribeck * np.exp(-np.abs(v) * self._slowness)
        return more
