"""A robot that picks something up while it moves."""

from __future__ import annotations

from collections.abc import Sequence

import pinocchio as pin

from ..core.values import NANO, UNDISTURBED, Array, Disturbance, JointState
from ..robot.carried_payload import CarriedPayload
from ..robot.config import Payload
from ..robot.model import RobotModel
from .plant import Plant, joint_disturbance, total_torque
from .wrapper import PlantWrapper


class Carrying(PlantWrapper):
    """Let a rigid arm move as it would with its payload, whatever engine it is in.

    ::

        a = aba'(q, v, tau + tau_ext),    tau_engine = rnea(q, v, a) - tau_ext

    where ``aba'`` has the payload and ``rnea`` has not, at the beginning of each period. So an
    obstacle that is hit meets the arm without its payload.

    :ivar carried: what it carries, in time since its start.
    :ivar model: the robot with what it carries.
    :param model: the robot in the engine.
    :param period: time of one ``step`` [s].
    """

    _remembered = ('_plant', '_index', 'carried')

    def __init__(
        self, plant: Plant, model: RobotModel, period: float, payloads: Sequence[Payload]
    ):
        super().__init__(plant)
        self.model = model.copy()
        self._bare, self._loaded = model.pin_model, self.model.pin_model
        self._data, self._loaded_data = self._bare.createData(), self._loaded.createData()
        self._period = period
        self.carried = CarriedPayload(self.model, payloads)
        self._begin()

    def start(self, state: JointState) -> None:
        """Begin at a joint state, with what it carries at the beginning."""
        super().start(state)
        self._carry()

    @property
    def inside(self) -> Plant:
        """Return the plant in the engine, which may be stepped alone while nothing is carried."""
        return self._plant

    def go_to(self, index: int) -> None:
        """Note the number of steps so far, after steps of the plant inside alone."""
        self._index = index

    def _begin(self) -> None:
        self._index = 0

    def _carry(self) -> None:
        self.carried.at(self._now)

    @property
    def _now(self) -> int:
        return round(self._index * self._period * NANO)

    def step(self, effort: Array, disturbance: Disturbance = UNDISTURBED) -> None:
        """Apply efforts [N m] and a disturbance for one period."""
        if self.carried.changes:
            self.carried.now = self._now  # a payload may have been told since
        if self.carried.changes and self.carried.carries:
            external, (q, v) = joint_disturbance(disturbance), self._state
            torque = total_torque(effort, external)
            a = pin.aba(self._loaded, self._loaded_data, q, v, torque)
            needed = pin.rnea(self._bare, self._data, q, v, a)
            effort = needed.copy() if external is None else needed - external
        self._plant.step(effort, disturbance)
        self._index += 1
        if self.carried.changes:
            self._carry()  # now: friction is solved before the next step

    @property
    def _state(self) -> tuple[Array, Array]:
        truth = self._plant.truth
        return truth.position, truth.velocity
