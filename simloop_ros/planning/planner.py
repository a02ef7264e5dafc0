"""The base of all motion planners."""

from __future__ import annotations

from abc import ABC, abstractmethod
from math import inf
from typing import Any

from ..core.values import Array, ExternalInputs, JointState, PlannerReport, Setpoint


class Planner(ABC):
    """Setpoints, one at a time.

    Reaction to contacts and hand guiding are decorators: planners around a planner.

    :ivar duration: of the motion [s]; ``None`` if it has no end of its own.
    """

    duration: float | None = None

    @property
    def leash(self) -> float:
        """Return how far the robot may be from ``expected`` without an effect on the next step.

        As the norm of the distance [rad]; infinite if neither control state nor inputs ever have
        one, negative if they always do.
        """
        return -1.0

    @property
    def open_loop(self) -> bool:
        """Return whether the setpoints depend neither on the control state nor on the inputs."""
        return self.leash == inf

    @abstractmethod
    def step(self, control: JointState, inputs: ExternalInputs) -> Setpoint:
        """Return the setpoint of the next step.

        :param control: the control state, 000 section 5.3 step 9.
        :param inputs: that were sensed in the last step.
        """

    @property
    @abstractmethod
    def expected(self) -> JointState:
        """Return the control state of a robot that is exactly at the last setpoint."""

    @abstractmethod
    def snapshot(self) -> Any:
        """Return all that the next step depends on, the plan itself included, as a value."""

    @abstractmethod
    def restore(self, snapshot: Any) -> None:
        """Continue from a snapshot of this planner, or of one that was built in the same way."""

    def restart(self, start: JointState) -> bool:  # noqa: ARG002 - a list leads from one place only
        """Start again for the same goal; return whether that is possible without a new plan.

        :param start: at rest, or with a velocity that the next step may change at once.
        """
        return False

    @property
    def steady(self) -> bool:
        """Return whether ``predict`` says how the motion goes on from the last setpoint.

        A planner without inputs needs no prediction: its next steps can be taken in advance.
        """
        return False

    def predict(self, ways: Array, rates: Array) -> tuple[Setpoint, ...]:
        """Return setpoints further along the motion, if inputs change nothing.

        :param ways: steps from the last setpoint on, shape ``(m,)``.
        :param rates: of the time along the motion there, 1 as now, shape ``(m,)``.
        """
        raise NotImplementedError

    @property
    def report(self) -> PlannerReport | None:
        """Return the report of the last step, if there is any."""
        return None


class HaltablePlanner(Planner):
    """A planner that can stop along its path by itself, and keeps controlling forces at rest."""

    @abstractmethod
    def halt(self, reason: str) -> None:
        """Stop from the next step on; the first reason stays."""

    @abstractmethod
    def limit_rate(self, rate: float) -> None:
        """Go along the path no faster than at a rate: 1 as planned, 0 not at all."""

    @property
    @abstractmethod
    def resting(self) -> bool:
        """Return whether a halt has come to its end."""
