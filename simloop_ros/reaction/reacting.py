"""A motion planner that knows what to do when something is in the way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, get_args

import msgspec
import numpy as np

from ..bimanual.planner import BimanualPlanner
from ..core.config_types import ReactionKind
from ..core.errors import GoalError, UnknownNameError
from ..core.values import Array, ExternalInputs, JointState, Setpoint
from ..guiding.config import AdmittanceConfig
from ..planning.planner import Planner
from ..robot.model import RobotModel
from .comply import Comply
from .config import ReactionConfig
from .floating import Float
from .halt import Halt
from .hold import Hold
from .motors import Motors
from .reaction import Onset, Reaction
from .retreat import Retreat
from .stop import Stop
from .trail import extended

State = Literal['moving', 'reacting', 'resting']
RECORDING = 0.01
"""Time between two positions of the trail [s]."""


class ReactingSnapshot(msgspec.Struct, frozen=True):
    """All that the next step depends on, beside the configuration.

    :ivar planner: the present one; a new plan is another one.
    :ivar motion: its memory.
    :ivar kind: the reaction to the next contact.
    :ivar active: the reaction that goes on; ``none`` while the robot moves as planned.
    :ivar reaction: memory of the active reaction.
    :ivar trail: positions that the robot was really at [rad], oldest first.
    :ivar unrecorded: steps until the trail gets its next position.
    """

    planner: Planner
    motion: Any
    kind: ReactionKind
    active: ReactionKind
    reaction: Any
    trail: tuple[Array, ...]
    unrecorded: int


class Reacting:
    """A planner's motion until there is a contact, then a reaction, then rest.

    ``moving`` hands out what the planner plans. A contact begins the reaction of the present
    ``kind``, and the state is ``reacting`` until the robot is held somewhere, ``resting``; there
    it stays, whatever contacts come, until ``resume``. ``float`` and ``comply`` last until
    ``reset``. A further contact during a reaction never begins another one: ``stop`` and ``hold``
    are on their way to rest already, ``retreat`` is stopped by it, ``float`` and ``comply`` give
    way to it.

    :param planner: at the beginning of the motion; of two hands, every reaction is ``Halt``.
    :param period: of the loop [s].
    :param compliance: of the control law, ``ControlConfig.compliance`` [s^2]; that of deadbeat
        control where none is given.
    :param admittance: with which the robot gives way in ``comply``.
    :param torque_error: what the torques are wrong by that it gives way to, see ``Guidance``.
    :param replan: returns a planner to the same goal from a position [rad] at rest, for a planner
        that cannot set out anew by itself; may raise ``GoalError``.
    """

    def __init__(
        self,
        planner: Planner,
        model: RobotModel,
        period: float,
        kind: ReactionKind = 'none',
        config: ReactionConfig | None = None,
        *,
        compliance: float | None = None,
        admittance: AdmittanceConfig | None = None,
        torque_error: Array | None = None,
        replan: Callable[[Array], Planner] | None = None,
    ):
        config = config or ReactionConfig()
        compliance = period**2 if compliance is None else compliance
        motors = Motors(model, period, config.margin, compliance)
        self._comply = Comply(
            motors, model, period, admittance or AdmittanceConfig(), torque_error
        )
        self._reactions: dict[ReactionKind, Reaction] = {
            'stop': Stop(motors, period, config.ramp_time),
            'hold': Hold(motors, period),
            'retreat': Retreat(motors, model, period, config),
            'float': Float(motors, model, period, config.float_time),
            'comply': self._comply,
        }
        if isinstance(planner, BimanualPlanner):
            self._reactions = dict.fromkeys(self._reactions, Halt())
        self.planner = planner
        self._replan = replan
        self._every = max(1, round(RECORDING / period))
        self._unrecorded = 0
        self._trail: tuple[Array, ...] = ()
        self._active: ReactionKind = 'none'
        self._reaction: Reaction | None = None
        self.kind = kind

    @property
    def kind(self) -> ReactionKind:
        """Return the reaction to the next contact; assigning one leaves a present one alone."""
        return self._kind

    @kind.setter
    def kind(self, kind: ReactionKind) -> None:
        if kind not in get_args(ReactionKind):
            raise UnknownNameError('reaction', kind, get_args(ReactionKind))
        self._kind = kind

    @property
    def active(self) -> ReactionKind:
        """Return the reaction that goes on; ``none`` while the robot moves as planned."""
        return self._active

    @property
    def state(self) -> State:
        """Return what the robot is doing."""
        if self._reaction is None:
            return 'moving'
        return 'resting' if self._reaction.resting else 'reacting'

    def snapshot(self) -> ReactingSnapshot:
        """Return all that the next step depends on."""
        return ReactingSnapshot(
            self.planner,
            self.planner.snapshot(),
            self._kind,
            self._active,
            None if self._reaction is None else self._reaction.snapshot(),
            self._trail,
            self._unrecorded,
        )

    def restore(self, snapshot: ReactingSnapshot) -> None:
        """Go back to an earlier snapshot."""
        self.planner = snapshot.planner
        self.planner.restore(snapshot.motion)
        self._kind, self._active = snapshot.kind, snapshot.active
        self._reaction = self._reactions.get(snapshot.active)
        if self._reaction is not None:
            self._reaction.restore(snapshot.reaction)
        self._trail, self._unrecorded = snapshot.trail, snapshot.unrecorded

    def step(self, control: JointState, felt: ExternalInputs) -> Setpoint:
        """Return what is wanted in the next step.

        :param control: the control state.
        :param felt: what is felt now.
        """
        self.planner.feel(felt.wrenches)
        reaction = self._reaction
        if reaction is None:
            if not felt.contact or self._kind == 'none':
                return self._move(control)
            self._active = self._kind
            self._reaction = reaction = self._reactions[self._kind]
            reaction.begin(Onset(self.planner, control, self._trail))
        return reaction.step(control, felt)

    def give_way(self, admittance: AdmittanceConfig) -> None:
        """Take over with which admittance the robot complies."""
        self._comply.configure(admittance)

    def reset(self) -> None:
        """End a reaction that moves, or may move: stop the robot and hold it.

        One that is resting already is left alone.
        """
        if isinstance(self._reaction, Halt):
            return
        if self.state == 'reacting' and self._active != 'hold':
            self._active, self._reaction = 'hold', self._reactions['hold']
            self._reaction.restore(None)

    def resume(self, control: JointState) -> bool:
        """Go on to the same goal from where the robot rests; return whether it does.

        A robot that is not resting is stopped first, as by ``reset``: ask again later.

        :param control: the control state.
        :raises GoalError: there is no way from here; the robot stays at rest.
        """
        if self._reaction is None:
            return True
        if not self._reaction.resting:
            self.reset()
            return False
        rest = self._reaction.rest(control)
        if not self._reaction.resting:
            return False
        if not self.planner.restart(JointState(rest.start, np.zeros_like(rest.start))):
            if self._replan is None:
                raise GoalError('this motion cannot be resumed: nobody plans it anew')
            self.planner = self._replan(rest.held)
        self._trail = self._reaction.trail()
        self._unrecorded = 0
        self._active, self._reaction = 'none', None
        return True

    def _move(self, control: JointState) -> Setpoint:
        planner = self.planner
        position = planner.step(control)
        if self._unrecorded:
            self._unrecorded -= 1
        else:
            self._unrecorded = self._every - 1
            self._trail = extended(self._trail, control.position)
        return Setpoint(position, planner.expected.velocity)
