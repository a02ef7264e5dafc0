"""Goals that a robot was given over topics, for the results of its run."""

from __future__ import annotations

from contextlib import suppress

import msgspec
import yaml

from ...assembly.assemble import facts_with_goals
from ...core.errors import SimloopError
from ...core.values import Array
from ...goals.goal import AnyGoal
from ...record.facts import RunFacts
from ...record.folder import GOALS, write_text
from ...record.run_folder import RunFolder
from ..messages.goals import HeardStatus


class GivenGoals:
    """Collects goals when they are answered, each with the time at which it took effect."""

    def __init__(self) -> None:
        self._goals: list[AnyGoal] = []

    def take(self, status: HeardStatus) -> None:
        """Take a change of a goal's state; goals of the scenario's list are known already."""
        if status.goal is not None and not status.listed:
            self._goals.append(msgspec.structs.replace(status.goal, at=status.time))

    def keep(self, facts: RunFacts, folder: RunFolder, start: Array) -> RunFacts:
        """Write the goals for ``simloop run --goals``; return the facts with what became of them.

        :param start: position at the begin of the run [rad], shape ``(n,)``.
        """
        if not self._goals:
            return facts
        text = yaml.safe_dump(msgspec.to_builtins(self._goals), sort_keys=False)
        with folder.storing():
            write_text(folder.path / GOALS, text)
        with suppress(SimloopError):
            return facts_with_goals(facts, self._goals, start)
        return facts
