"""The loop: its state is a value, a run is a function of its scenario, and it can be stopped."""

from __future__ import annotations

from collections.abc import Callable, Iterator
import importlib.util
from itertools import count
from pathlib import Path

import numpy as np
import pytest
from steps import into

from simloop_ros.assembly.assemble import Assembly, assemble
from simloop_ros.loop.loop import PARTS, TIMED_EVERY, Loop
from simloop_ros.loop.sensing import Sensing
from simloop_ros.record.log import LogReader, LogWriter
from simloop_ros.record.metrics import compute_metrics
from simloop_ros.scenario.loading import load_scenario

Build = Callable[..., Assembly]
FAULTS = (
    'plant.noise=1e-5',
    'plant.mass_bias=0.1',
    'plant.friction={coulomb: 0.1, viscous: 0.1}',
    'plant.delay=1',
)
PUSH = 'plant.pushes=[{link: sphere, start: 0.05, duration: 0.1, force: [0, 0, 5]}]'
MOTIONS = {
    'online': ('step', 'robot=two_link', 'planner.move=[[0.1, 0, 0.1]]'),
    'offline': (
        'step',
        'robot=two_link',
        'planner.move=[[0.1, 0, 0.1]]',
        'planner.kind=offline',
        'control.law=computed_torque',
    ),
    'guiding': ('sphere_guiding', 'planner.threshold=0.1', 'planner.tare_time=0.1', PUSH),
}


@pytest.fixture
def build() -> Iterator[Build]:
    """Return the builder of a scenario with its settings; its plant is closed afterwards."""
    plants = []

    def make(name: str, *settings: str) -> Assembly:
        prepared = assemble(load_scenario(name, settings))
        plants.append(prepared.loop.plant)
        return prepared

    yield make
    for plant in plants:
        plant.close()


@pytest.fixture(params=['pinocchio', 'pybullet', 'mujoco'])
def engine(request: pytest.FixtureRequest) -> str:
    """Every engine that is installed, by name."""
    if importlib.util.find_spec(request.param) is None:
        pytest.skip(f'{request.param} is not installed')
    return request.param


def rows(loop: Loop, steps: int, folder: Path) -> np.ndarray:
    """Take steps and return what was logged, shape ``(steps, 8, n)``."""
    path, n = folder / 'raw', loop.control.model.n
    with LogWriter(path, n) as log:
        loop.run(steps, into(log))
    return LogReader(path, n).read()


def digest(prepared: Assembly, steps: int, folder: Path) -> str:
    rows(prepared.loop, steps, folder)
    return compute_metrics(LogReader(folder / 'raw', prepared.facts.model.n)).digest


@pytest.mark.parametrize('rollback', ['measured', 'observer'])
@pytest.mark.parametrize('motion', MOTIONS)
def test_replay_is_bitwise_the_straight_run(
    build: Build, tmp_path: Path, engine: str, motion: str, rollback: str
) -> None:
    """Section 5.3 of 000 rolls back every step: whoever goes back must find the same future."""
    name, *settings = MOTIONS[motion]
    loop = build(
        name, *settings, *FAULTS, f'plant.engine={engine}', f'control.rollback={rollback}'
    ).loop
    states, parts = [], []
    for length in (1, 20, 40, 60):  # from rest, tare, push and motion
        states.append(loop.snapshot())
        parts.append(rows(loop, length, tmp_path))
    straight = np.concatenate(parts)
    for state in reversed(states):
        loop.restore(state)
        again = rows(loop, len(straight) - state.index, tmp_path)
        assert again.tobytes() == straight[state.index :].tobytes()
    assert loop.index == len(straight)
    assert np.ptp(straight[:, 7, 0]) > 0.0  # it did move


@pytest.mark.parametrize('engine', ['pinocchio', 'mujoco'])
def test_replay_in_another_loop(build: Build, tmp_path: Path, engine: str) -> None:
    """The state holds everything: a loop that never was there goes on from it as well.

    PyBullet keeps part of its state to itself; there a state belongs to its plant.
    """
    name, *settings = MOTIONS['online']
    settings += [*FAULTS, f'plant.engine={engine}']
    first, second = build(name, *settings).loop, build(name, *settings).loop
    rows(first, 50, tmp_path)
    state = first.snapshot()
    expected = rows(first, 50, tmp_path)
    second.restore(state)
    assert rows(second, 50, tmp_path).tobytes() == expected.tobytes()


def test_replay_through_a_contact(build: Build, tmp_path: Path, engine: str) -> None:
    if engine == 'pinocchio':
        pytest.skip('pinocchio has no contact')
    unwatched = ('period=0.02', "monitor.calibration=''")
    loop = build('sphere_collision', f'plant.engine={engine}', *unwatched).loop
    rows(loop, 150, tmp_path)  # the sphere meets the plane after 3.16 s
    before = loop.snapshot()
    first = rows(loop, 30, tmp_path)
    touching = loop.snapshot()
    second = rows(loop, 30, tmp_path)
    assert loop.plant.report().contacts
    loop.restore(touching)
    assert rows(loop, 30, tmp_path).tobytes() == second.tobytes()
    loop.restore(before)
    assert rows(loop, 60, tmp_path).tobytes() == first.tobytes() + second.tobytes()


def test_the_seed_decides(build: Build, tmp_path: Path, engine: str) -> None:
    settings = ('sphere_step', 'plant.noise=1e-5', f'plant.engine={engine}')
    first, same, other = (
        digest(build(*settings, f'seed={seed}'), 100, tmp_path) for seed in (1, 1, 2)
    )
    assert first == same
    assert first != other


def test_without_noise_the_seed_changes_nothing(build: Build, tmp_path: Path) -> None:
    first, other = (digest(build('sphere_step', f'seed={seed}'), 100, tmp_path) for seed in (1, 2))
    assert first == other


def test_taking_the_time_does_not_change_the_run(build: Build, tmp_path: Path) -> None:
    steps = 2 * TIMED_EVERY + 5
    expected = rows(build('sphere_step', *FAULTS).loop, steps, tmp_path)
    loop = build('sphere_step', *FAULTS).loop
    ticks = count()
    with LogWriter(tmp_path / 'timed', 1) as log:
        costs = loop.run(steps, into(log), clock=lambda: float(next(ticks)))
    assert LogReader(tmp_path / 'timed', 1).read().tobytes() == expected.tobytes()
    # With a clock that ticks once per look, a part costs as many ticks as it has calls.
    calls = {'planner': 1, 'control': 1, 'plant': 3, 'rollback': 1, 'monitor': 1, 'log': 1}
    assert costs == calls
    assert set(costs) == set(PARTS)


def test_without_a_clock_there_are_no_costs(build: Build, tmp_path: Path) -> None:
    with LogWriter(tmp_path / 'raw', 1) as log:
        assert build('sphere_step').loop.run(3, into(log)) == {}


def test_proceed_stops_soon(build: Build, tmp_path: Path) -> None:
    loop, asked = build('sphere_step').loop, []

    def proceed(step: int) -> bool:
        asked.append(step)
        return step < 600

    with LogWriter(tmp_path / 'raw', 1) as log:
        loop.run(10**9, into(log), proceed)
        assert log.rows == loop.index == asked[-1]
    assert asked[0] == 0
    assert 600 <= loop.index <= 600 + TIMED_EVERY + 1
    assert np.diff(asked).max() <= TIMED_EVERY + 1


@pytest.mark.parametrize('steps', [1, TIMED_EVERY, TIMED_EVERY + 1, TIMED_EVERY + 2])
@pytest.mark.parametrize('timed', [False, True])
def test_as_many_steps_as_asked_for(build: Build, tmp_path: Path, steps: int, timed: bool) -> None:
    loop = build('sphere_step').loop
    with LogWriter(tmp_path / 'raw', 1) as log:
        loop.run(steps, into(log), clock=(lambda: 0.0) if timed else None)
        assert log.rows == loop.index == steps


def test_no_block_writes_into_what_it_was_given(build: Build, tmp_path: Path) -> None:
    """A saved state stays what it was, however far the loop goes on."""
    loop = build(*MOTIONS['online'], *FAULTS).loop
    rows(loop, 10, tmp_path)
    state = loop.snapshot()
    control = state.control.state
    before = control.position.tobytes(), control.velocity.tobytes()
    rows(loop, 50, tmp_path)
    assert (control.position.tobytes(), control.velocity.tobytes()) == before


def test_sensing_is_told_the_end_of_each_step(build: Build) -> None:
    class Noting(Sensing):
        def step(self, time, *_):
            times.append(time)

    times: list[float] = []
    loop = build(*MOTIONS['online'], 'period=0.01').loop
    loop.sensing = Noting()
    records = [loop.step() for _ in range(3)]
    assert times == pytest.approx([0.01, 0.02, 0.03])
    assert [record.index for record in records] == [0, 1, 2]
