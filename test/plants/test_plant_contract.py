"""What holds for every plant."""

import numpy as np
import pinocchio as pin
from plant_kinds import PLANTS, H, effort
import pytest

from simloop_ros.core.values import Disturbance, JointState

OBJECT_ENGINES = ['pinocchio', 'pybullet']


@pytest.fixture(params=PLANTS)
def plant(request, build, arm):
    """Every engine, and the wrappers around them."""
    if 'pybullet' in request.param:
        pytest.importorskip('pybullet')
    return build(arm, H, **PLANTS[request.param])


def run(plant, steps):
    for step in range(steps):
        # Damping keeps a bare arm that falls among obstacles within reason.
        plant.step(effort(step) - 1.0 * plant.truth.velocity)
        truth = plant.report().truth
        assert np.array_equal(truth.position, plant.truth.position)
        assert np.array_equal(truth.velocity, plant.truth.velocity)


def test_an_external_torque_is_reported_and_ends_with_its_step(plant, arm):
    torque = 0.1 * effort(3)
    assert not plant.report().external.any()
    plant.step(effort(0), Disturbance(torque))  # the pushes begin later
    assert np.array_equal(plant.report().external, torque)
    plant.step(effort(1))
    assert not plant.report().external.any()
    plant.step(effort(0), Disturbance(torque))
    plant.start(JointState(arm.home, np.zeros(arm.n)))
    assert not plant.report().external.any()


@pytest.mark.parametrize('engine', OBJECT_ENGINES)
def test_a_push_on_the_object_ends_with_its_step(engine, build, shipped):
    if engine == 'pybullet':
        pytest.importorskip('pybullet')
    model = shipped('workerbot')
    plant = build(model, H, engine=engine, object={'position': [0.4, 0.0, 0.82]})
    start = JointState(model.home, np.zeros(model.n))
    plant.start(start)
    snapshot = plant.snapshot()
    plant.step(np.zeros(model.n))
    lying = plant.report().object.velocity
    for go_back, place in ((plant.start, start), (plant.restore, snapshot)):
        plant.start(start)
        plant.step(np.zeros(model.n), Disturbance(object_wrench=np.full(6, 0.5)))
        assert not np.array_equal(plant.report().object.velocity, lying)
        go_back(place)
        plant.step(np.zeros(model.n))
        assert np.array_equal(plant.report().object.velocity, lying)


@pytest.mark.parametrize('name', ['pinocchio', 'pybullet', 'mujoco', 'flexible'])
def test_a_push_on_an_object_that_is_not_there_is_refused(name, build, arm):
    if name == 'pybullet':
        pytest.importorskip('pybullet')
    plant = build(arm, H, **PLANTS[name])
    with pytest.raises(ValueError, match='no object'):
        plant.step(np.zeros(arm.n), Disturbance(object_wrench=np.ones(6)))


def test_a_new_plant_is_at_home_at_rest(plant, arm):
    assert np.array_equal(plant.truth.position, arm.home)
    assert not plant.truth.velocity.any()


def test_arrays_that_were_returned_are_not_overwritten(plant):
    plant.step(effort(0), Disturbance(effort(1)))
    report = plant.report()
    shown = [plant.observe(), report.truth.position, report.truth.velocity, report.external]
    copies = [array.copy() for array in shown]
    run(plant, 20)
    for array, copy in zip(shown, copies, strict=True):
        assert np.array_equal(array, copy)


def test_observe_twice_is_the_same_reading(plant):
    run(plant, 5)
    assert np.array_equal(plant.observe(), plant.observe())


def test_inverse_dynamics_of_a_step_gives_the_effort_back(engine, build, arm):
    """Rounding of the velocity, 1e-16, over h and times the inertia: about 1e-12 N m."""
    plant, data = build(arm, H, engine=engine), arm.pin_model.createData()
    for step in range(50):
        before = plant.truth
        plant.step(effort(step))
        acceleration = (plant.truth.velocity - before.velocity) / H
        explained = pin.rnea(arm.pin_model, data, before.position, before.velocity, acceleration)
        assert explained == pytest.approx(effort(step), abs=1e-10)
        moved = (plant.truth.position - before.position) / H
        assert moved == pytest.approx(plant.truth.velocity, abs=1e-12)


def test_on_a_rigid_joint_an_external_torque_acts_as_an_effort(engine, build, arm):
    plants = [build(arm, H, engine=engine) for _ in range(2)]
    for step in range(50):
        plants[0].step(effort(step), Disturbance(effort(step + 9)))
        plants[1].step(effort(step) + effort(step + 9))
    assert np.array_equal(plants[0].truth.position, plants[1].truth.position)
    assert np.array_equal(plants[0].truth.velocity, plants[1].truth.velocity)


def test_free_fall(engine, build, ball):
    """q_k = q_0 - g h^2 k (k + 1) / 2 is what semi-implicit Euler does to a falling body."""
    plant, steps = build(ball, H, engine=engine), 500
    for _ in range(steps):
        plant.step(np.zeros(1))
    assert plant.truth.velocity[0] == pytest.approx(-9.82 * H * steps, rel=1e-12)
    assert plant.observe()[0] == pytest.approx(-9.82 * H**2 * steps * (steps + 1) / 2, rel=1e-12)


def test_substeps_are_steps(engine, build, arm):
    coarse = build(arm, H, engine=engine, step=H / 5)
    fine = build(arm, H / 5, engine=engine)
    for step in range(20):
        coarse.step(effort(step))
        for _ in range(5):
            fine.step(effort(step))
    assert np.array_equal(coarse.observe(), fine.observe())


def test_energy_of_a_free_arm_stays(engine, build, hanging_arm):
    """The symplectic step keeps the energy up to a swing that shrinks with h."""
    data = hanging_arm.pin_model.createData()
    start = JointState(np.array([0, 0.1, 0.1, 0, 0.2, 0.1, 0.2]), np.zeros(7))

    def drift(h):
        plant = build(hanging_arm, h, engine=engine)
        plant.start(start)
        energies = []
        for _ in range(round(0.4 / h)):
            truth = plant.truth
            energies.append(
                pin.computeMechanicalEnergy(
                    hanging_arm.pin_model, data, truth.position, truth.velocity
                )
            )
            plant.step(np.zeros(7))
        return np.ptp(energies)

    assert drift(0.0005) < 0.3 * drift(0.002) < 0.3


def test_joints_are_matched_by_name(engine, build, fork):
    """A torque of 1 N m turns an inertia of 2 kg m^2 to 0.5 rad/s in a second; the other stays."""
    plant = build(fork, 0.01, engine=engine)
    right = fork.joint_names.index('turn_right')
    for _ in range(100):
        plant.step(np.eye(2)[right])
    expected = np.zeros(2)
    expected[right] = 0.5
    assert plant.truth.velocity == pytest.approx(expected, abs=1e-12)


def test_joints_have_no_ends(engine, build, arm):
    beyond = arm.upper[1] + 1.0
    plant = build(arm, H, engine=engine)
    position = np.zeros(7)
    position[1] = beyond
    data = arm.pin_model.createData()
    plant.start(JointState(position, np.zeros(7)))
    hold = pin.computeGeneralizedGravity(arm.pin_model, data, position)
    for _ in range(10):
        plant.step(hold)
    assert plant.observe() == pytest.approx(position, abs=1e-10)


def test_speeds_have_no_ends(engine, build, fork):
    """Without gravity a body keeps its speed, however fast: PyBullet alone would cut at 100."""
    plant = build(fork, H, engine=engine)
    plant.start(JointState(np.zeros(2), np.array([500.0, -300.0])))
    for _ in range(5):
        plant.step(np.zeros(2))
    assert plant.truth.velocity == pytest.approx([500.0, -300.0], rel=1e-12)


def test_mass_bias_is_a_heavier_robot(engine, build, ball):
    """10 % more mass under its old weight as effort: a = -g + g / 1.1."""
    plant = build(ball, H, engine=engine, mass_bias=0.1)
    plant.step(np.array([9.82]))
    assert plant.truth.velocity[0] == pytest.approx(H * (9.82 / 1.1 - 9.82), rel=1e-12)
