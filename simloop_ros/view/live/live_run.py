"""A run that a person steers: it plays, pauses, goes back, and is pushed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from ...assembly.assemble import assemble
from ...core.errors import ConfigError, DivergenceError
from ...core.values import NANO
from ...loop.step_record import StepRecord
from ...robot.config import Payload
from ...scenario.scenario import Scenario
from ..actions import (
    Action,
    Grip,
    Halt,
    LetGo,
    Pause,
    Play,
    PutPayload,
    Reset,
    Resume,
    Save,
    Seek,
    SetKey,
    SetSpeed,
    Step,
    Throw,
)
from ..frame import Frame, Progress
from .frames import LONGEST_TRACE, FrameBuilder
from .history import History
from .interaction import Interaction
from .live_keys import LiveKeys
from .motion_stop import MotionStop
from .pace import RealTimePace
from .session_file import Deeds, Session, write_session
from .stepped_blocks import SteppedBlocks
from .validity import refuse_invalid

BATCH = 8
"""Steps between two looks at the clock, where no step has a time."""
FASTEST, SLOWEST = 100.0, 0.01
"""Speeds that can be chosen, beside 0 for as fast as it goes."""


class Past(msgspec.Struct, frozen=True):
    """Snapshots of an earlier moment."""

    loop: Any
    grips: Any
    balls: Any
    deeds: Deeds


class LiveRun:
    """The blocks of a scenario in real time. It has no clock of its own: times are arguments.

    Actions that change the run are kept with the number of the step before which they were done.
    To go back is to restore the last snapshot before, and to take the steps from there with the
    same actions; so every step of the past can be gone back to, bit for bit. A key that was
    changed stays as it is.

    :param sink: gets the record of each step.
    :ivar playing: whether time goes on by itself.
    """

    def __init__(self, scenario: Scenario, sink: Callable[[StepRecord], Any] | None = None):
        self._assembly = assembly = assemble(scenario, interactive=True)
        self.facts, self._loop = assembly.facts, assembly.loop
        model, self._h = assembly.facts.model, scenario.period
        plant = assembly.loop.plant
        self._interaction = Interaction(plant, model, self._h, assembly.lag)
        self._stepped = SteppedBlocks(assembly, self._interaction)
        self._builder = FrameBuilder(assembly, self._interaction)
        self._stop = MotionStop(assembly.motion, model, self._h)
        self.keys = LiveKeys(scenario, model, assembly.motion)
        self._pace = RealTimePace(self._h)
        self._deeds = Deeds()
        self._actions: list[tuple[int, Action]] = []
        self._history = History(self._h, self._snapshot())
        self._sink = sink
        self._idle_until = 0  # number of the first step after which something is to be done
        self._seen_until, self._look_ahead = 0, round(LONGEST_TRACE / self._h)
        self._ended = ''
        self.playing = False

    @property
    def carries(self) -> bool:
        """Return whether something can be put into its hands."""
        return self._assembly.carrying is not None

    @property
    def index(self) -> int:
        """Return the number of steps taken."""
        return self._loop.index

    @property
    def time(self) -> float:
        """Return the simulated time [s]."""
        return self.index * self._h

    @property
    def due(self) -> float:
        """Return the real time at which the next step shall begin [s]; only while it plays."""
        return self._pace.due(self.index)

    def step(self) -> None:
        """Take one step.

        A robot that diverges ends the run where it is.
        """
        if self._ended:
            return
        try:
            record = self._loop.step()
        except DivergenceError as error:
            self.playing, self._ended = False, str(error)
            return
        if record.index >= self._idle_until:
            self._after(record)

    def play(self, clock: Callable[[], float], until: float) -> None:
        """Take the steps that are due, one at least, while it is before a real time [s].

        As fast as it goes, while nobody looks, the clock is read once for ``BATCH`` steps.
        """
        loop, pace = self._loop, self._pace
        step, batch = loop.step, 1 if pace.speed else BATCH
        try:
            while self.playing:
                idle = min(batch, self._idle_until - loop.index)
                for _ in range(idle):
                    step()
                if idle <= 0:
                    self._after(step())
                now = clock()
                pace.ended(now, loop.index)
                if now >= until or now < pace.due(loop.index):
                    break
        except DivergenceError as error:
            self.playing, self._ended = False, str(error)

    def _after(self, record: StepRecord) -> None:
        """Do what is to be done after a step, if a page is there or a snapshot is due.

        While nobody looks and nothing acts, that is once for each snapshot.
        """
        loop, history, stepped = self._loop, self._history, self._stepped
        is_seen = loop.index <= self._seen_until
        if is_seen:
            self._builder.take(record)
        else:
            self._builder.forget()
        if stepped.has_persons and not self._interaction.is_busy:
            stepped.choose()
        if loop.index >= history.due:
            history.keep(loop.index, self._snapshot())
        if self._sink is not None:
            self._sink(record)
        is_idle = not is_seen and self._sink is None and not stepped.has_persons
        self._idle_until = history.due - 1 if is_idle else 0

    def frame(self) -> Frame:
        """Return what is new since the last frame.

        The signals of the steps are kept while frames are asked for, and for a while after that.
        """
        self._seen_until = self.index + self._look_ahead
        self._idle_until = 0
        return self._builder.frame(
            Progress(
                playing=self.playing,
                speed=self._pace.speed,
                factor=self._pace.factor if self.playing else 0.0,
                late_share=self._pace.late_share,
                earliest=self._history.earliest * self._h,
                latest=self.time,
                ended=self._ended,
            )
        )

    def take(self, action: Action, now: float) -> str:
        """Do what a person asks for, and return what there is to say about it.

        :param now: real time [s].
        :raises SimloopError: it cannot be done, with the reason; nothing has changed.
        """
        refuse_invalid(action)
        match action:
            case Play():
                self._play(now)
            case Pause():
                self.playing = False
            case Step():
                self.playing = False
                for _ in range(action.count):
                    self.step()
            case SetSpeed():
                self._set_speed(action.factor, now)
            case Reset():
                self._go_back(0, now)
            case Seek():
                steps = max(0, min(round(action.time / self._h), self.index))
                self._go_back(max(steps, self._history.earliest), now)
            case Save():
                return self._save(Path(action.folder))
            case _:
                return self._do(action)
        return ''

    def close(self) -> None:
        """Release what the plant holds."""
        self._loop.plant.close()

    def _play(self, now: float) -> None:
        if self._ended:
            raise ConfigError(f'it does not go on: {self._ended}; go back, or reset')
        if not self.playing:
            self._pace.start(now, self.index)
        self.playing = True

    def _set_speed(self, factor: float, now: float) -> None:
        if factor and not SLOWEST <= factor <= FASTEST:
            raise ConfigError(
                f'speed: {factor:g}; {SLOWEST:g} to {FASTEST:g}, or 0 for as fast as it goes'
            )
        self._pace.speed = factor
        self._pace.start(now, self.index)

    def _do(self, action: Action) -> str:
        """Do what changes the run, and keep it for when the time is set back."""
        said, deeds = '', self._deeds
        match action:
            case Grip():
                self._interaction.grips.take(action)
                self._interact()
            case LetGo():
                self._interaction.grips.let_go(action.hand)
            case Throw():
                self._interaction.balls.throw(action)
                self._interact()
            case PutPayload():
                said = self._put(action)
            case SetKey():
                self.keys.set(action.name, action.value)
                said = f'{action.name} is {action.value}'
                what = f'{action.name} was changed at {self.time:.3f} s'
                self._deeds = msgspec.structs.replace(deeds, unrepeatable=what)
            case Halt() | Resume():
                said = self._halt_or_resume(action)
            case _:
                raise ConfigError(f'{type(action).__name__}: not while a robot is simulated here')
        self._actions.append((self.index, action))
        return said

    def _interact(self) -> None:
        """Let what a person has just done act from the next step on."""
        self._stepped.choose()
        self._idle_until = 0

    def _snapshot(self) -> Past:
        persons, stepped = self._interaction, self._stepped
        stepped.take_all()
        loop = self._loop.snapshot()
        saved = Past(loop, persons.grips.snapshot(), persons.balls.snapshot(), self._deeds)
        stepped.choose()
        return saved

    def _restore(self, past: Past) -> None:
        loop, persons = self._loop, self._interaction
        self._stepped.take_all()
        loop.restore(past.loop)
        persons.grips.restore(past.grips)
        persons.balls.restore(past.balls)
        persons.go_to(loop.index)
        self._deeds = past.deeds
        self._interact()

    def _go_back(self, steps: int, now: float) -> None:
        """Set the time back; all hands let go.

        :param steps: number of steps after which to be again.
        """
        moment = self._history.before(steps)
        changed = self._deeds.unrepeatable if self.keys.changed else ''
        self._restore(moment.snapshot)
        self._builder.forget()
        self._ended = ''
        # At the moment's own step they came after its snapshot.
        again = [each for each in self._actions if moment.steps <= each[0] < steps]
        self._actions = [each for each in self._actions if each[0] < moment.steps]
        for index, action in again:
            while self.index < index:
                self.step()
            if not isinstance(action, SetKey):
                self._do(action)
        while self.index < steps and not self._ended:
            self.step()
        for hand in self._interaction.grips.hands:
            self._do(LetGo(hand))
        if changed:
            self._deeds = msgspec.structs.replace(self._deeds, unrepeatable=changed)
        self._pace.start(now, self.index)

    def _put(self, put: PutPayload) -> str:
        """Let a tip carry something that no other block knows of."""
        carrying = self._assembly.carrying
        if carrying is None:
            raise ConfigError('payload: this simulated robot carries none')
        payload = Payload(mass=put.mass, tip=put.tip, at=self.time)
        now = round(payload.at * NANO)
        carrying.carried.tell(now, payload)
        carrying.carried.at(now)
        self._interact()
        payloads = (*self._deeds.payloads, payload)
        self._deeds = msgspec.structs.replace(self._deeds, payloads=payloads)
        return f'{put.mass:g} kg at {put.tip}, unknown to control and monitor'

    def _halt_or_resume(self, action: Halt | Resume) -> str:
        stop, deeds = self._stop, self._deeds
        self._stepped.take_all()
        done = stop.halt() if isinstance(action, Halt) else stop.resume(self._loop.control.state)
        self._interact()
        if done.command is not None:
            deeds = msgspec.structs.replace(deeds, commands=(*deeds.commands, done.command))
        if done.unrepeatable:
            what = f'{done.unrepeatable} at {self.time:.3f} s'
            deeds = msgspec.structs.replace(deeds, unrepeatable=what)
        self._deeds = deeds
        return done.said

    def _save(self, folder: Path) -> str:
        """Write the session, and say how it is repeated."""
        if not self.index:
            raise ConfigError('save: nothing has happened yet')
        deeds, recorded = self._deeds, self._interaction.recorded
        session = Session(self.facts.scenario, self.index, recorded, deeds)
        path = write_session(folder, session)
        if deeds.unrepeatable:
            return f'{path}: without what a scenario cannot say: {deeds.unrepeatable}'
        return f'{path}: "simloop run {path}" repeats it'
