"""What a live loop steps: no more than what has something to do."""

from __future__ import annotations

from ...assembly.assemble import Assembly
from .interaction import Interaction


class SteppedBlocks:
    """Sets planner and plant of a loop, each time that something begins or ends to act.

    The planner that takes goals and the plant that carries payloads are left out while there are
    none, if they are outermost: their calls are 2 % of a step without contact.

    :param persons: a plant around the whole one.
    """

    def __init__(self, assembly: Assembly, persons: Interaction):
        self._loop, self._persons = assembly.loop, persons
        self._planner, self._plant = assembly.loop.planner, assembly.loop.plant
        self._goals, self._carrying = assembly.motion.goal_planner, assembly.carrying
        self.choose()

    @property
    def has_persons(self) -> bool:
        """Return whether persons act."""
        return self._loop.plant is self._persons

    def take_all(self) -> None:
        """Let the loop step all blocks of the scenario, and no persons."""
        loop, goals, carrying = self._loop, self._goals, self._carrying
        if goals is not None and loop.planner is not self._planner:
            goals.count = loop.index
        if carrying is not None and loop.plant is carrying.inside:
            carrying.go_to(loop.index)
        loop.planner, loop.plant = self._planner, self._plant

    def choose(self) -> None:
        """Let the loop step what acts from now on."""
        self.take_all()
        loop, goals, carrying = self._loop, self._goals, self._carrying
        if goals is loop.planner and goals.waits:
            loop.planner = goals.base
        if self._persons.is_busy:
            self._persons.go_to(loop.index)
            loop.plant = self._persons
        elif carrying is loop.plant and not carrying.carried.changes:
            loop.plant = carrying.inside
