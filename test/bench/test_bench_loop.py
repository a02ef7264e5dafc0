"""The benchmark's candidates do what they are timed for; no test asserts a time."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

from simloop_bench import bare, loop
from simloop_bench.command import heading
from simloop_bench.robots import JOINTS_PER_ARM, row_of_arms
from simloop_bench.timing import best_of
from simloop_ros.assembly.assemble import assemble
from simloop_ros.cli.main import main
from simloop_ros.robot.model import RobotModel
from simloop_ros.scenario.loading import load_scenario

FIGURES = {
    'control_over_two_rnea',
    'offline_over_bare',
    'online_over_bare',
    'offline_over_mujoco',
    'growth_exponent',
}
"""With ``offline_over_pybullet`` where it is installed: the fixed names of design section 6."""
STEPS = 40


@pytest.fixture(scope='module')
def robot() -> RobotModel:
    return row_of_arms(1)


@pytest.fixture(scope='module')
def positions(robot: RobotModel) -> np.ndarray:
    """Return a smooth motion from rest, shape ``(STEPS, n)``."""
    swing = 0.2 * (1.0 - np.cos(20.0 * np.pi * loop.PERIOD * np.arange(STEPS)))
    return np.repeat(swing[:, None], robot.n, axis=1)


def test_figures_have_their_fixed_names(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    path = tmp_path / 'new' / 'bench.json'
    assert main(['bench', 'loop', '--quick', '--json', str(path)]) in (0, 1)
    content = json.loads(path.read_text())
    assert set(content) == {'bench', 'quick', 'figures', 'rows'}
    assert (content['bench'], content['quick']) == ('loop', True)
    expected = set(FIGURES)
    if importlib.util.find_spec('pybullet'):
        expected.add('offline_over_pybullet')
    assert set(content['figures']) == expected
    assert all(np.isfinite(value) for value in content['figures'].values())
    assert set(loop.LIMITS) <= expected | {'offline_over_pybullet'}
    assert all(row['us_per_step'] > 0.0 for row in content['rows'])
    assert [row['joints'] for row in content['rows']][-len(loop.SIZES) :] == list(loop.SIZES)
    shown = capsys.readouterr().out
    assert all(heading(name) in shown for name in expected)
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize('arms', [1, 2, 8])
def test_a_row_of_arms_does_not_couple(arms: int) -> None:
    """Arms side by side on a fixed base: the mass matrix is made of equal blocks."""
    robot, single = row_of_arms(arms), row_of_arms(1)
    assert robot.n == arms * JOINTS_PER_ARM
    rng = np.random.default_rng(0)
    q = rng.uniform(-1.0, 1.0, JOINTS_PER_ARM)
    mass = pin.crba(robot.pin_model, robot.pin_model.createData(), np.tile(q, arms))
    block = pin.crba(single.pin_model, single.pin_model.createData(), q)
    np.testing.assert_allclose(mass, np.kron(np.eye(arms), block), atol=1e-12)
    assert np.linalg.eigvalsh(block).min() > 0.0


def test_every_candidate_takes_all_steps(robot: RobotModel, positions: np.ndarray) -> None:
    assert bare.two_rnea(robot, positions)() == STEPS
    assert bare.two_rnea_one_aba(robot, positions)() == STEPS


@pytest.mark.parametrize('engine', ['mujoco', 'pybullet'])
def test_a_library_alone_can_run_again_and_again(
    robot: RobotModel, positions: np.ndarray, engine: str
) -> None:
    pytest.importorskip(engine)
    candidate = getattr(bare, f'{engine}_alone')(robot, positions, loop.PERIOD)
    assert [candidate() for _ in range(3)] == [STEPS] * 3


def test_the_loop_that_is_timed_starts_from_its_first_step(tmp_path: Path) -> None:
    """Each round does the same work, so the least time is that of this work."""
    timed = assemble(load_scenario('sphere_step')).loop
    candidate = loop.whole_loop(timed, STEPS, tmp_path / 'raw')
    logs = []
    for _ in range(3):
        assert candidate() == STEPS
        logs.append((tmp_path / 'raw').read_bytes())
    assert len(set(logs)) == 1
    assert timed.index == STEPS


def test_best_of_runs_everything_side_by_side() -> None:
    order: list[str] = []
    candidates = {name: lambda name=name: order.append(name) or 10 for name in 'abc'}
    costs = best_of(candidates, rounds=4)
    assert ''.join(order) == 'abc' * 4
    assert set(costs) == set('abc')
    assert all(0.0 < cost < np.inf for cost in costs.values())
