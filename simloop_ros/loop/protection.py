"""What the watch sees after a step has its consequence in the next one."""

from __future__ import annotations

import msgspec

from ..collision.observation import Observation
from ..collision.watch import Alarm, Watch, WatchMemory
from ..reaction.felt import UNTOUCHED, Felt
from ..reaction.reflex import Reflex, ReflexMemory
from ..reaction.wanted import Wanted
from ..values import Array, JointState


class ProtectionMemory(msgspec.Struct, frozen=True):
    """All that the next step depends on.

    :ivar felt: what was felt after the last step.
    """

    watch: WatchMemory
    reflex: ReflexMemory
    felt: Felt


class Protection:
    """A watch, and a reflex around the planner.

    :param by_truth: whether the robot feels the true torque from outside, not the estimated one.
    :ivar felt: what was felt after the last step.
    """

    def __init__(self, watch: Watch, reflex: Reflex, *, by_truth: bool = False):
        self.watch = watch
        self.reflex = reflex
        self._by_truth = by_truth
        self.felt = UNTOUCHED

    @property
    def memory(self) -> ProtectionMemory:
        """Return all that the next step depends on; assigning an earlier one goes back to it."""
        return ProtectionMemory(self.watch.memory, self.reflex.memory, self.felt)

    @memory.setter
    def memory(self, memory: ProtectionMemory) -> None:
        self.watch.memory, self.reflex.memory = memory.watch, memory.reflex
        self.felt = memory.felt

    @property
    def guides(self) -> bool:
        """Return whether the robot gives way to all torque from outside."""
        return self.reflex.guidance is not None

    def step(self, control: JointState) -> Wanted:
        """Return what is wanted in the next step.

        :param control: the control state.
        """
        return self.reflex.step(control, self.felt)

    def look(self, observation: Observation, external: Array) -> Alarm:
        """Return what the watch says of a step.

        :param external: true torque from outside [N m], shape ``(n,)``.
        """
        alarm = self.watch.step(observation)
        torque = external if self._by_truth else alarm.reading.torque
        self.felt = Felt(alarm.contact, alarm.kind, torque)
        return alarm
