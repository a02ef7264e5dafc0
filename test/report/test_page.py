"""The table and the figures of a run, from its files alone."""

from __future__ import annotations

import io
import json
from pathlib import Path
import shutil
import time
from typing import Any, get_args

import pytest
from rich.console import Console

from simloop_ros.assembly.assemble import assemble
from simloop_ros.assembly.run import run
from simloop_ros.core.errors import ConfigError
from simloop_ros.record.mcap import McapReader
from simloop_ros.report.page import draw_run
from simloop_ros.report.series import series_of
from simloop_ros.report.table import MOST_EVENTS, print_table
from simloop_ros.scenario.loading import load_scenario
from simloop_ros.scenario.scenario import HANDS_GRAPHS, Graph

PNG = b'\x89PNG\r\n\x1a\n'


@pytest.fixture(scope='module')
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a short run with a push, two of whose graphs are asked for."""
    folder = tmp_path_factory.mktemp('run')
    settings = [
        'duration=0.2',
        'graphs=[path_difference, force_comparison]',
        'plant.pushes=[{link: sphere, start: 0.1, duration: 1, force: [0, 0, 1]}]',
    ]
    run(assemble(load_scenario('sphere_step', settings)), folder, time.perf_counter)
    return folder


@pytest.fixture
def folder(finished: Path, tmp_path: Path) -> Path:
    """Return a copy of that folder to change."""
    return Path(shutil.copytree(finished, tmp_path / 'copy'))


def table(summary: dict[str, Any]) -> str:
    text = io.StringIO()
    print_table(summary, Console(file=text, width=100))
    return text.getvalue()


def test_the_graphs_that_the_scenario_asks_for(folder: Path) -> None:
    paths = draw_run(folder)
    assert [path.name for path in paths] == ['path_difference.png', 'force_comparison.png']
    assert all(path.read_bytes().startswith(PNG) for path in paths)
    assert set(folder.glob('*.png')) == set(paths)


def test_a_graph_of_what_nobody_published_is_left_out(folder: Path) -> None:
    """A robot shall be guided by a sensor, and the sensor was silent."""
    file = folder / 'summary.json'
    summary = json.loads(file.read_text())
    file.write_text(json.dumps({**summary, 'graphs': ['external_torque', 'path_difference']}))
    assert [path.name for path in draw_run(folder)] == ['path_difference.png']


def test_all_that_the_log_has_data_for(folder: Path) -> None:
    paths = draw_run(folder, every_graph=True)
    unknown = {'external_torque', 'residual', *HANDS_GRAPHS}
    assert {path.stem for path in paths} == set(get_args(Graph)) - unknown
    assert set(folder.glob('*.png')) == set(paths)


def test_the_same_log_gives_the_same_figures(folder: Path) -> None:
    first = [path.read_bytes() for path in draw_run(folder)]
    assert [path.read_bytes() for path in draw_run(folder)] == first


def test_a_run_without_a_step_has_no_figures(tmp_path: Path) -> None:
    prepared = assemble(load_scenario('sphere_step'))
    run(prepared, tmp_path, time.perf_counter, lambda _: False)
    assert draw_run(tmp_path) == []


@pytest.mark.parametrize(
    'text',
    [
        '',
        '[]',
        '{}',
        '{"joint_units": ["m"], "graphs": ["path_difference"]}',
        '{"joint_units": ["m"], "graphs": [], "scenario": "a", "period": 0, "events": 1}',
        '\xff',
    ],
)
def test_a_summary_of_something_else_is_refused(folder: Path, text: str) -> None:
    (folder / 'summary.json').write_text(text, encoding='latin-1')
    with pytest.raises(ConfigError, match=r'summary.json: not the summary of a run'):
        draw_run(folder)


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / 'none'):
        with pytest.raises(ConfigError, match='not the folder of a run'):
            draw_run(place)


def test_a_log_cut_short_is_refused(folder: Path) -> None:
    log = folder / 'log.mcap'
    log.write_bytes(log.read_bytes()[:-100])
    with pytest.raises(ConfigError, match='not a complete log'):
        draw_run(folder)
    log.unlink()
    with pytest.raises(ConfigError, match=r'cannot read the log .*log.mcap'):
        draw_run(folder)


def test_an_unknown_graph_is_refused(folder: Path) -> None:
    summary = json.loads((folder / 'summary.json').read_text())
    (folder / 'summary.json').write_text(json.dumps({**summary, 'graphs': ['pie']}))
    with pytest.raises(ConfigError, match="'pie'"):
        draw_run(folder)


def test_the_table_says_why_two_hands_stopped(finished: Path) -> None:
    summary = json.loads((finished / 'summary.json').read_text())
    assert 'stopped' not in table(summary)
    why = 'wrist sensor of hand 1 lost: no reading'
    events = [
        {'time': 1.0, 'kind': 'task', 'doing': 'task 2 (grasp)'},
        {'time': 2.5, 'kind': 'task', 'doing': f'stopped: {why}'},
    ]
    text = table({**summary, 'events': events})
    assert f'    2.5 s  stopped: {why}\n' in text
    assert text.count('stopped') == 1


def test_the_verdict_comes_before_the_table_and_events_after_it(finished: Path) -> None:
    summary = json.loads((finished / 'summary.json').read_text())
    lines = table({**summary, 'verdict': ['one line', 'another']}).splitlines()
    assert lines[1:3] == ['one line', 'another']
    assert lines[-2].split() == ['0.1', 's', 'push', 'on', 'sphere', 'begins']
    many = [{'time': 0.005 * k, 'kind': 'effort_limit'} for k in range(MOST_EVENTS + 3)]
    text = table({**summary, 'events': many})
    assert text.count('first step at an effort limit') == MOST_EVENTS
    assert '3 more events in summary.json' in text
    late = {'time': 1.0, 'kind': 'contact', 'link': 'sphere', 'obstacle': 'box', 'force': 2.0}
    lines = table({**summary, 'events': [*many, late, many[0]]}).splitlines()
    assert lines[-3].split() == ['1', 's', 'sphere', 'touches', 'box,', '2', 'N']


def test_the_table_has_the_figures_with_their_units(finished: Path) -> None:
    summary = json.loads((finished / 'summary.json').read_text())
    text = table(summary)
    for row, value, unit in (
        ('path error rms', summary['path_error_rms'], 'm'),
        ('force difference max', summary['force_difference_max'], 'N'),
        ('sphere from its goal', summary['tip_error_end']['sphere'], 'm'),
    ):
        (line,) = (line for line in text.splitlines() if f' {row} ' in line)
        assert float(line.split('│')[2]) == pytest.approx(value, rel=1e-3)  # four digits
        assert line.split('│')[3].strip() == unit
    assert 'h = 1/200 s' in text
    assert summary['digest'] in text
    assert 'contact force' not in text


def test_the_table_of_a_contact_has_its_forces(finished: Path) -> None:
    summary = json.loads((finished / 'summary.json').read_text())
    text = table({**summary, 'contact_force_max': 12.5, 'contact_force_end': 2.5})
    assert 'contact force max' in text
    assert ' 12.5 ' in text


def test_the_table_of_both_kinds_of_joints_names_both_units(finished: Path) -> None:
    summary = json.loads((finished / 'summary.json').read_text())
    text = table({**summary, 'joint_units': ['rad', 'm']})
    assert 'm or rad' in text
    assert 'N or N m' in text


def test_the_table_of_a_guided_robot_has_energy_and_masses(finished: Path) -> None:
    summary = json.loads((finished / 'summary.json').read_text())
    assert 'operator' not in table(summary)
    guided = {
        'guiding_energy': 1.25,
        'external_torque_error_rms': 0.125,
        'effective_mass': {'tool': {'begin': 2.5, 'end': 2.0}},
    }
    lines = [line.split('│')[1:4] for line in table(summary | guided).splitlines() if '│' in line]
    rows = {name.strip(): (value.strip(), unit.strip()) for name, value, unit in lines}
    assert rows['energy from the operator'] == ('1.25', 'J')
    assert rows['external torque error rms'][0] == '0.125'
    assert rows['effective mass of tool along x'] == ('2.5 to 2', 'kg')
    for stretched in (None, 5e10):
        masses = {'tool': {'begin': stretched, 'end': 2.0}}
        text = table(summary | guided | {'effective_mass': masses})
        assert 'locked in this direction to 2 kg' in text
        assert 'no joint moves its tip that way' in text
        assert '5e+10' not in text


def test_the_time_per_step_is_that_of_the_real_time_factor(finished: Path) -> None:
    summary = json.loads((finished / 'summary.json').read_text())
    (line,) = (line for line in table(summary).splitlines() if 'time per step' in line)
    expected = 1e6 * summary['period'] / summary['real_time_factor']
    assert float(line.split('│')[2]) == pytest.approx(expected, rel=1e-3)


def test_of_a_robot_that_takes_positions_the_robot_is_shown(tmp_path: Path) -> None:
    settings = ['plant.takes=position', 'plant.friction.coulomb=1', 'duration=0.2']
    run(assemble(load_scenario('sphere_step', settings)), tmp_path, lambda: 0.0)
    summary = json.loads((tmp_path / 'summary.json').read_text())
    lines = [line.split('│')[1:4] for line in table(summary).splitlines() if '│' in line]
    rows = {name.strip(): value.strip() for name, value, _ in lines}
    robot, surrogate = (rows[f'path error max of {who}'] for who in ('the robot', 'its surrogate'))
    assert float(robot) == pytest.approx(summary['true_path_error_max'], rel=1e-3)
    assert float(surrogate) < 1e-6 * float(robot)
    log = McapReader(tmp_path / 'log.mcap')
    series = series_of(log, log.period, log.joint_names, ['m'], takes_positions=True)
    drawn = float(abs(series.curves['path_difference']).max())
    assert drawn == pytest.approx(summary['true_path_error_max'])


def test_a_log_of_another_robot_is_refused(finished: Path, tmp_path: Path) -> None:
    folder = tmp_path / 'mixed'
    shutil.copytree(finished, folder)
    summary = json.loads((folder / 'summary.json').read_text())
    summary['joint_units'] = summary['joint_units'] * 2
    (folder / 'summary.json').write_text(json.dumps(summary))
    with pytest.raises(ConfigError, match='is of another run than'):
        draw_run(folder)
