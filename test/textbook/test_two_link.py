"""The closed forms of 004 against Pinocchio, against each other, and against their own laws."""

from __future__ import annotations

import msgspec
import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.core.errors import ConfigError
from simloop_ros.core.values import Array
from simloop_ros.robot.model import RobotModel
from textbook.read_arm import read_arm
from textbook.two_link import (
    TwoLinkArm,
    coriolis_matrix,
    d_terms,
    forward_dynamics,
    kinetic_energy,
    lagrange,
    newton_euler,
    point_masses,
    potential_energy,
    rods,
)

EQUAL = 1e-12  # the bound; torques are up to 200 N m, so it is a few roundings
EXACT = 1e-11  # round-off of a numerical derivative that has no truncation error
STATES = 10_000
RANGE = np.array([np.pi, 10.0, 50.0])
"""Of angle [rad], velocity [rad/s], acceleration [rad/s^2]; the shipped arm may turn at 10."""
UNEVEN = TwoLinkArm(m1=2.3, m2=0.7, l1=0.8, c1=0.31, c2=0.45, I1=0.11, I2=0.04, g=9.82)
"""An arm in which no two numbers are the same."""
ARMS = {
    'uneven': UNEVEN,
    'rods': rods(1.7, 0.9, 1.2, 0.6, radius=0.05, g=9.81),
    'point masses': point_masses(1.5, 0.8, 0.9, 0.7, g=9.81),
}
each_arm = pytest.mark.parametrize('arm', ARMS.values(), ids=ARMS)


def states(n: int = STATES) -> Array:
    """Return random angles, velocities, accelerations, shape ``(3, n, 2)``."""
    draw = np.random.default_rng(8).uniform(-1.0, 1.0, (3, n, 2))
    return draw * RANGE[:, None, None]


def pinocchio_arm(arm: TwoLinkArm) -> pin.Model:
    """Return the arm as Pinocchio's own joints and bodies; not by way of a URDF.

    In Pinocchio's axes the plane is x-y and the joints turn about z.
    """
    model = pin.Model()
    model.gravity.linear = np.array([0.0, -arm.g, 0.0])
    parent, place = 0, pin.SE3.Identity()
    for i, (m, c, inertia) in enumerate(((arm.m1, arm.c1, arm.I1), (arm.m2, arm.c2, arm.I2))):
        parent = model.addJoint(parent, pin.JointModelRZ(), place, f'joint{i + 1}')
        lever, tensor = np.array([c, 0.0, 0.0]), np.diag([0.0, inertia, inertia])
        model.appendBodyToJoint(parent, pin.Inertia(m, lever, tensor), pin.SE3.Identity())
        place = pin.SE3(np.eye(3), np.array([arm.l1, 0.0, 0.0]))
    return model


@pytest.fixture(scope='module', params=['shipped', *ARMS])
def pair(request: pytest.FixtureRequest, two_link: RobotModel) -> tuple[TwoLinkArm, pin.Model]:
    """Return the numbers of an arm and Pinocchio's model with the same ones."""
    if request.param == 'shipped':
        return read_arm(two_link), two_link.pin_model
    return ARMS[request.param], pinocchio_arm(ARMS[request.param])


Pair = tuple[TwoLinkArm, pin.Model]


def test_torques_are_those_of_pinocchio(pair: Pair) -> None:
    arm, model = pair
    data, (theta, v, a) = model.createData(), states()
    expected = np.array([pin.rnea(model, data, *state) for state in zip(theta, v, a, strict=True)])
    assert np.abs(expected).max() > 50.0
    by_lagrange = lagrange(arm, theta, v, a).torque
    by_newton = newton_euler(arm, theta, v, a).torque
    np.testing.assert_allclose(by_lagrange, expected, rtol=0.0, atol=EQUAL)
    np.testing.assert_allclose(by_newton, expected, rtol=0.0, atol=EQUAL)
    np.testing.assert_allclose(by_newton, by_lagrange, rtol=0.0, atol=EQUAL)


def test_inertia_and_gravity_are_those_of_pinocchio(pair: Pair) -> None:
    arm, model = pair
    data, theta = model.createData(), states()[0]
    D = d_terms(arm, theta)
    inertia = np.array([pin.crba(model, data, q) for q in theta])
    gravity = np.array([pin.computeGeneralizedGravity(model, data, q) for q in theta])
    np.testing.assert_allclose(D.D_ij, inertia, rtol=0.0, atol=EQUAL)
    np.testing.assert_allclose(D.D_i, gravity, rtol=0.0, atol=EQUAL)


def test_energies_are_those_of_pinocchio(pair: Pair) -> None:
    arm, model = pair
    data, (theta, v, _) = model.createData(), states()
    kinetic = [pin.computeKineticEnergy(model, data, q, w) for q, w in zip(theta, v, strict=True)]
    potential = [pin.computePotentialEnergy(model, data, q) for q in theta]
    np.testing.assert_allclose(kinetic_energy(arm, theta, v), kinetic, rtol=0.0, atol=EQUAL)
    np.testing.assert_allclose(potential_energy(arm, theta), potential, rtol=0.0, atol=EQUAL)


def test_joint_forces_are_those_of_pinocchio(two_link: RobotModel) -> None:
    """Pinocchio has them in the axes of the links."""
    arm, model = read_arm(two_link), two_link.pin_model
    data, (theta, v, a) = model.createData(), states(500)
    found = newton_euler(arm, theta, v, a).force
    for i in range(len(theta)):
        pin.forwardKinematics(model, data, theta[i])
        pin.rnea(model, data, theta[i], v[i], a[i])
        for joint in (1, 2):
            force = data.oMi[joint].rotation @ data.f[joint].linear
            np.testing.assert_allclose(found[i, joint - 1], force[[0, 2]], rtol=0.0, atol=EQUAL)


@each_arm
def test_forward_dynamics_undoes_inverse_dynamics(arm: TwoLinkArm) -> None:
    theta, v, a = states()
    torque = lagrange(arm, theta, v, a).torque
    # The division by det D, at its smallest where the arm is stretched, costs two digits.
    found = forward_dynamics(arm, theta, v, torque)
    np.testing.assert_allclose(found, a, rtol=0.0, atol=100.0 * EQUAL)


@each_arm
def test_inertia_is_symmetric_and_positive_definite(arm: TwoLinkArm) -> None:
    D = d_terms(arm, states()[0]).D_ij
    np.testing.assert_array_equal(D, np.swapaxes(D, -1, -2))
    assert np.linalg.eigvalsh(D).min() > 1e-3


@each_arm
def test_kinetic_energy_is_the_quadratic_form_of_the_inertia(arm: TwoLinkArm) -> None:
    theta, v, _ = states()
    form = 0.5 * np.einsum('ni,nij,nj->n', v, d_terms(arm, theta).D_ij, v)
    np.testing.assert_allclose(kinetic_energy(arm, theta, v), form, rtol=0.0, atol=EQUAL)


def derivatives(arm: TwoLinkArm, theta: Array) -> Array:
    """Return dD_ij/dtheta_k [kg m^2/rad] by differences of sixth order, ``(n, 2, 2, 2)``."""
    step, slopes = 0.01, []
    weights = {1: 45.0 / 60.0, 2: -9.0 / 60.0, 3: 1.0 / 60.0}
    for k in range(2):
        along = step * np.eye(2)[k]
        slope = sum(
            w * (d_terms(arm, theta + i * along).D_ij - d_terms(arm, theta - i * along).D_ij)
            for i, w in weights.items()
        )
        slopes.append(slope / step)
    return np.stack(slopes, axis=-1)


@each_arm
def test_velocity_terms_are_christoffels_symbols(arm: TwoLinkArm) -> None:
    """``D_ijk = (dD_ij/dtheta_k + dD_ik/dtheta_j - dD_jk/dtheta_i)/2``."""
    theta = states(500)[0]
    slope = derivatives(arm, theta)
    expected = 0.5 * (slope + slope.transpose(0, 1, 3, 2) - slope.transpose(0, 3, 1, 2))
    # 0.01^6/140 of the seventh derivative, which is no larger than twice the first one here.
    np.testing.assert_allclose(d_terms(arm, theta).D_ijk, expected, rtol=0.0, atol=EXACT)


@each_arm
def test_rate_of_inertia_less_twice_coriolis_is_skew(arm: TwoLinkArm) -> None:
    """Differences along the motion itself: Romberg's of dD(theta + t theta')/dt."""
    theta, v, _ = states(500)

    def slope(h: float) -> Array:
        return (d_terms(arm, theta + h * v).D_ij - d_terms(arm, theta - h * v).D_ij) / (2.0 * h)

    h = 4e-4
    rate = (4.0 * slope(h / 2) - slope(h)) / 3.0
    N = rate - 2.0 * coriolis_matrix(d_terms(arm, theta), v)
    assert np.abs(N).max() > 0.1
    truncation = 1e-8
    np.testing.assert_allclose(N, -np.swapaxes(N, -1, -2), rtol=0.0, atol=truncation)


def slides(m1: float, m2: float, d1: float, d2: float, g: float, x: Array, v: Array) -> Array:
    """Return L of 004, "Lagrangian method", as its slides write it: theta_1 from hanging down."""
    t1, t12 = x[0], x[0] + x[1]
    K1 = 0.5 * m1 * d1**2 * v[0] ** 2
    P1 = -m1 * g * d1 * np.cos(t1)
    x2 = d1 * np.cos(t1) * v[0] + d2 * np.cos(t12) * (v[0] + v[1])
    y2 = d1 * np.sin(t1) * v[0] + d2 * np.sin(t12) * (v[0] + v[1])
    K2 = 0.5 * m2 * (x2**2 + y2**2)
    P2 = -m2 * g * d1 * np.cos(t1) - m2 * g * d2 * np.cos(t12)
    return (K1 + K2) - (P1 + P2)


def test_torques_follow_from_the_lagrangian_of_the_slides() -> None:
    """``d/dt dL/dtheta' - dL/dtheta``, the derivatives by complex steps, without truncation.

    L is quadratic in the velocity, so that differences of any width give its slope exactly.
    """
    numbers = (1.5, 0.8, 0.9, 0.7, 9.81)
    theta, v, a = states(200)
    arm = point_masses(*numbers[:4], g=numbers[4])
    found = lagrange(arm, theta - [np.pi / 2.0, 0.0], v, a).torque
    tiny, axes = 1e-30, np.eye(2)

    def momentum(x: Array, w: Array, i: int) -> Array:
        return 0.5 * (slides(*numbers, x, w + axes[i]) - slides(*numbers, x, w - axes[i]))

    for n in range(len(theta)):
        x, w = theta[n], v[n]
        for i in range(2):
            # dp_i/dt along the motion: theta moves with theta', theta' with theta''.
            change = momentum(x + 1j * tiny * w, w + 1j * tiny * a[n], i).imag / tiny
            slope = slides(*numbers, x + 1j * tiny * axes[i], w).imag / tiny
            assert found[n, i] == pytest.approx(change - slope, abs=100.0 * EQUAL)


def test_energy_changes_by_the_work_of_the_torque() -> None:
    """``dE/dt = tau . theta'``, the derivative by differences in time."""
    theta, v, a = states(500)
    h = 1e-4

    def energy(t: float) -> Array:
        at, moving = theta + t * v + 0.5 * t**2 * a, v + t * a
        return kinetic_energy(UNEVEN, at, moving) + potential_energy(UNEVEN, at)

    power = (8.0 * (energy(h) - energy(-h)) - energy(2.0 * h) + energy(-2.0 * h)) / (12.0 * h)
    torque = lagrange(UNEVEN, theta, v, a).torque
    truncation = 1e-7  # of several hundred W
    np.testing.assert_allclose((torque * v).sum(axis=1), power, rtol=truncation, atol=1e-6)


def test_a_cylinder_weighs_and_turns_as_its_slices() -> None:
    """Mass, centre and inertia of 004's cylinder from a sum over its volume."""
    m, length, radius = 1.7, 1.2, 0.05
    along = (np.arange(400) + 0.5) / 400 * length
    across = ((np.arange(400) + 0.5) / 400 * 2.0 - 1.0) * radius
    x, z = np.meshgrid(along, across)
    density = np.sqrt(radius**2 - z**2)  # depth of the cylinder there, up to a factor
    share = m * density / density.sum()
    arm = rods(m, 0.9, length, 0.6, radius=radius, g=9.81)
    assert arm.c1 == pytest.approx((share * x).sum() / m)
    inertia = (share * ((x - arm.c1) ** 2 + z**2)).sum()
    assert pytest.approx(inertia, rel=1e-4) == arm.I1  # 400 slices


def test_known_poses() -> None:
    """Numbers done by hand: two rods of 1 kg and 1 m, g = 10."""
    arm = rods(1.0, 1.0, 1.0, 1.0, g=10.0)
    stretched = d_terms(arm, np.array([0.0, 0.0]))
    # One rod of 2 kg and 2 m about its end: m l^2/3. Its weight: 20 N at 1 m.
    np.testing.assert_allclose(stretched.D_ij, [[8 / 3, 5 / 6], [5 / 6, 1 / 3]])
    np.testing.assert_allclose(stretched.D_i, [20.0, 5.0])
    np.testing.assert_array_equal(stretched.D_ijk, 0.0)
    hanging = lagrange(arm, np.array([-np.pi / 2.0, 0.0]), np.zeros(2), np.zeros(2))
    np.testing.assert_allclose(hanging.torque, 0.0, atol=1e-14)
    square = d_terms(arm, np.array([0.0, np.pi / 2.0]))
    np.testing.assert_allclose(square.D_ij, [[5 / 3, 1 / 3], [1 / 3, 1 / 3]])
    np.testing.assert_allclose(
        square.D_ijk, [[[0.0, -0.5], [-0.5, -0.5]], [[0.5, 0.0], [0.0, 0.0]]], atol=1e-15
    )


def test_one_pose_or_many() -> None:
    theta, v, a = states(6)
    many = newton_euler(UNEVEN, theta.reshape(2, 3, 2), v.reshape(2, 3, 2), a.reshape(2, 3, 2))
    assert many.torque.shape == (2, 3, 2)
    assert many.force.shape == (2, 3, 2, 2)
    one = newton_euler(UNEVEN, theta[4], v[4], a[4])
    np.testing.assert_array_equal(many.torque[1, 1], one.torque)
    np.testing.assert_array_equal(many.force[1, 1], one.force)


def test_parts_add_up() -> None:
    theta, v, a = states(100)
    parts = lagrange(UNEVEN, theta, v, a)
    zero = np.zeros_like(v)
    np.testing.assert_array_equal(lagrange(UNEVEN, theta, zero, zero).torque, parts.gravity)
    # Twice as fast: four times the velocity terms, the others as they are.
    faster = lagrange(UNEVEN, theta, 2.0 * v, a)
    np.testing.assert_allclose(faster.coriolis, 4.0 * parts.coriolis)
    np.testing.assert_allclose(faster.centrifugal, 4.0 * parts.centrifugal)
    np.testing.assert_array_equal(faster.inertia, parts.inertia)


@pytest.mark.parametrize(
    ('change', 'message'),
    [
        ({'m1': 0.0}, 'm1 = 0: give a mass above 0 kg'),
        ({'m2': -1.0}, 'm2 = -1: give a mass'),
        ({'I2': -0.1}, 'I2 = -0.1: give 0 kg m\\^2 or more'),
        ({'l1': float('nan')}, 'l1 = nan: give a finite number'),
        ({'g': float('inf')}, 'g = inf: give a finite number'),
        ({'I2': 0.0, 'c2': 0.0}, 'no inertia about its joint'),
    ],
)
def test_impossible_arms_are_refused(change: dict[str, float], message: str) -> None:
    numbers = msgspec.structs.asdict(UNEVEN) | change
    with pytest.raises(ConfigError, match=message):
        TwoLinkArm(**numbers)


@pytest.mark.parametrize('theta', [np.zeros(3), np.zeros((2, 1)), np.array(0.0)])
def test_other_shapes_are_refused(theta: Array) -> None:
    with pytest.raises(ConfigError, match=r'theta has the shape .*needs \(2,\)'):
        d_terms(UNEVEN, theta)
