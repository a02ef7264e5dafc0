"""The nodes keep their memory, however many steps they take."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.long

MOST = 2.0  # growth that is none: allocators keep a little of what passes through [MB]
WARM_UP, STEPS = 5_000, 15_000  # all buffers of a fixed length are full after 2048 steps
BYTES_PER_STEP = 8 * 8  # of the raw log: eight columns, one joint
STARTING = 60.0  # longest time to start on a busy machine [s]
RUNNING = 300.0  # longest time for the steps on a busy machine [s]


def resident(pid: int) -> float:
    """Return the resident memory of a process [MB]."""
    return int(Path(f'/proc/{pid}/statm').read_text().split()[1]) * 4096 / 1e6


def test_memory_stays_where_it_is(graph: Any) -> None:
    out = graph.folder / 'out'
    process = graph.launch(
        *('sphere_step', '--out', str(out), '--no-figures'),
        *('--set', 'duration=1000', '--set', 'plant.noise=1e-5'),
    )
    raw = graph.folder / '.out.run' / 'log.raw'
    graph.wait_until(raw.exists, STARTING)
    graph.wait_until(lambda: raw.stat().st_size >= WARM_UP * BYTES_PER_STEP, RUNNING)
    pids = graph.node_pids()
    before = {name: resident(pid) for name, pid in pids.items()}
    graph.wait_until(lambda: raw.stat().st_size >= STEPS * BYTES_PER_STEP, RUNNING)
    growth = {name: resident(pid) - before[name] for name, pid in pids.items()}
    process.terminate()
    process.wait()
    print(growth)
    assert len(growth) == 5
    assert all(value < MOST for value in growth.values()), growth
