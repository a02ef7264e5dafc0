"""The loop: nine steps that join planner, control simulation and plant."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from ..bimanual.planner import BimanualPlanner
from ..collision.detector import Detection
from ..collision.observation import Observation
from ..control.control_simulation import ControlSimulation, ControlSnapshot
from ..core.values import Array, Command, Contact
from ..planning.planner import Planner
from ..plants.plant import Plant
from ..record.hands_log import correction_row, object_row, wrench_rows
from ..record.log import LogWriter
from .protection import Protection, ProtectionSnapshot

BLOCK = 256
"""Steps between two looks at the clock."""
PARTS = ('planner', 'control', 'plant', 'rollback', 'log')
MONITOR = 'monitor'
"""The part that only a loop with a protection has."""


class LoopState(msgspec.Struct, frozen=True):
    """All that the next step of the loop depends on."""

    step: int
    planner: Any
    control: ControlSnapshot
    plant: Any
    protection: ProtectionSnapshot | None = None


class Loop:
    """000, section 5.3. One ``step`` is all nine steps of the document.

    :param protection: watches every step, and decides instead of the planner, which it asks.
    :ivar index: number of steps taken.
    :ivar on_saturation: called with the step's index when an effort limit was applied.
    :ivar on_contact: called with the step's index and the contacts, after every step; none
        where the plant has no obstacles.
    :ivar on_hands: called with a row of the hands' log, see ``HANDS_COLUMNS``, and what the
        planner of two hands is doing, after every step.
    :ivar on_alarm: called with the step's index and what the protection saw, after every step.
    """

    def __init__(
        self,
        planner: Planner,
        control: ControlSimulation,
        plant: Plant,
        protection: Protection | None = None,
    ):
        self.planner = planner
        self.control = control
        self.plant = plant
        self.protection = protection
        self.index = 0
        self.on_alarm: Callable[[int, Detection], None] | None = None
        self.on_hands: Callable[[int, tuple[Array, ...], str], None] | None = None
        self.on_saturation: Callable[[int], None] | None = None
        self.on_contact: Callable[[int, tuple[Contact, ...]], None] | None = None

    @property
    def state(self) -> LoopState:
        """Return the state of all blocks, as a value for ``restore``."""
        return LoopState(
            self.index,
            self.planner.snapshot(),
            self.control.snapshot(),
            self.plant.state,
            None if self.protection is None else self.protection.snapshot(),
        )

    def restore(self, state: LoopState) -> None:
        """Go back to an earlier state; what follows is, bit for bit, what followed then."""
        self.index = state.step
        self.planner.restore(state.planner)
        self.control.restore(state.control)
        self.plant.reset(state.plant)
        if self.protection is not None and state.protection is not None:
            self.protection.restore(state.protection)

    def step(self, log: LogWriter) -> None:
        """Take one step and log it."""
        control, plant = self.control, self.plant
        if self.protection is None:
            desired = self.planner.step(control.state)  # 1, 9: the planner, synchronised
            command = control.step(desired)  # 2, 3: algorithm 2
        else:
            desired, command = self._protected(self.protection)
        plant.step(command.effort)  # 4, 5: algorithm 3
        measured = plant.observe()  # 6
        rollback = control.rollback(command, measured)  # 7, 8
        felt: tuple[Array, ...] = ()
        if self.protection is not None:
            time = (self.index + 1) * self.control.period
            seen = Observation(
                time, desired, command.effort, measured, rollback.state, rollback.effort
            )
            felt = self._look(self.protection, seen)
        log.append(
            desired,
            command.velocity,
            command.effort,
            measured,
            rollback.state.position,
            rollback.state.velocity,
            rollback.effort,
            plant.truth.position,
            *felt,
        )
        if command.saturated and self.on_saturation:
            self.on_saturation(self.index)
        if self.on_contact:
            self.on_contact(self.index, plant.contacts())
        if self.on_hands:
            self._tell_hands(self.on_hands)
        self.index += 1

    def _tell_hands(self, tell: Callable[[int, tuple[Array, ...], str], None]) -> None:
        """Tell what two hands felt and did in a step."""
        assert self.protection is not None
        planner = self.protection.reflex.reacting.planner
        assert isinstance(planner, BimanualPlanner)
        wrenches, truth = wrench_rows(self.plant)
        held = object_row(self.plant.held_object())
        tell(
            self.index,
            (*wrenches, *correction_row(planner.correction), *truth, *held),
            planner.doing,
        )

    def _look(self, protection: Protection, seen: Observation) -> tuple[Array, ...]:
        """Let the protection see a step; return the columns that the log of a guided robot has."""
        external = self.plant.external
        alarm = protection.look(seen, external, self.plant.wrenches())
        if self.on_alarm:
            self.on_alarm(self.index, alarm)
        return (alarm.reading.torque, external) if protection.guides else ()

    def _protected(self, protection: Protection) -> tuple[Array, Command]:
        """Return the desired position of the next step, and the command."""
        wanted = protection.step(self.control.state)
        if wanted.effort is not None:
            return wanted.position, self.control.step_effort(wanted.effort)
        return wanted.position, self.control.step(wanted.position, wanted.restart)

    def run(
        self,
        steps: int,
        log: LogWriter,
        proceed: Callable[[int], bool] = lambda _: True,
        clock: Callable[[], float] | None = None,
    ) -> dict[str, float]:
        """Take ``steps`` steps and return the mean cost of each part of a step [s].

        :param proceed: asked now and then, with the number of steps taken, whether to go on.
        :param clock: with it, the last step of each block of steps is taken apart and timed.
        """
        costs = dict.fromkeys((*PARTS, *((MONITOR,) if self.protection else ())), 0.0)
        timed = 0
        last = self.index + steps
        while self.index < last and proceed(self.index):
            for _ in range(min(BLOCK, last - self.index) - 1):
                self.step(log)
            if clock is None:
                self.step(log)
            else:
                self._timed_step(log, clock, costs)
                timed += 1
        return {part: cost / timed for part, cost in costs.items()} if timed else {}

    def _timed_step(
        self, log: LogWriter, clock: Callable[[], float], costs: dict[str, float]
    ) -> None:
        """Take one step with a stopwatch around each block's calls."""
        watch = _Stopwatch(clock, costs)
        own = self.planner, self.control, self.plant, self.protection
        self.planner, self.control, self.plant, self.protection = (
            watch.around('planner', own[0]),
            watch.around('control', own[1], rollback='rollback'),
            watch.around('plant', own[2]),
            own[3] and watch.around('planner', own[3], look=MONITOR),
        )
        try:
            self.step(watch.around('log', log))
        finally:
            self.planner, self.control, self.plant, self.protection = own


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
