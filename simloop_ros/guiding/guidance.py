"""Hand guiding: from external torques to a trajectory that gives way."""

from __future__ import annotations

import msgspec
import numpy as np

from ..core.state import StateValue
from ..core.values import Array, Flags, JointState
from ..maths.discretisation import Parameters
from ..robot.model import RobotModel
from .adaptation import Adaptation, AdaptationSnapshot
from .compliance import compliance
from .config import AdmittanceConfig
from .energy_tank import gained, stored
from .joint_admittance import Admittance, AdmittanceState, AdmittanceStep
from .limits import Compliant, MotionLimits
from .tip_task import IsotropicTips, TipTask
from .torque_validation import TorqueFaults, TorqueValidator, TorqueValidatorSnapshot
from .touch import DeadZone, arms, reaches

REST_SPEED = 1e-6
"""Speed below which a joint is at rest [rad/s]: a spring's last creep, far below any encoder's."""


class GuidanceSnapshot(msgspec.Struct, frozen=True, gc=False):
    """Everything that the next step depends on.

    :ivar state: deflection from the desired trajectory, and its velocity.
    :ivar desired: the last desired position [rad], shape ``(n,)``; none before the first step.
    :ivar drift: velocity of the desired trajectory [rad/s], shape ``(n,)``.
    :ivar adaptation: the parameters in force and the tanks.
    :ivar validator: what the next torque is compared with.
    :ivar coasted: steps of the last gap, see ``Guidance.coast``.
    :ivar recovered: steps since then, up to as many.
    """

    state: AdmittanceState
    desired: Array | None
    drift: Array
    adaptation: AdaptationSnapshot
    validator: TorqueValidatorSnapshot
    coasted: int = 0
    recovered: int = 0


class _Start(msgspec.Struct, frozen=True, gc=False):
    """How a step begins.

    :ivar state: deflection and its velocity.
    :ivar joints: q_c and its velocity.
    :ivar drift: velocity of the desired trajectory in this step [rad/s], shape ``(n,)``.
    :ivar desired_acceleration: what brought it there [rad/s^2], shape ``(n,)``.
    """

    state: AdmittanceState
    joints: JointState
    drift: Array
    desired_acceleration: Array


class Guidance(StateValue):
    """001, sections 4.1 and 4.4: the first stage of the control, for any arm.

    In each step the torque is validated (``TorqueValidator``) and its dead zone taken off
    (``DeadZone``), the parameters adapt to it (``Adaptation``), it is amplified where the tips are
    heavy if they are to be isotropic (``IsotropicTips``), the deflection is solved exactly
    (``Admittance``), freed of what would move the tips if they are to be kept (``TipTask``), and
    kept within what the joints can do (``MotionLimits``)::

        q_c = q_d + e,        q_d straight from the last desired position to the present one

    Position and velocity of q_c never jump: not when a parameter changes, nor when a torque is
    invalid, nor when q_d jumps; the deflection takes up the difference and the limits hold.

    The energy account ``V + T`` of each joint, ``V = m e'^2/2 + s e^2/2``, grows by no more than
    the work ``tau e'`` of the torque beyond its dead zone; see ``docs/guiding_stability.md``.

    ``restore`` leaves the configuration in force: it is set by the operator, also while a planner
    that runs ahead goes back.

    :param model: the robot; its limits and the names of its joints.
    :param config: how it gives way.
    :param period: time between two steps [s].
    :param torque_error: error of the torques [N m], shape ``(n,)``: the dead zone where
        the configuration has none.
    """

    _state: GuidanceSnapshot

    def __init__(
        self,
        model: RobotModel,
        config: AdmittanceConfig,
        period: float,
        torque_error: Array | None = None,
    ):
        self._model = model
        self._reach = reaches(model)
        self._torque_error = torque_error
        self._period = period
        self._rate = np.array(1.0 / period)
        self._admittance = Admittance(period)
        self._zero = np.zeros(model.n)
        self._configure(config)
        self.reset()

    def reset(self) -> None:
        """Forget the past: no deflection, free parameters, tanks with their reserve, no faults.

        The next trajectory starts at the next desired position; only for a robot that is there.
        """
        zero = np.zeros(self._model.n)
        self._state = GuidanceSnapshot(
            AdmittanceState(zero, zero),
            None,
            zero,
            self._adaptation.initial(),
            self._validator.initial(),
        )

    def configure(self, config: AdmittanceConfig) -> None:
        """Take another configuration from the next step on; position and velocity stay.

        Damping and stiffness go to their new values as they do on touch and release. The mass
        changes at once, and the tank takes or gives the kinetic energy.

        :raises UnknownNameError: an exception is given for a joint that the robot does not have.
        :raises ConfigError: it leaves the dead zone to a calibration that is not there.
        """
        self._configure(config)
        snapshot = self._state
        now, mass = snapshot.adaptation.parameters, self._means.free.mass
        if not np.array_equal(now.mass, mass):
            after = Parameters(mass, now.damping, now.stiffness)
            tank = snapshot.adaptation.tank + stored(snapshot.state, now)
            tank -= stored(snapshot.state, after)
            adaptation = AdaptationSnapshot(after, tank)
            self._state = msgspec.structs.replace(snapshot, adaptation=adaptation)

    def _configure(self, config: AdmittanceConfig) -> None:
        model = self._model
        self._means = compliance(config, model.joint_names, self._reach, self._torque_error)
        self._adaptation = Adaptation(config, self._means, self._period)
        together = arms(model) if config.together else np.eye(model.n, dtype=bool)
        self._dead_zone = DeadZone(self._means.dead_zone, together)
        self._validator = TorqueValidator(model.effort_limit, config.stuck_time, self._period)
        self._speed_step = np.array(config.acceleration * self._period)
        self._task = (
            None if config.keep == 'none' else TipTask(model, config.keep, self._means.free.mass)
        )
        self._isotropic_tips = (
            IsotropicTips(model, self._means.free.mass, config.isotropy)
            if config.isotropy > 1
            else None
        )
        self._limits = MotionLimits(
            model.lower,
            model.upper,
            config.speed * model.velocity_limit,
            config.acceleration,
            config.range_time,
            self._period,
        )

    @property
    def parameters(self) -> Parameters:
        """Return the parameters in force."""
        return self._state.adaptation.parameters

    @property
    def tank(self) -> Array:
        """Return the energy in each joint's tank [J], shape ``(n,)``."""
        return self._state.adaptation.tank

    @property
    def faults(self) -> TorqueFaults:
        """Return how many torques were invalid since the last reset."""
        return self._state.validator.faults

    @property
    def deflection(self) -> JointState:
        """Return how far and how fast the robot is moved away from what is desired."""
        state = self._state.state
        return JointState(state.deflection, state.velocity)

    def settle(self) -> Array | None:
        """Desire from now on what the robot does: nothing draws it back to where it was before.

        Return that position [rad], shape ``(n,)``; none before the first step. Position and
        velocity stay; the energy of the springs is given up.
        """
        snapshot = self._state
        if snapshot.desired is None:
            return None
        desired = snapshot.desired + snapshot.state.deflection
        velocity = snapshot.drift + snapshot.state.velocity
        state = AdmittanceState(np.zeros(self._model.n), velocity)
        self._state = msgspec.structs.replace(
            snapshot, state=state, desired=desired, drift=np.zeros(self._model.n)
        )
        return desired

    def step(self, desired: Array, torque: Array | None) -> Compliant:
        """Return the compliant trajectory one period later.

        :param desired: q_d at the end of the step [rad], shape ``(n,)``.
        :param torque: external torque, constant over the step [N m], shape ``(n,)``; none where
            nobody knows it.
        :raises MessageError: the torque is not one number per joint.
        """
        snapshot = self._state
        moving = np.abs(snapshot.state.velocity).max() > REST_SPEED
        used, validator = self._validator.validate(
            snapshot.validator, self._zero if torque is None else torque, bool(moving)
        )
        touch = self._dead_zone(used)
        start = self._start(snapshot, desired)
        before, drift = start.state, start.drift
        adaptation = self._adaptation.step(snapshot.adaptation, touch, before.deflection)
        parameters = adaptation.parameters
        pushed = touch.torque
        if self._isotropic_tips is not None and pushed.any():
            pushed = self._isotropic_tips.amplify(start.joints.position, pushed)
        end = self._admittance.step(before, parameters, pushed)
        recovered = min(snapshot.recovered + 1, snapshot.coasted)
        if recovered < snapshot.coasted:
            end = self._recovering(before, end, recovered / snapshot.coasted)
        after = end.state
        wanted = Compliant(
            desired + after.deflection,
            drift + after.velocity,
            start.desired_acceleration + end.acceleration,
        )
        if self._task is None:
            first = pushed - parameters.damping * before.velocity
            first -= parameters.stiffness * before.deflection
            first /= parameters.mass
            first += start.desired_acceleration
            compliant = self._limits.apply(start.joints, wanted, first)
        else:
            compliant = self._kept(self._task, desired, start.joints, wanted)
        if compliant is not wanted:
            held = compliant.velocity != wanted.velocity
            held |= compliant.position != wanted.position
            after = AdmittanceState(
                np.where(held, compliant.position - desired, after.deflection),
                np.where(held, compliant.velocity - drift, after.velocity),
            )
        tank = adaptation.tank + gained(before, after, parameters, pushed)
        self._state = GuidanceSnapshot(
            after,
            desired,
            drift,
            AdaptationSnapshot(parameters, tank),
            validator,
            snapshot.coasted,
            recovered,
        )
        return compliant

    def _recovering(
        self, before: AdmittanceState, end: AdmittanceStep, share: float
    ) -> AdmittanceStep:
        """Return a step that leaves the straight way by a share of what the torque asks for."""
        velocity = before.velocity + share * (end.state.velocity - before.velocity)
        straight = before.deflection + self._period * before.velocity
        deflection = straight + share * (end.state.deflection - straight)
        return AdmittanceStep(AdmittanceState(deflection, velocity), share * end.acceleration)

    def coast(self, desired: Array, steps: int, way: float, rate: float) -> None:
        """Go on for some steps without torques, as a robot does that gets no command.

        What was not seen is neither taken as zero nor as what came before: the deflection keeps
        its velocity. The tank gives the energy of that, or takes it. Afterwards the torque, which
        may be another one, takes effect little by little, within as many steps, and not before
        it would have after an earlier gap.

        :param desired: q_d at its end [rad], shape ``(n,)``.
        :param steps: how many; those of a call before, without a torque since, are added.
        :param way: as time at the present velocity [s].
        :param rate: velocity afterwards, as a share of the present one.
        """
        snapshot = self._state
        start = self._start(snapshot, desired)
        before, parameters = start.state, snapshot.adaptation.parameters
        after = AdmittanceState(before.deflection + way * before.velocity, rate * before.velocity)
        if self._task is not None:
            end = JointState(desired + after.deflection, start.drift + after.velocity)
            kept = self._task.project(desired, end)  # the tips stay where they are
            after = AdmittanceState(kept.position - desired, kept.velocity - start.drift)
        tank = snapshot.adaptation.tank + stored(before, parameters) - stored(after, parameters)
        left = snapshot.coasted - snapshot.recovered
        coasted = max(steps + 1, left) if snapshot.recovered else steps + max(1, left)
        self._state = msgspec.structs.replace(
            snapshot,
            state=after,
            desired=desired,
            drift=start.drift,
            adaptation=AdaptationSnapshot(parameters, tank),
            coasted=coasted,
            recovered=0,
        )

    def _kept(self, task: TipTask, desired: Array, last: JointState, free: Compliant) -> Compliant:
        """Return the end of a step within all limits, without what would move the tips.

        The limits are those of the motion that is left: what a hand would do to the joints if
        the tips were free is no acceleration of theirs. A joint that a limit holds stays so, and
        the others keep the tips without it, until no further one is held.

        :param last: q_c and its velocity at the begin.
        :param free: the end without tips and limits.
        """
        position, velocity = free.position, free.velocity
        held: Flags = np.zeros(position.size, bool)
        while True:
            kept = task.project(desired, JointState(position, velocity), held)
            acceleration = (kept.velocity - last.velocity) * self._rate
            wanted = Compliant(kept.position, kept.velocity, acceleration)
            compliant = self._limits.apply(last, wanted, acceleration)
            more = compliant.velocity != wanted.velocity
            more |= compliant.position != wanted.position
            more |= held
            if more.all() or not (more & ~held).any():
                return compliant
            held = more
            position = np.where(held, compliant.position, position)
            velocity = np.where(held, compliant.velocity, velocity)

    def _start(self, snapshot: GuidanceSnapshot, desired: Array) -> _Start:
        """Return how a step towards ``desired`` begins.

        q_d changes its speed by what the acceleration limit allows; if that is not enough the
        deflection takes up the rest, so that q_c stays where it is.
        """
        last = desired if snapshot.desired is None else snapshot.desired
        state, old = snapshot.state, snapshot.drift
        joints = JointState(last + state.deflection, old + state.velocity)
        if not old.any() and desired.tobytes() == last.tobytes():
            return _Start(state, joints, old, old)
        wanted = (desired - last) * self._rate
        drift = np.minimum(np.maximum(wanted, old - self._speed_step), old + self._speed_step)
        if (drift != wanted).any():
            jump = np.where(drift != wanted, desired - last - drift / self._rate, 0.0)
            state = AdmittanceState(state.deflection - jump, state.velocity)
        return _Start(state, joints, drift, (drift - old) * self._rate)
