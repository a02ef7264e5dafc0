"""The signals of each step, joined from topics that come one by one."""

from __future__ import annotations

from collections import deque

import msgspec
import numpy as np

from ...core.values import Array
from ...ros.messages.stamps import NANO
from ..live.frames import COLUMNS

EPOCH = 10**8 * NANO
"""Stamps beyond it are of a clock on the wall, those before it simulated time from 0 on [ns]."""
PATIENCE = 64
"""Joint states after which a step is shown without the control state that ends it."""
KEPT = 8192
"""Messages of a topic that are kept until they are shown."""
SCALARS = (('monitor residual', 'share of threshold'),)


class Signal:
    """The values of a topic over time; each holds until the next one.

    :param before: whether a value is for the step that begins at its stamp, else for the one that
        ends there.
    """

    def __init__(self, *, before: bool = False):
        self._coming: deque[tuple[int, Array]] = deque(maxlen=KEPT)
        self._before = before
        self._value: Array | None = None
        self.newest: int | None = None

    def add(self, stamp: int, value: Array) -> None:
        """Take a value; one that is older than the last was sent twice, or too late."""
        if self.newest is None or stamp > self.newest:
            self._coming.append((stamp, value))
            self.newest = stamp

    def at(self, stamp: int) -> Array | None:
        """Return the value of the step that ends at a stamp [ns], and forget those before it."""
        coming = self._coming
        while coming and (coming[0][0] < stamp if self._before else coming[0][0] <= stamp):
            self._value = coming.popleft()[1]
        return self._value


class StepRows(msgspec.Struct, frozen=True):
    """Some steps: their ends [s], ``(steps,)``, signals, ``(steps, columns, n)``, and scalars."""

    times: Array
    trace: Array
    scalars: Array


class HeardSteps:
    """Joins the signals of a robot by their stamps.

    A row is of the step that ends at a joint state: the control state and the estimated torques of
    that stamp, the command before it.

    :param n: number of joints.
    :ivar joints: last measured positions [rad], shape ``(n,)``; none before the first.
    :ivar newest: stamp of the last joint state [ns]; -1 before the first.
    :ivar twin: last positions of the control simulation [rad], shape ``(n,)``.
    """

    def __init__(self, n: int):
        self._n = n
        self.desired, self.effort = Signal(before=True), Signal(before=True)
        self.rollback, self.external, self.estimated = Signal(), Signal(), Signal()
        self.margin = Signal()
        self._ends: deque[tuple[int, Array]] = deque(maxlen=KEPT)
        self._origin: int | None = None
        self.newest = -1
        self.joints: Array | None = None
        self.twin: Array | None = None

    @property
    def time(self) -> float:
        """Return the time of the last joint state [s]."""
        return self.seconds(self.newest) if self._origin is not None else 0.0

    def seconds(self, stamp: int) -> float:
        """Return the time of a stamp since the run began, or since it was first heard [s]."""
        return (stamp - (self._origin or 0)) / NANO

    def measure(self, stamp: int, position: Array) -> bool:
        """Take a joint state; return whether it is a new one."""
        if self._origin is None:
            self._origin = stamp if stamp > EPOCH else 0
        if stamp <= self.newest:
            return False
        self.newest, self.joints = stamp, position
        self._ends.append((stamp, position))
        return True

    def take_rows(self) -> StepRows:
        """Return the steps since the last call, without the last ones, of which more will come."""
        known = self.rollback.newest
        ends: list[tuple[int, Array]] = []
        while self._ends and (
            (known is not None and self._ends[0][0] <= known) or len(self._ends) > PATIENCE
        ):
            ends.append(self._ends.popleft())
        trace = np.full((len(ends), len(COLUMNS), self._n), np.nan)
        scalars = np.full((len(ends), len(SCALARS)), np.nan)
        for row, scalar, (stamp, position) in zip(trace, scalars, ends, strict=True):
            row[1] = position
            for place, signal in (
                (0, self.desired),
                (2, self.effort),
                (3, self.rollback),
                (4, self.external),
                (5, self.estimated),
            ):
                value = signal.at(stamp)
                if value is not None:
                    row[place] = value
            margin = self.margin.at(stamp)
            if margin is not None:
                scalar[0] = 1.0 - margin[0]
        times = np.array([self.seconds(stamp) for stamp, _ in ends])
        return StepRows(times, trace, scalars)
