"""What the watch sees after a step has its consequence in the next one."""

from __future__ import annotations

import msgspec

from ..collision.observation import Observation
from ..collision.watch import Alarm, Watch, WatchMemory
from ..reaction.reflex import Reflex, ReflexMemory
from ..reaction.wanted import Wanted
from ..values import JointState


class ProtectionMemory(msgspec.Struct, frozen=True):
    """All that the next step depends on.

    :ivar alarm: what the watch said after the last step; none before the first.
    """

    watch: WatchMemory
    reflex: ReflexMemory
    alarm: Alarm | None


class Protection:
    """A watch, and a reflex around the planner.

    :ivar alarm: what the watch said after the last step; none before the first.
    """

    def __init__(self, watch: Watch, reflex: Reflex):
        self.watch = watch
        self.reflex = reflex
        self.alarm: Alarm | None = None

    @property
    def memory(self) -> ProtectionMemory:
        """Return all that the next step depends on; assigning an earlier one goes back to it."""
        return ProtectionMemory(self.watch.memory, self.reflex.memory, self.alarm)

    @memory.setter
    def memory(self, memory: ProtectionMemory) -> None:
        self.watch.memory, self.reflex.memory = memory.watch, memory.reflex
        self.alarm = memory.alarm

    def step(self, control: JointState) -> Wanted:
        """Return what is wanted in the next step.

        :param control: the control state.
        """
        alarm = self.alarm
        if alarm is None:
            return self.reflex.step(control, False, 'none')
        return self.reflex.step(control, alarm.contact, alarm.kind)

    def look(self, observation: Observation) -> Alarm:
        """Return what the watch says of a step."""
        self.alarm = self.watch.step(observation)
        return self.alarm
