"""What persons do to a live run: grips, balls, payloads, stops, and what is refused."""

from __future__ import annotations

from live_runs import SteeredRun
import numpy as np
import pytest

from simloop_ros.assembly.assemble import assemble
from simloop_ros.core.errors import ConfigError, SimloopError
from simloop_ros.scenario.loading import load_scenario, scenario_names
from simloop_ros.view.actions import (
    Action,
    Grip,
    Halt,
    LetGo,
    LoadScenario,
    PutPayload,
    Resume,
    Save,
    Seek,
    SetKey,
    SetSpeed,
    Step,
    Throw,
)
from simloop_ros.view.live.describe import describe

FORCE = 20.0
OFF_AXIS = (0.0, 0.05, 0.05)
"""A point of a link that its joint feels, too [m]."""
MONITORED = (
    'period=0.002',
    'monitor.kind=disturbance_observer',
    'monitor.calibration=yumi_collision',
    'plant.mass_bias=0.1',
    'plant.noise=1e-5',
    'plant.friction={coulomb: 0.05, viscous: 0.02}',
)
NEEDS = {'step': ('robot=two_link', 'planner.move=[[0.1, 0, 0.1]]')}


def elbow_moved_by_hand(side: float) -> np.ndarray:
    """Return how far the elbow of the LWR is moved by a hand of the scenario [m]."""
    hand = (
        'plant.hands=[{link: lwr_4_link, stiffness: 500, damping: 50, grip: 0.1, '
        f'max_force: {FORCE}, start: 0.5, end: 7, '
        f'path: {{kind: waypoints, waypoints: [{{time: 0.05, offset: [0, {side}, 0]}}]}}}}]'
    )
    assembly = assemble(load_scenario('lwr_full_body', [hand]))
    for _ in range(1250):
        q = assembly.loop.step().plant.truth.position
    model = assembly.facts.model
    return model.frame_poses(q, ['lwr_4_link'])[0].translation


@pytest.mark.parametrize('side', [0.5, -0.5])
def test_a_grip_moves_the_robot_as_the_hand_of_a_scenario_does(side: float) -> None:
    with SteeredRun('lwr_full_body', ['plant.hands=[]']) as live:
        live.until(0.5)
        start = live.place('lwr_4_link')
        live.do(live.grip('lwr_4_link', [0.0, side, 0.0], max_force=FORCE))
        live.until(2.5)
        (force,) = live.frame().forces
        moved = live.place('lwr_4_link') - start
    by_hand = elbow_moved_by_hand(side) - start
    assert (force.kind, force.link) == ('mouse', 'lwr_4_link')
    assert np.linalg.norm(force.vector) == pytest.approx(FORCE)
    assert np.linalg.norm(by_hand) > 0.05
    assert np.linalg.norm(moved - by_hand) < 0.05 * np.linalg.norm(by_hand)


def test_a_grip_raises_an_alarm_that_names_the_link() -> None:
    with SteeredRun('yumi_step', MONITORED) as live:
        live.until(0.3)
        assert live.frame().alarm.kind == 'none'
        pull = live.grip('yumi_link_5_l', [0.2, 0.0, 0.3], point=OFF_AXIS, max_force=60.0)
        live.do(pull)
        kinds, links = set(), set()
        for _ in range(150):
            live.run.step()
            alarm = live.frame().alarm
            if alarm.kind != 'none':
                kinds.add(alarm.kind)
                links.add(alarm.link)
                delay, probability = alarm.delay, alarm.probability
        forces = {force.kind: force for force in live.frame().forces}
        assert kinds <= {'push', 'impact'}
        assert live.frame().alarm.link == 'yumi_link_5_l', links
        assert probability > 0.5
        assert 0.0 < delay < 0.2
        assert {'mouse', 'estimated'} <= forces.keys()
        error = np.linalg.norm(forces['estimated'].vector - forces['mouse'].vector)
        assert error < 0.3 * np.linalg.norm(forces['mouse'].vector)


def test_a_mass_in_the_hand_is_noticed() -> None:
    with SteeredRun('yumi_step', MONITORED) as live:
        live.until(0.3)
        said = live.do(PutPayload('tool0_l', 0.5))
        assert said == '0.5 kg at tool0_l, unknown to control and monitor'
        live.until(1.0)
        residual = live.frame().scalars[-1, 0]
        live.do(PutPayload('tool0_l', 0.0))
        assert residual > 1.0
        live.until(2.0)
        assert live.frame().scalars[-1, 0] < residual


def test_a_ball_pushes_the_robot_and_bounces_off() -> None:
    with SteeredRun('yumi_step', MONITORED) as live:
        live.until(0.1)
        x, y, z = live.place('yumi_link_5_l')
        live.do(Throw((x + 0.4, y, z + 0.05), (-4.0, 0.0, 0.0)))
        speeds, forces = [], []
        before = None
        for _ in range(150):
            live.run.step()
            frame = live.frame()
            (ball,) = frame.bodies
            assert ball.radius == 0.05
            if before is not None:
                speeds.append((ball.position[0] - before) / 0.002)
            before = ball.position[0]
            forces += [force for force in frame.forces if force.kind == 'ball']
        assert speeds[0] == pytest.approx(-4.0)
        assert speeds[-1] > speeds[0] + 0.5
        assert any(force.vector[0] < -5.0 for force in forces)
        # What the robot gets is what the ball loses.
        impulse = sum(force.vector[0] for force in forces) * 0.002
        assert impulse == pytest.approx(0.3 * (speeds[0] - speeds[-1]), rel=0.05)
        live.until(5.0)
        assert live.frame().bodies == ()


def test_two_hands_pull_at_once_and_let_go_each_for_itself() -> None:
    with SteeredRun('yumi_guiding', ['plant.hands=[]']) as live:
        live.do(
            live.grip('tool0_l', [0.0, 0.1, 0.1], hand=1, max_force=20.0),
            live.grip('tool0_r', [0.0, -0.1, 0.1], hand=2, max_force=20.0),
        )
        live.until(0.5)
        frame = live.frame()
        assert {force.link for force in frame.forces} == {'tool0_l', 'tool0_r'}
        assert frame.scalars[-1, 1] > 0.0  # energy of the hands
        assert frame.effective_masses.shape == (2, 3)
        live.do(LetGo(1))
        live.until(0.6)
        assert [force.link for force in live.frame().forces] == ['tool0_r']


def test_a_hand_that_holds_still_is_pulled_by_nobody() -> None:
    """The grip of a robot at rest, where it is: no force, and no motion."""
    with SteeredRun('lwr_full_body', ['plant.hands=[]', 'plant.pushes=[]']) as live:
        live.until(0.1)
        before = live.frame().joints
        live.do(live.grip('lwr_4_link', [0.0, 0.0, 0.0]))
        live.until(0.4)
        frame = live.frame()
        assert np.abs(frame.joints - before).max() < 1e-6


def test_a_robot_on_its_way_to_a_goal_is_paused() -> None:
    with SteeredRun('lwr_goals') as live:
        live.until(0.5)
        live.do(Halt())
        live.until(1.0)  # a goal of the list comes at 0.7 s and takes over
        live.do(Seek(0.6))
        assert live.frame().activity == 'paused'
        with pytest.raises(ConfigError, match='stopped already'):
            live.do(Halt())
        live.do(Resume())
        live.run.step()
        assert live.frame().activity == 'goes to a goal'


@pytest.mark.parametrize('settings', [(), MONITORED])
def test_another_motion_is_stopped_and_goes_on_to_its_end(settings: tuple[str, ...]) -> None:
    with SteeredRun('yumi_step', settings) as live:
        tips = live.run.facts.model.tip_positions
        end = tips(live.until(4.0).path[-1])
        live.do(Seek(0.4), Halt())
        live.until(2.0)
        assert live.frame().activity == 'stopped'
        assert np.abs(live.records[-1].setpoint.velocity).max() == 0.0
        assert np.ptp(live.path[-100:], axis=0).max() < 2e-3
        assert np.linalg.norm(tips(live.path[-1]) - end, axis=1).min() > 0.05
        with pytest.raises(ConfigError, match='stopped already'):
            live.do(Halt())
        live.do(Resume())
        live.until(6.0)
        assert np.linalg.norm(tips(live.path[-1]) - end, axis=1).max() < 0.01


def test_two_hands_stop_together_and_go_on() -> None:
    with SteeredRun('workerbot_grip') as live:
        live.until(0.2)
        with pytest.raises(ConfigError, match='both arms move'):
            live.do(Resume())
        assert 'both arms' in live.do(Halt())
        live.until(0.6)
        assert 'halted from the page' in live.frame().activity
        still = live.path[-1]
        live.do(Resume())
        live.until(0.9)
        assert 'task 1' in live.frame().activity
        assert np.abs(live.path[-1] - still).max() > 1e-3


def test_a_robot_that_reacts_goes_on_from_rest() -> None:
    settings = (*MONITORED, 'monitor.reaction=stop')
    with SteeredRun('yumi_step', settings) as live:
        live.until(0.3)
        live.do(live.grip('yumi_link_5_l', [0.0, 0.0, 0.4], max_force=60.0))
        live.until(0.5)
        live.do(LetGo(1))
        live.until(1.5)
        assert live.frame().activity == 'resting (stop)'
        with pytest.raises(ConfigError, match='rests already'):
            live.do(Halt())
        assert live.do(Resume()) == 'the robot goes on'
        live.run.step()
        assert live.frame().activity == ''


NAN = float('nan')
WRONG: dict[str, tuple[Action, str]] = {
    'link': (Grip(1, 'elbow', (0, 0, 0), (0, 0, 0), 500, 20), 'elbow'),
    'target': (Grip(1, 'lwr_4_link', (0, 0, 0), (NAN, 0, 0), 500, 20), 'target'),
    'stiffness': (Grip(1, 'lwr_4_link', (0, 0, 0), (0, 0, 0), -1, 20), 'stiffness: -1'),
    'force': (Grip(1, 'lwr_4_link', (0, 0, 0), (0, 0, 0), 500, NAN), 'max_force: nan'),
    'ball': (Throw((0, 0, 0), (1e9, 0, 0)), 'velocity'),
    'mass of a ball': (Throw((0, 0, 0), (1, 0, 0), mass=0.0), 'mass: 0; possible: 0.001 to 100'),
    'speed': (SetSpeed(-1.0), 'speed: -1'),
    'nan speed': (SetSpeed(NAN), 'finite'),
    'time': (Seek(NAN), 'time: nan'),
    'steps': (Step(10**7), 'count'),
    'tip': (PutPayload('hand', 1.0), 'hand'),
    'weight': (PutPayload('flange', 500.0), '500 kg at flange'),
    'key': (SetKey('period', '0.1'), 'live key'),
    'value': (SetKey('admittance.dead_zone', '-1'), 'dead_zone'),
    'yaml': (SetKey('admittance.dead_zone', '[1'), 'dead_zone|YAML|flow'),
    'resume': (Resume(), 'not stopped'),
    'save': (Save('/proc/nothing'), '/proc/nothing'),
    'load': (LoadScenario('lwr_tcp'), 'Load'),
}


def test_what_cannot_be_done_changes_nothing() -> None:
    with SteeredRun('lwr_full_body', ['plant.hands=[]']) as live:
        straight = live.until(0.4).rows.copy()
        live.do(Seek(0.2))
        keys = live.run.keys.keys
        for name, (action, text) in WRONG.items():
            with pytest.raises(SimloopError, match=text) as caught:
                live.do(action)
            assert '\n' not in str(caught.value), name
        assert live.run.keys.keys == keys
        assert live.until(0.4).rows == straight


@pytest.mark.parametrize('name', scenario_names())
def test_every_shipped_scenario_is_described_and_gives_frames(name: str) -> None:
    with SteeredRun(name, NEEDS.get(name, ())) as live:
        description = describe(live.run)
        n, steps = description.model.n, 5
        assert description.title == name
        first = live.frame()
        assert (first.time, len(first.times)) == (0.0, 0)
        live.do(Step(steps))
        frame = live.frame()
        assert frame.time == pytest.approx(steps * description.period)
        assert frame.trace.shape == (steps, len(description.columns), n)
        assert frame.scalars.shape == (steps, len(description.scalars))
        assert np.isfinite(frame.trace[:, :5]).all()
        assert frame.joints.shape == frame.twin.shape == (n,)
        known = {body.name for body in description.bodies}
        assert {body.name for body in frame.bodies} <= known
        assert all(path.shape[1] == 3 for path in description.paths)
