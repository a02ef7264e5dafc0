"""A ROS graph as the source of a page."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial
import threading
from typing import Any

import numpy as np
import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.signals import SignalHandlerOptions

from ...core.errors import SimloopError
from ...ros.node.process import prepare_middleware
from ..actions import Action, Grip, LetGo
from ..description import Abilities, Description
from ..frame import Frame
from ..source import PageNotice
from .heard_graph import HeardGraph
from .service_jobs import ServiceJobs
from .view_node import PAUSE, ViewNode

RESTING, HOLDING = 0.015, 0.004
"""Time between two looks at the topics [s]: also while a hand holds the robot."""
WATCH_PERIOD = 0.2
"""Time between two looks at who is there [s]."""
UNSEEN_TIME = 2.0
"""Time after the last frame for which it goes on listening [s]."""
LONELY_TIME = 3.0
"""Time after which a wait is explained [s]."""
OTHERS = ('robot_description', 'safety', '/diagnostics', 'markers')


class GraphSource:
    """Listens to the graph of a namespace, with a node in a thread of its own.

    It is a client as any: its subscriptions are best effort, so that nobody waits for it, and it
    leaves them while nobody asks for frames.

    :param namespace: of the graph; empty for none.
    :param clock: real time [s].
    """

    def __init__(self, namespace: str, clock: Callable[[], float]):
        self._clock = clock
        prepare_middleware()
        self._context = Context()
        rclpy.init(context=self._context, signal_handler_options=SignalHandlerOptions.NO)
        name = namespace.strip('/')
        self.namespace = f'/{name}' if name else ''
        self._heard = HeardGraph(self.namespace)
        self._inbox: deque[tuple[str, Any]] = deque()
        self._actions: deque[Action] = deque()
        self._notices: deque[PageNotice] = deque()
        self._node = ViewNode(
            self.namespace,
            self._context,
            {topic: partial(self._receive, topic) for topic in OTHERS},
        )
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self._node)
        self._jobs = ServiceJobs(self._node, self._heard, self._say)
        self._told_problem = ''
        self._pauses = self._grips = False
        self._pushed: set[str] = set()
        self._asked: Any = None
        self._looked = -WATCH_PERIOD
        self._wanted = clock()
        self._lock = threading.Lock()
        self._described = threading.Event()
        self._closing = threading.Event()
        self._failure: Exception | None = None
        self._description: Description | None = None
        self._thread = threading.Thread(target=self._run, name='simloop view', daemon=True)
        self._thread.start()

    def wait(self, report: Callable[[str], None], goes_on: Callable[[], bool]) -> bool:
        """Wait for a graph; return whether there is one, or it was not to go on.

        :param report: takes lines for the user.
        """
        place = f' in {self.namespace}' if self.namespace else ''
        begin, told = self._clock(), ''
        while not self._described.wait(0.05):
            if not goes_on():
                return False
            self._raise_failure()
            self._wanted = self._clock()
            with self._lock:
                line = self._lack(place)
            waited = self._clock() - begin
            if line and line != told and (not told or waited > LONELY_TIME):
                report(line)
                told = line
        return True

    def description(self) -> Description:
        """Return the present scene.

        :raises SimloopError: no graph was heard yet.
        """
        self._raise_failure()
        if self._description is None:
            raise SimloopError('no graph was heard yet')
        return self._description

    def frame(self) -> Frame | None:
        """Return what is new since the last call."""
        self._raise_failure()
        self._wanted = self._clock()
        with self._lock:
            return self._heard.frame(self._wanted)

    def notices(self) -> tuple[PageNotice, ...]:
        """Return what there is to say."""
        notices = []
        while self._notices:
            notices.append(self._notices.popleft())
        return tuple(notices)

    def send(self, action: Action) -> None:
        """Take an action: a pull, or a call of a service."""
        self._actions.append(action)

    def close(self) -> None:
        """Let go, and leave the graph."""
        self._closing.set()
        self._thread.join()
        self._executor.shutdown()
        self._node.destroy_node()
        self._context.try_shutdown()

    def _receive(self, topic: str, message: Any) -> None:
        self._inbox.append((topic, message))

    def _run(self) -> None:
        try:
            while not self._closing.is_set():
                held = bool(self._pushed)
                self._executor.spin_once(timeout_sec=HOLDING if held else RESTING)
                with self._lock:
                    self._turn(self._clock())
            self._let_go(self._pushed)
        except Exception as error:
            self._failure = error

    def _turn(self, now: float) -> None:
        """Take all that has come, and answer it."""
        heard = self._heard
        while self._inbox:
            heard.take_other(*self._inbox.popleft(), now)
        while self._actions:
            self._act(self._actions.popleft())
        before = heard.steps.newest if heard.model is not None else None
        for topic in tuple(self._node.streams):
            heard.take(topic, self._node.poll(topic), now)
        if heard.model is not None and heard.steps.newest != before:
            self._pull(now)
        self._jobs.turn(now)
        if now >= self._looked + WATCH_PERIOD:
            self._looked = now
            self._watch(now)

    def _watch(self, now: float) -> None:
        """Look who is there, and whether anybody looks at it."""
        heard, node = self._heard, self._node
        heard.scene.forget_until(now)
        present = node.robots > 0
        if heard.model is not None and not present and not heard.ended:
            heard.end()
            self._pushed.clear()
        elif heard.ended and present:
            heard.restart()
            self._pauses = self._grips = False
        if now < self._wanted + UNSEEN_TIME or self._pushed:
            node.listen()
        elif node.listens:
            node.rest()
        self._ask()
        if heard.problem != self._told_problem:
            self._told_problem = heard.problem
            if heard.problem:
                self._say(heard.problem, True)
        description = heard.description(now, self._abilities())
        if description is not None:
            self._description = description
            self._described.set()

    def _abilities(self) -> Abilities:
        """Return what can be done; what was possible once stays so while the graph is there."""
        node = self._node
        self._pauses = self._pauses or node.services_by_name[PAUSE].service_is_ready()
        self._grips = self._grips or node.takes_wrenches
        return Abilities(
            live=True,
            pauses=self._pauses,
            grips=self._grips,
            steps=self._pauses,
            speeds=False,
        )

    def _ask(self) -> None:
        """Ask for the parameters that say what no topic does, once for each graph."""
        heard = self._heard
        if heard.ended or not self._node.robots:
            self._asked = None
        elif self._asked is None:
            self._asked = self._node.ask()
        elif self._asked is not True and self._asked.done():
            answer = self._asked.result()
            if answer is not None and len(answer.values) == 2:
                tips, period = answer.values
                heard.take_parameters(tips.string_array_value, period.double_value)
            self._asked = True

    def _act(self, action: Action) -> None:
        heard = self._heard
        if isinstance(action, Grip | LetGo):
            if heard.model is None or heard.ended:
                return
            try:
                if isinstance(action, Grip):
                    heard.grips.take(action)
                else:
                    heard.grips.let_go(action.hand)
                    self._let_go(self._pushed - heard.grips.links)
            except SimloopError as error:
                self._say(str(error), True)
        elif not self._jobs.take(action):
            self._say(f'{type(action).__name__}: a graph cannot do that', True)

    def _pull(self, now: float) -> None:
        wrenches = self._heard.pull(now)
        for link, wrench in wrenches.items():
            self._node.push(link, wrench)
        self._let_go(self._pushed - set(wrenches))
        self._pushed = set(wrenches)

    def _let_go(self, links: set[str]) -> None:
        """Say that nobody pulls some links any more."""
        for link in links:
            self._node.push(link, np.zeros(6))
        self._pushed = self._pushed - links

    def _lack(self, place: str) -> str:
        """Return what is missing for a page; nothing if it is only not drawn yet."""
        heard = self._heard
        if heard.model is not None or heard.problem:
            return heard.problem
        if not self._node.robots:
            return f'waiting for a graph{place}: nobody publishes joint_states yet'
        if not heard.urdf:
            return (
                f'waiting for robot_description{place}: the plant or a robot_state_publisher '
                'publishes it'
            )
        return f'waiting for the first joint state{place}'

    def _say(self, text: str, failed: bool) -> None:
        self._notices.append(PageNotice(text, 'error' if failed else 'info'))

    def _raise_failure(self) -> None:
        if self._failure is not None:
            raise SimloopError(f'the view of the graph failed: {self._failure}') from self._failure
