"""The results of a run that is recorded from topics."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
import time
from typing import Any

import msgspec

from ...assembly.assemble import run_facts
from ...core.errors import ConfigError
from ...loop.step_record import StepRecord
from ...record.facts import RunFacts
from ...record.live_log import LiveLogWriter
from ...record.run_folder import RunFolder
from ...record.run_recorder import RunRecorder
from ...record.timing import RunTiming
from ...scenario.scenario import Scenario
from ..messages import effort_command
from ..messages.joint_state import DecodedJointState
from ..messages.notice import Notice
from ..messages.safety_status import CONTROL, SafetyStatus, origin
from ..messages.stamps import step_of
from .given_goals import GivenGoals
from .real_run import RealRun

MAX_EVENTS = 1000
"""Number of stops, and of notices of the monitor in real time, that are recorded as events."""


class RunWriter(RunRecorder):
    """Records steps until the run is complete; at the end log, summary and events.

    :param clock: returns the time of a steady clock [s].
    :param names: topic of the log -> its name in the graph.
    :ivar live: what the graph adds to the log.
    :param endless: whether the run is complete whenever it is stopped.
    :ivar steps: number of steps of a complete run.
    :ivar given: goals that the robot was given over topics.
    :ivar diverged: why the run diverged, in lockstep; empty if it did not.
    :ivar timing: of the commands, in real time.
    """

    def __init__(
        self,
        facts: RunFacts,
        folder: RunFolder,
        clock: Callable[[], float] = time.monotonic,
        *,
        realtime: bool = False,
        names: Mapping[str, str] | None = None,
        endless: bool = False,
    ):
        super().__init__(facts, folder)
        self.live: LiveLogWriter = LiveLogWriter(folder.path, names or {}, stamped=realtime)
        self._period = facts.scenario.period
        self._clock = clock
        self._start = 0.0
        self._end: float | None = None
        self._stops = self._notices = self._levels = 0
        self._stopped = False
        self.timing = RunTiming(self._period) if realtime else None
        self.steps = facts.steps
        self.diverged = ''
        self.given = GivenGoals(realtime=realtime)
        self._first = facts.model.home
        self._endless = endless
        self._real = None if facts.simulated else RealRun(facts)

    @property
    def complete(self) -> bool:
        """Return whether the run is over."""
        return self.rows >= self.steps and (self._real is None or self._real.rests)

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
            self._start, self._first = self._clock(), record.measured
        if self._real is not None:
            self._real.take(record)
            self._learn(self._real.facts())
        super().take(record)
        self._note_end()

    def _learn(self, facts: RunFacts) -> None:
        self.facts, self.steps = facts, facts.steps

    def note_stamps(self, command: DecodedJointState, state: DecodedJointState) -> None:
        """Note, in real time, when the command of the row and the state at its end were sent."""
        if self.timing is not None:
            leads = command.frame_id not in (effort_command.STOPPED, effort_command.FLOATING)
            self.timing.row(command.stamp, state.stamp, leads=leads)
            self.live.stamp(state.stamp)

    def take_notice(self, notice: Notice) -> None:
        """Take a report of the monitor that belongs to no row, in real time."""
        if self._notices < MAX_EVENTS:
            self._notices += 1
            self.events.collision(self.rows, notice.kind, notice.margin, notice.located)
            self.events.monitor(self.rows, notice.load, notice.doubt)

    def take_safety(self, status: SafetyStatus) -> None:
        """Take a stop; in real time also the release of the robot, and levels of lateness."""
        if self.timing is not None and status.level:
            if not self.complete and self._levels < MAX_EVENTS:
                self._levels += 1
                self.timing.level(status.level)
                self.events.add(self.rows, 'lateness', source=status.source, level=status.level)
        elif self.timing is not None:
            self._take_present(status)
        elif status.stopped and status.stamp >= 0:
            self._take_stop(status)

    def _take_present(self, status: SafetyStatus) -> None:
        """Take a status in real time: a stop is one, however many nodes announce it."""
        stopped = bool(status.stopped)
        releases = status.source == CONTROL and status.stops > 0
        if stopped == self._stopped or not (stopped or releases) or self.complete:
            return
        self._stopped = stopped
        source, message = origin(status)
        if self._stops < MAX_EVENTS:
            self._stops += stopped
            details = {'message': message} if stopped else {}
            self.events.add(self.rows, 'stop' if stopped else 'release', source=source, **details)

    def _take_stop(self, status: SafetyStatus) -> None:
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
        if self._real is not None:
            self._learn(self._real.facts(wait=True))
        if self._endless:
            self._learn(replace(self.facts, steps=self.rows))
        start = self.facts.model.home if self.facts.simulated else self._first
        self._learn(self.given.keep(self.facts, self.folder, start))
        if self.diverged:
            self.events.add(self.rows, 'divergence', message=self.diverged)
        with self:
            return self.write(elapsed, {}, timing=self.timing)


def read_facts(text: str, *, simulated: bool) -> RunFacts:
    """Return the facts of a run from its scenario as JSON, as ``simloop run`` would find them.

    :raises SimloopError: it is not a scenario, or cannot be run.
    """
    try:
        scenario = msgspec.json.decode(text, type=Scenario)
    except msgspec.MsgspecError as error:
        raise ConfigError(f'recorder.scenario: not a scenario: {error}') from error
    return run_facts(scenario, simulated=simulated)
