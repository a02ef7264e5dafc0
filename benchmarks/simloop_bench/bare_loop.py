"""A loop that only sleeps and wakes: ``python -m simloop_bench.bare_loop PERIOD PRIORITY FILE``.

It sleeps until the next multiple of the period [s], with the priority of the nodes, until SIGINT
or SIGTERM. Then it writes, as JSON, the time at which it ended and of each wake-up that was more
than a period late the time and the number of periods that it missed.
"""

from __future__ import annotations

from collections import deque
import json
from pathlib import Path
import signal
import sys
import time

import msgspec

from simloop_ros.ros.node.scheduling import set_priority

MOST = 1_000_000
"""Late wake-ups that are kept; of more the last ones."""
NANO = 10**9


class BareLateness(msgspec.Struct, frozen=True):
    """When a bare loop was late.

    :ivar end: time at which it ended [s].
    :ivar late: time [s] and missed periods of each late wake-up.
    """

    end: float
    late: list[tuple[float, int]]

    def missed(self, duration: float) -> int:
        """Return the periods that it missed in the last part of its time [s]."""
        return sum(count for at, count in self.late if at > self.end - duration)


def sleep_and_wake(period: float, ends: list[int]) -> BareLateness:
    """Sleep until each multiple of a period [s] until there is an end; return what was late."""
    step, late = round(period * NANO), deque[tuple[float, int]](maxlen=MOST)
    due = time.monotonic_ns() // step + 1
    while not ends:
        time.sleep(max(0, due * step - time.monotonic_ns()) / NANO)
        now = time.monotonic_ns()
        missed = max(0, now // step - due)
        if missed:
            late.append((now / NANO, missed))
        due += missed + 1
    return BareLateness(time.monotonic_ns() / NANO, list(late))


def read_bare(path: Path) -> BareLateness:
    """Return what a bare loop wrote."""
    return msgspec.json.decode(path.read_bytes(), type=BareLateness)


def main(period: str, priority: str, file: str) -> int:
    """Run until a signal, then write."""
    ends: list[int] = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _: ends.append(number))
    set_priority(int(priority))
    found = sleep_and_wake(float(period), ends)
    Path(file).write_text(json.dumps(msgspec.to_builtins(found)))
    return 0


if __name__ == '__main__':
    raise SystemExit(main(*sys.argv[1:]))
