"""Going back in time: what follows is what followed then, bit for bit."""

from __future__ import annotations

from live_runs import SteeredRun
import numpy as np
import pytest

from simloop_ros.assembly.assemble import assemble
from simloop_ros.core.errors import ConfigError
from simloop_ros.scenario.loading import load_scenario
from simloop_ros.view.actions import (
    Halt,
    LetGo,
    Play,
    PutPayload,
    Reset,
    Seek,
    SetKey,
    Step,
    Throw,
)
from simloop_ros.view.live.history import History

MUJOCO = ('plant.engine=mujoco',)
CASES = {
    'lwr_full_body': ('lwr_full_body', (), 5.5),
    'lwr_goals': ('lwr_goals', ('period=0.005',), 5.6),
    'yumi_collision': ('yumi_collision', (), 1.2),  # back into the reaction
    'yumi_collision in MuJoCo': ('yumi_collision', MUJOCO, 1.2),
    'sphere_collision': ('sphere_collision', ('period=0.005',), 5.5),
    'workerbot_carry': ('workerbot_carry', (), 0.3),
}
BACK = {5.5: 5.0, 5.6: 5.0, 1.2: 0.6, 0.3: 0.2}


@pytest.mark.parametrize('name', CASES)
def test_a_run_that_is_rewound_goes_on_as_it_did(name: str) -> None:
    scenario, settings, end = CASES[name]
    back = end - BACK[end] + 0.033  # between two snapshots
    with SteeredRun(scenario, settings) as live:
        straight = live.until(end).rows.copy()
        live.do(Seek(back))
        assert live.run.time == pytest.approx(back, abs=live.run.facts.scenario.period)
        live.back_to(live.run.index)
        assert live.rows == straight[: live.run.index]
        live.until(end)
        assert live.rows == straight


@pytest.mark.parametrize('name', ['lwr_full_body', 'yumi_step', 'lwr_guiding'])
def test_without_a_person_it_is_the_run_of_the_scenario(name: str) -> None:
    with SteeredRun(name) as live:
        live.until(0.8)
        assembly = assemble(load_scenario(name))
        plain = [live.row(assembly.loop.step()) for _ in range(live.run.index)]
        assembly.loop.plant.close()
        assert live.rows == plain


def test_what_persons_did_is_done_again_on_the_way() -> None:
    """Between the last snapshot and the time, and so at any step in between."""
    with SteeredRun('lwr_full_body', ['plant.hands=[]']) as live:
        live.until(0.31)
        live.do(live.grip('lwr_4_link', [0.0, 0.2, 0.0]))
        live.until(0.35)
        x, y, z = live.place('lwr_4_link')
        live.do(Throw((x, y + 0.3, z), (0.0, -3.0, 0.0)), PutPayload('flange', 1.0))
        live.until(0.37)
        live.do(LetGo(1), Halt())
        straight = live.until(0.6).rows.copy()
        for time in (0.39, 0.36, 0.334):
            live.do(Seek(time))
            assert live.rows[: live.run.index] == straight[: live.run.index]
            assert live.run.index == round(time / 0.002)
        live.do(Reset())
        assert live.run.index == 0
        live.back_to(0)
        quiet = live.until(0.31).rows
        assert quiet == straight[:155]
        live.until(0.4)
        assert live.rows[160:] != straight[160:200]


def test_all_hands_let_go_when_time_is_set_back() -> None:
    with SteeredRun('lwr_full_body', ['plant.hands=[]']) as live:
        live.until(0.1)
        live.do(live.grip('lwr_4_link', [0.0, 0.2, 0.0]))
        live.until(0.5)
        assert [force.kind for force in live.frame().forces] == ['mouse']
        live.do(Seek(0.4), Step())
        assert live.frame().forces == ()


def test_a_key_that_was_changed_stays_changed() -> None:
    with SteeredRun('lwr_full_body') as live:
        live.until(0.2)
        live.do(SetKey('admittance.dead_zone', '0.3'))
        live.until(0.3)
        live.do(Seek(0.1))
        values = {key.name: key.value for key in live.run.keys.keys}
        assert values['admittance.dead_zone'] == 0.3


def test_a_run_that_diverged_ends_and_can_be_rewound() -> None:
    """A reading five periods old under a deadbeat law is unstable: the arm runs away."""
    with SteeredRun('yumi_step', ['plant.delay=5']) as live:
        while not live.frame().progress.ended:
            live.run.step()
        steps, straight = live.run.index, live.rows.copy()
        frame = live.frame()
        assert 'velocity of joint' in frame.progress.ended
        assert not frame.progress.playing
        assert np.isfinite(frame.joints).all()
        with pytest.raises(ConfigError, match='it does not go on'):
            live.do(Play())
        live.run.step()
        assert live.run.index == steps
        live.do(Seek(0.5 * live.run.time))
        assert live.frame().progress.ended == ''
        assert live.run.index == round(0.5 * steps)
        while not live.frame().progress.ended:
            live.run.step()
        assert live.rows == straight


def test_only_the_last_minutes_are_kept_and_the_start() -> None:
    history = History(period=0.01, first='start')
    assert history.before(0).snapshot == 'start'
    for steps in range(1, 20_001):
        if steps >= history.due:
            history.keep(steps, f'after {steps}')
    assert history.earliest == 20_000 - 599 * 20
    assert history.before(15_015).snapshot == 'after 15000'
    assert history.before(17_000).snapshot == 'after 15000'  # later ones are forgotten
    assert history.before(5).snapshot == 'start'
    assert history.earliest == 0
