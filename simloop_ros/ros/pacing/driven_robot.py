"""A real robot whose driver holds the last command for ever: what it is sent, and when."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar

import numpy as np
import pinocchio as pin

from ...control.observer import Estimate, Observer
from ...core.values import Array, JointState
from ...robot.model import RobotModel
from ...safety.brake import STOPPED_SPEED
from ...safety.config import TRACKING_ERROR, SafetyConfig
from ...safety.position_gate import PositionGate
from ...safety.stopping_robot import StoppingRobot
from .config import DriverConfig

MEAN_TIME = 0.2
"""Time constant of the mean of the disturbance by which an unseen robot is predicted [s]."""


class DrivenRobot(StoppingRobot, ABC):
    """Sends a driver its commands, in the order of the model's joints.

    That is what ros2_control's ``forward_command_controller`` takes; its ``joints`` have to be in
    the same order.

    :param publish: gets the numbers of each command, shape ``(n,)``.
    :cvar stands: joint states after its own for which a command stands.
    """

    stands: ClassVar[int]

    def __init__(
        self,
        model: RobotModel,
        period: float,
        safety: SafetyConfig,
        publish: Callable[[Array], None],
    ):
        super().__init__(model, period, safety)
        self._publish = publish
        self._position: Array = model.home
        self._unseen = 0  # periods since the last joint state that were gone through without one

    def measured(self, position: Array, periods: int) -> None:
        """Take where the robot is [rad], shape ``(n,)``, some periods after the last state."""
        self._position = position
        self.wait(periods - self._unseen)
        self._unseen = 0

    def go_on_unseen(self, periods: int) -> None:
        """Send what the robot does by itself, some periods later without a joint state."""
        self._unseen += periods
        self.wait(periods)
        self.go_on()

    @abstractmethod
    def command(self, effort: Array, desired: Array | None) -> None:
        """Send what a command asks for in this period.

        :param effort: that was checked [N m], shape ``(n,)``.
        :param desired: position at the period's end [rad], shape ``(n,)``, if there is one.
        """

    @abstractmethod
    def go_on(self) -> None:
        """Send what the robot does by itself: it comes to rest along its way, and is held."""

    @abstractmethod
    def hold(self) -> None:
        """Send what holds a robot that was not commanded yet where it is."""

    @abstractmethod
    def stand(self) -> None:
        """Send what asks for no motion: where the robot is, is not known any more."""

    @property
    @abstractmethod
    def rests(self) -> bool:
        """Return whether the robot has come to rest by itself."""

    @property
    @abstractmethod
    def stands_still(self) -> bool:
        """Return whether the robot does not move, whoever commands it."""


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

    :param bandwidth: of the observer [rad/s].
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
    ):
        super().__init__(model, period, safety, publish)
        self._observer = Observer(period, bandwidth)
        self._gravity_handled = gravity_handled
        self._data = model.pin_model.createData()
        self._known = pin.Model(model.pin_model)
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

    def command(self, effort: Array, desired: Array | None) -> None:  # noqa: ARG002
        """Send the effort."""
        self.learn(self._state, effort)
        self._send(effort)

    def go_on(self) -> None:
        """Send the effort of follower or brakes."""
        self._send(self.own_effort(self._state))

    def hold(self) -> None:
        """Send the effort of the brakes."""
        self.go_on()

    def stand(self) -> None:
        """Send the gravity of the last position."""
        self._send(self._gravity(self._model.pin_model))

    @property
    def rests(self) -> bool:
        """Return whether the brakes hold the robot, or have brought it to rest."""
        damped = self.engaged and self._stop == 'damp' and self.stands_still
        return self.held is not None or bool(damped)

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


class PositionDriven(DrivenRobot):
    """A robot that takes positions: the desired ones, within its ranges and speed limits."""

    stands = 0  # a position that stands is a stop

    def __init__(
        self,
        model: RobotModel,
        period: float,
        safety: SafetyConfig,
        publish: Callable[[Array], None],
    ):
        super().__init__(model, period, safety, publish)
        self._positions = PositionGate(model, period)
        self._moved = safety.tracking_error or TRACKING_ERROR
        self._sent_at = 0
        self._released = False

    def release(self, fault: str = '') -> None:
        """Go on from the last position that was sent; from where the robot is if that is far.

        A robot lags behind what it is sent, or sags: to begin where it is would be a jump.
        """
        super().release(fault)
        self._released = True

    def command(self, effort: Array, desired: Array | None) -> None:  # noqa: ARG002
        """Send the desired position."""
        if desired is not None:
            self._send(desired)

    def go_on(self) -> None:
        """Send the way of the last commands to rest, and then its end."""
        self.command(np.zeros(0), self._follower.destination(self._steps))

    def hold(self) -> None:
        """Send where the robot was first."""
        last = self._positions.last
        self._send(self._position if last is None else last)

    def stand(self) -> None:
        """Send the last position again."""
        self.command(np.zeros(0), self._positions.last)

    @property
    def rests(self) -> bool:
        """Return whether the motion of the last commands has come to rest."""
        return bool(self.engaged) and self._follower.rests(self._steps)

    @property
    def stands_still(self) -> bool:
        """Return whether the motion of the last commands would not go on."""
        last, there = self._positions.last, self._follower.destination(self._steps)
        if last is None or there is None:
            return last is None
        return bool((np.abs(there - last) < STOPPED_SPEED * self._period).all())

    def _send(self, position: Array) -> None:
        last, released, self._released = self._positions.last, self._released, False
        if released and last is not None:
            near = (np.abs(last - self._position) <= self._moved).all()
            self._positions.last = last if near else None
        if self._positions.last is None:
            self._positions.start(self._position)
        if released or last is None:
            self._sent_at = self._steps - 1
        periods = max(1, self._steps - self._sent_at)
        self._sent_at = self._steps
        self._publish(self._positions.let_pass(position, periods))


def build_driven_robot(
    model: RobotModel,
    period: float,
    safety: SafetyConfig,
    driver: DriverConfig,
    bandwidth: float,
    publish: Callable[[Array], None],
) -> DrivenRobot:
    """Return the robot of a driver; see the classes above for the parameters."""
    if driver.output == 'position':
        return PositionDriven(model, period, safety, publish)
    return EffortDriven(
        model,
        period,
        safety,
        publish,
        bandwidth=bandwidth,
        gravity_handled=driver.gravity_handled,
    )
