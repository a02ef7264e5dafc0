"""What the summary and the log of a guided robot have beside the rest."""

from __future__ import annotations

import json
from pathlib import Path
import time
from typing import Any

from mcap_ros2.reader import read_ros2_messages
import numpy as np
import pytest

from simloop_ros.assembly.assemble import assemble
from simloop_ros.assembly.run import run
from simloop_ros.core.errors import ConfigError
from simloop_ros.guiding.tip_masses import TipMasses
from simloop_ros.record.columns import GUIDED_COLUMNS
from simloop_ros.record.guided_summary import guided_summary
from simloop_ros.record.log import LogReader, LogWriter
from simloop_ros.record.mcap import read_mcap
from simloop_ros.robot.fit_robot import load_fit_robot
from simloop_ros.scenario.loading import load_scenario

ROUNDING = 1e-12  # sums of the same numbers in another order
HAND = 'plant.hands=[{link: flange, stiffness: 500, damping: 30, max_force: 30, grip: 0.05, '
LINE = 'path: {kind: line, velocity: [0, 0.1, 0.05]}}]'
SETTINGS = ('duration=0.6', 'admittance.mass_direction=[0, 1, 0]', HAND + LINE)


@pytest.fixture(scope='module')
def led(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any], float]:
    """Give the folder of a run, its summary, and the work of the hand as the plant knows it."""
    folder = tmp_path_factory.mktemp('led')
    prepared = assemble(load_scenario('lwr_tcp', SETTINGS))
    run(prepared, folder, time.perf_counter)
    work = sum(hand.energy for hand in prepared.loop.plant.report().hands)
    return folder, json.loads((folder / 'summary.json').read_text()), work


def test_the_energy_is_the_work_of_the_hand(led: tuple[Path, dict[str, Any], float]) -> None:
    """The plant sums it in the hand's own physics steps, with forces instead of torques."""
    _, summary, work = led
    assert work > 0.1
    assert summary['guiding_energy'] == pytest.approx(work, rel=0.01)
    assert 0.0 < summary['external_torque_error_rms'] < 1.0


def test_the_effective_mass_is_in_the_log_in_each_step(
    led: tuple[Path, dict[str, Any], float],
) -> None:
    folder, summary, _ = led
    log = read_mcap(folder / 'log.mcap')
    messages = [
        entry.ros_msg
        for entry in read_ros2_messages(folder / 'log.mcap', topics=['/effective_mass'])
    ]
    scenario = load_scenario('lwr_tcp', SETTINGS)
    masses = TipMasses(load_fit_robot(scenario.robot), scenario.admittance)
    expected = masses.along(log.column('true_position'))
    assert len(messages) == summary['steps'] == 300
    np.testing.assert_array_equal([list(m.effort) for m in messages], expected)
    assert list(messages[0].name) == ['flange']
    stamps = [m.header.stamp.sec + 1e-9 * m.header.stamp.nanosec for m in messages]
    np.testing.assert_allclose(stamps, log.time, atol=1e-9)
    ends = summary['effective_mass']['flange']
    assert [ends['begin'], ends['end']] == [expected[0, 0], expected[-1, 0]]


def test_against_plain_numpy(tmp_path: Path) -> None:
    """Over more rows than are read at once."""
    rows = np.random.default_rng(5).standard_normal((5000, len(GUIDED_COLUMNS), 7))
    with LogWriter(tmp_path / 'raw', 7, GUIDED_COLUMNS) as writer:
        for row in rows:
            writer.append(row)
    scenario = load_scenario('lwr_tcp')
    masses = TipMasses(load_fit_robot(scenario.robot), scenario.admittance)
    summary = guided_summary(LogReader(tmp_path / 'raw', 7, GUIDED_COLUMNS), masses)
    column = {name: rows[:, i] for i, name in enumerate(GUIDED_COLUMNS)}
    truth = column['true_external_torque']
    work = (truth[1:] * np.diff(column['true_position'], axis=0)).sum()
    assert summary['guiding_energy'] == pytest.approx(work, rel=ROUNDING)
    error = column['external_torque'] - truth
    assert summary['external_torque_error_rms'] == pytest.approx(
        np.sqrt(np.mean(error**2)), rel=ROUNDING
    )


def test_a_run_without_a_step_has_no_masses(tmp_path: Path) -> None:
    (tmp_path / 'raw').touch()
    scenario = load_scenario('lwr_tcp')
    masses = TipMasses(load_fit_robot(scenario.robot), scenario.admittance)
    log = LogReader(tmp_path / 'raw', 7, GUIDED_COLUMNS)
    assert guided_summary(log, masses) == {
        'guiding_energy': 0.0,
        'external_torque_error_rms': 0.0,
        'effective_mass': {},
    }


def test_a_wrong_direction_is_refused_before_the_run() -> None:
    with pytest.raises(ConfigError, match='mass_direction'):
        assemble(load_scenario('lwr_tcp', ['admittance.mass_direction=[0, 0, 0]']))
