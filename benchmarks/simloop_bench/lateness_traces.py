"""Traces of delays: when each process is not scheduled, and which messages get lost."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import numpy as np

from simloop_ros.core.errors import ConfigError
from simloop_ros.core.files import read_text
from simloop_ros.ros.pacing.pause_log import Trace

from .virtual_graph import LATENCY, NODES
from .virtual_time import NANO, VirtualProcess

Pauses = list[tuple[int, int]]
Delay = Callable[[], int | None]
LONGEST_PAUSE = 4.0
"""Longest pause of random lateness [periods]; the shortest is one period."""
BURST_INTERVAL = 0.7
"""Mean time between two bursts of a process [s]."""
FIRST_BURST = 0.5
"""Time before which nothing is late [s]: the motion has to begin."""


class LatenessTrace(msgspec.Struct, frozen=True, kw_only=True):
    """What is late, and how often.

    :ivar random: share of the periods in which a process is left out for one to four periods.
    :ivar burst: length of the pauses that a process has now and then [s].
    :ivar slow: node that is left out for most of every period.
    :ivar lost: share of the messages that get lost.
    :ivar killed: node whose process is killed in the middle of the run.
    :ivar file: recorded trace: begin and end of each pause, by node [s].
    :ivar calm: whether the largest accelerations shall be near those of lockstep.
    """

    name: str
    random: float = 0.0
    burst: float = 0.0
    slow: str = ''
    lost: float = 0.0
    killed: str = ''
    file: str = ''
    calm: bool = False

    def pauses(
        self, rng: np.random.Generator, node: str, duration: float, period: float
    ) -> Pauses:
        """Return the pauses of a node's process [ns] within a duration [s]."""
        if self.file:
            recorded = _read(Path(self.file)).get(node, [])
            return _joined([(round(a * NANO), round(b * NANO)) for a, b in recorded])
        starts = np.arange(FIRST_BURST, duration, period)
        if self.random:
            starts = starts[rng.random(starts.size) < self.random]
            lengths = rng.uniform(1.0, LONGEST_PAUSE, starts.size) * period
        elif self.burst:
            gaps = rng.uniform(0.7, 1.3, int(duration / BURST_INTERVAL)) * BURST_INTERVAL
            starts = FIRST_BURST + np.cumsum(gaps + self.burst)
            lengths = np.full(starts.size, self.burst)
        elif self.slow == node:
            lengths = rng.uniform(0.3, 1.5, starts.size) * period
        else:
            return []
        begins = (starts * NANO).astype(np.int64)
        ends = begins + (lengths * NANO).astype(np.int64)
        return _joined(list(zip(begins.tolist(), ends.tolist(), strict=True)))

    def processes(
        self, rng: np.random.Generator, duration: float, period: float, *, composed: bool
    ) -> dict[str, VirtualProcess]:
        """Return the process of each node; composed, all share one."""
        if composed:
            shared = VirtualProcess(self.pauses(rng, self.slow or NODES[0], duration, period))
            return dict.fromkeys(NODES, shared)
        return {node: VirtualProcess(self.pauses(rng, node, duration, period)) for node in NODES}

    def delay(self, rng: np.random.Generator) -> Delay:
        """Return what says how long each message takes [ns], ``None`` if it gets lost."""
        if not self.lost:
            return lambda: LATENCY
        return lambda: None if rng.random() < self.lost else LATENCY


def recorded_trace(path: Path) -> LatenessTrace:
    """Return the trace that ``simloop launch --trace`` wrote; raises ConfigError."""
    _read(path)
    return LatenessTrace(name=path.stem, file=str(path.absolute()))


def _read(path: Path) -> Trace:
    try:
        trace = msgspec.json.decode(read_text(path), type=Trace)
    except msgspec.DecodeError as error:
        raise ConfigError(f'{path}: not a trace of simloop launch --trace: {error}') from error
    if not trace:
        raise ConfigError(f'{path}: not a trace of simloop launch --trace: it names no process')
    return trace


def _joined(pauses: Pauses) -> Pauses:
    """Return pauses in order, those that overlap as one."""
    found: Pauses = []
    for begin, end in sorted(pauses):
        if found and begin <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((begin, end))
    return found


TRACES = (
    LatenessTrace(name='none', calm=True),
    LatenessTrace(name='random 1 %', random=0.01, calm=True),
    LatenessTrace(name='random 5 %', random=0.05, calm=True),
    LatenessTrace(name='random 20 %', random=0.2),
    LatenessTrace(name='bursts of 20 ms', burst=0.02, calm=True),
    LatenessTrace(name='bursts of 50 ms', burst=0.05, calm=True),
    LatenessTrace(name='bursts of 100 ms', burst=0.1),
    LatenessTrace(name='bursts of 200 ms', burst=0.2),
    LatenessTrace(name='slow planner', slow='planner'),
    LatenessTrace(name='slow control', slow='control_simulation'),
    LatenessTrace(name='5 % of the messages lost', lost=0.05),
    LatenessTrace(name='control killed', killed='control_simulation'),
)
