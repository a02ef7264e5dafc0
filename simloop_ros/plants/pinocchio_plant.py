"""The plant without contact: Pinocchio's forward dynamics."""

from __future__ import annotations

import msgspec
import numpy as np
import pinocchio as pin

from ..core.values import Array, JointState
from ..robot.model import RobotModel
from .plant import Plant, with_external


class PinocchioState(msgspec.Struct, frozen=True):
    """The joint state, and the torque from outside in the step that led to it [N m]."""

    joints: JointState
    external: Array


class PinocchioPlant(Plant):
    """A rigid arm that touches nothing.

    Semi-implicit Euler in joint coordinates, 000 (5.3) and (5.4), with ``h = period / substeps``::

        v+ = v + h aba(q, v, tau + tau_ext)
        q+ = q + h v+

    Joints have no ends: as in every plant, ranges are the business of planner and control.

    :param model: the robot; the plant starts at its home, at rest.
    :param period: time of one ``step`` [s].
    :param substeps: number of physics steps in one ``step``.
    """

    def __init__(self, model: RobotModel, period: float, substeps: int = 1):
        self._model = model.pin_model
        self._data = self._model.createData()
        # As an array it spares numpy a conversion in every product.
        self._h = np.array(period / substeps)
        self._substeps = substeps
        self._q = model.home
        self._v: Array = np.zeros(model.n)
        self._none: Array = np.zeros(model.n)
        self._external = self._none

    @property
    def state(self) -> PinocchioState:
        """Return the joint state and the torque from outside."""
        return PinocchioState(self.truth, self._external)

    @property
    def truth(self) -> JointState:
        """Return the joint state."""
        return JointState(self._q, self._v)

    @property
    def external(self) -> Array:
        """Return the torque from outside in the last step [N m], shape ``(n,)``."""
        return self._external

    def reset(self, state: JointState | PinocchioState) -> None:
        """Go to a joint state, or to an earlier ``state``."""
        joints, self._external = (
            (state.joints, state.external)
            if isinstance(state, PinocchioState)
            else (state, self._none)
        )
        self._q, self._v = joints.position, joints.velocity

    def step(self, effort: Array, external: Array | None = None) -> None:
        """Apply efforts and torques from outside [N m], shape ``(n,)``, for one period."""
        self._external = self._none if external is None else external
        effort = with_external(effort, external)
        h = self._h
        for _ in range(self._substeps):
            # aba returns a fresh array, which becomes the new velocity in place.
            v = pin.aba(self._model, self._data, self._q, self._v, effort)
            v *= h
            v += self._v
            q = v * h
            q += self._q
            self._v = v
            self._q = q

    def observe(self) -> Array:
        """Return the joint positions [rad], shape ``(n,)``."""
        return self._q
