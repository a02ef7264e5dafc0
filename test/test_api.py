"""The public API: its list, its examples, and blocks of the user in a scenario."""

from __future__ import annotations

import json
from pathlib import Path
import subprocess
import sys

import numpy as np
import pytest

import simloop_ros
from simloop_ros.assembly.assemble import assemble
from simloop_ros.core.errors import ConfigError
from simloop_ros.scenario.loading import load_scenario

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / 'examples'
LISTED = {
    *('AccelerationLaw', 'Assembly', 'Command', 'ConfigError', 'ControlSimulation', 'Disturbance'),
    *('DivergenceError', 'EffortLaw', 'ExternalInputs', 'GoalError', 'JointState', 'Loop'),
    *('ModelError', 'Monitor', 'Observation', 'OfflinePlanner', 'PinocchioPlant', 'Planner'),
    *('PlannerReport', 'Plant', 'PlantReport', 'Reading', 'RobotModel', 'Rollback', 'Scenario'),
    *('Setpoint', 'SimloopError', 'StepRecord', 'assemble', 'columns_of', 'load_scenario', 'run'),
    *('scenario_names', 'StorageError', '__version__'),
}
"""A name that goes, or comes, is a change for users: say it in CHANGELOG.rst and docs/api.md."""


def test_the_list_is_the_list() -> None:
    assert set(simloop_ros.__all__) == LISTED
    page = (ROOT / 'docs' / 'api.md').read_text()
    assert [name for name in LISTED - {'__version__'} if f'`{name}`' not in page] == []


@pytest.mark.parametrize('name', sorted(LISTED))
def test_every_public_name_is_there_and_documented(name: str) -> None:
    value = getattr(simloop_ros, name)
    assert name == '__version__' or value.__doc__
    assert name in dir(simloop_ros)


def test_what_is_not_public_is_not_there() -> None:
    with pytest.raises(AttributeError, match='no_such_name'):
        simloop_ros.no_such_name  # noqa: B018


def test_importing_costs_nothing() -> None:
    code = 'import sys, simloop_ros; print([m for m in ("numpy", "msgspec") if m in sys.modules])'
    found = subprocess.run(
        [sys.executable, '-c', code], capture_output=True, text=True, check=True
    )
    assert found.stdout.strip() == '[]'


@pytest.mark.parametrize('name', ['read_a_run', 'step_by_hand', 'my_blocks'])
def test_examples_are_short(name: str) -> None:
    assert len((EXAMPLES / f'{name}.py').read_text().splitlines()) < 40


@pytest.mark.parametrize(
    ('name', 'text'),
    [('read_a_run', 'force difference, max'), ('step_by_hand', 'after restore: True')],
)
def test_examples_run(name: str, text: str) -> None:
    path = EXAMPLES / f'{name}.py'
    found = subprocess.run([sys.executable, path], capture_output=True, text=True, check=True)
    assert text in found.stdout


def test_blocks_of_the_user_run_in_a_scenario(tmp_path: Path) -> None:
    """Found in the working directory, as from a shell there."""
    run = [sys.executable, '-m', 'simloop_ros.cli.main', 'run', 'my_blocks.yaml']
    environment = {'PYTHONPATH': str(ROOT)}
    subprocess.run([*run, '--out', tmp_path], cwd=EXAMPLES, env=environment, check=True)
    summary = json.loads((tmp_path / 'summary.json').read_text())
    assert (summary['planner'], summary['plant']) == ('my_blocks:Swing', 'my_blocks:Damped')
    assert summary['status'] == 'ended'
    assert 0.0 < summary['path_error_max'] < 1e-3  # gentle, but it follows


def test_a_monitor_of_the_user_is_reacted_to() -> None:
    """A push beyond its threshold, a fifth of the limits, and the robot holds."""
    push = 'plant.pushes=[{link: link2, start: 0.5, duration: 1, force: [60, 0, 0]}]'
    loop = assemble(load_scenario(str(EXAMPLES / 'my_blocks.yaml'), [push])).loop
    records = [loop.step() for _ in range(300)]
    assert not any(record.monitor.contact for record in records[:99])
    assert any(record.monitor.contact for record in records[100:110])
    assert np.ptp([record.setpoint.position for record in records[200:]], axis=0).max() < 0.01


@pytest.mark.parametrize(
    ('setting', 'message'),
    [
        ('planner.kind=no_such_module:Swing', "No module named 'no_such_module'"),
        ('planner.kind=my_blocks:Missing', 'has no class Missing that derives from'),
        ('planner.kind=my_blocks:Gentle', 'no class Gentle that derives from simloop_ros.Planner'),
        ('planner.parameters={A: 1}', "missing 1 required positional argument: 'T'"),
        ('plant.engine=my_blocks:Swing', 'derives from simloop_ros.Plant'),
        ('control.parameters={}', 'control.law: my_blocks:Gentle'),
        ('monitor.kind=my_blocks:Damped', 'derives from simloop_ros.Monitor'),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(setting: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        assemble(load_scenario(str(EXAMPLES / 'my_blocks.yaml'), [setting]))
