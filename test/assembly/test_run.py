"""From a scenario to its files: whatever way a run ends, they are whole and agree."""

from __future__ import annotations

from collections.abc import Callable
import json
from pathlib import Path
import sys
import time
from typing import Any

import numpy as np
import pytest

from simloop_ros.assembly.assemble import assemble
from simloop_ros.assembly.run import run
from simloop_ros.core.errors import ConfigError, GoalError, ModelError, StorageError
from simloop_ros.core.resources import resource_folder
from simloop_ros.record.folder import make_folder, write_text
from simloop_ros.record.mcap import McapReader, read_mcap
from simloop_ros.record.metrics import compute_metrics
from simloop_ros.scenario.loading import load_scenario

FILES = {'log.mcap', 'summary.json'}
BOX = '[{kind: box, position: [5, 0, 0]}]'


def go(folder: Path, name: str, *settings: str, **options: Any) -> dict[str, Any]:
    return run(assemble(load_scenario(name, settings)), folder, time.perf_counter, **options)


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def strict_json(text: str) -> Any:
    def refuse(word: str) -> None:
        raise ValueError(f'{word} is not JSON')

    return json.loads(text, parse_constant=refuse)


def after(steps: int) -> Callable[[int], bool]:
    return lambda step: step < steps


def test_summary_log_and_metadata_agree(tmp_path: Path) -> None:
    summary = go(tmp_path / 'a' / 'b', 'sphere_step', 'duration=0.5', 'plant.mass_bias=0.1')
    folder = tmp_path / 'a' / 'b'
    assert names(folder) == FILES
    assert strict_json((folder / 'summary.json').read_text()) == summary
    log = read_mcap(folder / 'log.mcap')
    assert strict_json(log.metadata['summary']) == summary
    assert log.joint_names == tuple(summary['joint_names'])
    assert (log.period, len(log.time)) == (summary['period'], summary['steps'])
    metrics = compute_metrics(McapReader(folder / 'log.mcap'))
    assert metrics.digest == summary['digest']
    assert metrics.path_error_rms == summary['path_error_rms']


LWR = ('robot=lwr', 'planner.move=[[-0.1, 0, 0.1]]')


@pytest.mark.parametrize('period', [0.002, 0.005])
def test_a_step_with_flexible_joints_arrives(tmp_path: Path, period: float) -> None:
    """Torque control is 3 ms late (twice its damping ratio over its frequency); feedback of 60
    rad/s keeps the path within 0.1 degree all the same."""
    settings = (*LWR, 'plant.flexible_joints=true', f'period={period}')
    summary = go(tmp_path, 'step', *settings)
    assert summary['status'] == 'reached'
    assert summary['path_error_max'] < 2e-3
    assert summary['path_error_rms'] < 1e-4
    assert summary['tip_error_end']['flange'] < 1e-6


def test_flexible_joints_are_controlled_by_computed_torque() -> None:
    """Torques come late, which the deadbeat law does not bear."""
    flexible = assemble(load_scenario('step', [*LWR, 'plant.flexible_joints=true']))
    rigid = assemble(load_scenario('step', LWR))
    laws = [type(each.loop.control._law).__name__ for each in (flexible, rigid)]
    assert laws == ['ComputedTorque', 'Deadbeat']


def test_a_run_goes_over_an_older_one(tmp_path: Path) -> None:
    first = go(tmp_path, 'sphere_step', 'duration=0.5')
    second = go(tmp_path, 'sphere_step', 'duration=0.25')
    assert (first['steps'], second['steps']) == (100, 50)
    assert read_mcap(tmp_path / 'log.mcap').time.size == 50
    assert names(tmp_path) == FILES


def test_the_duration_is_that_of_the_motion_and_the_rest() -> None:
    """000 algorithm 1: 1 m at 0.1 m/s^2 up to 1 m/s is 2 sqrt(10) s, with whole steps."""
    motion = 2.0 * np.sqrt(10.0)
    for rest in (0.0, 1.5):
        scenario = load_scenario('sphere_step', [f'rest={rest}'])
        steps = assemble(scenario).facts.steps
        a_few_steps = 3
        assert steps == pytest.approx((motion + rest) / scenario.period, abs=a_few_steps)


def test_hand_guiding_needs_a_duration() -> None:
    with pytest.raises(ConfigError, match='duration: needed'):
        assemble(load_scenario('step', ['robot=sphere', 'planner.kind=guiding']))


@pytest.mark.parametrize('duration', ['1e-9', '1e12'])
def test_a_duration_without_or_with_endless_steps_is_refused(duration: str) -> None:
    with pytest.raises(ConfigError, match=r'^duration: .* steps'):
        assemble(load_scenario('sphere_guiding', [f'duration={duration}']))


@pytest.mark.parametrize(
    ('settings', 'error', 'message'),
    [
        (['robot.urdf=none.urdf'], ModelError, 'none.urdf'),
        (['planner.move=[]'], ConfigError, 'planner.move has 0 rows.*1 tips: sphere'),
        (['planner.move=[[0, 0, 1], [0, 0, 1]]'], ConfigError, 'has 2 rows'),
        (['robot.tips=[]'], ConfigError, 'robot.tips is empty'),
        (['robot.tips=[spere]'], Exception, "spere.*sphere|sphere.*'spere'"),
        (['planner.move=[[0.1, 0, 0]]'], GoalError, 'tip sphere stays 0.1 m short'),
        (['plant.step=0.003'], ConfigError, 'plant.step: .*whole multiple'),
        ([f'plant.obstacles={BOX}'], ConfigError, 'pinocchio has no contact'),
        (
            ['plant.engine=mujoco', 'plant.obstacles=[{kind: box}]'],
            ConfigError,
            'obstacle overlaps sphere',
        ),
        (['plant.pushes=[{link: spere, start: 0, duration: 1}]'], ConfigError, 'mean sphere'),
    ],
)
def test_what_cannot_run_is_refused_beforehand(
    settings: list[str], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        assemble(load_scenario('sphere_step', settings))


def test_a_stopped_run_keeps_what_it_has(tmp_path: Path) -> None:
    """What there is, is the beginning of the run that was not stopped."""
    stopped = go(tmp_path / 'stopped', 'sphere_step', 'plant.noise=1e-5', proceed=after(300))
    whole = go(tmp_path / 'whole', 'sphere_step', 'plant.noise=1e-5')
    assert (stopped['status'], whole['status']) == ('interrupted', 'reached')
    assert names(tmp_path / 'stopped') == FILES
    part, full = (read_mcap(tmp_path / name / 'log.mcap') for name in ('stopped', 'whole'))
    assert 300 <= stopped['steps'] == len(part.time) < whole['steps']
    assert part.columns.tobytes() == full.columns[: len(part.time)].tobytes()
    assert (
        compute_metrics(McapReader(tmp_path / 'stopped' / 'log.mcap')).digest == stopped['digest']
    )


def test_a_run_stopped_before_its_first_step_is_valid(tmp_path: Path) -> None:
    summary = go(tmp_path, 'sphere_step', proceed=lambda _: False)
    assert (summary['status'], summary['steps']) == ('interrupted', 0)
    assert read_mcap(tmp_path / 'log.mcap').time.size == 0


def test_a_run_that_diverges_keeps_what_it_has(tmp_path: Path) -> None:
    """A reading five periods old under a deadbeat law is unstable: the arm runs away."""
    summary = go(tmp_path, 'yumi_step', 'plant.delay=5')
    assert summary['status'] == 'diverged'
    assert names(tmp_path) == FILES
    event = summary['events'][-1]
    assert event['kind'] == 'divergence'
    assert event['joint'] in summary['joint_names']
    assert f'step {summary["steps"]} ' in event['message']
    log = read_mcap(tmp_path / 'log.mcap')
    assert len(log.time) == summary['steps'] > 0
    assert np.isfinite(log.columns).all()
    limit = assemble(load_scenario('yumi_step')).facts.model.effort_limit
    assert (np.abs(log.column('effort')) <= limit).all()


def test_a_summary_without_numbers_is_still_json(tmp_path: Path) -> None:
    """An arm with hardly any limits gets as far as infinity."""
    text = (resource_folder('urdf') / 'two_link.urdf').read_text()
    for key in ('effort', 'velocity'):
        parts = text.split(f' {key}="')
        text = f' {key}="1e300" '.join([parts[0], *(p.split('"', 1)[1] for p in parts[1:])])
    (tmp_path / 'arm.urdf').write_text(text)
    settings = ['robot=two_link', f'robot.urdf={tmp_path}/arm.urdf', 'plant.delay=2']
    go(tmp_path / 'out', 'step', *settings, 'planner.move=[[0, 0, 0.1]]')
    summary = strict_json((tmp_path / 'out' / 'summary.json').read_text())
    assert summary['status'] == 'diverged'
    assert summary['path_error_rms'] is None
    assert strict_json(read_mcap(tmp_path / 'out' / 'log.mcap').metadata['summary']) == summary


def test_an_effort_limit_is_an_event(tmp_path: Path) -> None:
    push = 'plant.pushes=[{link: sphere, start: 0.5, duration: 9, force: [0, 0, -600]}]'
    summary = go(tmp_path, 'sphere_step', 'duration=1', push)
    assert summary['effort_limited_steps'] > 0
    assert summary['effort_share_max'] == 1.0
    assert [event['kind'] for event in summary['events']].count('effort_limit') == 1


def test_pushes_are_events(tmp_path: Path) -> None:
    push = 'plant.pushes=[{link: sphere, start: 0.25, duration: 9}]'
    summary = go(tmp_path, 'sphere_step', 'duration=0.5', push)
    assert summary['events'] == [{'time': 0.25, 'kind': 'push_start', 'link': 'sphere'}]


def test_progress_of_the_log_ends_at_one(tmp_path: Path) -> None:
    shares: list[float] = []
    go(tmp_path, 'sphere_step', progress=shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


def test_a_missing_engine_is_replaced_and_noted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On Python 3.12 and newer PyBullet is an extra; MuJoCo takes its place."""
    monkeypatch.setitem(sys.modules, 'pybullet', None)
    summary = go(tmp_path, 'sphere_collision', 'duration=0.1')
    assert summary['plant'] == 'mujoco'
    assert 'mujoco is used instead' in summary['notes'][0]


def test_units() -> None:
    expected = {'sphere': ('m',), 'two_link': ('rad',) * 2, 'yumi': ('rad',) * 14}
    for robot, units in expected.items():
        settings = [f'robot={robot}', 'planner.kind=guiding', 'duration=1']
        assert assemble(load_scenario('step', settings)).facts.model.joint_units == units


def test_a_folder_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / 'file').touch()
    with pytest.raises(ConfigError, match=r'file/out: cannot be written'):
        make_folder(tmp_path / 'file' / 'out')
    make_folder(tmp_path / 'new' / 'out')
    assert names(tmp_path / 'new' / 'out') == set()


def test_text_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    write_text(tmp_path / 'a.json', 'one')
    write_text(tmp_path / 'a.json', 'two')
    assert (tmp_path / 'a.json').read_text() == 'two'
    (tmp_path / 'folder').mkdir()
    with pytest.raises(StorageError, match=r'folder: cannot be written'):
        write_text(tmp_path / 'folder', 'three')
    assert names(tmp_path) == {'a.json', 'folder'}


def test_a_push_beyond_all_bounds_diverges_and_keeps_the_log(tmp_path: Path) -> None:
    """The planner meets the state first, and leaves it to the control simulation to report."""
    push = '{link: sphere, start: 0.5, duration: 1, force: [0, 0, 1e300]}'
    prepared = assemble(load_scenario('sphere_step', [f'plant.pushes=[{push}]']))
    summary = run(prepared, tmp_path, time.perf_counter)
    assert summary['status'] == 'diverged'
    assert summary['steps'] >= 100
    assert len(read_mcap(tmp_path / 'log.mcap').time) == summary['steps']
