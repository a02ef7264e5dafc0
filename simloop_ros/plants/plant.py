"""What every plant can do: 000, algorithm 3."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from ..core.values import Array, Contact, HandReport, JointState, ObjectReport


class Plant(ABC):
    """The robot at the other end of the loop, simulated or real.

    One ``step`` applies constant efforts for one control period: what the drives are asked for,
    and apart from it the torque from outside, which acts on the links. Everything that the next
    step depends on is in ``state``: ``reset`` with a saved state and the same efforts gives, bit
    for bit, the same motion.
    """

    @property
    @abstractmethod
    def state(self) -> Any:
        """Return all that the next step depends on, as a value for ``reset``."""

    @property
    @abstractmethod
    def truth(self) -> JointState:
        """Return the true joint state, which a real robot would not tell."""

    @property
    @abstractmethod
    def external(self) -> Array:
        """Return the true torque from outside in the last step [N m], shape ``(n,)``.

        It is the sum over pushes, hands and spring contacts, the mean over the step; 0 after a
        reset to a ``JointState``. Contacts of an engine with its obstacles are not in it:
        ``contacts`` tells those.
        """

    @abstractmethod
    def reset(self, state: Any) -> None:
        """Go to a state: a ``JointState`` to start from, or an earlier ``state``."""

    @abstractmethod
    def step(self, effort: Array, external: Array | None = None) -> None:
        """Apply efforts and torques for one period.

        :param effort: of the drives [N m], shape ``(n,)``.
        :param external: torque from outside on the links [N m], shape ``(n,)``; none for zero.
        """

    @abstractmethod
    def observe(self) -> Array:
        """Return the measured joint positions [rad], shape ``(n,)``."""

    def contacts(self) -> tuple[Contact, ...]:
        """Return the present contacts with obstacles."""
        return ()

    def hands(self) -> tuple[HandReport, ...]:
        """Return what each simulated hand did in the last physics step."""
        return ()

    def wrenches(self) -> Array | None:
        """Return what the wrist sensors read [N, N m], shape ``(tips, 6)``; none without sensors.

        Force and torque of the object on the hand, at the origin of the sensor's frame, one of
        ``model.sensors``, and in its axes, the mean over the last step; NaN from one that is lost.
        """
        return None

    def true_wrenches(self) -> Array | None:
        """Return what perfect wrist sensors would read, shape ``(tips, 6)``, if there are any."""
        return None

    def held_object(self) -> ObjectReport | None:
        """Return where the object for two hands is, if there is one."""
        return None

    def push_object(self, wrench: Array) -> None:
        """Let somebody push the object for two hands in the next step; a reset forgets it.

        Pushes add up.

        :param wrench: force and torque at its centre, in world axes [N, N m], shape ``(6,)``.
        """
        raise NotImplementedError('this plant has no object')

    def close(self) -> None:  # noqa: B027 - most plants hold nothing
        """Give back what the plant holds outside Python."""


def with_external(effort: Array, external: Array | None) -> Array:
    """Return the whole torque on rigid joints [N m]: efforts and, if any, torques from outside."""
    return effort if external is None else effort + external
