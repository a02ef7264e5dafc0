"""The plant without contact: Pinocchio's forward dynamics."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from ..core.state import Remembering
from ..core.values import UNDISTURBED, Array, Disturbance, JointState, PlantReport
from ..robot.model import RobotModel
from .plant import Plant, joint_disturbance, total_torque


class PinocchioPlant(Remembering, Plant):
    """A rigid arm that touches nothing.

    Semi-implicit Euler in joint coordinates, 000 (5.3) and (5.4), with ``h = period / substeps``::

        v+ = v + h aba(q, v, tau + tau_ext)
        q+ = q + h v+

    Joints have no ends: in every plant, position ranges are left to planner and control.

    :param model: the robot; the plant starts at its home, at rest.
    :param period: time of one ``step`` [s].
    """

    _remembered = ('_q', '_v', '_external')

    def __init__(self, model: RobotModel, period: float, substeps: int = 1):
        self._model = model.pin_model
        self._data = self._model.createData()
        # As an array it spares numpy a conversion in every product.
        self._h = np.array(period / substeps)
        self._substeps = range(substeps)
        self._zero: Array = np.zeros(model.n)
        self.start(JointState(model.home, self._zero))

    @property
    def truth(self) -> JointState:
        """Return the joint state."""
        return JointState(self._q, self._v)

    def start(self, state: JointState) -> None:
        """Begin at a joint state."""
        self._q, self._v = state.position, state.velocity
        self._external = self._zero

    def step(self, effort: Array, disturbance: Disturbance = UNDISTURBED) -> None:
        """Apply efforts [N m], shape ``(n,)``, and external torques for one period."""
        torque, self._external = effort, self._zero
        if disturbance is not UNDISTURBED:
            external = joint_disturbance(disturbance)
            torque = total_torque(effort, external)
            self._external = self._zero if external is None else external
        h, q, v = self._h, self._q, self._v
        for _ in self._substeps:
            # aba returns a fresh array, which becomes the new velocity in place.
            faster = pin.aba(self._model, self._data, q, v, torque)
            faster *= h
            faster += v
            v = faster
            further = v * h
            further += q
            q = further
        self._q, self._v = q, v

    def observe(self) -> Array:
        """Return the joint positions [rad], shape ``(n,)``."""
        return self._q

    def report(self) -> PlantReport:
        """Return the joint state and the external torque."""
        return PlantReport(JointState(self._q, self._v), self._external)
