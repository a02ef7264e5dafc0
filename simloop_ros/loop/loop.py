"""The loop: nine steps that join planner, control simulation and plant."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from ..control.control_simulation import ControlSimulation, ControlSnapshot
from ..planning.planner import Planner
from ..plants.plant import Plant
from .sensing import Sensing
from .step_record import StepRecord

TIMED_EVERY = 256
"""Steps between two that are timed."""
PARTS = ('planner', 'control', 'plant', 'rollback', 'monitor', 'log')
"""Parts of a step whose cost is measured."""

Sink = Callable[[StepRecord], Any]
"""Takes the record of each step."""


class LoopSnapshot(msgspec.Struct, frozen=True):
    """All that the next step of the loop depends on."""

    index: int
    planner: Any
    control: ControlSnapshot
    plant: Any
    sensing: Any


class Loop:
    """000, section 5.3. One ``step`` is all nine steps of the document.

    :param planner: with its decorators for reaction and guidance.
    :param sensing: monitor and sensors; none where nothing is given.
    :ivar index: number of steps taken.
    """

    def __init__(
        self,
        planner: Planner,
        control: ControlSimulation,
        plant: Plant,
        sensing: Sensing | None = None,
    ):
        self.planner = planner
        self.control = control
        self.plant = plant
        self.sensing = Sensing() if sensing is None else sensing
        self.index = 0

    def snapshot(self) -> LoopSnapshot:
        """Return the state of all blocks."""
        return LoopSnapshot(
            self.index,
            self.planner.snapshot(),
            self.control.snapshot(),
            self.plant.snapshot(),
            self.sensing.snapshot(),
        )

    def restore(self, snapshot: LoopSnapshot) -> None:
        """Go back to an earlier snapshot; what follows is, bit for bit, what followed then."""
        self.index = snapshot.index
        self.planner.restore(snapshot.planner)
        self.control.restore(snapshot.control)
        self.plant.restore(snapshot.plant)
        self.sensing.restore(snapshot.sensing)

    def step(self) -> StepRecord:
        """Take one step and return its record."""
        control, plant, sensing, index = self.control, self.plant, self.sensing, self.index
        setpoint = self.planner.step(control.state, sensing.inputs)  # 9, 1: synchronised planner
        command = control.step(setpoint)  # 2, 3: algorithm 2
        plant.step(command.effort)  # 4, 5: algorithm 3
        measured = plant.observe()  # 6
        rollback = control.rollback(command, measured)  # 7, 8
        self.index = index + 1
        report, time = plant.report(), self.index * control.period
        detection = sensing.step(time, setpoint, command, measured, rollback, report)
        return StepRecord(
            index, setpoint, command, measured, rollback, report, self.planner.report, detection
        )

    def run(
        self,
        steps: int,
        sink: Sink,
        proceed: Callable[[int], bool] = lambda _: True,
        clock: Callable[[], float] | None = None,
    ) -> dict[str, float]:
        """Take ``steps`` steps and return the mean cost of each part of a step [s].

        :param proceed: called now and then with the number of steps taken; whether to go on.
        :param clock: with it, one step in ``TIMED_EVERY`` is timed, part by part.
        """
        costs = dict.fromkeys(PARTS, 0.0)
        timed = 0
        last = self.index + steps
        step = self.step
        while self.index < last and proceed(self.index):
            for _ in range(min(TIMED_EVERY, last - self.index) - 1):
                sink(step())
            if clock is None:
                sink(step())
            else:
                self._timed_step(sink, _Stopwatch(clock, costs))
                timed += 1
        return {part: cost / timed for part, cost in costs.items()} if timed else {}

    def _timed_step(self, sink: Sink, watch: _Stopwatch) -> None:
        """Take one step with a stopwatch around each block's calls."""
        own = self.planner, self.control, self.plant, self.sensing
        self.planner, self.control, self.plant, self.sensing = (
            watch.around('planner', own[0]),
            watch.around('control', own[1], rollback='rollback'),
            watch.around('plant', own[2]),
            watch.around('monitor', own[3]),
        )
        try:
            record = self.step()
        finally:
            self.planner, self.control, self.plant, self.sensing = own
        watch.call('log', sink, record)


class _Stopwatch:
    """Adds up the time spent in the methods of the objects it is put around."""

    def __init__(self, clock: Callable[[], float], costs: dict[str, float]):
        self._clock = clock
        self._costs = costs

    def around(self, part: str, target: Any, **parts: str) -> Any:
        """Return a stand-in for ``target`` whose methods are timed as ``part``.

        :param parts: methods that are counted as another part.
        """
        return _Timed(self, part, target, parts)

    def call(self, part: str, method: Callable[..., Any], *arguments: Any) -> Any:
        """Call a method and add its time to a part."""
        begin = self._clock()
        try:
            return method(*arguments)
        finally:
            self._costs[part] += self._clock() - begin


class _Timed:
    """A stand-in whose methods are timed."""

    def __init__(self, watch: _Stopwatch, part: str, target: Any, parts: dict[str, str]):
        self._watch, self._part, self._target, self._parts = watch, part, target, parts

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._target, name)
        if not callable(value):
            return value
        part = self._parts.get(name, self._part)
        return lambda *arguments: self._watch.call(part, value, *arguments)
