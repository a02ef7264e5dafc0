"""Goals that a robot was given over topics, for the results of its run."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import msgspec
import yaml

from ...assembly.assemble import facts_with_goals
from ...core.errors import SimloopError
from ...core.values import Array
from ...goals.goal import AnyGoal, JogGoal
from ...goals.goal_list import GoalForecast, GoalOutcome
from ...record.facts import RunFacts
from ...record.folder import GOALS, write_text
from ...record.run_folder import RunFolder
from ..messages.goals import HeardStatus


class GivenGoals:
    """Collects goals when they are answered, each with the time at which it took effect.

    :param realtime: where motions may go slower than they are forecast, and what was told counts.
    """

    def __init__(self, *, realtime: bool = False):
        self._realtime = realtime
        self._goals: list[AnyGoal] = []
        self._told: dict[int, GoalOutcome] = {}

    def take(self, status: HeardStatus) -> None:
        """Take a change of a goal's state; goals of the scenario's list are known already."""
        goal, known = status.goal, self._told.get(status.id)
        if known is not None:
            self._told[status.id] = msgspec.structs.replace(known, state=status.state)
        elif goal is not None:
            self._told[status.id] = GoalOutcome(
                id=status.id,
                goal=goal,
                state=status.state,
                reason=status.reason,
                begin=status.time,
            )
        if goal is not None and not status.listed:
            self._goals.append(msgspec.structs.replace(goal, at=status.time))

    def keep(self, facts: RunFacts, folder: RunFolder, start: Array) -> RunFacts:
        """Write the goals for ``simloop run --goals``; return the facts with what became of them.

        :param start: position at the begin of the run [rad], shape ``(n,)``.
        """
        facts = self._write(facts, folder, start)
        if not (self._realtime and self._told):
            return facts
        outcomes = tuple(self._told.values())
        moved = [o.goal for o in outcomes if o.state == 'reached']
        known = bool(moved) and not isinstance(moved[-1], JogGoal)
        told = GoalForecast(outcomes, 0.0, None)
        return replace(facts, forecast=told, planned=None, goals=facts.goals if known else None)

    def _write(self, facts: RunFacts, folder: RunFolder, start: Array) -> RunFacts:
        if not self._goals:
            return facts
        text = yaml.safe_dump(msgspec.to_builtins(self._goals), sort_keys=False)
        with folder.storing():
            write_text(folder.path / GOALS, text)
        with suppress(SimloopError):
            return facts_with_goals(facts, self._goals, start)
        return facts
