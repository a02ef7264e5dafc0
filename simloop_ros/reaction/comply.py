"""Comply: stop, then yield to external torques with the admittance of hand guiding."""

from __future__ import annotations

from ..core.values import Array, ExternalInputs, JointState, Setpoint
from ..guiding.config import AdmittanceConfig, without_spring
from ..guiding.guidance import Guidance
from ..robot.model import RobotModel
from .hold import Hold
from .motors import Motors
from .reaction import Onset, Reaction


class Comply(Reaction):
    """001, section 5.2: joint admittance as a safety mode.

    Brake as ``Hold`` does, as fast as the motors can, then yield to the external torque. There is
    no spring: it would push the robot back into the obstacle.

    :param admittance: its stiffness is left out.
    :param torque_error: error of the external torques, see ``Guidance``.
    """

    _remembered = ('_hold', '_place', '_guidance')

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
        self._place: Array | None = None  # of rest, that the robot yields from [rad]

    def configure(self, admittance: AdmittanceConfig) -> None:
        """Apply another admittance from the next step on, without a jump."""
        self._guidance.configure(without_spring(admittance))

    def begin(self, onset: Onset) -> None:
        """Brake from the next step on."""
        self._hold.begin(onset)
        self._place = None

    def step(self, control: JointState, inputs: ExternalInputs) -> Setpoint:
        """Return the setpoint of the next step."""
        if self._place is not None:
            deflected = self._guidance.step(self._place, inputs.torque)
            return Setpoint(deflected.position, deflected.velocity)
        setpoint = self._hold.step(control, inputs)
        if self._hold.resting:
            self._place = setpoint.position
            self._guidance.reset()
        return setpoint

    @property
    def resting(self) -> bool:
        """Return no: a robot that yields may move at any time."""
        return False
