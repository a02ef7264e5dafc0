"""A real robot that takes efforts, behind a driver that holds the last one for ever."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pinocchio as pin

from ...control.observer import Estimate, Observer
from ...core.values import Array, JointState
from ...robot.model import RobotModel
from ...safety.borne_load import BorneLoad
from ...safety.brake import STOPPED_SPEED
from ...safety.config import SafetyConfig
from .driven_robot import DrivenRobot

MEAN_TIME = 0.2
"""Time constant of the mean of the disturbance by which an unseen robot is predicted [s]."""
MOVING = 1e-3
"""Speed of a robot that is led elsewhere [rad/s]."""
TRIAL = 0.75
"""Time for which the weight that is kept is tried before the robot is left alone [s]."""
LED = 3
"""Periods for which it is, at least: brakes that take over hold the robot beside its setpoint."""


class EffortDriven(DrivenRobot):
    """A robot that takes efforts.

    Its velocity is estimated from its positions and efforts, as control does it (``Observer``):
    velocities that drivers publish are filtered, or zero, nobody knows which. What is sent is
    within the limits and without the gravity that the robot handles itself: that of the model at
    the beginning, since a payload that is told later is not told to the robot.

    While no joint states come it goes on, and comes to rest, where the model says that it is. Each
    period is a semi-implicit step under the effort that was sent and the mean ``d`` of the
    disturbance that was estimated over ``MEAN_TIME``: its noise would add up to a speed::

        v+ = v + h (aba(q, v, tau) + d),   q+ = q + h v+

    Left alone it bears its load on, see ``BorneLoad``: ``-M d``, where it stands still.

    :param bandwidth: of the observer [rad/s].
    :param guided: whether a hand guides it.
    """

    stands = 1  # until the next one comes, less than a period later

    def __init__(
        self,
        model: RobotModel,
        period: float,
        safety: SafetyConfig,
        publish: Callable[[Array], None],
        *,
        bandwidth: float,
        gravity_handled: bool,
        guided: bool = False,
    ):
        super().__init__(model, period, safety, publish)
        self._borne = BorneLoad(model, period, keeps=not guided)
        self._observer = Observer(period, bandwidth)
        self._gravity_handled = gravity_handled
        self._data = model.pin_model.createData()
        self._known = pin.Model(model.pin_model)
        self._led: Array | None = None  # where, in the last period
        self._led_for = 0  # periods
        self._tried: int | None = None  # step in which its load has been tried to be let go
        self._sent: Array | None = None
        self._effort: Array | None = None  # with the gravity that the robot adds
        self._disturbance: Array = np.zeros(model.n)
        self._estimate: Estimate | None = None
        self._predicted: JointState | None = None  # where nobody sees it

    @np.errstate(over='ignore', invalid='ignore')
    def measured(self, position: Array, periods: int) -> None:
        """Take where the robot is, and estimate its velocity."""
        # States that come together are older than what was predicted until then.
        predicted = self._predicted if periods >= self._unseen else None
        self._predicted = None
        super().measured(position, periods)
        before, still = self._estimate, np.zeros_like(position)
        self._estimate = Estimate(JointState(position, still), still)
        if before is None:
            return
        if predicted is not None:
            error = (position - predicted.position) / (periods * self._period)
            now = Estimate(JointState(position, predicted.velocity + error), before.disturbance)
        elif periods == 1:
            q, v = before.state.position, before.state.velocity
            acceleration = still
            if self._effort is not None:
                acceleration = pin.aba(self._model.pin_model, self._data, q, v, self._effort)
            now = self._observer.update(before, acceleration, position)
        else:
            velocity = (position - before.state.position) / (periods * self._period)
            now = Estimate(JointState(position, velocity), before.disturbance)
        if np.isfinite(now.disturbance).all() and np.isfinite(now.state.velocity).all():
            self._estimate = now
            share = min(1.0, self._period / MEAN_TIME)
            self._disturbance = self._disturbance + share * (now.disturbance - self._disturbance)
        if self._effort is not None:
            self._borne.note(self._load, still=self.stands_still)

    @np.errstate(over='ignore', invalid='ignore')
    def go_on_unseen(self, periods: int) -> None:
        """Send the effort of follower or brakes for where the model says that the robot is."""
        if self._estimate is not None and self._sent is not None:
            for _ in range(periods):
                self._predict(self._sent)
        super().go_on_unseen(periods)

    def _predict(self, sent: Array) -> None:
        """Take a step of the model from the last known or predicted state, if it is finite."""
        q, v, h = self._state.position, self._state.velocity, self._period
        effort = sent + self._handled
        acceleration = pin.aba(self._model.pin_model, self._data, q, v, effort)
        velocity = v + h * (acceleration + self._disturbance)
        if np.isfinite(velocity).all():
            self._predicted = JointState(q + h * velocity, velocity)
            self._position = self._predicted.position

    def check(self, effort: Array, age: float) -> None:
        """Raise UnsafeCommandError unless an effort may pass.

        What is left of it without gravity may be beyond a limit that the whole is not: it is cut.
        """
        limit = self._model.effort_limit
        left = np.clip(effort - self._handled, -limit, limit)
        super().check(np.where(np.abs(effort) <= limit, left, effort), age)

    def command(self, effort: Array, desired: Array | None) -> None:
        """Send the effort."""
        self._lead(desired)
        self.learn(self._state, effort)
        self._send(effort)

    def go_on(self) -> None:
        """Send the effort of follower or brakes."""
        self._lead(self.destination)
        self._send(self.own_effort(self._state))

    def _lead(self, where: Array | None) -> None:
        """Note where the robot is led in a period [rad], shape ``(n,)``; none if it floats."""
        last, self._led = self._led, where
        if where is not None and last is not None:
            stays = bool((np.abs(where - last) <= MOVING * self._period).all())
        else:
            stays = False
        self._led_for = 0 if stays else self._led_for + 1
        if self._led_for >= LED:
            self._borne.reset()

    def hold(self) -> None:
        """Send the effort of the brakes."""
        self.go_on()

    def feel(self, contact: bool) -> None:
        """Note whether the monitor reports a contact: what is borne then is no load."""
        self._borne.contact = contact

    def let_go(self) -> bool:
        """Prepare to leave the robot alone; return whether it may be.

        Its brakes bear the weight that was found, from where it is now: friction, at whose edge it
        may have come to rest, is free again to hold it.
        """
        if self._damped:
            return self.stands_still
        if self.held is None or not self._borne.known(self._load):
            return False
        if self._tried is None:
            weight = self._borne.kept(self._position)
            self._tried = self._steps
            if weight.any():
                self._brake.latch(self._position, weight)
                self._tried += round(TRIAL / self._period)
        return self._steps >= self._tried

    def stand(self) -> None:
        """Send the gravity of the last position, and what bears a load.

        Not to a robot that is damped, so that a person can move it, or that nobody sees.
        """
        effort, borne = self._gravity(self._model.pin_model), self._borne
        seen = self._predicted is None and not self._damped
        if seen and borne.kept(self._position).any():
            effort = effort + borne.last
        self._send(effort)

    @property
    def _damped(self) -> bool:
        return bool(self.engaged) and self._stop == 'damp'

    @property
    def _load(self) -> Array:
        """Return what the robot bears beyond its model [N m], shape ``(n,)``."""
        model, q = self._model.pin_model, self._position
        load: Array = -(pin.crba(model, self._data, q) @ self._disturbance)
        return load

    @property
    def stands_still(self) -> bool:
        """Return whether all joints are slow."""
        return bool((np.abs(self._state.velocity) < STOPPED_SPEED).all())

    @property
    def _state(self) -> JointState:
        assert self._estimate is not None
        return self._estimate.state if self._predicted is None else self._predicted

    def _gravity(self, model: pin.Model) -> Array:
        """Return the gravity at the last position [N m], shape ``(n,)``; zero if not finite."""
        gravity: Array = pin.computeGeneralizedGravity(model, self._data, self._position).copy()
        return gravity if np.isfinite(gravity).all() else np.zeros_like(gravity)

    @property
    def _handled(self) -> Array | float:
        return self._gravity(self._known) if self._gravity_handled else 0.0

    def _send(self, effort: Array) -> None:
        handled = self._handled
        self._sent = sent = self._gate.nearest(effort - handled)
        self._effort = sent + handled
        self._publish(sent)
