"""The log, the events and the results of a run that is recorded from topics."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
import time
from typing import Any

import msgspec

from ...assembly.run import (
    LONGEST_RUN,
    RAW_HANDS,
    RunFacts,
    clean_folder,
    load_fit_robot,
    prepare,
    remove_raw,
    write_results,
)
from ...core.errors import ConfigError
from ...core.values import Array
from ...record.events import EventRecorder
from ...record.hands_log import AXES, HANDS_COLUMNS, correction_row
from ...record.log import LogWriter
from ...scenario.scenario import Scenario
from ..messages.notice import Notice
from ..messages.safety_status import CONTROL, SafetyStatus
from ..messages.stamps import step_of
from .record_builder import RecordedStep

MAX_EVENTS = 1000
"""Number of stops, and of notices of the monitor in real time, that are recorded as events."""


class RunWriter:
    """Writes steps to the raw log; at the end log, summary and events.

    :param folder: for the results; those of an earlier run are removed.
    :param clock: returns the time of a steady clock [s].
    :ivar steps: number of steps of a complete run.
    :ivar diverged: why the run diverged; empty if it did not.
    """

    def __init__(self, facts: RunFacts, folder: Path, clock: Callable[[], float] = time.monotonic):
        self._facts = facts
        self._clock = clock
        self._start = 0.0
        self._end: float | None = None
        self._raw = clean_folder(folder)
        self._log = LogWriter(self._raw, facts.model.n, facts.columns)
        self._hands: LogWriter | None = None
        if facts.plan is not None:
            raw = self._raw.with_name(RAW_HANDS)
            self._hands = LogWriter(raw, len(AXES), HANDS_COLUMNS)
        self._events = EventRecorder(facts.scenario)
        self._stops = self._notices = 0
        self.steps = facts.steps
        self.diverged = ''

    @property
    def rows(self) -> int:
        """Return the number of steps so far."""
        return self._log.rows

    @property
    def complete(self) -> bool:
        """Return whether the run is over."""
        return self._log.rows >= self.steps

    @property
    def elapsed(self) -> float:
        """Return the time from the first step until now, or until the run was complete [s]."""
        if not self._log.rows:
            return 0.0
        return (self._clock() if self._end is None else self._end) - self._start

    @property
    def real_time_factor(self) -> float:
        """Return simulated time per real time."""
        return self._log.rows * self._facts.scenario.period / max(self.elapsed, 1e-9)

    def take(self, step: RecordedStep) -> None:
        """Append a step."""
        index = self._log.rows
        if not index:
            self._start = self._clock()
        state = step.rollback.state
        guided: tuple[Array, ...] = ()
        if step.external is not None:
            guided = (step.external, step.plant.external)
        self._log.append(
            step.setpoint.position,
            step.command.velocity,
            step.command.effort,
            step.measured,
            state.position,
            state.velocity,
            step.rollback.effort,
            step.plant.truth.position,
            *guided,
        )
        if self._hands is not None:
            self._append_hands(self._hands, index, step)
        if step.notice is not None:
            self._note(index, step.notice)
        if step.command.saturated:
            self._events.saturation(index)
        if self._facts.scenario.plant.obstacles and self._facts.simulated:
            self._events.contacts(index, step.plant.contacts)
        self._note_end()

    def _append_hands(self, log: LogWriter, index: int, step: RecordedStep) -> None:
        plant, planner, held = step.plant, step.planner, step.object
        assert plant.wrenches is not None
        assert plant.true_wrenches is not None
        assert planner is not None
        assert held is not None
        correction = correction_row(planner.correction)
        log.append(*plant.wrenches, *correction, *plant.true_wrenches, *held)
        self._events.task(index, planner.activity)

    def take_notice(self, notice: Notice) -> None:
        """Take a report of the monitor that belongs to no row, in real time."""
        if self._notices < MAX_EVENTS:
            self._notices += 1
            self._note(self._log.rows, notice)

    def take_stop(self, status: SafetyStatus) -> None:
        """Take a stop, in lockstep; a divergence of control ends the run at its step."""
        step = step_of(status.stamp, self._facts.scenario.period)
        if status.diverged and status.source == CONTROL:
            self.diverged = status.stopped
            self.steps = min(self.steps, step)
            self._note_end()
        elif self._stops < MAX_EVENTS:
            self._stops += 1
            self._events.add(step, 'stop', source=status.source, message=status.stopped)

    def _note_end(self) -> None:
        if self.complete and self._end is None:
            self._end = self._clock()

    def _note(self, step: int, notice: Notice) -> None:
        self._events.collision(step, notice.kind, notice.margin, notice.located)

    def write(self) -> dict[str, Any]:
        """Write log and summary; return the summary."""
        elapsed = self.elapsed
        self._log.close()
        if self._hands is not None:
            self._hands.close()
        status = 'completed' if self.complete else 'interrupted'
        if self.diverged:
            status = 'diverged'
            self._events.add(self._log.rows, 'divergence', message=self.diverged)
        try:
            return write_results(self._facts, self._raw, self._events, status, elapsed, {})
        finally:
            remove_raw(self._raw)


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
    if simulated:
        prepared = prepare(scenario)
        prepared.loop.plant.close()
        return prepared.facts
    model = load_fit_robot(scenario.robot)
    steps = round(scenario.duration / scenario.period) if scenario.duration else LONGEST_RUN
    rollback = scenario.control.rollback or 'measured'
    return RunFacts(scenario, model, 'robot', rollback, steps, None, simulated=False)
