"""What a person asks of a graph, as calls of its services one after the other."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator
from typing import Any

from std_srvs.srv import SetBool, Trigger

from ...core.errors import SimloopError
from ..actions import Action, Halt, Pause, Play, Reset, Resume, Step
from .heard_graph import HeardGraph
from .view_node import PAUSE, RESET, STARTS, STEP, STOP, ViewNode

ANSWER_TIME = 5.0
"""Time in which a service has to answer [s]; a planner that plans anew takes a while."""
Job = Generator[Callable[[], bool], None, str]
"""Yields what it waits for; returns what there is to say."""


class ServiceJobs:
    """Does one thing after the other; nothing blocks.

    :param say: takes a line, and whether it tells of a failure.
    """

    def __init__(self, node: ViewNode, heard: HeardGraph, say: Callable[[str, bool], None]):
        self._node, self._heard, self._say = node, heard, say
        self._jobs: deque[Job] = deque()
        self._waiting: Callable[[], bool] | None = None
        self._until = 0.0

    def take(self, action: Action) -> bool:
        """Take what a graph can be asked for; return whether it is such a thing."""
        match action:
            case Play():
                self._jobs.append(self._pause(False))
            case Pause():
                self._jobs.append(self._pause(True))
            case Step():
                self._jobs.append(self._step(action.count))
            case Halt():
                self._jobs.append(self._call(STOP, True))
            case Resume():
                self._jobs.append(self._resume())
            case Reset():
                self._jobs.append(self._reset())
            case _:
                return False
        return True

    def turn(self, now: float) -> None:
        """Go on as far as answers have come.

        :param now: real time [s].
        """
        while self._jobs:
            if self._waiting is not None:
                if not self._waiting() and now < self._until:
                    return
                self._waiting = None
            try:
                self._waiting = next(self._jobs[0])
                self._until = now + ANSWER_TIME
            except StopIteration as end:
                self._jobs.popleft()
                if end.value:
                    self._say(end.value, False)
            except SimloopError as error:
                self._jobs.popleft()
                self._say(str(error), True)

    def _call(self, name: str, on: bool | None = None) -> Job:
        """Call a service, and return its answer."""
        client = self._node.services_by_name[name]
        if not client.service_is_ready():
            raise SimloopError(f'nobody serves {client.service_name}')
        request = Trigger.Request() if on is None else SetBool.Request(data=on)
        future: Any = client.call_async(request)
        yield future.done
        if not future.done():
            client.remove_pending_request(future)
            raise SimloopError(f'{client.service_name} does not answer')
        answer = future.result()
        if not answer.success:
            raise SimloopError(f'{client.service_name}: {answer.message}')
        return str(answer.message)

    def _pause(self, paused: bool) -> Job:
        yield from self._call(PAUSE, paused)
        return ''

    def _step(self, count: int) -> Job:
        if not self._heard.status.paused:
            yield from self._call(PAUSE, True)
        for _ in range(max(1, count)):
            yield from self._call(STEP)
        return ''

    def _resume(self) -> Job:
        """Release the robot if it is stopped, and let its planner start."""
        released = ''
        if self._heard.status.stopped():
            released = yield from self._call(STOP, False)
        start = next(
            (name for name in STARTS if self._node.services_by_name[name].service_is_ready()),
            STARTS[0],
        )
        try:
            return (yield from self._call(start))
        except SimloopError as error:
            if not released:
                raise
            return f'{released}; {error}'

    def _reset(self) -> Job:
        """Stop the robot, put it to its home, and release it there."""
        if not self._heard.status.stopped():
            yield from self._call(STOP, True)
        yield lambda: self._heard.status.braked
        answer = yield from self._call(RESET)
        yield from self._call(STOP, False)
        return f'{answer}; "Resume" starts its motion'
