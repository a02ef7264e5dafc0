"""``simloop excite`` and ``simloop identify``: from a robot to its files."""

from __future__ import annotations

import json

import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.cli.main import main
from simloop_ros.replay.identified import load_identified
from simloop_ros.robot.fit_robot import load_fit_robot
from simloop_ros.scenario.robot_files import robot_config


@pytest.fixture(scope='module')
def run(tmp_path_factory):
    """Return the folder of a run with an exciting motion of a heavier robot with friction."""
    folder = tmp_path_factory.mktemp('excite')
    scenario = folder / 'excite.yaml'
    assert main(['excite', '--robot', 'two_link', '--out', str(scenario), '--duration', '12']) == 0
    settings = ['plant.mass_bias=0.2', 'plant.friction={coulomb: 0.8, viscous: 0.5}']
    arguments = [
        word
        for setting in (*settings, 'graphs=[]', 'duration=12.1')
        for word in ('--set', setting)
    ]
    assert main(['run', str(scenario), *arguments, '--out', str(folder / 'run')]) == 0
    return folder / 'run'


def test_a_run_of_our_own_plant_is_identified(run, tmp_path, capsys):
    figures = tmp_path / 'figures.json'
    arguments = ['--robot', 'two_link', '--out', str(tmp_path / 'out'), '--json', str(figures)]
    assert main(['identify', str(run), *arguments]) == 0
    found = json.loads(figures.read_text())
    model = load_fit_robot(robot_config('two_link'))
    assert found['joints'] == list(model.joint_names)
    before, after = np.array(found['urdf_rms']), np.array(found['held_out_rms'])
    assert np.all(after < 0.1 * before)
    assert 'identified' in capsys.readouterr().out
    # Its files: the robot for scenarios, and the explanation for replay.
    again = load_fit_robot(robot_config(str(tmp_path / 'out' / 'robot.yaml')))
    np.testing.assert_allclose([each.coulomb for each in again.friction], 0.8, rtol=0.1)
    explanation = load_identified(tmp_path / 'out', model)
    weight, heavier = (
        pin.computeGeneralizedGravity(robot, robot.createData(), np.array([0.4, 0.3]))
        for robot in (model.pin_model, explanation.corrected(model))
    )
    np.testing.assert_allclose(heavier, 1.2 * weight, rtol=0.02)
    summary = json.loads((tmp_path / 'out' / 'summary.json').read_text())
    assert all(each['standard_error'] >= 0.0 for each in summary['parameters'])
    assert (tmp_path / 'out' / f'{model.joint_names[0]}.png').is_file()


@pytest.mark.parametrize(
    ('arguments', 'message'),
    [
        (['--fit-on', '0.5:0.2'], 'the smaller one first'),
        (['--fit-on', 'half'], 'for instance 0:0.5'),
        (['--cutoff', '-1'], 'not a positive number'),
        (['--signal', 'measured'], 'no measured torques in the log'),
        (['--payload-on', 'nothing'], 'unknown link'),
    ],
)
def test_wrong_arguments_are_refused_in_one_line(arguments, message, run, tmp_path, capsys):
    given = ['identify', str(run), '--robot', 'two_link', '--out', str(tmp_path / 'out')]
    assert main([*given, *arguments]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count('\n') == 1


def test_excite_needs_one_robot(tmp_path, capsys):
    assert main(['excite', '--out', str(tmp_path / 'x.yaml')]) == 2
    assert 'one of them' in capsys.readouterr().err
