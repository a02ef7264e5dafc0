"""The brake: it stops every robot within its travel, holds it, and bears every state."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.core.values import Disturbance, JointState
from simloop_ros.plants.build import build_plant
from simloop_ros.plants.config import PlantConfig
from simloop_ros.plants.pinocchio_plant import PinocchioPlant
from simloop_ros.plants.plant import Plant
from simloop_ros.robot.model import RobotModel
from simloop_ros.safety.brake import SETTLING_TIMES, STOPPED_SPEED, Brake
from simloop_ros.safety.config import SafetyConfig
from simloop_ros.safety.gate import CommandGate

H = 0.001
CONFIG = SafetyConfig()
T, W = CONFIG.brake_time, CONFIG.hold_frequency
ROUNDING = 1e-9
"""Of aba after rnea, for arms whose lightest and heaviest joints are far apart."""
STILL = 1e-6
"""Speed at the end of a stop [rad/s]: a micrometre per second at arm's length."""
ANY_FLOATS = st.floats(allow_nan=True, allow_infinity=True)
ANY_STATE = st.tuples(
    hnp.arrays(np.float64, 14, elements=ANY_FLOATS | st.floats(-3.0, 3.0)),
    hnp.arrays(np.float64, 14, elements=ANY_FLOATS | st.floats(-0.03, 0.03)),
)


def braked(
    plant: Plant, model: RobotModel, period: float, config: SafetyConfig, seconds: float
) -> Iterator[tuple[Brake, JointState]]:
    """Yield brake and state after each period; no effort that a gate would stop gets through."""
    brake = Brake(model, period, config)
    gate = CommandGate(model.joint_names, model.effort_limit, period, config)
    for _ in range(round(seconds / period)):
        effort = brake.effort(plant.truth)
        gate.check(effort)
        plant.step(effort)
        yield brake, plant.truth


def after(
    plant: Plant, model: RobotModel, period: float, config: SafetyConfig, seconds: float
) -> tuple[Brake, JointState]:
    """Return brake and state after some time of braking."""
    *_, last = braked(plant, model, period, config, seconds)
    return last


def moving(model: RobotModel, rng: np.random.Generator, share: float = 1.0) -> JointState:
    """Return a state anywhere in the ranges, every joint at a share of its speed limit."""
    signs = rng.choice([-1.0, 1.0], model.n)
    return JointState(rng.uniform(model.lower, model.upper), share * signs * model.velocity_limit)


@pytest.mark.parametrize(('h', 'T'), [(1e-4, 0.05), (1e-3, 0.05), (1e-2, 0.05), (1e-2, 0.004)])
def test_velocities_decay_with_the_time_constant(robot: RobotModel, h: float, T: float) -> None:
    """``v_0 exp(-t/T)`` at every sample, however long the period."""
    robot = replace(robot, effort_limit=np.full(robot.n, np.inf))
    plant = PinocchioPlant(robot, h)
    start = moving(robot, np.random.default_rng(1), 0.3)
    plant.start(start)
    config = SafetyConfig(brake_time=T)
    moved = 0
    for k, (brake, state) in enumerate(braked(plant, robot, h, config, 0.5), 1):
        if brake.held is not None:
            break
        expected = start.velocity * np.exp(-k * h / T)
        np.testing.assert_allclose(state.velocity, expected, rtol=0.0, atol=ROUNDING)
        moved = k
    assert np.abs(start.velocity * np.exp(-(moved + 1) * h / T)).max() < STOPPED_SPEED


@pytest.mark.parametrize('h', [1e-4, 1e-3, 1e-2])
def test_stops_from_the_speed_limits_within_its_travel(robot: RobotModel, h: float) -> None:
    """No joint travels further than ``v_0 T`` where no effort limit is met."""
    rng = np.random.default_rng(2)
    for _ in range(2):
        plant = PinocchioPlant(robot, h)
        unlimited = replace(robot, effort_limit=np.full(robot.n, np.inf))
        start = moving(robot, rng)
        plant.start(start)
        brake, end = after(plant, unlimited, h, CONFIG, 1.0)
        assert brake.held is not None
        assert np.all(np.abs(end.velocity) < STILL)
        travel = np.abs(end.position - start.position)
        assert np.all(travel <= np.abs(start.velocity) * T)
        assert np.all(travel > 0.7 * np.abs(start.velocity) * T)  # it is no wall either


def test_yumi_stops_from_its_speed_limits_within_its_effort_limits(yumi: RobotModel) -> None:
    """Where an effort limit is met, the arm needs a little longer, and never gets faster."""
    longer = 1.02  # 0.3 % in the worst of two hundred tries
    rng = np.random.default_rng(3)
    for _ in range(20):
        plant = PinocchioPlant(yumi, H)
        start = moving(yumi, rng)
        plant.start(start)
        for brake, state in braked(plant, yumi, H, CONFIG, 1.0):
            assert np.all(np.abs(state.velocity) <= yumi.velocity_limit)
            held = brake.held
        assert held is not None
        assert np.all(np.abs(state.velocity) < STILL)
        travel = np.abs(state.position - start.position)
        assert np.all(travel <= longer * yumi.velocity_limit * T)


def test_at_its_limits_it_slows_all_joints_by_the_same_share(yumi: RobotModel) -> None:
    """Ten times the braking that the motors can do.

    Efforts clipped one by one made a joint of YuMi 15 times as fast as its speed limit here.
    """
    config = SafetyConfig(brake_time=T / 10.0)
    rng = np.random.default_rng(4)
    at_limit = 0
    for _ in range(20):
        plant = PinocchioPlant(yumi, H)
        start = moving(yumi, rng, 0.5)  # faster, and Coriolis alone can be beyond a limit
        plant.start(start)
        brake = Brake(yumi, H, config)
        speed = 1.0
        for _ in range(10):
            effort = brake.effort(plant.truth)
            at_limit += bool(np.isclose(np.abs(effort), yumi.effort_limit).any())
            plant.step(effort)
            shares = plant.truth.velocity / start.velocity
            np.testing.assert_allclose(shares, shares[0], rtol=0.0, atol=1e-6)
            assert 0.0 <= shares[0] < speed
            speed = shares[0]
    assert at_limit > 20


@pytest.mark.parametrize('h', [1e-4, 1e-3, 1e-2])
def test_holds_a_heavier_robot_within_error_over_stiffness(robot: RobotModel, h: float) -> None:
    """``M w^2 (q_held - q)`` is the tenth of the weight that the model does not know."""
    w = min(W, 0.5 / h)
    plant = PinocchioPlant(robot.with_mass_bias(0.1), h)
    _, end = after(plant, robot, h, CONFIG, 1.0)
    q = end.position
    data = robot.pin_model.createData()
    weight = pin.computeGeneralizedGravity(robot.pin_model, data, q)
    inertia = pin.crba(robot.pin_model, data, q)
    inertia = np.triu(inertia) + np.triu(inertia, 1).T
    sag = np.linalg.solve(inertia, 0.1 * weight) / w**2
    assert np.abs(sag).max() > 1e-5
    np.testing.assert_allclose(robot.home - q, sag, rtol=0.0, atol=ROUNDING)
    np.testing.assert_allclose(end.velocity, 0.0, atol=ROUNDING)


@pytest.mark.parametrize('bias', [-0.3, 0.3])
def test_a_wrong_model_cannot_keep_it_from_latching(yumi: RobotModel, bias: float) -> None:
    """Weight that is not known pulls the arm at ``e T``, faster than what counts as stopped."""
    plant = PinocchioPlant(yumi.with_mass_bias(bias), H)
    plant.start(JointState(yumi.home, 0.1 * yumi.velocity_limit))
    speeds = []
    for brake, state in braked(plant, yumi, H, CONFIG, 2.0 * SETTLING_TIMES * T):
        speeds.append(np.abs(state.velocity).max())
        if brake.held is None:
            creeping = speeds[-1]
    assert creeping > STOPPED_SPEED
    assert speeds[-1] < STILL


@pytest.mark.parametrize('h', [1e-4, 1e-3, 1e-2])
@pytest.mark.parametrize('bias', [-0.45, 0.0, 1.0])
def test_is_stable_for_any_stiffness(robot: RobotModel, h: float, bias: float) -> None:
    """On a robot of about half or twice the model's mass, and as stiff as it gets."""
    config = SafetyConfig(hold_frequency=1e6, brake_time=1e-6)
    unlimited = replace(robot, effort_limit=np.full(robot.n, np.inf))
    plant = PinocchioPlant(robot.with_mass_bias(bias), h)
    plant.start(JointState(robot.home, np.full(robot.n, 0.1)))
    brake, end = after(plant, unlimited, h, config, 200 * h)
    assert brake.held is not None
    np.testing.assert_allclose(end.velocity, 0.0, atol=STILL)


def test_a_brake_that_slips_does_not_swing_back(shipped: Callable[[str], RobotModel]) -> None:
    """Pushed out of its hold by more than it can bear, it stays where it comes to rest."""
    sphere = replace(shipped('sphere'), effort_limit=np.array([20.0]))
    plant = PinocchioPlant(sphere, H)
    brake = Brake(sphere, H, CONFIG)
    push = np.array([60.0])
    for _ in range(200):
        plant.step(brake.effort(plant.truth) + push)
    pushed_to = plant.truth.position[0]
    assert pushed_to > sphere.home[0] + 0.1
    lowest = np.inf
    for _ in range(2000):
        plant.step(brake.effort(plant.truth))
        lowest = min(lowest, plant.truth.position[0])
    assert lowest >= pushed_to
    assert abs(plant.truth.velocity[0]) < ROUNDING


def test_released_it_holds_the_next_place(shipped: Callable[[str], RobotModel]) -> None:
    robot = shipped('two_link')
    brake = Brake(robot, H, CONFIG)
    here, there = robot.home, robot.home + 0.01
    at_rest = np.zeros(robot.n)
    brake.effort(JointState(here, at_rest))
    pulled = brake.effort(JointState(there, at_rest))
    brake.release()
    data = robot.pin_model.createData()
    weight = pin.computeGeneralizedGravity(robot.pin_model, data, there)
    np.testing.assert_allclose(brake.effort(JointState(there, at_rest)), weight, rtol=1e-12)
    assert np.abs(pulled - weight).max() > 1.0


@given(st.lists(ANY_STATE, min_size=1, max_size=4), st.booleans())
@example([(np.zeros(14), np.full(14, 1e200))], True)
@example([(np.zeros(14), np.zeros(14)), (np.full(14, 1e308), np.full(14, -1e308))], False)
@example([(np.full(14, -1e308), np.zeros(14)), (np.full(14, 1e308), np.zeros(14))], True)
def test_effort_is_finite_and_within_limits_for_any_states(
    yumi: RobotModel, states: list[tuple[np.ndarray, np.ndarray]], limited: bool
) -> None:
    """One after the other, so that an absurd one cannot spoil the next."""
    limit = yumi.effort_limit if limited else np.full(yumi.n, np.inf)
    brake = Brake(replace(yumi, effort_limit=limit), H, CONFIG)
    for position, velocity in states:
        effort = brake.effort(JointState(position, velocity))
        assert effort.shape == (14,)
        assert np.isfinite(effort).all()
        assert np.all(np.abs(effort) <= limit)
        if not (np.isfinite(position).all() and np.isfinite(velocity).all()):
            np.testing.assert_array_equal(effort, 0.0)


def test_pybullet_stops_and_holds_a_heavier_yumi(yumi: RobotModel) -> None:
    pytest.importorskip('pybullet')
    config = PlantConfig(engine='pybullet', mass_bias=0.1)
    plant = build_plant(config, yumi, H, np.random.default_rng(0)).plant
    start = JointState(yumi.home, 0.5 * yumi.velocity_limit)
    plant.start(start)
    brake, end = after(plant, yumi, H, CONFIG, 1.5)
    assert brake.held is not None
    np.testing.assert_allclose(end.velocity, 0.0, atol=STILL)
    sag = np.abs(end.position - brake.held)
    unknown = 5.0  # rad/s^2: a tenth of free fall on links of 0.2 m
    assert np.all(sag <= unknown / W**2)
    plant.close()


def test_a_brake_of_some_joints_leaves_the_others_alone(yumi: RobotModel) -> None:
    """The arms share no joint, so the one is braked as if the other were not there."""
    rng = np.random.default_rng(5)
    left = np.array([name.endswith('_l') for name in yumi.joint_names])
    whole, half = Brake(yumi, H, CONFIG), Brake(yumi, H, CONFIG, left)
    state = JointState(yumi.home, 0.2 * rng.uniform(0.5, 1.0, yumi.n))
    effort = half.effort(state)
    assert not effort[~left].any()
    assert effort[left] == pytest.approx(whole.effort(state)[left], rel=ROUNDING)
    resting = JointState(state.position, np.where(left, 0.0, state.velocity))
    half.effort(resting)
    whole.effort(resting)
    assert half.held is not None
    assert whole.held is None


def test_a_brake_goes_back_to_a_snapshot(yumi: RobotModel) -> None:
    plant = PinocchioPlant(yumi, H)
    plant.start(JointState(yumi.home, np.full(yumi.n, 0.1)))
    brake = Brake(yumi, H, CONFIG)

    def run(steps: int) -> list[bytes]:
        seen = []
        for _ in range(steps):
            effort = brake.effort(plant.truth)
            plant.step(effort)
            seen.append(effort.tobytes())
        return seen

    run(60)
    snapshot, state = brake.snapshot(), plant.snapshot()
    first = run(100)
    assert snapshot.held is None
    assert brake.snapshot().held is not None
    brake.restore(snapshot)
    plant.restore(state)
    assert run(100) == first


def test_a_brake_that_latches_with_a_load_bears_it_where_it_is(two_link: RobotModel) -> None:
    push = np.array([3.0, -1.0])
    for load, moved in ((-push, False), (np.zeros(2), True)):
        plant, brake = PinocchioPlant(two_link, H), Brake(two_link, H, CONFIG)
        plant.start(JointState(two_link.home, np.zeros(2)))
        brake.latch(two_link.home, load)
        for _ in range(100):
            plant.step(brake.effort(plant.truth), Disturbance(push))
        away = np.abs(plant.truth.position - two_link.home).max()
        assert bool(away > 1e-6) == moved
