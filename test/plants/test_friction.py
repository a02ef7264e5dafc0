"""Friction: closed forms of the discrete law on one joint, optimality on many."""

import itertools

from hypothesis import example, given, settings
from hypothesis import strategies as st
import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.core.values import JointState
from simloop_ros.plants.friction import JointFriction, end_velocity
from simloop_ros.plants.pinocchio_plant import PinocchioPlant

H = 0.001
ROUNDING = 1e-14


def test_viscous_friction_decays_geometrically(engine, build, block):
    """M (v+ - v) = -h c v+ gives v_k = v_0 / (1 + h c / M)^k, with M = 2 kg."""
    plant = build(block, H, engine=engine, friction={'viscous': 3.0})
    plant.start(JointState(np.zeros(1), np.array([1.5])))
    for _ in range(400):
        plant.step(np.zeros(1))
    assert plant.truth.velocity[0] == pytest.approx(1.5 / (1 + H * 3.0 / 2.0) ** 400, rel=1e-12)


def test_huge_viscous_friction_is_stable(build, block):
    plant = build(block, H, friction={'viscous': 1e6})
    plant.start(JointState(np.zeros(1), np.array([1.0])))
    plant.step(np.zeros(1))
    assert 0.0 <= plant.truth.velocity[0] < 0.01


def test_terminal_speed_is_force_over_viscosity(build, block):
    plant = build(block, H, friction={'coulomb': 1.0, 'viscous': 20.0})
    for _ in range(2000):
        plant.step(np.array([5.0]))
    assert plant.truth.velocity[0] == pytest.approx((5.0 - 1.0) / 20.0, rel=1e-6)


def test_a_sliding_block_stops_and_stays(engine, build, block):
    """4 N on 2 kg is 2 m/s^2: from 1 m/s it slides 0.5 s and, discretely, 0.25 m - h v / 2."""
    plant = build(block, H, engine=engine, friction={'coulomb': 4.0})
    plant.start(JointState(np.zeros(1), np.array([1.0])))
    speeds = []
    for _ in range(800):
        plant.step(np.zeros(1))
        speeds.append(plant.truth.velocity[0])
    assert min(speeds) > -ROUNDING
    assert np.abs(speeds[501:]).max() < ROUNDING
    assert speeds[249] == pytest.approx(0.5, abs=1e-9)
    assert plant.observe()[0] == pytest.approx(0.25 - H / 2, abs=1e-9)


@pytest.mark.parametrize('sign', [-1.0, 1.0])
def test_it_breaks_loose_above_the_limit_only(build, block, sign):
    plant = build(block, H, friction={'coulomb': 4.0})
    for _ in range(100):
        plant.step(np.array([sign * 3.999]))
    assert np.abs(plant.observe()[0]) < ROUNDING
    plant.step(np.array([sign * 5.0]))
    assert plant.truth.velocity[0] == pytest.approx(sign * H * (5.0 - 4.0) / 2.0, rel=1e-9)


def test_an_arm_that_friction_can_hold_does_not_move(engine, build, arm):
    data = arm.pin_model.createData()
    start = JointState(np.full(7, 0.4), np.zeros(7))
    weight = pin.computeGeneralizedGravity(arm.pin_model, data, start.position)
    limit = 1.01 * float(np.abs(weight).max())
    plant = build(arm, H, engine=engine, friction={'coulomb': limit})
    plant.start(start)
    for _ in range(500):
        plant.step(np.zeros(7))
    assert np.abs(plant.observe() - start.position).max() < ROUNDING


def test_friction_never_reverses_an_arm_that_comes_to_rest(build, fork):
    """Uncoupled joints: each velocity goes to zero and no further."""
    plant = build(fork, H, friction={'coulomb': 0.7, 'viscous': 0.2})
    plant.start(JointState(np.zeros(2), np.array([0.3, -0.2])))
    for _ in range(1500):
        plant.step(np.zeros(2))
        assert plant.truth.velocity[0] > -ROUNDING
        assert plant.truth.velocity[1] < ROUNDING
    assert np.abs(plant.truth.velocity).max() < ROUNDING


def test_friction_takes_energy(build, arm):
    data = arm.pin_model.createData()
    plant = build(arm, 0.0002, friction={'coulomb': 1.0, 'viscous': 0.3})
    plant.start(JointState(np.zeros(7), np.full(7, 0.5)))
    before = np.inf
    for _ in range(500):
        energy = pin.computeMechanicalEnergy(
            arm.pin_model, data, plant.truth.position, plant.truth.velocity
        )
        assert energy < before
        before = energy
        plant.step(np.zeros(7))


def problem(seed, n):
    """Return a coupled problem in which some joints stick and some slide."""
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(n, n))
    return root @ root.T + 0.05 * np.eye(n), 2.0 * rng.normal(size=n), rng.integers(-1, 2, n)


def check(a, b, v, tolerance):
    """Check the law itself: it has only one solution."""
    p = b - a @ v
    assert np.abs(p).max() <= 1.0 + tolerance
    slides = np.abs(v) > tolerance
    assert p[slides] == pytest.approx(np.sign(v[slides]), abs=tolerance)


@settings(max_examples=300)
@given(seed=st.integers(0, 2**32 - 1), n=st.sampled_from([2, 7, 14]))
@example(seed=2074778, n=6)  # correcting all guesses at once runs in circles here
def test_the_law_holds_on_coupled_joints(seed, n):
    a, b, guess = problem(seed, n)
    check(a, b, end_velocity(a, b, 1.0, guess.astype(float)), 1e-8)


@pytest.mark.parametrize('seed', range(10))
def test_every_first_guess_leads_to_the_same_velocity(seed):
    a, b, _ = problem(seed, n=3)
    guesses = itertools.product((-1.0, 0.0, 1.0), repeat=3)
    found = [end_velocity(a, b, 1.0, np.array(guess)) for guess in guesses]
    assert np.ptp(found, axis=0) == pytest.approx(np.zeros(3), abs=1e-9)


def test_each_joint_may_have_its_own_friction(fork):
    """Uncoupled joints of inertia 1 and 2: each slows down by its own friction."""
    wheels = {name: i for i, name in enumerate(fork.joint_names)}
    dry, viscous = np.zeros(2), np.zeros(2)
    dry[wheels['turn_left']], viscous[wheels['turn_right']] = 0.5, 3.0
    plant = JointFriction(PinocchioPlant(fork, H), fork, H, dry, viscous)
    plant.start(JointState(np.zeros(2), np.ones(2)))
    for _ in range(100):
        plant.step(np.zeros(2))
    v = plant.truth.velocity
    assert v[wheels['turn_left']] == pytest.approx(1.0 - 100 * H * 0.5 / 1.0, rel=1e-12)
    assert v[wheels['turn_right']] == pytest.approx((1.0 + H * 3.0 / 2.0) ** -100, rel=1e-12)


def test_sliding_on_and_searching_are_the_same_step(arm):
    """The short way is taken where every joint slides on; the search finds the same there."""
    rng = np.random.default_rng(3)
    for _ in range(20):
        start = JointState(
            rng.normal(size=7), np.sign(rng.normal(size=7)) * rng.uniform(0.5, 1, 7)
        )
        effort = rng.normal(size=7)
        plant = JointFriction(PinocchioPlant(arm, H), arm, H, 0.1, 0.2)
        plant.start(start)
        _, found = plant._search(effort, start.position, start.velocity, np.zeros(7))
        plant.step(effort)
        assert np.all(np.sign(plant.truth.velocity) == np.sign(start.velocity))
        assert plant.truth.velocity == pytest.approx(found, rel=1e-9, abs=1e-11)
