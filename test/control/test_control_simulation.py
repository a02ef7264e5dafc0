"""The control simulation against the dynamics that it inverts, and what it never lets out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from attributes import attributes, differing
import numpy as np
import pinocchio as pin
import pytest
from steps import at, sending

from simloop_ros.control.config import ControlConfig
from simloop_ros.control.control_simulation import ControlSimulation
from simloop_ros.core.errors import DivergenceError
from simloop_ros.core.values import JointState
from simloop_ros.robot.model import RobotModel

Step = Callable[[JointState, np.ndarray], JointState]
Exact = Callable[[RobotModel, float], Step]

H = 0.005
LANDING = 1e-12  # rad: h^2 times the rounding of aba after rnea
EFFORT_ROUNDING = 1e-9  # relative: positions of one, twice divided by h, keep ten digits
INVERTING = ('deadbeat', 'computed_torque')
LAWS = (*INVERTING, 'pd_gravity', 'pid')
ROLLBACKS = ('measured', 'observer')


def unlimited(robot: RobotModel) -> RobotModel:
    return replace(robot, effort_limit=np.full(robot.n, np.inf))


def moving(robot: RobotModel, rng: np.random.Generator) -> JointState:
    """Return a state near home in which the velocity terms matter."""
    return JointState(
        robot.home + rng.normal(scale=0.1, size=robot.n), rng.normal(scale=0.5, size=robot.n)
    )


def smooth_path(robot: RobotModel, steps: int) -> np.ndarray:
    """Return desired positions from home, at rest at first, shape ``(steps, n)``."""
    t = H * np.arange(1, steps + 1)
    amplitude = np.linspace(0.05, 0.1, robot.n)
    return robot.home + (1.0 - np.cos(2.0 * t))[:, None] * amplitude


def test_after_a_step_the_robot_is_where_it_should_be(robot: RobotModel, exact: Exact) -> None:
    """Deadbeat: ``aba`` of the effort undoes ``rnea``, from any state to any position."""
    robot = unlimited(robot)
    control, step = ControlSimulation(robot, ControlConfig(), H), exact(robot, H)
    rng = np.random.default_rng(1)
    for _ in range(20):
        state = moving(robot, rng)
        desired = state.position + H * (state.velocity + rng.normal(scale=0.5, size=robot.n))
        control.start(state)
        command = control.step(at(desired))
        after = step(state, command.effort)
        np.testing.assert_allclose(after.position, desired, rtol=0.0, atol=LANDING)
        np.testing.assert_allclose(after.velocity, command.velocity, rtol=0.0, atol=LANDING / H)
        twin = (after.velocity - state.velocity) / H
        np.testing.assert_allclose(command.acceleration, twin, rtol=0.0, atol=LANDING / H**2)
        assert not command.saturated


def test_step_leaves_the_state_for_the_rollback(robot: RobotModel) -> None:
    """000 (5.5) costs nothing."""
    control = ControlSimulation(robot, ControlConfig(), H)
    before = control.state
    control.step(at(robot.home + 1e-4))
    assert control.state is before


def test_rollback_is_what_was_measured(robot: RobotModel, exact: Exact) -> None:
    """000 (5.6), (5.7): the state is the robot's, tau' the effort that explains its motion."""
    robot = unlimited(robot)
    control, step = (
        ControlSimulation(robot, ControlConfig(rollback='measured'), H),
        exact(robot, H),
    )
    rng = np.random.default_rng(2)
    state = moving(robot, rng)
    control.start(state)
    for _ in range(20):
        effort = rng.normal(scale=2.0, size=robot.n)
        after = step(state, effort)
        command = control.step(at(state.position))
        rollback = control.rollback(command, after.position)
        np.testing.assert_array_equal(rollback.state.position, after.position)
        assert rollback.state is control.state
        scale = 1.0 + np.abs(effort).max()
        np.testing.assert_allclose(rollback.state.velocity, after.velocity, atol=LANDING / H)
        np.testing.assert_allclose(rollback.effort, effort, atol=EFFORT_ROUNDING * scale)
        state = after


def test_difference_of_efforts_is_the_disturbance(robot: RobotModel, exact: Exact) -> None:
    """An external torque, from the first step on: ``tau - tau'`` is what acts against it."""
    robot = unlimited(robot)
    control, step = ControlSimulation(robot, ControlConfig(), H), exact(robot, H)
    rng = np.random.default_rng(3)
    state = control.state
    for desired in smooth_path(robot, 50):
        external = rng.normal(scale=3.0, size=robot.n)
        command = control.step(at(desired))
        state = step(state, command.effort + external)
        rollback = control.rollback(command, state.position)
        scale = 1.0 + np.abs(command.effort).max()
        np.testing.assert_allclose(
            rollback.effort - command.effort, external, atol=EFFORT_ROUNDING * scale
        )


@pytest.mark.parametrize('rollback', ROLLBACKS)
@pytest.mark.parametrize('law', INVERTING)
def test_without_disturbance_there_is_no_error(
    robot: RobotModel, exact: Exact, law: str, rollback: str
) -> None:
    """Deadbeat is there after each step; computed torque too, as its a_d looks one step ahead."""
    control = ControlSimulation(robot, ControlConfig(law=law, rollback=rollback), H)
    step, state = exact(robot, H), control.state
    for desired in smooth_path(robot, 200):
        command = control.step(at(desired))
        state = step(state, command.effort)
        control.rollback(command, state.position)
        np.testing.assert_allclose(state.position, desired, rtol=0.0, atol=100 * LANDING)
    assert control.saturations == 0


def test_constant_disturbance_leaves_a_known_error_under_deadbeat(
    two_link: RobotModel, exact: Exact
) -> None:
    """At rest the robot is off by ``h^2 M^-1 tau_ext``: what one step lets it fall."""
    control, step = ControlSimulation(two_link, ControlConfig(), H), exact(two_link, H)
    external, state = np.array([2.0, -1.0]), control.state
    for _ in range(100):
        command = control.step(at(two_link.home))
        state = step(state, command.effort + external)
        control.rollback(command, state.position)
    mass = pin.crba(two_link.pin_model, two_link.pin_model.createData(), two_link.home)
    fallen = H**2 * np.linalg.solve(mass, external)
    linear = 1e-3  # relative: M is taken at home, not where the robot is
    np.testing.assert_allclose(state.position - two_link.home, fallen, rtol=linear)


def test_regularisation_is_that_of_3_3(robot: RobotModel) -> None:
    """``(M^-1 + Sigma)^-1 a`` plus gravity and velocity terms, by dense matrices."""
    robot, sigma = unlimited(robot), 0.3
    control = ControlSimulation(robot, ControlConfig(regularisation=sigma), H)
    data, rng = robot.pin_model.createData(), np.random.default_rng(4)
    for _ in range(5):
        state = moving(robot, rng)
        control.start(state)
        a = rng.normal(scale=5.0, size=robot.n)
        command = control.step(at(state.position + H * (state.velocity + H * a)))
        mass = pin.crba(robot.pin_model, data, state.position).reshape(robot.n, robot.n)
        mass = np.triu(mass) + np.triu(mass, 1).T
        drift = pin.rnea(robot.pin_model, data, state.position, state.velocity, np.zeros(robot.n))
        expected = np.linalg.inv(np.linalg.inv(mass) + sigma * np.eye(robot.n)) @ a + drift
        np.testing.assert_allclose(command.effort, expected, rtol=0.0, atol=1e-8)


def test_regularisation_tends_to_none(robot: RobotModel) -> None:
    """The effort of Sigma differs from that without by Sigma, to first order."""
    robot = unlimited(robot)
    state, desired = moving(robot, np.random.default_rng(5)), robot.home
    efforts = []
    for sigma in (0.0, 1e-6, 1e-5):
        control = ControlSimulation(robot, ControlConfig(regularisation=sigma), H)
        control.start(state)
        efforts.append(control.step(at(desired)).effort)
    small, large = (np.abs(effort - efforts[0]).max() for effort in efforts[1:])
    assert small <= 1e-3 * np.abs(efforts[0]).max()
    assert large / small == pytest.approx(10.0, rel=0.05)


@pytest.mark.parametrize('law', INVERTING)
def test_efforts_stay_within_limits_and_are_counted(
    robot: RobotModel, exact: Exact, law: str
) -> None:
    """The command says what the twin does under the effort that leaves, not the one wished."""
    control = ControlSimulation(robot, ControlConfig(law=law), H)
    step, state, rng = exact(robot, H), control.state, np.random.default_rng(6)
    counted = 0
    for k in range(50):
        far = 0.05 if k % 2 else 0.0
        command = control.step(at(state.position + far * rng.normal(size=robot.n)))
        assert np.all(np.abs(command.effort) <= robot.effort_limit)
        at_limit = bool((np.abs(command.effort) == robot.effort_limit).any())
        assert command.saturated == at_limit
        assert (control.steps, control.saturations) == (1, at_limit)
        counted += at_limit
        before, state = state, step(state, command.effort)
        twin = (state.velocity - before.velocity) / H
        np.testing.assert_allclose(command.acceleration, twin, rtol=1e-6, atol=LANDING / H**2)
        control.rollback(command, state.position)
        # Back to rest: not the run is tested here but each step.
        state = JointState(robot.home, np.zeros(robot.n))
        control.start(state)
    assert counted > 0


def test_one_joint_at_its_limit_is_enough(two_link: RobotModel) -> None:
    """Both efforts below their limits but not together: nothing is clipped."""
    weight = ControlSimulation(two_link, ControlConfig(), H).step(at(two_link.home)).effort
    tight = replace(two_link, effort_limit=1.01 * np.abs(weight))
    assert not ControlSimulation(tight, ControlConfig(), H).step(at(two_link.home)).saturated
    tight = replace(two_link, effort_limit=np.abs(weight) * [0.99, 2.0])
    command = ControlSimulation(tight, ControlConfig(), H).step(at(two_link.home))
    assert command.saturated
    assert abs(command.effort[0]) == tight.effort_limit[0]
    assert command.effort[1] == weight[1]


@pytest.mark.parametrize('value', [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize('joint', [0, -1])
@pytest.mark.parametrize('law', LAWS)
def test_a_desired_position_that_is_no_number_stops_the_run(
    robot: RobotModel, law: str, joint: int, value: float
) -> None:
    control = ControlSimulation(robot, ControlConfig(law=law), H)
    for _ in range(3):
        control.rollback(control.step(at(robot.home)), robot.home)
    desired = robot.home.copy()
    desired[joint] = value
    with pytest.raises(DivergenceError) as caught:
        control.step(at(desired))
    assert caught.value.joint == robot.joint_names[joint]
    assert caught.value.step == 3
    assert f'step 3 (t = {3 * H:g} s)' in str(caught.value)
    assert robot.joint_names[joint] in str(caught.value)


@pytest.mark.parametrize('rollback', ROLLBACKS)
@pytest.mark.parametrize('law', LAWS)
def test_a_measurement_that_is_no_number_lets_no_effort_out(
    robot: RobotModel, law: str, rollback: str
) -> None:
    control = ControlSimulation(robot, ControlConfig(law=law, rollback=rollback), H)
    measured = robot.home.copy()
    measured[-1] = np.nan
    control.rollback(control.step(at(robot.home)), measured)
    with pytest.raises(DivergenceError) as caught:
        control.step(at(robot.home))
    assert caught.value.joint == robot.joint_names[-1]
    assert caught.value.step == 1


def test_without_effort_limits_a_number_is_still_needed(two_link: RobotModel) -> None:
    control = ControlSimulation(unlimited(two_link), ControlConfig(), H)
    assert np.isfinite(control.step(at(two_link.home + 1.0)).effort).all()
    with pytest.raises(DivergenceError):
        control.step(at(np.array([0.0, np.nan])))


def test_a_saturated_joint_that_runs_away_stops_the_run(two_link: RobotModel) -> None:
    control = ControlSimulation(two_link, ControlConfig(), H)
    control.start(JointState(two_link.home, np.array([0.0, 21.0 * two_link.velocity_limit[1]])))
    with pytest.raises(DivergenceError, match='velocity of joint joint2 is 210'):
        control.step(at(two_link.home))


@pytest.mark.parametrize('more', [-1, 1])
def test_every_joint_and_no_other_is_needed(robot: RobotModel, more: int) -> None:
    control = ControlSimulation(robot, ControlConfig(), H)
    wrong = np.zeros(robot.n + more)
    says = f'{robot.n + more} joints given, {robot.n} needed'
    with pytest.raises(ValueError, match=f'desired position: {says}'):
        control.step(at(wrong))
    command = control.step(at(robot.home))
    with pytest.raises(ValueError, match=f'measured position: {says}'):
        control.rollback(command, wrong)


@pytest.mark.parametrize('rollback', ROLLBACKS)
@pytest.mark.parametrize('law', LAWS)
def test_memory_goes_back(robot: RobotModel, law: str, rollback: str) -> None:
    """Replay is bitwise the straight run, with measurements that explain nothing."""
    control = ControlSimulation(robot, ControlConfig(law=law, rollback=rollback), H)
    path = smooth_path(robot, 60)
    measured = path + np.random.default_rng(7).normal(scale=1e-5, size=path.shape)

    def run(part: slice) -> list[np.ndarray]:
        out = []
        for desired, seen in zip(path[part], measured[part], strict=True):
            command = control.step(at(desired))
            back = control.rollback(command, seen)
            out += [command.effort, command.acceleration, back.effort, back.state.velocity]
        return out

    run(slice(0, 30))
    memory = control.snapshot()
    first = run(slice(30, 60))
    control.restore(memory)
    np.testing.assert_array_equal(run(slice(30, 60)), first)


@pytest.mark.parametrize('rollback', ROLLBACKS)
@pytest.mark.parametrize('law', LAWS)
def test_a_wanted_effort_is_sent_as_it_is_and_the_twin_knows_what_it_does(
    robot: RobotModel, exact: Exact, law: str, rollback: str
) -> None:
    """An exact robot is where the twin expects it, so no disturbance is seen."""
    control = ControlSimulation(robot, ControlConfig(law=law, rollback=rollback), H)
    step, state, rng = exact(robot, H), control.state, np.random.default_rng(8)
    for _ in range(20):
        effort = rng.uniform(-0.1, 0.1, robot.n) * np.minimum(robot.effort_limit, 1.0)
        command = control.step(sending(effort))
        np.testing.assert_array_equal(command.effort, effort)
        assert not command.saturated
        state = step(state, effort)
        np.testing.assert_allclose(command.velocity, state.velocity, rtol=1e-9, atol=LANDING / H)
        back = control.rollback(command, state.position)
        np.testing.assert_allclose(back.state.position, state.position, atol=LANDING)
        scale = 1.0 + np.abs(back.state.velocity).max() / H
        np.testing.assert_allclose(back.effort, effort, atol=EFFORT_ROUNDING * scale)
    assert control.steps == 20


@pytest.mark.parametrize('rollback', ROLLBACKS)
@pytest.mark.parametrize('law', INVERTING)
@pytest.mark.parametrize('anew', [False, True])
def test_from_efforts_back_to_positions_there_is_no_leap(
    robot: RobotModel, exact: Exact, law: str, rollback: str, anew: bool
) -> None:
    """Positions that go on as the robot moves need the effort of going on, and no other."""
    robot = unlimited(robot)
    control = ControlSimulation(robot, ControlConfig(law=law, rollback=rollback), H)
    step, state = exact(robot, H), control.state
    data = robot.pin_model.createData()
    effort = pin.rnea(robot.pin_model, data, robot.home, state.velocity, np.full(robot.n, 0.2))
    for _ in range(30):
        command = control.step(sending(effort))
        state = step(state, effort)
        control.rollback(command, state.position)
    command = control.step(at(state.position + H * state.velocity, anew))
    coasting = pin.rnea(robot.pin_model, data, state.position, state.velocity, np.zeros(robot.n))
    np.testing.assert_allclose(command.effort, coasting, rtol=0.0, atol=1e-6)


def test_a_desired_motion_that_starts_anew_forgets_where_the_robot_should_be(
    robot: RobotModel,
) -> None:
    """A robot that is kept from its path is not pulled back to it: no effort but its weight."""
    control = ControlSimulation(robot, ControlConfig(law='computed_torque'), H)
    for desired in smooth_path(robot, 40):
        control.rollback(control.step(at(desired)), robot.home)
    command = control.step(at(robot.home, restart=True))
    weight = ControlSimulation(robot, ControlConfig(), H).step(at(robot.home)).effort
    np.testing.assert_allclose(command.effort, weight, rtol=0.0, atol=1e-9)


def test_wanted_efforts_are_clipped_counted_and_refused_if_no_number(robot: RobotModel) -> None:
    control = ControlSimulation(robot, ControlConfig(), H)
    most = np.where(np.isfinite(robot.effort_limit), robot.effort_limit, 1.0)
    command = control.step(sending(3.0 * most))
    np.testing.assert_array_equal(command.effort, np.minimum(3.0 * most, robot.effort_limit))
    assert command.saturated == np.isfinite(robot.effort_limit).any()
    assert control.saturations == int(command.saturated)
    for bad in (np.nan, np.inf):
        with pytest.raises(DivergenceError, match=f'effort of joint {robot.joint_names[0]}'):
            control.step(sending(np.full(robot.n, bad)))
    with pytest.raises(ValueError, match='effort: '):
        control.step(sending(np.zeros(robot.n + 1)))


def test_starts_at_home_and_knows_its_rollback(robot: RobotModel) -> None:
    control = ControlSimulation(robot, ControlConfig(), H)
    np.testing.assert_array_equal(control.state.position, robot.home)
    np.testing.assert_array_equal(control.state.velocity, 0.0)
    assert control.rollback_kind == 'measured'
    as_told = ControlConfig(rollback='observer')
    assert ControlSimulation(robot, as_told, H).rollback_kind == 'observer'


def test_what_the_configuration_leaves_open_depends_on_noise_and_time() -> None:
    chosen = {
        (noisy, realtime): ControlConfig().resolved(noisy=noisy, realtime=realtime)
        for noisy in (False, True)
        for realtime in (False, True)
    }
    assert {key: (config.law, config.rollback) for key, config in chosen.items()} == {
        (False, False): ('deadbeat', 'measured'),
        (True, False): ('deadbeat', 'observer'),
        (False, True): ('computed_torque', 'observer'),
        (True, True): ('computed_torque', 'observer'),
    }
    flexible = ControlConfig().resolved(noisy=False, flexible=True)
    assert (flexible.law, flexible.rollback) == ('computed_torque', 'measured')
    told = ControlConfig(law='deadbeat', rollback='measured')
    assert told.resolved(noisy=True, realtime=True, flexible=True) == told


@pytest.mark.parametrize('rollback', ROLLBACKS)
@pytest.mark.parametrize('law', LAWS)
def test_restored_every_attribute_is_as_it_was(
    two_link: RobotModel, law: str, rollback: str
) -> None:
    """Counters too, with efforts at their limits."""
    control = ControlSimulation(two_link, ControlConfig(law=law, rollback=rollback), H)
    control.restore(control.snapshot())
    saved = []
    for desired in np.repeat(two_link.home + np.array([[0.0], [2.0], [-2.0]]), 2, axis=0):
        saved.append((control.snapshot(), attributes(control)))
        control.rollback(control.step(at(desired)), two_link.home + 1e-3 * desired)
    assert control.saturations > 1
    for snapshot, before in reversed(saved):
        control.restore(snapshot)
        assert differing(attributes(control), before) == []
