"""The page's side of a robot that is simulated in another process."""

from __future__ import annotations

from collections.abc import Callable
import multiprocessing

from ...core.errors import SimloopError
from ..actions import Action, LoadScenario
from ..description import Description
from ..frame import Frame
from ..source import PageNotice
from .worker import Answer, FrameRequest, Message, work

START_TIME = 60.0
"""Time in which the other process has to answer for the first time [s]."""
END_TIME = 5.0
"""Time in which it has to end [s]."""


class LiveSource:
    """Starts a process that simulates a scenario, and talks with it.

    A frame is asked for when the last one has come: a page that is slow gets fewer, and the
    simulation waits for nobody.

    :param clock: real time [s], the same in all processes; it has to be a function of a module.
    :raises SimloopError: the scenario cannot be run, with the reason.
    """

    def __init__(self, load: LoadScenario, clock: Callable[[], float]):
        context = multiprocessing.get_context('spawn')
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(
            target=work, args=(theirs, load, clock), name='simloop view', daemon=True
        )
        self._process.start()
        theirs.close()
        self._asked = self._gone = False
        self._frame: Frame | None = None
        self._notices: list[PageNotice] = []
        self._description = self._first_description()

    def description(self) -> Description:
        """Return the present scene."""
        self._read()
        return self._description

    def frame(self) -> Frame | None:
        """Return the frame that was asked for last time, if it has come, and ask for another."""
        self._read()
        frame, self._frame = self._frame, None
        if not self._asked:
            self._asked = self._tell(FrameRequest())
        return frame

    def notices(self) -> tuple[PageNotice, ...]:
        """Return what there is to say."""
        self._read()
        notices, self._notices = tuple(self._notices), []
        return notices

    def send(self, action: Action) -> None:
        """Pass an action on."""
        self._tell(action)

    def close(self) -> None:
        """End the process."""
        self._gone = True
        self._pipe.close()
        self._process.join(END_TIME)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()

    def _first_description(self) -> Description:
        if self._pipe.poll(START_TIME):
            try:
                answer: Answer = self._pipe.recv()
            except EOFError:
                answer = PageNotice('the simulation ended at once', 'error')
            if isinstance(answer, Description):
                return answer
            text = answer.text if isinstance(answer, PageNotice) else 'no description came'
        else:
            text = f'the simulation did not start within {START_TIME:g} s'
        self.close()
        raise SimloopError(text)

    def _tell(self, message: Message) -> bool:
        """Send a message; return whether it could be sent."""
        if self._gone:
            return False
        try:
            self._pipe.send(message)
        except OSError:
            self._end()
            return False
        return True

    def _read(self) -> None:
        """Take all answers that have come."""
        try:
            while not self._gone and self._pipe.poll(0.0):
                self._take(self._pipe.recv())
        except (EOFError, OSError):
            self._end()

    def _end(self) -> None:
        """Note that the other process has ended by itself."""
        self._gone = True
        self._notices.append(PageNotice('the simulation has ended; start it again', 'error'))

    def _take(self, answer: Answer) -> None:
        match answer:
            case Description():
                self._description, self._frame, self._asked = answer, None, False
            case Frame():
                self._frame, self._asked = answer, False
            case PageNotice():
                self._notices.append(answer)
