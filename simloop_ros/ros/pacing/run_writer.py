"""The results of a run that is recorded from topics."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
import time
from typing import Any

import msgspec

from ...assembly.assemble import run_facts
from ...core.errors import ConfigError
from ...loop.step_record import StepRecord
from ...record.facts import RunFacts
from ...record.run_recorder import RunRecorder
from ...scenario.scenario import Scenario
from ..messages.notice import Notice
from ..messages.safety_status import CONTROL, SafetyStatus
from ..messages.stamps import step_of

MAX_EVENTS = 1000
"""Number of stops, and of notices of the monitor in real time, that are recorded as events."""


class RunWriter(RunRecorder):
    """Records steps until the run is complete; at the end log, summary and events.

    :param clock: returns the time of a steady clock [s].
    :ivar steps: number of steps of a complete run.
    :ivar diverged: why the run diverged; empty if it did not.
    """

    def __init__(self, facts: RunFacts, folder: Path, clock: Callable[[], float] = time.monotonic):
        super().__init__(facts, folder)
        self._period = facts.scenario.period
        self._clock = clock
        self._start = 0.0
        self._end: float | None = None
        self._stops = self._notices = 0
        self.steps = facts.steps
        self.diverged = ''

    @property
    def complete(self) -> bool:
        """Return whether the run is over."""
        return self.rows >= self.steps

    @property
    def elapsed(self) -> float:
        """Return the time from the first step until now, or until the run was complete [s]."""
        if not self.rows:
            return 0.0
        return (self._clock() if self._end is None else self._end) - self._start

    @property
    def real_time_factor(self) -> float:
        """Return simulated time per real time."""
        return self.rows * self._period / max(self.elapsed, 1e-9)

    def take(self, record: StepRecord) -> None:
        """Append a step."""
        if not self.rows:
            self._start = self._clock()
        super().take(record)
        self._note_end()

    def take_notice(self, notice: Notice) -> None:
        """Take a report of the monitor that belongs to no row, in real time."""
        if self._notices < MAX_EVENTS:
            self._notices += 1
            self.events.collision(self.rows, notice.kind, notice.margin, notice.located)

    def take_stop(self, status: SafetyStatus) -> None:
        """Take a stop, in lockstep; a divergence of control ends the run at its step."""
        step = step_of(status.stamp, self._period)
        if status.diverged and status.source == CONTROL:
            self.diverged = status.stopped
            self.steps = min(self.steps, step)
            self._note_end()
        elif self._stops < MAX_EVENTS:
            self._stops += 1
            self.events.add(step, 'stop', source=status.source, message=status.stopped)

    def _note_end(self) -> None:
        if self.complete and self._end is None:
            self._end = self._clock()

    def finish(self) -> dict[str, Any]:
        """Write log and summary; return the summary."""
        elapsed = self.elapsed
        status = 'completed' if self.complete else 'interrupted'
        if self.diverged:
            status = 'diverged'
            self.events.add(self.rows, 'divergence', message=self.diverged)
        with self:
            return self.write(status, elapsed, {})


def read_facts(text: str, *, simulated: bool) -> RunFacts:
    """Return the facts of a run, as ``simloop run`` would find them.

    :param text: the scenario as JSON.
    :param simulated: whether the plant is simulated.
    :raises SimloopError: it is not a scenario, or cannot be run.
    """
    try:
        scenario = msgspec.json.decode(text, type=Scenario)
    except msgspec.MsgspecError as error:
        raise ConfigError(f'recorder.scenario: not a scenario: {error}') from error
    return run_facts(scenario, simulated=simulated)
