"""``simloop replay`` from the command line."""

from __future__ import annotations

import json

import numpy as np
import pytest
from robot_logs import recording, write_bag

from simloop_ros.cli.main import main


@pytest.fixture(scope='module')
def bag(tmp_path_factory, shipped):
    made = recording(shipped('two_link'), 12.0, period=0.02, noise=0.1)
    return write_bag(tmp_path_factory.mktemp('bags') / 'bag', made)


def test_from_a_bag_to_a_page(bag, tmp_path, capsys):
    inject = tmp_path / 'contacts.yaml'
    inject.write_text(
        'random: {links: [link2], forces: [40], count: 5}\n'
        'contacts: [{link: link2, time: 9, force: [0, 0, 30]}]\n'
    )
    out, copy = tmp_path / 'out', tmp_path / 'copy.json'
    given = ['replay', str(bag), '--robot', 'two_link', '--inject', str(inject), '--out', str(out)]
    status = main([*given, '--json', str(copy)])
    said = capsys.readouterr().out
    assert status == 0
    summary = json.loads((out / 'summary.json').read_text())
    assert summary == json.loads(copy.read_text())
    assert set(summary['monitors']) == {'disturbance_observer', 'momentum_observer'}
    assert summary['injected']['meaning'].startswith('INJECTED')
    assert 'with 95 % confidence' in said
    assert said.count('INJECTED') == 2
    page = (out / 'report.html').read_text()
    pictures = {path.name for path in out.glob('*.png')}
    assert {'torques.png', 'momentum_observer.png', 'sensitivity_injected.png'} <= pictures
    for name in pictures:
        assert f'src="{name}"' in page
    # Whatever belongs to injected contacts is called so.
    assert 'INJECTED' in page.partition('Monitors on the log as it is')[2]
    assert 'INJECTED' not in page.partition('<div class="injected">')[0]


@pytest.mark.parametrize(
    ('arguments', 'words'),
    [
        (['--calibrate-on', 'half'], 'not of the form A:B'),
        (['--calibrate-on', '0:1'], 'not all of it'),
        (['--calibrate-on', '0.6:0.5'], 'growing'),
        (['--false-alarms-per-hour', '0'], 'not a positive number'),
        (['--robot', 'two_linc'], 'did you mean two_link'),
        (['--robot', 'panda'], 'is it a log of panda'),
        (['--signal', 'command'], 'no command torques'),
        (['--monitor', 'nose'], 'unknown monitor'),
        (['--identified', 'nowhere.yaml'], 'cannot be read'),
        (['--map', 'nowhere.yaml'], 'cannot be read'),
    ],
)
def test_bad_arguments_are_one_line(bag, tmp_path, capsys, arguments, words):
    given = ['replay', str(bag), '--robot', 'two_link', '--out', str(tmp_path), '--no-figures']
    assert main([*given, *arguments]) == 2
    said = capsys.readouterr().err
    assert words in said
    assert said.count('\n') == 1


def test_a_csv_without_stamps_is_refused(tmp_path, capsys, shipped):
    made = recording(shipped('lwr'), 1.0)
    names = ','.join(['time', *made.joint_names, *(f'{j}.effort' for j in made.joint_names)])
    table = np.column_stack((0.0 * made.time, made.position, made.effort))
    path = tmp_path / 'log.csv'
    np.savetxt(path, table, delimiter=',', header=names, comments='')
    assert main(['replay', str(path), '--robot', 'lwr', '--out', str(tmp_path)]) == 2
    assert 'stamps are equal' in capsys.readouterr().err
