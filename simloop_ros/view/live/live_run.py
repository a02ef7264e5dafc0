"""A run that a person steers: it plays, pauses, goes back, and is pushed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ...assembly.assemble import assemble
from ...core.errors import ConfigError, DivergenceError
from ...core.values import NANO
from ...goals.goal import AnyGoal, PauseCommand, ResumeCommand
from ...loop.step_record import StepRecord
from ...planning.planner import HaltablePlanner
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
from .frames import FrameBuilder
from .history import History
from .interaction import Interaction
from .live_keys import LiveKeys
from .pace import RealTimePace
from .session_file import Session, write_session

FASTEST, SLOWEST = 100.0, 0.01
"""Speeds that can be chosen, beside 0 for as fast as it goes."""
HALTED = 'halted from the page'


class LiveRun:
    """The blocks of a scenario in real time. It has no clock of its own: times are arguments.

    :param sink: gets the record of each step.
    :ivar playing: whether time goes on by itself.
    """

    def __init__(self, scenario: Scenario, sink: Callable[[StepRecord], Any] = lambda _: None):
        self._assembly = assembly = assemble(scenario, interactive=True)
        self.facts, self._loop, self._motion = assembly.facts, assembly.loop, assembly.motion
        self._interaction = Interaction(assembly.loop.plant, assembly.facts.model, scenario.period)
        self._loop.plant = self._interaction
        self._builder = FrameBuilder(assembly, self._interaction)
        self.keys = LiveKeys(scenario, assembly.facts.model, assembly.motion)
        self._pace = RealTimePace(scenario.period)
        self._history = History(scenario.period)
        self._payloads: tuple[Payload, ...] = ()
        self._commands: tuple[AnyGoal, ...] = ()
        self._unrepeatable = ''
        self._sink = sink
        self._h = scenario.period
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
        loop, history = self._loop, self._history
        if history.wants(loop.index):
            history.keep(loop.index, loop.snapshot())
        try:
            record = loop.step()
        except DivergenceError as error:
            self.playing, self._ended = False, str(error)
            return
        self._builder.take(record)
        self._sink(record)

    def ended_step(self, now: float) -> None:
        """Note the real time at the end of a step of a run that plays [s]."""
        self._pace.ended(now, self.index)

    def frame(self) -> Frame:
        """Return what is new since the last frame."""
        return self._builder.frame(
            Progress(
                playing=self.playing,
                speed=self._pace.speed,
                factor=self._pace.factor if self.playing else 0.0,
                late_share=self._pace.late_share,
                earliest=0.0,
                latest=self.time,
                ended=self._ended,
            )
        )

    def take(self, action: Action, now: float) -> str:
        """Do what a person asks for, and return what there is to say about it.

        :param now: real time [s].
        :raises SimloopError: it cannot be done, with the reason; nothing has changed.
        """
        match action:
            case Play():
                self._play(now)
            case Pause():
                self.playing = False
            case Step():
                self.playing = False
                for _ in range(max(1, action.count)):
                    self.step()
            case SetSpeed():
                self._set_speed(action.factor, now)
            case Reset():
                self._go_back(0, now)
            case Seek():
                self._go_back(round(action.time / self._h), now)
            case Grip():
                self._interaction.grips.take(action)
            case LetGo():
                self._interaction.grips.let_go(action.hand)
            case Throw():
                self._interaction.balls.throw(action)
            case PutPayload():
                return self._put(action)
            case SetKey():
                self.keys.set(action.name, action.value)
                self._unrepeatable = f'{action.name} was changed at {self.time:.3f} s'
            case Halt():
                return self._halt()
            case Resume():
                return self._resume()
            case Save():
                return self._save(Path(action.folder))
            case _:
                raise ConfigError(f'{type(action).__name__}: not while a robot is simulated here')
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

    def _go_back(self, index: int, now: float) -> None:
        """Set the time back to the last moment that was kept, at most ``index`` steps after 0."""
        moment = self._history.before(max(0, min(index, self.index)))
        self._loop.restore(moment.snapshot)
        self._builder.forget()
        self._ended = ''
        self._payloads = tuple(each for each in self._payloads if each.at < self.time)
        count = 0 if self._motion.goal_planner is None else self._motion.goal_planner.count
        self._commands = self._commands[
            : sum(each.at < count * self._h for each in self._commands)
        ]
        self._interaction.grips.let_go()
        self._pace.start(now, self.index)

    def _put(self, put: PutPayload) -> str:
        """Let a tip carry something that no other block knows of."""
        carrying = self._assembly.carrying
        if carrying is None:
            raise ConfigError('payload: this simulated robot carries none')
        payload = Payload(mass=put.mass, tip=put.tip, at=self.time)
        carrying.carried.tell(round(payload.at * NANO), payload)
        self._payloads = (*self._payloads, payload)
        return f'{put.mass:g} kg at {put.tip}, unknown to control and monitor'

    def _halt(self) -> str:
        """Let the robot come to rest along its way."""
        goals, base = self._motion.goal_planner, self._motion.base
        if goals is not None:
            self._command(PauseCommand(at=goals.count * self._h))
        elif isinstance(base, HaltablePlanner):
            base.halt(HALTED)
            self._unrepeatable = f'both arms were halted at {self.time:.3f} s'
        return 'stop: the robot comes to rest along its way'

    def _resume(self) -> str:
        """Go on after a halt or a reaction."""
        goals, reactive = self._motion.goal_planner, self._motion.reactive
        if reactive is not None and reactive.activity != 'moving':
            if not self._motion.resume(self._loop.control.state):
                raise ConfigError('resume: the robot cannot go on from here; go back, or reset')
            self._unrepeatable = f'the motion was resumed at {self.time:.3f} s'
        elif goals is not None:
            self._command(ResumeCommand(at=goals.count * self._h))
        else:
            raise ConfigError('resume: go back, or reset')
        return 'resumed'

    def _command(self, command: PauseCommand | ResumeCommand) -> None:
        goals = self._motion.goal_planner
        assert goals is not None
        reply = goals.submit(command)
        if not reply.accepted:
            raise ConfigError(reply.reason)
        self._commands = (*self._commands, command)

    def _save(self, folder: Path) -> str:
        """Write the session, and say how it is repeated."""
        if not self.index:
            raise ConfigError('save: nothing has happened yet')
        path = write_session(
            folder,
            Session(
                self.facts.scenario,
                self.time,
                self._interaction.recorded,
                self._payloads,
                self._commands,
            ),
        )
        if self._unrepeatable:
            return f'{path}: without what a scenario cannot say: {self._unrepeatable}'
        return f'{path}: "simloop run {path}" repeats it'
