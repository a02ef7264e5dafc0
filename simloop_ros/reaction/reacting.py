"""The reactions of a robot whose arms are free: stop, hold, retreat, float, comply."""

from __future__ import annotations

from ..core.config_types import ReactionKind
from ..core.state import Remembering, StatefulParts
from ..core.values import Array, ExternalInputs, JointState, Setpoint
from ..guiding.config import AdmittanceConfig
from ..planning.planner import Planner
from ..robot.model import RobotModel
from .comply import Comply
from .config import ReactionConfig
from .floating import Float
from .hold import Hold
from .motors import Motors
from .reaction import Onset, Reaction, Rest
from .reactive import ReactivePlanner, Replan
from .retreat import Retreat
from .stop import Stop
from .trail import extended

TRAIL_PERIOD = 0.01
"""Time between two positions of the trail [s]."""


class Reacting(Remembering, ReactivePlanner):
    """A planner with one reaction of each kind.

    ``stop`` and ``hold`` end at rest; so does ``retreat``, which a further contact stops.
    ``float`` and ``comply`` yield to contacts, until ``stop`` is called.

    :param period: of the loop [s].
    :param compliance: of the control law, ``ControlConfig.compliance`` [s^2]; that of deadbeat
        control where none is given.
    :param admittance: of the reaction ``comply``.
    :param torque_error: error of the torques that the robot complies with, see ``Guidance``.
    """

    _remembered = ('planner', '_active', '_all', '_trail', '_unrecorded', '_quiet', '_no_way')

    def __init__(
        self,
        planner: Planner,
        model: RobotModel,
        period: float,
        impact: ReactionKind = 'none',
        push: ReactionKind | None = None,
        config: ReactionConfig | None = None,
        *,
        compliance: float | None = None,
        admittance: AdmittanceConfig | None = None,
        torque_error: Array | None = None,
        replan: Replan | None = None,
        resume_after: int | None = None,
    ):
        super().__init__(
            planner,
            impact,
            impact if push is None else push,
            replan=replan,
            resume_after=resume_after,
        )
        config = config or ReactionConfig()
        compliance = period**2 if compliance is None else compliance
        motors = Motors(model, period, config.margin, compliance)
        self._comply = Comply(
            motors, model, period, admittance or AdmittanceConfig(), torque_error
        )
        self._hold = Hold(motors, period)
        self._reactions: dict[ReactionKind, Reaction] = {
            'stop': Stop(motors, planner, period, config.ramp_time),
            'hold': self._hold,
            'retreat': Retreat(motors, model, period, config),
            'float': Float(motors, model, period, config.float_time),
            'comply': self._comply,
        }
        self._all = StatefulParts(self._reactions.values())
        self._every = max(1, round(TRAIL_PERIOD / period))
        self._unrecorded = 0  # steps until the trail gets its next position
        self._trail: tuple[Array, ...] = ()  # past positions [rad], oldest first

    def configure(self, admittance: AdmittanceConfig) -> None:
        """Apply another admittance to ``comply`` from the next step on."""
        self._comply.configure(admittance)

    def stop(self) -> None:
        """End a reaction that moves, or may move; one that is resting already is left alone."""
        if self.activity == 'reacting' and self._active != 'hold':
            self._active = 'hold'
            self._hold.brake()

    def _begin(self, kind: ReactionKind, control: JointState) -> None:
        self._reactions[kind].begin(Onset(control, self._trail))

    def _step(self, control: JointState, inputs: ExternalInputs) -> Setpoint:
        if self._active != 'none':
            return self._reactions[self._active].step(control, inputs)
        setpoint = self.planner.step(control, inputs)
        if self._unrecorded:
            self._unrecorded -= 1
        else:
            self._unrecorded = self._every - 1
            self._trail = extended(self._trail, control.position)
        return setpoint

    def _resting(self) -> bool:
        return self._reactions[self._active].resting

    def _rest(self, control: JointState) -> Rest:
        return self._reactions[self._active].rest(control)

    def _end(self) -> None:
        self._trail = self._reactions[self._active].trail()
        self._unrecorded = 0
