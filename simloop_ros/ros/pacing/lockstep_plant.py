"""The plant in lockstep: a command triggers the next step."""

from __future__ import annotations

from collections.abc import Iterable
import math
from typing import Any

from ...core.errors import SimloopError
from ...core.values import Array
from ..messages.joint_state import DecodedJointState
from ..messages.stamps import stamp_of, step_of
from .config import GraphConfig
from .plant_port import PlantPort


class LockstepPlant:
    """Applies the command whose stamp is due for one period, and no other.

    With a recorder, ``graph.window`` is the number of steps that the plant may be ahead of it.

    :ivar steps: number of steps taken.
    :ivar paused: whether commands wait.
    :ivar started: whether the robot's position is known: always, in lockstep.
    """

    started = True

    def __init__(self, port: PlantPort, graph: GraphConfig):
        self._port = port
        self._graph = graph
        self._due = 0
        self._allowed: float = 0 if graph.window else math.inf
        self._pending: Array | None = None
        self.steps = 0
        self.paused = False

    def begin(self) -> None:
        """Publish the initial state."""
        if self.steps == 0:
            self._port.publish(0)

    def command(self, message: DecodedJointState) -> None:
        """Take a command; step if it is due."""
        due = message.stamp == self._due and self._pending is None
        if due and self._port.accepts(message.effort, 0.0):
            self._pending = message.effort
            self._advance()

    def recorded(self, stamp: int) -> None:
        """Allow the steps up to the recorder's window.

        :param stamp: of the first step that is not recorded yet [ns].
        """
        step = step_of(stamp, self._graph.period)
        if step <= self.steps:  # a later one cannot have been recorded
            self._allowed = max(self._allowed, step + self._graph.window)
            self._advance()

    def pause(self, paused: bool) -> None:
        """Stop stepping, or continue."""
        self.paused = paused
        self._advance()

    def step_once(self) -> None:
        """Take one step while the plant is paused.

        :raises SimloopError: its command has not come yet.
        """
        if self._pending is None:
            raise SimloopError('no command has come for the next step yet')
        self.pause(False)
        self.paused = True

    def rest(self) -> str:
        """Put the robot to rest at its home; return what was done."""
        self._port.plant.rest_at_home()
        return 'the robot rests at its home'

    def release(self) -> None:
        """Release the brakes."""
        self._port.plant.release()

    def missing(self) -> Iterable[tuple[str, int]]:
        """Return the command that is due; while the plant is paused, nothing."""
        if self.paused or self._pending is not None:
            return ()
        return (('effort_command', self._due),)

    @property
    def waits_for_recorder(self) -> bool:
        """Return whether a command waits because the recorder lags behind, or for a pause."""
        return self._pending is not None

    def report(self) -> dict[str, Any]:
        """Return details for the diagnostics."""
        return {}

    def _advance(self) -> None:
        """Take the step that is due, unless the plant is paused or ahead of the recorder."""
        if self._pending is None or self.paused or self.steps >= self._allowed:
            return
        effort, self._pending = self._pending, None
        self._port.plant.step(effort)
        self.steps += 1
        self._due = stamp_of(self.steps, self._graph.period)
        self._port.publish(self._due)
