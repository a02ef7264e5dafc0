"""Every shipped scenario, for a moment and by its contract; then the figures it is judged by."""

from __future__ import annotations

from functools import cache
import importlib.util
from pathlib import Path
import tempfile
import time
from typing import Any

import numpy as np
import pytest
from steps import into

from simloop_ros.assembly.assemble import assemble
from simloop_ros.assembly.run import run
from simloop_ros.loop.loop import PARTS
from simloop_ros.planning.hand_guiding import HandGuiding
from simloop_ros.record.columns import COLUMNS
from simloop_ros.record.folder import HANDS_LOG
from simloop_ros.record.hands_log import HANDS_COLUMNS
from simloop_ros.record.log import LogReader, LogWriter
from simloop_ros.record.mcap import McapReader, read_mcap
from simloop_ros.record.metrics import compute_metrics
from simloop_ros.scenario.loading import load_scenario, scenario_names

NEEDS = {'step': ('robot=two_link', 'planner.move=[[0.1, 0, 0.1]]')}
"""What has to be added to a shipped scenario before it runs."""
NUMBERS = (
    'period',
    'duration',
    'path_error_rms',
    'path_error_max',
    'force_difference_rms',
    'force_difference_max',
    'velocity_difference_rms',
    'real_time_factor',
)
FIELDS = {'scenario', 'robot', 'plant', 'steps', 'seed', 'verdict', 'step_cost_us', 'digest'}
"""With ``NUMBERS``, what a summary has at least: design, section 6."""

GRAVITY = 9.82  # of 000 [m/s^2]
SPHERE = 1.0  # mass of the sphere [kg]
BIAS = 0.1
HEAVIER = f'plant.mass_bias={BIAS}'
PERIODS = (1 / 200, 1 / 2000)
AT_GOAL = 1e-4  # asked for: a tenth of a millimetre
ROUNDING = 1e-12  # of positions around 1 rad, over some thousand steps


class Run:
    """The columns of a run's log, each of shape ``(steps, n)``, and how it was prepared."""

    def __init__(self, name: str, *settings: str):
        self.prepared = assemble(load_scenario(name, settings))
        loop, n = self.prepared.loop, self.prepared.facts.model.n
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / 'raw'
            with LogWriter(path, n) as log:
                loop.run(self.prepared.facts.steps, into(log))
            rows = LogReader(path, n).read()
        loop.plant.close()
        self.saturations = loop.control.saturations
        self.columns = {column: rows[:, i] for i, column in enumerate(COLUMNS)}

    def __getitem__(self, column: str) -> np.ndarray:
        return self.columns[column]

    @property
    def path_error(self) -> np.ndarray:
        return self['measured_position'] - self['desired_position']

    @property
    def true_path_error(self) -> np.ndarray:
        return self['true_position'] - self['desired_position']

    @property
    def force_difference(self) -> np.ndarray:
        return self['effort'] - self['rollback_effort']

    @property
    def tip_errors(self) -> np.ndarray:
        """Return the distances of the tips from their goals at the end [m]."""
        tips = self.prepared.facts.model.tip_positions(self['true_position'][-1])
        return np.linalg.norm(tips - self.prepared.facts.goals, axis=1)


run_of = cache(Run)


def rms(values: np.ndarray) -> float:
    return float(np.sqrt(np.mean(values**2)))


@pytest.fixture(params=['pybullet', 'mujoco'])
def contact_engine(request: pytest.FixtureRequest) -> str:
    """Every installed engine that knows contact."""
    if importlib.util.find_spec(request.param) is None:
        pytest.skip(f'{request.param} is not installed')
    return request.param


# The contract of every scenario


@pytest.mark.parametrize('name', scenario_names())
def test_every_scenario_runs_for_a_moment(tmp_path: Path, name: str) -> None:
    prepared = assemble(load_scenario(name, [*NEEDS.get(name, ()), 'duration=0.1', 'seed=5']))
    summary = run(prepared, tmp_path, time.perf_counter)
    assert {*NUMBERS, *FIELDS} <= set(summary)
    assert all(isinstance(summary[key], float) for key in NUMBERS)
    assert all(np.isfinite(summary[key]) and summary[key] >= 0.0 for key in NUMBERS)
    assert (summary['scenario'], summary['status']) == (name, 'ended')
    steps = round(0.1 / prepared.facts.scenario.period)
    assert (summary['steps'], summary['seed']) == (steps, 5)
    assert summary['duration'] == pytest.approx(0.1)
    assert set(summary['step_cost_us']) == set(PARTS)
    assert all({'time', 'kind'} <= set(event) for event in summary['events'])
    log = read_mcap(tmp_path / 'log.mcap')
    assert log.names == prepared.facts.columns
    assert log.columns.shape == (steps, len(log.names), prepared.facts.model.n)
    assert log.joint_names == prepared.facts.model.joint_names
    logs = [McapReader(tmp_path / 'log.mcap')]
    if prepared.facts.plan is not None:
        logs.append(McapReader(tmp_path / HANDS_LOG))
        assert (logs[1].columns, logs[1].rows) == (HANDS_COLUMNS, steps)
    assert compute_metrics(*logs).digest == summary['digest']


# The step, 000 section 6.1.1


@pytest.mark.parametrize('name', ['sphere_step', 'sphere_offline', 'yumi_step', 'yumi_offline'])
def test_a_true_model_is_followed_exactly(name: str) -> None:
    """``rnea`` of algorithm 2 is the inverse of the plant's step: only rounding is left."""
    found = run_of(name)
    assert np.abs(found.path_error).max() < ROUNDING
    assert found.tip_errors.max() < 1e-8  # where the planner's own motion ends


@pytest.mark.parametrize(('name', 'at_200_hz'), [('sphere_step', 3e-5), ('yumi_step', 1e-4)])
def test_path_error_of_a_heavier_robot_falls_with_the_period_squared(
    name: str, at_200_hz: float
) -> None:
    errors = []
    for period in PERIODS:
        found = run_of(name, HEAVIER, f'period={period}')
        errors.append(rms(found.path_error))
        assert errors[-1] <= at_200_hz * (200.0 * period) ** 2
        assert found.tip_errors.max() < AT_GOAL
        assert found.saturations == 0
    squared = (PERIODS[0] / PERIODS[1]) ** 2
    ends = 0.02  # the motion's corners are met at other moments
    assert errors[0] / errors[1] == pytest.approx(squared, rel=ends)


@pytest.mark.parametrize('period', PERIODS)
def test_force_difference_at_rest_is_the_weight_that_the_model_lacks(period: float) -> None:
    found = run_of('sphere_step', HEAVIER, f'period={period}')
    assert found.force_difference[-1, 0] == pytest.approx(BIAS * SPHERE * GRAVITY, rel=0.01)
    # The robot rests where the deadbeat law's spring, M/h^2, holds it.
    below = BIAS * GRAVITY * period**2
    assert found.path_error[-1, 0] == pytest.approx(-below, rel=1e-6)


# Off-line, 000 section 6.1.2


@pytest.mark.parametrize(
    ('online', 'offline'), [('sphere_step', 'sphere_offline'), ('yumi_step', 'yumi_offline')]
)
def test_online_and_offline_go_the_same_way(online: str, offline: str) -> None:
    """The planner is the same simulation; only who is asked when differs."""
    same = 1e-9  # asked for; a thousand times below what an encoder resolves
    first, second = run_of(online)['true_position'], run_of(offline)['true_position']
    assert first.shape == second.shape
    np.testing.assert_allclose(first, second, rtol=0.0, atol=same)
    for name in (online, offline):
        assert run_of(name, HEAVIER).tip_errors.max() < AT_GOAL


# Noise, 000 section 7


@pytest.mark.parametrize(
    ('name', 'bias'), [('sphere_step', 0.0), ('sphere_step', BIAS), ('yumi_step', BIAS)]
)
def test_the_observer_keeps_noise_out_of_the_forces(name: str, bias: float) -> None:
    """The raw rollback turns noise into force with M/h^2; the observer does not."""
    settings = ('period=0.0005', 'duration=0.5', 'plant.noise=1e-5', f'plant.mass_bias={bias}')
    raw, observer = (
        run_of(name, *settings, f'control.rollback={kind}') for kind in ('measured', 'observer')
    )
    assert rms(observer.force_difference) <= rms(raw.force_difference) / 20.0
    assert rms(observer.path_error) <= rms(raw.path_error)
    assert rms(observer.true_path_error) <= rms(raw.true_path_error)


def test_where_there_is_noise_the_observer_is_the_default() -> None:
    for setting, kind in (
        ('plant.noise=0', 'measured'),
        ('plant.noise=1e-5', 'observer'),
        ('plant.resolution=1e-5', 'observer'),
    ):
        prepared = assemble(load_scenario('sphere_step', [setting]))
        assert prepared.loop.control.rollback_kind == kind


# Plants


@pytest.mark.parametrize('engine', ['pybullet', 'mujoco'])
def test_every_plant_gives_the_same_run(engine: str) -> None:
    pytest.importorskip(engine)
    settings = ('duration=2', HEAVIER)
    own = run_of('yumi_offline', *settings)
    other = run_of('yumi_offline', *settings, f'plant.engine={engine}')
    same = 1e-9  # asked for; measured 1e-15
    np.testing.assert_allclose(other['true_position'], own['true_position'], rtol=0.0, atol=same)


# Hand guiding, 000 sections 6.1.4 and 7.2


def push(force: float) -> str:
    return f'plant.pushes=[{{link: sphere, start: 1, duration: 0.5, force: [0, 0, {force}]}}]'


def guided(period: float, threshold: float, *settings: str) -> np.ndarray:
    """Return the sphere's true height at the end of each step [m], shape ``(steps,)``."""
    found = run_of(
        'sphere_guiding', f'period={period}', f'planner.threshold={threshold}', *settings
    )
    return found['true_position'][:, 0]


@pytest.mark.parametrize('period', PERIODS)
def test_without_a_threshold_the_sphere_drifts_as_in_000(period: float) -> None:
    """The plant has ``(1 + b) u+ = b u - b g h`` per step, so u goes to ``-b g h``."""
    height = guided(period, 0.0)
    u, expected = 0.0, []
    for _ in height:
        u = BIAS * (u - GRAVITY * period) / (1.0 + BIAS)
        expected.append(u * period)
    np.testing.assert_allclose(height, np.cumsum(expected), rtol=1e-9)
    assert np.diff(height)[-1] == pytest.approx(-BIAS * GRAVITY * period**2, rel=1e-9)


@pytest.mark.parametrize('period', PERIODS)
def test_with_a_threshold_nothing_creeps(period: float) -> None:
    creep = 1e-6  # asked for, between 0.5 s and 3 s [m]
    assert np.ptp(guided(period, 0.5)[round(0.5 / period) :]) < creep


@pytest.mark.parametrize('force', [2.0, -2.0])
@pytest.mark.parametrize('period', PERIODS)
def test_with_a_threshold_a_push_moves_as_far_in_both_directions(
    period: float, force: float
) -> None:
    free, held = (
        guided(period, threshold, push(force))[-1] - guided(period, threshold)[-1]
        for threshold in (0.0, 0.5)
    )
    # A constant force F is a velocity of F h / m while it lasts.
    assert free == pytest.approx(force / SPHERE * period * 0.5, rel=1e-6)
    assert held / free >= 0.8


@pytest.mark.parametrize('period', PERIODS)
def test_with_a_threshold_nothing_creeps_after_a_push(period: float) -> None:
    for force in (2.0, -2.0):
        after = guided(period, 0.5, push(force))[round(1.6 / period) :]
        assert np.ptp(after) < 1e-6


def test_a_guided_robot_has_no_goal() -> None:
    prepared = assemble(load_scenario('sphere_guiding'))
    assert prepared.facts.goals is None
    assert isinstance(prepared.loop.planner, HandGuiding)


# Collision, 000 sections 6.1.3 and 7.1


@pytest.mark.parametrize('period', PERIODS)
def test_both_signs_of_a_collision_jump(
    tmp_path: Path, contact_engine: str, period: float
) -> None:
    scenario = load_scenario(
        'sphere_collision',
        [f'plant.engine={contact_engine}', f'period={period}', 'duration=4.5'],
    )
    summary = run(assemble(scenario), tmp_path, time.perf_counter)
    assert (summary['status'], summary['plant']) == ('ended', contact_engine)
    (contact,) = (event for event in summary['events'] if event['kind'] == 'contact')
    assert (contact['link'], contact['obstacle']) == ('sphere', 'ceiling')
    # The centre meets the plane's 0.6 m less its radius of 0.1 m: half way of algorithm 1.
    assert contact['time'] == pytest.approx(np.sqrt(10.0), abs=3 * period)
    residuals: dict[str, Any] = summary['contact_residuals']
    for sign in residuals.values():
        assert sign['after'] > 1e3 * max(sign['before'], ROUNDING)
    # The planner pulls at the leash with M * leash, and accelerates no more than it may.
    planner = scenario.planner
    bound = SPHERE * (planner.leash + planner.acceleration)
    settled = 1e-6  # how far the contact still rings, relative
    assert 0.0 < summary['contact_force_end'] <= bound * (1.0 + settled)
