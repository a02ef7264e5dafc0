"""What two hands did, from the files of a run, and its four graphs."""

from __future__ import annotations

import json
from pathlib import Path
import shutil
import time
from typing import Any, get_args

import numpy as np
import pytest
from rich.console import Console

from simloop_ros.assembly.assemble import assemble
from simloop_ros.assembly.run import run
from simloop_ros.cli.main import main
from simloop_ros.core.errors import ConfigError
from simloop_ros.record.folder import HANDS_LOG
from simloop_ros.record.mcap import read_mcap
from simloop_ros.report.hand_curves import HAND_DRAWINGS, hand_curves
from simloop_ros.report.page import draw_run, run_figures
from simloop_ros.report.table import print_table
from simloop_ros.scenario.loading import load_scenario
from simloop_ros.scenario.scenario import HANDS_GRAPHS, Graph

TASKS = (
    '{do: approach, path: cp, clearance: 0.005, durations: [0.15]}, '
    '{do: grasp, squeeze: 20, durations: [0.15]}, {do: hold, duration: 0.1}, '
    '{do: move, by: [0, 0.01, 0.02], turn: [0, 0, 0.1], duration: 0.25}'
)
SETTINGS = (f'bimanual.tasks=[{TASKS}]', 'rest=0.05', 'graphs=[internal_force, path_difference]')
PNG = b'\x89PNG\r\n\x1a\n'
HALF = 0.04  # m, of the beam
BEFORE, CLEAR = 0.01, 0.005  # m: palms before its ends at home, and after the approach
PRESSED = 1e-3  # m: how far palms press into it at most
TRACKING = 5e-5  # m: how well a robot that is 10 % heavier than its model follows


@pytest.fixture(scope='module')
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a short carry."""
    folder = tmp_path_factory.mktemp('carry')
    run(assemble(load_scenario('workerbot_carry', SETTINGS)), folder, time.perf_counter)
    return folder


@pytest.fixture
def folder(finished: Path, tmp_path: Path) -> Path:
    """Return a copy of that folder to change."""
    return Path(shutil.copytree(finished, tmp_path / 'copy'))


def summary_of(folder: Path) -> dict[str, Any]:
    summary: dict[str, Any] = json.loads((folder / 'summary.json').read_text())
    return summary


def test_the_courses_are_those_of_the_run(finished: Path) -> None:
    summary, log = summary_of(finished), read_mcap(finished / HANDS_LOG)
    curves = hand_curves(finished, summary)
    np.testing.assert_allclose(curves.time, log.time, rtol=0.0, atol=1e-9)
    moving = (curves.time > 0.4005) & (curves.time < 0.6495)
    before = curves.time < 0.3
    np.testing.assert_array_equal(curves.setpoint[curves.time > 0.1505], 20.0)
    assert np.isnan(curves.setpoint[curves.time < 0.1495]).all()
    assert curves.carried[moving].all()
    assert not curves.carried[before].any()
    assert np.abs(curves.squeeze).max() == summary['internal_force_peak']
    off = np.abs(curves.squeeze - curves.setpoint)[moving].max()
    assert off == pytest.approx(summary['squeeze_error_max'], rel=0.01)
    for hand in (0, 1):
        course = curves.correction(hand)
        logged = log.column(f'correction_{hand + 1}')
        np.testing.assert_array_equal(np.hstack((course.position, course.rotation)), logged)


def said_of_the_carry(folder: Path) -> str:
    """Return what the legend says of the run."""
    figure = HAND_DRAWINGS['carried_object'](hand_curves(folder, summary_of(folder)), '', [])
    return figure.legends[0].get_texts()[0].get_text()


def from_summary(summary: dict[str, Any]) -> str:
    """Return what the legend has to say."""
    off, away = summary['squeeze_error_max'], summary['object_error_max']
    return f'this run: at most {off:.2g} N and {1e3 * away:.2g} mm off'


def test_the_legend_says_what_the_summary_says(finished: Path) -> None:
    assert said_of_the_carry(finished) == from_summary(summary_of(finished))
    assert summary_of(finished)['tasks_left'] == []


def test_halted_hands_are_not_compared_with_the_plan(tmp_path: Path) -> None:
    """The arm stops in the middle of the way; the plan goes on."""
    stops = 'plant.stops=[{tip: palm_l, start: 0.5}]'
    settings = (*SETTINGS, stops)
    run(assemble(load_scenario('workerbot_carry', settings)), tmp_path, time.perf_counter)
    summary = summary_of(tmp_path)
    assert summary['object_error_max'] < 0.005  # of 0.02 m
    assert summary['tasks_left'] == ['task 4 (move)']
    assert said_of_the_carry(tmp_path) == from_summary(summary)
    halt = next(e['time'] for e in summary['events'] if 'stopped' in e.get('doing', ''))
    curves = hand_curves(tmp_path, summary)
    after = curves.time > halt + 5e-4
    assert not curves.carried[after].any()
    assert np.isnan(curves.setpoint[after]).all()
    assert np.isnan(curves.error[after]).all()
    assert np.isnan(curves.along[after]).all()


def test_the_settling_of_a_second_grasp_is_not_compared(tmp_path: Path) -> None:
    again = (
        '{do: release, clearance: 0.01, durations: [0.15]}, '
        '{do: grasp, squeeze: 15, durations: [0.15]}, {do: hold, duration: 0.1}, '
        '{do: move, by: [0, -0.01, -0.02], duration: 0.25}'
    )
    settings = (*SETTINGS, f'bimanual.tasks=[{TASKS}, {again}]')
    run(assemble(load_scenario('workerbot_carry', settings)), tmp_path, time.perf_counter)
    summary = summary_of(tmp_path)
    assert summary['squeeze_error_max'] < 10.0 < summary['internal_force_peak'] - 20.0
    assert said_of_the_carry(tmp_path) == from_summary(summary)


def test_the_palms_come_to_the_ends_of_the_beam(finished: Path) -> None:
    curves = hand_curves(finished, summary_of(finished))
    np.testing.assert_array_equal(curves.ends, [HALF, -HALF])
    first, approached = curves.along[0], curves.along[149]
    np.testing.assert_allclose(first, [HALF + BEFORE, -HALF - BEFORE], rtol=0.0, atol=TRACKING)
    np.testing.assert_allclose(approached, [HALF + CLEAR, -HALF - CLEAR], rtol=0.0, atol=TRACKING)
    np.testing.assert_allclose(
        curves.along[:250], curves.planned[:250], rtol=0.0, atol=TRACKING
    )  # free hands go as planned
    assert np.ptp(curves.along[-1]) < 2.0 * HALF  # pressed


def test_the_palms_are_shown_along_the_beam_that_moves(finished: Path) -> None:
    """It goes 10 mm along its axis and turns: what presses it stays at its ends."""
    curves = hand_curves(finished, summary_of(finished))
    ends = np.tile([HALF, -HALF], (int(curves.carried.sum()), 1))
    np.testing.assert_allclose(curves.along[curves.carried], ends, rtol=0.0, atol=PRESSED)
    np.testing.assert_allclose(np.ptp(curves.planned[curves.carried], axis=0), 0.0, atol=1e-9)


def test_its_four_graphs_are_drawn(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert set(HAND_DRAWINGS) == set(HANDS_GRAPHS)
    assert main(['plot', str(folder)]) == 0
    asked = {Path(line).stem for line in capsys.readouterr().out.split()}
    assert asked == {'internal_force', 'path_difference'}
    assert (folder / 'internal_force.png').read_bytes().startswith(PNG)
    possible = {name for name, _ in run_figures(folder, every_graph=True)}
    assert possible == set(get_args(Graph)) - {'external_torque', 'residual'}


def test_a_run_without_its_log_of_the_hands_is_refused(folder: Path) -> None:
    log = folder / HANDS_LOG
    log.write_bytes(log.read_bytes()[:-100])
    with pytest.raises(ConfigError, match='not a complete log'):
        draw_run(folder)
    log.unlink()
    with pytest.raises(ConfigError, match=r'cannot read the log .*hands.mcap'):
        draw_run(folder)


def test_a_run_without_a_step_has_no_figures(tmp_path: Path) -> None:
    prepared = assemble(load_scenario('workerbot_carry', SETTINGS))
    run(prepared, tmp_path, time.perf_counter, lambda _: False)
    assert draw_run(tmp_path, every_graph=True) == []


def test_hands_that_touched_nothing_are_drawn(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    four = f'graphs=[{", ".join(HANDS_GRAPHS)}]'
    prepared = assemble(load_scenario('workerbot_carry', [*SETTINGS, 'duration=0.05', four]))
    summary = run(prepared, tmp_path, time.perf_counter)
    paths = draw_run(tmp_path)
    assert [path.stem for path in paths] == list(HANDS_GRAPHS)
    assert all(path.read_bytes().startswith(PNG) for path in paths)
    print_table(summary, Console(width=200))
    assert 'task 1 (approach) and 3 more not done' in capsys.readouterr().out
