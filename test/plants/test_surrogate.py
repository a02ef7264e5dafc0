"""A robot that takes positions only, behind its surrogate."""

import numpy as np
import pinocchio as pin
import pytest
from steps import at

from simloop_ros.assembly.assemble import assemble
from simloop_ros.assembly.run import run
from simloop_ros.control.config import ControlConfig
from simloop_ros.control.control_simulation import ControlSimulation
from simloop_ros.core.errors import ConfigError
from simloop_ros.core.values import Disturbance, JointState
from simloop_ros.plants.pinocchio_plant import PinocchioPlant
from simloop_ros.plants.position_robot import PositionRobot
from simloop_ros.scenario.loading import load_scenario

H = 0.002
REAL = {'takes': 'position', 'mass_bias': 0.1, 'friction': {'coulomb': 0.3, 'viscous': 0.5}}
PUSH = {'link': 'tool', 'start': 0.1, 'duration': 0.2, 'force': [5.0, -3.0, 8.0]}


class Pushed:
    """A plant on which a constant external torque [N m] acts."""

    def __init__(self, plant, torque):
        self._plant, self._torque = plant, torque

    def __getattr__(self, name):
        return getattr(self._plant, name)

    def step(self, effort):
        self._plant.step(effort, Disturbance(self._torque))


def follow(plant, model, seconds, turn=0.1):
    """Move all joints along a smooth step by the loop around the surrogate; yield the states."""
    control = ControlSimulation(model, ControlConfig(), H)
    control.start(JointState(model.home, np.zeros(model.n)))
    for i in range(1, round(seconds / H) + 1):
        s = min(1.0, i * H / 1.0)
        desired = model.home + turn * s**3 * (10.0 - 15.0 * s + 6.0 * s * s)
        command = control.step(at(desired))
        plant.step(command.effort)
        control.rollback(command, plant.observe())
        yield desired, plant.observe(), plant.truth


def test_the_real_robot_is_where_its_surrogate_is(build, arm):
    """Servo errors: friction over its stiffness, and jerk; the surrogate has none."""
    plant = build(arm, H, **REAL)
    for desired, seen, truth in follow(plant, arm, 1.5):
        assert seen == pytest.approx(desired, abs=1e-9)
        assert truth.position == pytest.approx(seen, abs=2e-4)
        assert truth.velocity == pytest.approx(np.zeros(7), abs=1.0)
    assert np.abs(truth.velocity).max() < 1e-3


@pytest.mark.parametrize('scenario', ['sphere_step', 'yumi_step'])
def test_it_tracks_the_steps_of_the_shipped_robots(scenario, tmp_path):
    """Control sees its own surrogate, which is exact; the real robot is 10 % heavier."""
    settings = ['plant.takes=position', 'plant.mass_bias=0.1', 'plant.friction.coulomb=0.02']
    summary = run(assemble(load_scenario(scenario, settings)), tmp_path, lambda: 0.0)
    assert summary['status'] == 'reached'
    assert summary['path_error_max'] < 1e-9
    assert 1e-9 < summary['true_path_error_max'] < 5e-3
    assert max(summary['tip_error_end'].values()) < 2e-3


def test_a_push_bends_it_as_a_stiff_spring(build, arm):
    """(M + B) w^2 (q - q_c) is the torque, and B w^2 alone the effort limit over the give."""
    plant = build(arm, H, takes='position', servo={'give': 0.02, 'bandwidth': 80.0})
    torque = np.array([5.0, -8.0, 6.0, 12.0, -3.0, 2.0, 1.0])
    for _ in follow(Pushed(plant, torque), arm, 1.0, 0.0):
        pass
    q = plant.truth.position
    inertia = pin.crba(arm.pin_model, arm.pin_model.createData(), q)
    stiffness = 80.0**2 * inertia + np.diag(arm.effort_limit) / 0.02
    assert stiffness @ (q - plant.observe()) == pytest.approx(torque, rel=1e-6)


def test_a_faster_servo_follows_better(build, arm):
    def miss(bandwidth):
        plant = build(arm, H, step=H / 4, servo={'bandwidth': bandwidth}, **REAL)
        return max(np.abs(t.position - seen).max() for _, seen, t in follow(plant, arm, 1.2))

    assert miss(400.0) < 0.5 * miss(50.0)


def test_a_servo_that_is_too_fast_is_refused(build, arm):
    with pytest.raises(ConfigError, match=r'choose at most 250, or a shorter plant\.step'):
        build(arm, H, takes='position', servo={'bandwidth': 300.0})
    build(arm, H, takes='position', servo={'bandwidth': 300.0}, step=H / 2)


def test_a_push_acts_on_the_real_robot_only(build, arm):
    """Control does not see it; the plant reports its torque: that of a robot taking efforts."""
    pushed = build(arm, H, pushes=[PUSH], **REAL)
    free = build(arm, H, **REAL)
    plain = build(arm, H, pushes=[{**PUSH, 'start': 0.0}])
    plain.step(np.zeros(7))
    bent = 0.0
    for i, (first, second) in enumerate(
        zip(follow(pushed, arm, 0.5, 0.0), follow(free, arm, 0.5, 0.0), strict=True)
    ):
        assert np.array_equal(first[1], second[1])
        bent = max(bent, np.abs(first[2].position - second[2].position).max())
        if i == 50:
            near = 2e-2  # of the torque: by then the robot sags a little
            expected = plain.report().external
            assert pushed.report().external == pytest.approx(expected, rel=near, abs=near)
        assert bool(pushed.report().external.any()) == (50 <= i < 150)
        assert not free.report().external.any()
    assert 1e-5 < bent < 0.02


def test_a_torque_of_one_step_is_reported(build, arm):
    plant = build(arm, H, **REAL)
    plant.step(np.zeros(7), Disturbance(np.arange(7.0)))
    assert plant.report().external == pytest.approx(np.arange(7.0))


@pytest.mark.parametrize('stiffness', [100.0, 1000.0, 5000.0])
def test_a_hand_cannot_upset_the_servo(build, arm, stiffness):
    hand = {'link': 'tool', 'stiffness': stiffness, 'damping': 50.0, 'max_force': 30.0}
    path = {'kind': 'waypoints', 'waypoints': [{'time': 0.3, 'offset': [0.02, 0.02, 0.02]}]}
    plant = build(arm, H, hands=[{**hand, 'path': path}], **REAL)
    for _, _, truth in follow(plant, arm, 1.5, 0.0):
        assert np.abs(truth.position - arm.home).max() < 0.05
    assert np.abs(truth.velocity).max() < 1e-3
    (report,) = plant.report().hands
    assert report.held
    assert np.linalg.norm(report.force) == pytest.approx(
        min(30.0, stiffness * np.linalg.norm(report.gap)), rel=1e-3
    )


@pytest.mark.parametrize('engine', ['pybullet', 'mujoco'])
def test_engines_without_motors_are_refused(build, arm, engine):
    with pytest.raises(ConfigError, match=f'motors of engine {engine}'):
        build(arm, H, takes='position', engine=engine)


def test_flexible_joints_are_refused(build, arm):
    with pytest.raises(ConfigError, match=r'leave out plant\.flexible_joints'):
        build(arm, H, takes='position', flexible_joints=True)


def test_a_joint_without_effort_limit_is_refused(build, fork):
    with pytest.raises(ConfigError, match=r'joint turn_\w+ has no effort limit'):
        build(fork, H, takes='position')


@pytest.mark.parametrize('fault', [{'noise': 1e-3}, {'resolution': 1e-3}, {'delay': 2}])
def test_errors_of_encoders_that_are_not_read_are_refused(build, arm, fault):
    with pytest.raises(ConfigError, match=r'plant\.takes'):
        build(arm, H, takes='position', **fault)


def test_a_disturbance_does_not_move_the_surrogate(build, arm):
    pushed, free = build(arm, H, **REAL), build(arm, H, **REAL)
    for _ in range(5):
        pushed.step(np.ones(7), Disturbance(np.arange(7.0)))
        free.step(np.ones(7))
    assert np.array_equal(pushed.observe(), free.observe())
    assert not np.array_equal(pushed.truth.position, free.truth.position)


def test_the_servo_is_critically_damped(ball):
    """An error of a robot that is like its model goes as ``(1 + w t) e^(-w t)``."""
    period, w, error = 0.002, 60.0, 0.01
    robot = PositionRobot(PinocchioPlant(ball, period / 50), ball, period, 50, w)
    robot.plant.start(JointState(ball.home + error, np.zeros(1)))
    for k in range(1, 60):
        robot.track(ball.home)
        left = error * (1.0 + w * k * period) * np.exp(-w * k * period)
        away = robot.plant.truth.position - ball.home
        assert away == pytest.approx(left, abs=1e-2 * error)
