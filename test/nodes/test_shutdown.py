"""Whoever is told to stop, all end soon and cleanly, the log is kept, and nothing is left."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
import json
import os
from pathlib import Path
import signal
import tempfile
import time
from typing import Any

import numpy as np
import pytest

from simloop_ros.assembly.assemble import assemble
from simloop_ros.assembly.run import run
from simloop_ros.record.mcap import McapReader, read_mcap
from simloop_ros.record.metrics import compute_metrics
from simloop_ros.scenario.loading import load_scenario

STARTING = 60.0  # longest time to start and plan on a busy machine [s]
PROMISED = 2.0  # in which all end on a machine that does nothing else [s]
BUSIEST = 4.0  # load per core beyond which times tell nothing
INTERRUPTED = 130  # status of a run that was told to stop
HUNG = 30.0  # later than any supervisor kills [s]
STEPS = 120_000
SETTINGS = (f'duration={STEPS / 200}', 'plant.mass_bias=0.1')
COMPARED = 2000  # rows at most that the loop in this process has to make
NODES = ('motion_planner', 'control_simulation', 'plant', 'collision_monitor', 'recorder')
SIGNALS = (signal.SIGINT, signal.SIGTERM)
KINDS = {'distributed': (), 'composed': ('--composed',)}
SHARED_MEMORY = '/dev/shm/fastdds_'
PORT = SHARED_MEMORY + 'port'  # several graphs may have one of these together

Start = Callable[..., Any]


def load() -> float:
    """Return the machine's load of the last minute, per core."""
    return os.getloadavg()[0] / (os.cpu_count() or 1)


@cache
def log_of_the_loop() -> np.ndarray:
    """Return the columns of the run in this process, shape ``(rows, 8, n)``."""
    with tempfile.TemporaryDirectory() as folder:
        prepared = assemble(load_scenario('sphere_step', SETTINGS))
        run(prepared, Path(folder), time.perf_counter, lambda steps: steps < COMPARED)
        return read_mcap(Path(folder) / 'log.mcap').columns


@pytest.fixture
def start(graph: Any) -> Iterator[Start]:
    """Return what starts a long run; what it leaves behind is a failure."""
    if load() > BUSIEST:
        pytest.skip(f'the machine is too busy: load {load():.1f} per core')
    graph.shared_memory = set()

    def call(kind: str) -> Any:
        given = [word for setting in SETTINGS for word in ('--set', setting)]
        out = str(graph.folder / 'out')
        return graph.launch('sphere_step', *given, '--out', out, '--no-figures', *KINDS[kind])

    yield call
    assert graph.pids() == {}
    assert [path for path in graph.shared_memory if Path(path).exists()] == []


def wait_until_at_work(graph: Any, kind: str) -> None:
    raw = graph.folder / '.out.run' / 'log.raw'
    graph.wait_until(lambda: raw.exists() and raw.stat().st_size, STARTING)
    pids = graph.node_pids()
    assert set(pids) == ({'composed'} if kind == 'composed' else set(NODES))
    graph.shared_memory = {path for pid in pids.values() for path in shared_memory(pid)}


def shared_memory(pid: int) -> Iterator[str]:
    """Yield the files of the middleware in shared memory that belong to a process."""
    for line in Path(f'/proc/{pid}/maps').read_text().splitlines():
        path = line.split(maxsplit=5)[-1]
        if path.startswith(SHARED_MEMORY) and not path.startswith(PORT):
            yield path


def end(graph: Any, launcher: Any, pid: int, number: signal.Signals) -> int:
    """Send a signal, and return the launcher's status."""
    begin = time.monotonic()
    os.kill(pid, number)
    status = launcher.wait(HUNG)
    elapsed = time.monotonic() - begin
    print(f'ended after {elapsed:.2f} s, load {load():.1f} per core')
    assert elapsed < PROMISED * max(2.0, 1.0 + load()), graph.output
    return int(status)


def check_log(folder: Path) -> None:
    """Check that the log is whole, and the beginning of that of the loop in one process."""
    summary = json.loads((folder / 'summary.json').read_text())
    assert summary['status'] == 'interrupted'
    assert 0 < summary['steps'] < STEPS
    assert compute_metrics(McapReader(folder / 'log.mcap')).digest == summary['digest']
    columns = read_mcap(folder / 'log.mcap').columns
    assert len(columns) == summary['steps']
    rows = min(len(columns), COMPARED)
    np.testing.assert_array_equal(columns[:rows], log_of_the_loop()[:rows])
    assert {path.name for path in folder.iterdir()} == {'summary.json', 'log.mcap'}


@pytest.mark.parametrize(
    ('kind', 'number'),
    [
        ('distributed', signal.SIGINT),
        ('composed', signal.SIGTERM),
        pytest.param('distributed', signal.SIGTERM, marks=pytest.mark.long),
        pytest.param('composed', signal.SIGINT, marks=pytest.mark.long),
    ],
    ids=lambda given: getattr(given, 'name', given),
)
def test_a_signal_to_the_launcher_ends_all(
    graph: Any, start: Start, kind: str, number: signal.Signals
) -> None:
    launcher = start(kind)
    wait_until_at_work(graph, kind)
    assert end(graph, launcher, launcher.pid, number) == INTERRUPTED, graph.output
    assert 'simloop: stopped by a signal' in graph.output
    check_log(graph.folder / 'out')


@pytest.mark.long
@pytest.mark.parametrize(
    ('node', 'number'),
    list(zip(NODES, [*SIGNALS, *SIGNALS, *SIGNALS], strict=False)),
    ids=str,
)
def test_a_signal_to_any_node_ends_all(
    graph: Any, start: Start, node: str, number: signal.Signals
) -> None:
    launcher = start('distributed')
    wait_until_at_work(graph, 'distributed')
    assert end(graph, launcher, graph.node_pids()[node], number) == INTERRUPTED, graph.output
    if node != 'recorder':
        assert f'simloop: {node} ended, and so do the others' in graph.output
    check_log(graph.folder / 'out')


@pytest.mark.long
@pytest.mark.parametrize('number', SIGNALS, ids=lambda number: number.name)
def test_a_signal_to_the_only_process_ends_it(
    graph: Any, start: Start, number: signal.Signals
) -> None:
    launcher = start('composed')
    wait_until_at_work(graph, 'composed')
    assert end(graph, launcher, graph.node_pids()['composed'], number) == INTERRUPTED, graph.output
    check_log(graph.folder / 'out')


@pytest.mark.long
@pytest.mark.parametrize('delay', [0.2, 1.6])
def test_a_signal_while_nodes_start_ends_all(graph: Any, start: Start, delay: float) -> None:
    launcher = start('distributed')
    graph.wait_until(graph.node_pids, STARTING)
    time.sleep(delay)
    assert end(graph, launcher, launcher.pid, signal.SIGINT) == INTERRUPTED, graph.output


@pytest.mark.long
@pytest.mark.parametrize('node', ['plant', 'recorder', 'composed'])
def test_a_node_that_is_killed_takes_the_others_with_it(
    graph: Any, start: Start, node: str
) -> None:
    # Where discovery stays on the machine rmw_fastrtps uses shared memory whatever it is told,
    # and who is killed cannot remove it.
    graph.environment['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'SUBNET'
    kind = 'composed' if node == 'composed' else 'distributed'
    launcher = start(kind)
    wait_until_at_work(graph, kind)
    assert not graph.shared_memory
    assert end(graph, launcher, graph.node_pids()[node], signal.SIGKILL) == 1, graph.output
    assert f'simloop: {node} died of SIGKILL' in graph.output
    if node == 'plant':
        check_log(graph.folder / 'out')
