"""A springy wall: closed forms of one mass on a spring, and energy on an arm."""

from math import pi, sqrt

import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.core.values import JointState
from simloop_ros.plants.pinocchio_plant import PinocchioPlant
from simloop_ros.plants.spring_contact import Spring, SpringContact, point_jacobian

H = 1.0 / 500.0
MASS, SPEED = 2.0, 0.5  # of the block


def wall(block, stiffness, link='block'):
    """Return the block before a wall at x = 0.1 m."""
    spring = Spring(
        link, np.zeros(3), np.array([0.1, 0.0, 0.0]), np.array([1.0, 0.0, 0.0]), stiffness
    )
    return SpringContact(lambda step: PinocchioPlant(block, step), block, H, spring)


@pytest.mark.parametrize('stiffness', [1e3, 1e4, 1e5])
def test_a_block_bounces_as_on_a_spring(block, stiffness):
    """Peak force ``v sqrt(k m)``, time ``pi sqrt(m/k)``, and back with the same speed."""
    plant = wall(block, stiffness)
    plant.start(JointState(np.zeros(1), np.array([SPEED])))
    peak, touching, impulse = 0.0, 0, 0.0
    for _ in range(round(0.6 / H)):
        plant.step(np.zeros(1))
        peak = max(peak, plant.peak)
        impulse += H * plant.force
        touching += plant.force > 0.0
        assert plant.report().external == pytest.approx([-plant.force], rel=1e-12)
    discretisation = 0.02  # of the order of the phase of one physics step, squared
    assert plant.truth.velocity[0] == pytest.approx(-SPEED, rel=discretisation)
    assert peak == pytest.approx(SPEED * sqrt(stiffness * MASS), rel=discretisation)
    assert impulse == pytest.approx(2.0 * MASS * SPEED, rel=discretisation)
    assert abs(touching * H - pi * sqrt(MASS / stiffness)) <= 2.0 * H


def test_it_pushes_and_never_pulls(block):
    plant = wall(block, 1e4)
    plant.start(JointState(np.array([0.12]), np.array([-2.0])))
    speeds = []
    for _ in range(50):
        plant.step(np.zeros(1))
        speeds.append(plant.truth.velocity[0])
        assert plant.force >= 0.0
    assert np.all(np.diff(speeds) <= 1e-12)
    assert plant.report().contacts == ()


def test_far_away_it_is_the_plant_itself(block):
    """Bit for bit, and in one physics step."""
    plant, bare = wall(block, 1e5), PinocchioPlant(block, H)
    for some in (plant, bare):
        some.start(JointState(np.array([-1.0]), np.array([0.3])))
        for _ in range(20):
            some.step(np.array([0.7]))
    np.testing.assert_array_equal(plant.truth.position, bare.truth.position)
    np.testing.assert_array_equal(plant.truth.velocity, bare.truth.velocity)


def test_a_steady_push_goes_in_by_force_over_stiffness(block):
    """The mean over the bounces of a push of 5 N is 5 N, and names the link."""
    plant = wall(block, 1e4)
    plant.start(JointState(np.array([0.1 + 5.0 / 1e4]), np.zeros(1)))
    plant.step(np.array([5.0]))
    assert plant.force == pytest.approx(5.0, rel=1e-9)
    (contact,) = plant.report().contacts
    assert (contact.link, contact.obstacle) == ('block', 'spring')
    assert contact.point[0] == pytest.approx(plant.truth.position[0])


def test_an_arm_keeps_its_energy(arm):
    """What it has before a bounce it has after it, but for the integrator's own drift."""
    model, data = arm.pin_model, arm.pin_model.createData()
    start = JointState(np.full(7, 0.4), np.linspace(0.5, 1.0, 7))
    link = arm.links[-1]
    point = np.array([0.05, 0.0, 0.02])
    jacobian, place = point_jacobian(model, data, start.position, arm.frame(link), point)
    velocity = jacobian @ start.velocity
    direction = velocity / np.linalg.norm(velocity)
    h, stiffness = 1.0 / 2000.0, 2e4

    def drift(origin):
        spring = Spring(link, point, origin, direction, stiffness)
        plant = SpringContact(lambda step: PinocchioPlant(arm, step), arm, h, spring)
        plant.start(start)
        before = pin.computeMechanicalEnergy(model, data, start.position, start.velocity)
        touched = False
        for _ in range(200):
            plant.step(np.zeros(7))
            touched |= plant.force > 0.0
        assert plant.force == 0.0
        now = plant.truth
        after = pin.computeMechanicalEnergy(model, data, now.position, now.velocity)
        return abs(after - before), touched

    free, _ = drift(place + 10.0 * direction)
    bounced, touched = drift(place + 0.005 * direction)
    kinetic = pin.computeKineticEnergy(model, data, start.position, start.velocity)
    assert touched
    assert bounced <= free + 0.01 * kinetic


def test_the_jacobian_of_a_point_is_its_derivative(arm):
    model, data = arm.pin_model, arm.pin_model.createData()
    rng = np.random.default_rng(0)
    q, v, point = rng.normal(size=7), rng.normal(size=7), rng.normal(size=3)
    frame, step = arm.frame(arm.links[-1]), 1e-6
    jacobian, _ = point_jacobian(model, data, q, frame, point)
    ends = [
        point_jacobian(model, data, q + sign * step * v, frame, point)[1] for sign in (1.0, -1.0)
    ]
    assert jacobian @ v == pytest.approx((ends[0] - ends[1]) / (2.0 * step), abs=1e-8)
