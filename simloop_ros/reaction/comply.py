"""Comply: stop, then give way to what presses, with the admittance of a guided robot."""

from __future__ import annotations

import msgspec

from ..core.values import Array, ExternalInputs, JointState, Setpoint
from ..guiding.config import AdmittanceConfig, without_spring
from ..guiding.guidance import Guidance, GuidanceSnapshot
from ..robot.model import RobotModel
from .hold import Hold
from .motors import Motors
from .reaction import Onset, Reaction


class ComplySnapshot(msgspec.Struct, frozen=True):
    """What complying remembers.

    :ivar held: what ``Hold`` does while it brakes.
    :ivar place: where the robot rested before it gave way [rad], shape ``(n,)``; none before.
    :ivar guidance: how far it gave way.
    """

    held: Array | None
    place: Array | None
    guidance: GuidanceSnapshot


class Comply(Reaction):
    """001, section 5.2: joint admittance as a safety mode.

    Brake as ``Hold`` does, which takes away the robot's own part of the impact as fast as the
    motors can, then follow the torque from outside: what presses pushes the robot away. There is
    no spring, which would bring it back into what it hit.

    :param admittance: with which the robot gives way; its stiffness is left out.
    :param torque_error: what the torques are wrong by, see ``Guidance``.
    """

    def __init__(
        self,
        motors: Motors,
        model: RobotModel,
        period: float,
        admittance: AdmittanceConfig,
        torque_error: Array | None = None,
    ):
        self._hold = Hold(motors, period)
        self._guidance = Guidance(model, without_spring(admittance), period, torque_error)
        self._place: Array | None = None

    def snapshot(self) -> ComplySnapshot:
        """Return all that the next step depends on."""
        return ComplySnapshot(self._hold.snapshot(), self._place, self._guidance.snapshot())

    def restore(self, snapshot: ComplySnapshot) -> None:
        """Go back to an earlier snapshot."""
        self._hold.restore(snapshot.held)
        self._place = snapshot.place
        self._guidance.restore(snapshot.guidance)

    def configure(self, admittance: AdmittanceConfig) -> None:
        """Give way in another way from the next step on; nothing jumps."""
        self._guidance.configure(without_spring(admittance))

    def begin(self, onset: Onset) -> None:
        """Brake from the next step on."""
        self._hold.begin(onset)
        self._place = None

    def step(self, control: JointState, inputs: ExternalInputs) -> Setpoint:
        """Return the setpoint of the next step."""
        if self._place is not None:
            led = self._guidance.step(self._place, inputs.torque)
            return Setpoint(led.position, led.velocity)
        setpoint = self._hold.step(control, inputs)
        if self._hold.resting:
            self._place = setpoint.position
            self._guidance.reset()
        return setpoint

    @property
    def resting(self) -> bool:
        """Return no: in a hand, the robot may move at any time."""
        return False
