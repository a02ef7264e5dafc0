"""The control simulation: torques from a simulated twin that follows the robot by rollback."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import msgspec
import numpy as np
import pinocchio as pin

from ..core.errors import DivergenceError
from ..core.values import Array, Command, JointState, Rollback, Setpoint
from ..robot.model import RobotModel
from .build import build_law
from .config import ControlConfig
from .followers import Follower, Measured, Observed
from .joint_laws import EffortLaw
from .laws import AccelerationLaw
from .observer import Observer

RUNAWAY = 20.0
"""Multiple of its speed limit at which a saturated joint counts as diverged."""


class ControlSnapshot(msgspec.Struct, frozen=True):
    """All that the next step of the control simulation depends on."""

    state: JointState
    law: Any
    follower: Array | None
    steps: int
    saturations: int


class ControlSimulation:
    """000, sections 5.2.2 and 5.3, in joint coordinates.

    ::

        step      v_d = (q_d - q)/h                    (5.1)
                  tau = rnea(q, v, (v_d - v)/h)        (5.2)
        effort    tau is given, v_d = v + h aba(q, v, tau)
        rollback  (q, v) as before the step            (5.5)
                  v'  = (q_r - q)/h                    (5.6)
                  tau' = rnea(q, v, (v' - v)/h)        (5.7)
                  (q, v) <- (q_r, v')

    ``step`` leaves ``state`` as it is, so rolling back costs nothing: the old value is still
    there. Under the ``observer`` rollback ``(q_r, v')`` is the estimate of ``Observer`` instead of
    the raw measurement. With a regularisation, ``M a`` in ``rnea`` becomes
    ``(M^-1 + Sigma)^-1 a``, 000 (3.3).

    (5.2) is the law ``deadbeat``. Another law gives another acceleration than ``(v_d - v)/h``, or,
    as those of ``joint_laws``, the effort itself.

    Efforts leave this class finite and within the model's limits, or not at all.

    :ivar period: length h of one step [s].
    :ivar saturations: number of steps in which an effort limit was applied.
    :param config: open choices are made for simulated time and exact encoders.
    """

    def __init__(self, model: RobotModel, config: ControlConfig, period: float):
        config = config.resolved(noisy=False)
        self.model = model
        self.period = period
        self.rollback_kind = config.rollback
        self._h = period
        self._rate = np.full(model.n, 1.0 / period)  # as an array: numpy need not convert it
        self._law = law = build_law(config, model, period)
        self._gives_effort = isinstance(law, EffortLaw)
        self._apply_law: Callable[[JointState, Array], Array] = (
            law.acceleration if isinstance(law, AccelerationLaw) else law.effort
        )
        self._follower: Follower = (
            Measured(period)
            if self.rollback_kind == 'measured'
            else Observed(Observer(period, config.bandwidth))
        )
        self._pin_model = model.pin_model
        self._data = model.pin_model.createData()
        self._sigma = config.regularisation
        self._inverse_dynamics: Callable[[Array, Array, Array], Array] = (
            self._regularised if self._sigma else partial(pin.rnea, self._pin_model, self._data)
        )
        self._limit = model.effort_limit
        self._inverse_limit = 1.0 / model.effort_limit
        self._n = model.n
        self.start(JointState(model.home, np.zeros(model.n)))

    def start(self, state: JointState) -> None:
        """Start from a joint state, as measured."""
        self.state = state
        self.steps = 0
        self.saturations = 0
        self._law.start(state)
        self._follower.start(state)

    def snapshot(self) -> ControlSnapshot:
        """Return all that the next step depends on."""
        return ControlSnapshot(
            self.state,
            self._law.snapshot(),
            self._follower.snapshot(),
            self.steps,
            self.saturations,
        )

    def restore(self, snapshot: ControlSnapshot) -> None:
        """Go back to an earlier snapshot."""
        self.state = snapshot.state
        self._law.restore(snapshot.law)
        self._follower.restore(snapshot.follower)
        self.steps = snapshot.steps
        self.saturations = snapshot.saturations

    def step(self, setpoint: Setpoint) -> Command:
        """Return the command that takes the twin to a setpoint; algorithm 2.

        :raises DivergenceError: the torque would not be finite.
        """
        if setpoint.effort is not None:
            return self._step_effort(setpoint.effort)
        desired = setpoint.position
        if desired.size != self._n:
            raise ValueError(f'desired position: {desired.size} joints given, {self._n} needed')
        state = self.state
        if setpoint.restart:
            self._law.start(state)
        velocity = desired - state.position
        velocity *= self._rate
        output = self._apply_law(state, velocity)
        self.steps += 1
        if self._gives_effort:
            return self._limited(state, velocity, output)
        effort = self._inverse_dynamics(state.position, state.velocity, output)
        share = effort * self._inverse_limit
        # Sufficient for "finite and within every limit", and a fraction of the cost.
        if share.dot(share) <= 1.0 and not self._sigma:
            return Command(velocity, output, effort, False)
        return self._limited(state, velocity, effort, None if self._sigma else output)

    def _step_effort(self, effort: Array) -> Command:
        """Return the command that sends an effort [N m], shape ``(n,)``, clipped to the limits.

        The twin moves under the effort, and the desired motion is that of the twin: a later
        setpoint with a position continues from there.

        :raises DivergenceError: the effort or the state is not finite.
        """
        if effort.size != self._n:
            raise ValueError(f'effort: {effort.size} joints given, {self._n} needed')
        state = self.state
        self.steps += 1
        self._refuse_infinite(position=state.position, velocity=state.velocity, effort=effort)
        clipped = np.clip(effort, -self._limit, self._limit)
        saturated = not np.array_equal(clipped, effort)
        self.saturations += saturated
        acceleration = self._expected(state, clipped)
        velocity = state.velocity + self._h * acceleration
        self._law.start(JointState(state.position + self._h * velocity, velocity), clipped)
        return Command(velocity, acceleration, clipped, saturated)

    def applied(self, command: Command, effort: Array) -> Command:
        """Return a command with the effort that was applied instead [N m], shape ``(n,)``."""
        acceleration = self._expected(self.state, effort)
        return Command(command.velocity, acceleration, effort, command.saturated)

    def rollback(self, command: Command, measured: Array) -> Rollback:
        """Follow the robot: from the old state, step to the measured one; 000 (5.5) to (5.7).

        :param command: that was sent in this step.
        :param measured: joint positions at its end [rad], shape ``(n,)``.
        """
        if measured.size != self._n:
            raise ValueError(f'measured position: {measured.size} joints given, {self._n} needed')
        old = self.state
        self.state = state = self._follower.follow(old, command.acceleration, measured)
        acceleration = state.velocity - old.velocity
        acceleration *= self._rate
        effort = self._inverse_dynamics(old.position, old.velocity, acceleration)
        return Rollback(state, effort)

    def _regularised(self, q: Array, v: Array, a: Array) -> Array:
        """Return ``(M^-1 + Sigma)^-1 a`` plus the non-linear terms, 000 (3.3)."""
        inverse = pin.computeMinverse(self._pin_model, self._data, q)
        compliance = inverse.reshape(q.size, -1) + self._sigma * np.eye(q.size)
        drift = pin.nonLinearEffects(self._pin_model, self._data, q, v)
        return np.linalg.solve(compliance, a) + drift

    def _limited(
        self, state: JointState, velocity: Array, effort: Array, acceleration: Array | None = None
    ) -> Command:
        """Return the command with its effort clipped to the limits, if any is exceeded.

        :param acceleration: of the twin under ``effort``, where it is known [rad/s^2].
        """
        self._refuse_infinite(
            position=state.position,
            velocity=state.velocity,
            desired_velocity=velocity,
            effort=effort,
        )
        clipped = np.clip(effort, -self._limit, self._limit)
        if np.array_equal(clipped, effort):
            if acceleration is None:
                acceleration = self._expected(state, effort)
            return Command(velocity, acceleration, effort, False)
        runaway = np.abs(state.velocity) > RUNAWAY * self.model.velocity_limit
        if runaway.any():
            self._diverged('velocity', state.velocity, runaway)
        self.saturations += 1
        return Command(velocity, self._expected(state, clipped), clipped, True)

    def _refuse_infinite(self, **quantities: Array) -> None:
        for what, values in quantities.items():
            if not np.isfinite(values).all():
                self._diverged(what.replace('_', ' '), values, ~np.isfinite(values))

    def _expected(self, state: JointState, effort: Array) -> Array:
        """Return the twin's acceleration under an effort [rad/s^2]."""
        return pin.aba(self._pin_model, self._data, state.position, state.velocity, effort)

    def _diverged(self, what: str, values: Array, where: np.ndarray) -> None:
        joint = int(np.flatnonzero(where)[0])
        name = self.model.joint_names[joint]
        step = self.steps - 1
        raise DivergenceError(
            f'diverged at step {step} (t = {step * self._h:g} s): {what} of joint {name} is '
            f'{values[joint]:g}',
            step,
            name,
        )
