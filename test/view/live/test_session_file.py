"""A session that was saved is repeated by ``simloop run``, bit for bit."""

from __future__ import annotations

from pathlib import Path
import time
from typing import Any

from live_runs import SteeredRun
import numpy as np
import pytest

from simloop_ros.assembly.assemble import assemble
from simloop_ros.assembly.run import run
from simloop_ros.core.errors import ConfigError, UnknownNameError
from simloop_ros.plants.applied_wrenches import LinkWrench, read_wrenches, write_wrenches
from simloop_ros.record.mcap import read_mcap
from simloop_ros.scenario.loading import load_scenario
from simloop_ros.view.actions import Halt, LetGo, PutPayload, Resume, Save, Seek, SetKey, Throw

CASES = {
    'lwr_full_body': ((), 'lwr_4_link', 'flange'),
    'lwr_goals': (
        ('goals=[{at: 0.2, do: joints, positions: {lwr_a1_joint: 0.5, lwr_a4_joint: 0.4}}]',),
        'lwr_4_link',
        'flange',
    ),
    'yumi_step': (('period=0.005', 'plant.noise=1e-5'), 'yumi_link_5_l', 'tool0_l'),
    'yumi_collision': (
        ('plant.engine=mujoco', 'plant.step=0.001', 'monitor.reaction=none'),
        'yumi_link_5_l',
        'tool0_l',
    ),
}


def repeat(folder: Path) -> dict[str, Any]:
    """Run a session as ``simloop run`` does."""
    scenario = load_scenario(str(folder / 'session.yaml'))
    return run(assemble(scenario), folder / 'again', time.perf_counter)


@pytest.mark.parametrize('name', CASES)
def test_a_session_is_repeated(name: str, tmp_path: Path) -> None:
    settings, link, tip = CASES[name]
    with SteeredRun(name, settings) as live:
        live.do(PutPayload(tip, 0.05))
        live.until(0.25)
        live.do(live.grip(link, [0.0, 0.1, 0.1]), live.grip(link, [0.1, 0.0, 0.1], hand=2))
        live.until(0.3)
        x, y, z = live.place(link)
        live.do(Throw((x, y + 0.25, z), (0.0, -4.0, 0.0)))
        live.until(0.4)
        live.do(LetGo(2), Halt())
        live.until(0.6)
        live.do(LetGo(1), PutPayload(tip, 0.1))
        live.until(0.8)
        live.do(Resume())
        live.until(1.0)
        said = live.do(Save(str(tmp_path)))
        assert said == f'{tmp_path}/session.yaml: "simloop run {tmp_path}/session.yaml" repeats it'
        live.until(1.1)
        summary = repeat(tmp_path)
        again = read_mcap(tmp_path / 'again' / 'log.mcap')
        assert summary['steps'] == round(1.0 / live.run.facts.scenario.period)
        assert np.array_equal(again.column('true_position'), live.path[: summary['steps']])
        del live.rows[summary['steps'] :]
        assert summary['digest'] == live.digest


def test_a_session_of_a_session_has_the_wrenches_of_both(tmp_path: Path) -> None:
    with SteeredRun('lwr_full_body', ['plant.hands=[]']) as live:
        live.until(0.1)
        live.do(live.grip('lwr_4_link', [0.0, 0.1, 0.1]))
        live.until(0.5)
        live.do(Save(str(tmp_path)))
    with SteeredRun(str(tmp_path / 'session.yaml')) as live:
        live.until(0.3)
        live.do(live.grip('lwr_6_link', [0.0, 0.1, 0.1]))
        live.until(0.6)
        live.do(Save(str(tmp_path / 'second')))
        repeat(tmp_path / 'second')
        again = read_mcap(tmp_path / 'second' / 'again' / 'log.mcap')
        assert np.array_equal(again.column('true_position'), live.path)


def test_a_payload_after_a_quiet_time_is_repeated(tmp_path: Path) -> None:
    with SteeredRun('lwr_full_body', ['plant.hands=[]']) as live:
        live.until(0.3)
        live.do(PutPayload('flange', 0.5))
        live.until(0.6)
        live.do(Save(str(tmp_path)))
        repeat(tmp_path)
        again = read_mcap(tmp_path / 'again' / 'log.mcap')
        assert np.array_equal(again.column('true_position'), live.path)


def test_what_came_after_the_time_that_was_set_back_to_is_not_saved(tmp_path: Path) -> None:
    with SteeredRun('lwr_full_body', ['plant.hands=[]']) as live:
        live.until(0.2)
        live.do(live.grip('lwr_4_link', [0.0, 0.2, 0.0]), PutPayload('flange', 0.5), Halt())
        live.until(0.4)
        live.do(Seek(0.1))
        live.until(0.3)
        live.do(Save(str(tmp_path)))
        saved = load_scenario(str(tmp_path / 'session.yaml'))
        assert (saved.plant.wrenches, saved.plant.payloads, saved.goals) == ('', (), ())
        repeat(tmp_path)
        again = read_mcap(tmp_path / 'again' / 'log.mcap')
        live.back_to(150)
        assert np.array_equal(again.column('true_position'), live.path)


def test_what_a_scenario_cannot_say_is_told(tmp_path: Path) -> None:
    with SteeredRun('lwr_full_body') as live:
        with pytest.raises(ConfigError, match='nothing has happened'):
            live.do(Save(str(tmp_path)))
        live.until(0.1)
        live.do(SetKey('admittance.dead_zone', '0.3'))
        live.until(0.2)
        assert 'admittance.dead_zone was changed at 0.100 s' in live.do(Save(str(tmp_path)))
        live.do(Seek(0.05))
        assert 'admittance.dead_zone was changed' in live.do(Save(str(tmp_path)))


def test_wrenches_are_read_as_they_were_written(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    wrenches = {
        step: tuple(LinkWrench(link, rng.normal(size=6) * 10.0**step) for link in ('a', 'b, "c"'))
        for step in (7, 0, 3)
    }
    write_wrenches(tmp_path / 'w.csv', wrenches)
    again = read_wrenches(tmp_path / 'w.csv')
    assert list(again) == [0, 3, 7]
    for step, both in wrenches.items():
        for was, now in zip(both, again[step], strict=True):
            assert was.link == now.link
            assert was.wrench.tobytes() == now.wrench.tobytes()


HEAD = 'step,link,fx,fy,fz,tx,ty,tz\n'


@pytest.mark.parametrize(
    ('text', 'error'),
    [
        ('', 'its first line is not step,link,fx'),
        ('a,b\n', 'its first line'),
        (HEAD + '0,flange,1,2,3,4,5\n', 'line 2: a step from 0'),
        (HEAD + '0,flange,1,2,3,4,5,6\n-1,flange,1,2,3,4,5,6\n', 'line 3: a step from 0'),
        (HEAD + '0,flange,1,2,3,4,5,nan\n', 'six finite numbers'),
        (HEAD + 'x,flange,1,2,3,4,5,6\n', 'line 2: invalid literal'),
        (HEAD + '0\n', 'line 2'),
    ],
)
def test_a_broken_file_of_wrenches_is_told(tmp_path: Path, text: str, error: str) -> None:
    (tmp_path / 'w.csv').write_text(text)
    with pytest.raises(ConfigError, match=error):
        read_wrenches(tmp_path / 'w.csv')


def test_a_link_that_the_robot_does_not_have_is_told(tmp_path: Path) -> None:
    (tmp_path / 'w.csv').write_text(HEAD + '0,elbow,1,2,3,4,5,6\n')
    with pytest.raises(UnknownNameError, match='elbow'):
        assemble(load_scenario('lwr_tcp', [f'plant.wrenches={tmp_path}/w.csv']))
