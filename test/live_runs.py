"""Short words for tests of live runs."""

from __future__ import annotations

from collections.abc import Sequence
import hashlib
from typing import Any

import numpy as np

from simloop_ros.core.values import Array
from simloop_ros.loop.step_record import StepRecord
from simloop_ros.record.columns import row_reader
from simloop_ros.scenario.loading import load_scenario
from simloop_ros.view.actions import Action, Grip
from simloop_ros.view.frame import Frame
from simloop_ros.view.live.live_run import LiveRun


class SteeredRun:
    """A live run with the rows of its log by step: those of a step that is taken again replace it.

    :ivar rows: of the log, in bytes.
    """

    def __init__(self, scenario: str, settings: Sequence[str] = ()):
        self.records: list[StepRecord] = []
        self.run = LiveRun(load_scenario(scenario, settings), self._take)
        self._reader = row_reader(self.run.facts.columns)
        self.rows: list[bytes] = []
        self.frame()  # as a page does that is there from the beginning

    def __enter__(self) -> SteeredRun:
        return self

    def __exit__(self, *_: Any) -> None:
        self.run.close()

    def _take(self, record: StepRecord) -> None:
        del self.rows[record.index :], self.records[record.index :]
        self.rows.append(self.row(record))
        self.records.append(record)

    def row(self, record: StepRecord) -> bytes:
        """Return the row of a step."""
        return np.array(self._reader(record)).tobytes()

    def until(self, time: float) -> SteeredRun:
        """Take steps until a time [s]."""
        while self.run.time < time - 1e-9:
            self.run.step()
        return self

    def do(self, *actions: Action) -> str:
        """Do something at once; return what was said last."""
        return [self.run.take(action, 0.0) for action in actions][-1]

    def back_to(self, steps: int) -> None:
        """Forget the rows that were not taken again after the time was set back."""
        del self.rows[steps:], self.records[steps:]

    def frame(self) -> Frame:
        """Return a frame."""
        return self.run.frame()

    @property
    def digest(self) -> str:
        """Return that of the log."""
        return hashlib.sha256(b''.join(self.rows)).hexdigest()

    @property
    def path(self) -> Array:
        """Return the true positions, shape ``(steps, n)``."""
        return np.array([record.plant.truth.position for record in self.records])

    def place(self, link: str, point: Array | None = None) -> Array:
        """Return where a point of a link is now [m], shape ``(3,)``."""
        q = self.run.frame().joints
        pose = self.run.facts.model.frame_poses(q, [link])[0]
        return pose.act(np.zeros(3) if point is None else point)

    def grip(
        self,
        link: str,
        offset: Sequence[float],
        *,
        point: Sequence[float] = (0.0, 0.0, 0.0),
        hand: int = 1,
        stiffness: float = 500.0,
        max_force: float = 40.0,
    ) -> Grip:
        """Return a grip of a link that pulls it by an offset [m] from where it is now."""
        x, y, z = (self.place(link, np.array(point)) + offset).tolist()
        a, b, c = point
        return Grip(hand, link, (a, b, c), (x, y, z), stiffness, max_force)
