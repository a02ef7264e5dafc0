"""When a process was not scheduled: a recorded trace of lateness."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from pathlib import Path
import time

import msgspec

from ..messages.stamps import NANO

LATE = 0.5
"""Lateness of a tick that counts as a pause [periods]."""
MOST = 100_000
"""Pauses that are kept; of more the last ones."""
ROLES = dict.fromkeys(('motion_planner', 'admittance', 'bimanual'), 'planner')
"""What a trace calls a node, where that is not its name."""

Trace = dict[str, list[tuple[float, float]]]
"""Begin and end of the pauses of each node's process [s]."""


class NodePauses(msgspec.Struct, frozen=True):
    """The pauses of one process, by a clock that all processes share.

    :ivar begin: when its node became active [ns].
    :ivar pauses: begin and end of each [ns].
    """

    begin: int
    pauses: list[tuple[int, int]]


class PauseLog:
    """Notes when the ticks of a steady timer come late: from when they were due until they came.

    :param period: from tick to tick [s].
    :param clock: returns the time of a steady clock [ns].
    """

    def __init__(self, period: float, clock: Callable[[], int] = time.monotonic_ns):
        self._period = round(period * NANO)
        self._clock = clock
        self._pauses: deque[tuple[int, int]] = deque(maxlen=MOST)
        self._begin = self._last = clock()

    def begin(self) -> None:
        """Start: the first tick is due in a period."""
        self._begin = self._last = self._clock()

    def tick(self) -> None:
        """Note whether a tick is late; called by the timer."""
        now, due = self._clock(), self._last + self._period
        if now - due > LATE * self._period:
            self._pauses.append((due, now))
        self._last = now

    def write(self, folder: Path, node: str) -> None:
        """Write the pauses of a node's process to a file of its own in a folder."""
        content = NodePauses(self._begin, list(self._pauses))
        (folder / f'{node}.json').write_bytes(msgspec.json.encode(content))


def join_pauses(folder: Path) -> Trace:
    """Return the trace of all nodes whose files are in a folder; it begins when all are active."""
    found = {
        path.stem: msgspec.json.decode(path.read_bytes(), type=NodePauses)
        for path in sorted(folder.glob('*.json'))
    }
    origin = max((log.begin for log in found.values()), default=0)
    return {
        ROLES.get(node, node): [
            (max(0, begin - origin) / NANO, (end - origin) / NANO)
            for begin, end in log.pauses
            if end > origin
        ]
        for node, log in found.items()
    }
