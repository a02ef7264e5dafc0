"""Goals and end of a real robot's run, which are known once it is known where it starts."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress

import numpy as np

from ...assembly.assemble import started_facts
from ...core.errors import SimloopError
from ...loop.step_record import StepRecord
from ...record.facts import RunFacts

AT_REST = 1e-6
"""Speed of a setpoint below which the motion rests [rad/s]."""


class RealRun:
    """Plans the motion again from the first position, beside the rows: it may take a second.

    :ivar rests: whether the setpoints have rested for ``Scenario.rest``. Where the machine is late
        a motion starts later or goes slower than it is planned, and the run goes on until then.
    """

    def __init__(self, facts: RunFacts):
        self._facts = facts
        self._needed = max(1, round(facts.scenario.rest / facts.scenario.period))
        self._resting = 0
        self._planning: Future[RunFacts] | None = None

    @property
    def rests(self) -> bool:
        """Return whether nothing moves the robot any more; with a duration that does not count."""
        return self._facts.scenario.duration is not None or self._resting >= self._needed

    def take(self, record: StepRecord) -> None:
        """Take a step; the first one tells where the robot starts."""
        if self._planning is None:
            worker = ThreadPoolExecutor(1)
            self._planning = worker.submit(started_facts, self._facts, record.measured)
        still = np.abs(record.setpoint.velocity).max() < AT_REST
        self._resting = self._resting + 1 if still else 0

    def facts(self, *, wait: bool = False) -> RunFacts:
        """Return the facts, with goals and end once they are planned.

        A motion that cannot be planned has none; the planner says so.

        :param wait: whether the plan is waited for.
        """
        if self._planning is not None and (wait or self._planning.done()):
            with suppress(SimloopError):
                self._facts = self._planning.result()
        return self._facts
