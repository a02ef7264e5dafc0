"""Goals and end of a real robot's run, which are known once it is known where it starts."""

from __future__ import annotations

from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import suppress
from multiprocessing import get_context
import signal

import numpy as np

from ...assembly.assemble import started_facts
from ...core.errors import SimloopError
from ...core.values import Array
from ...loop.step_record import StepRecord
from ...record.facts import RunFacts

AT_REST = 1e-6
"""Speed of the setpoints below which the motion rests [rad/s]."""


class RealRun:
    """Plans the motion again from the first position, once it rests, in a process of its own.

    It may take a second of the interpreter which, composed, control shares: a robot that has come
    to rest would get no command meanwhile.

    :ivar rests: whether the setpoints have rested for ``Scenario.rest``, and the end is planned.
        Where the machine is late a motion starts later or goes slower than it is planned, and the
        run goes on until then.
    """

    def __init__(self, facts: RunFacts):
        self._facts = facts
        self._period = facts.scenario.period
        self._needed = max(1, round(facts.scenario.rest / facts.scenario.period))
        self._resting = 0
        self._start: Array | None = None
        self._desired: Array | None = None  # of the last step
        self._planning: Future[RunFacts] | None = None

    @property
    def rests(self) -> bool:
        """Return whether nothing moves the robot any more; with a duration that does not count."""
        if self._facts.scenario.duration is not None:
            return True
        planned = self._planning is not None and self._planning.done()
        return planned and self._resting >= self._needed

    def take(self, record: StepRecord) -> None:
        """Take a step; the first one tells where the robot starts."""
        if self._start is None:
            self._start = record.measured
        last, self._desired = self._desired, record.setpoint.position
        # The velocity of a recorded setpoint is that which would reach it: a robot with friction
        # or a load rests beside its setpoint.
        still = last is not None and np.abs(self._desired - last).max() < AT_REST * self._period
        self._resting = self._resting + 1 if still else 0
        if self._resting == self._needed and self._facts.scenario.duration is None:
            self._plan(self._start)

    def facts(self, *, wait: bool = False) -> RunFacts:
        """Return the facts, with goals and end once they are planned.

        A motion that cannot be planned has none; the planner says so.

        :param wait: whether the plan is made now, or waited for: nothing is controlled any more.
        """
        if wait and self._planning is None and self._start is not None:
            with suppress(SimloopError):
                self._facts = started_facts(self._facts, self._start)
        if self._planning is not None and (wait or self._planning.done()):
            with suppress(SimloopError):
                self._facts = self._planning.result()
        return self._facts

    def _plan(self, start: Array) -> None:
        """Begin to plan from a position [rad], shape ``(n,)``, unless that was begun already."""
        if self._planning is None:
            pool = ProcessPoolExecutor(1, get_context('spawn'), _ignore_interrupts)
            self._planning = pool.submit(started_facts, self._facts, start)
            pool.shutdown(wait=False)  # it ends with the plan


def _ignore_interrupts() -> None:
    """Let the process that planned for end it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
