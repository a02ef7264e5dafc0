"""The process in which a robot is simulated live."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
import gc
from multiprocessing.connection import Connection
from queue import SimpleQueue
import signal
from threading import Thread
from typing import Any

import msgspec
import numpy as np

from ...core.errors import SimloopError
from ...scenario.loading import load_scenario
from ..actions import Action, LoadScenario
from ..description import Description
from ..frame import Frame
from ..source import PageNotice
from .describe import describe
from .live_run import LiveRun

IDLE = 0.05
"""Longest wait for a message while nothing moves [s]."""
SPIN = 0.0002
"""Time before a step is due in which the process waits without sleep [s]: it wakes no earlier."""
LOOK_EVERY = 0.004
"""Longest time between two looks for messages while it plays [s]."""


class FrameRequest(msgspec.Struct, frozen=True):
    """The page asks for a frame."""


Message = Action | FrameRequest
Answer = Description | Frame | PageNotice


def work(pipe: Connection, load: LoadScenario, clock: Callable[[], float]) -> None:
    """Simulate a scenario, and others after it, until the pipe is closed.

    A thread sends the answers: a page that is slow to read them does not hold up the simulation.

    :param clock: real time [s].
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the page's process ends this one
    answers: SimpleQueue[Answer] = SimpleQueue()
    Thread(target=_send, args=(pipe, answers), name='answers', daemon=True).start()
    with np.errstate(over='ignore', invalid='ignore'):
        worker = _Worker(pipe, answers.put, clock)
        try:
            worker.load(load)
            worker.run()
        except (EOFError, BrokenPipeError, ConnectionResetError):
            pass
        finally:
            worker.close()


def _send(pipe: Connection, answers: SimpleQueue[Answer]) -> None:
    """Send answers until nobody is there for them."""
    with suppress(OSError):
        while True:
            pipe.send(answers.get())


class _Worker:
    """Steps and messages in turn.

    :param answer: takes what is to be sent.
    """

    def __init__(
        self, pipe: Connection, answer: Callable[[Answer], None], clock: Callable[[], float]
    ):
        self._pipe = pipe
        self._answer = answer
        self._clock = clock
        self._run: LiveRun | None = None
        self._looked = 0.0

    def load(self, load: LoadScenario) -> None:
        """Build a scenario; the present one stays if that is not possible."""
        try:
            run = LiveRun(load_scenario(load.scenario, load.settings))
        except SimloopError as error:
            self._say(f'{load.scenario}: {error}', 'error')
            return
        self.close()
        self._run = run
        # The collector need not look at the blocks of a run: that takes many periods.
        gc.unfreeze()
        gc.collect()
        gc.freeze()
        self._answer(describe(run))
        for note in run.facts.notes:
            self._say(note)

    def run(self) -> None:
        """Take messages and steps until the pipe is closed."""
        while True:
            run, now = self._run, self._clock()
            if run is None or not run.playing:
                self._listen(IDLE)
                continue
            if now - self._looked > LOOK_EVERY:
                self._listen(0.0)
                continue
            wait = run.due - now
            if wait > SPIN:
                self._listen(min(wait - SPIN, IDLE))
            elif wait <= 0.0:
                run.play(self._clock, self._looked + LOOK_EVERY)

    def close(self) -> None:
        """Release what the run holds."""
        if self._run is not None:
            self._run.close()

    def _listen(self, longest: float) -> None:
        """Wait for a message, and take all that are there."""
        if self._pipe.poll(longest):
            self._take(self._pipe.recv())
            while self._pipe.poll(0.0):
                self._take(self._pipe.recv())
        self._looked = self._clock()

    def _take(self, message: Message) -> None:
        run = self._run
        if isinstance(message, LoadScenario):
            self.load(message)
        elif run is None:
            self._say('no scenario is loaded: choose one', 'error')
        elif isinstance(message, FrameRequest):
            self._answer(run.frame())
        else:
            try:
                said = run.take(message, self._clock())
            except SimloopError as error:
                self._say(str(error), 'error')
            else:
                if said:
                    self._say(said)

    def _say(self, text: str, level: Any = 'info') -> None:
        self._answer(PageNotice(text, level))
