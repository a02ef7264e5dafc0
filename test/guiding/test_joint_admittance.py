"""The discrete admittance is the exact solution of 001 (2)."""

from __future__ import annotations

import numpy as np
import pytest

from simloop_bench.exact_admittance import PERIOD as H
from simloop_bench.exact_admittance import Cases, draw, transitions
from simloop_ros.guiding.joint_admittance import Admittance, AdmittanceState
from simloop_ros.maths.discretisation import Discretiser, Parameters

EXACT = 1e-12  # what the issue asks for; measured: 6e-13
SETS = 10_000
NO_NUMBER = 1e-30  # an impulse response that has died down to this counts as zero


@pytest.fixture(scope='module')
def cases() -> Cases:
    return draw(SETS, seed=1)


@pytest.fixture(scope='module')
def exact(cases: Cases) -> np.ndarray:
    return transitions(cases.parameters)


def alone(parameters: Parameters, i: int) -> Parameters:
    p = parameters
    return Parameters(p.mass[i : i + 1], p.damping[i : i + 1], p.stiffness[i : i + 1])


def test_coefficients_are_exact(cases: Cases, exact: np.ndarray) -> None:
    discretise = Discretiser(H)
    some = slice(None, None, 5)  # one by one
    each = [discretise(alone(cases.parameters, i)) for i in range(SETS)[some]]
    together = discretise(cases.parameters)
    for (area, impulse, slope), true in (
        ((together.area, together.impulse, together.slope), exact),
        (np.array([[c.area[0], c.impulse[0], c.slope[0]] for c in each]).T, exact[some]),
    ):
        np.testing.assert_allclose(area / H**2, true[:, 0, 2], rtol=EXACT)
        np.testing.assert_allclose(impulse / H, true[:, 0, 1], rtol=EXACT, atol=NO_NUMBER)
        np.testing.assert_allclose(slope, true[:, 1, 1], rtol=0.0, atol=EXACT)


def test_step_is_exact(cases: Cases, exact: np.ndarray) -> None:
    """Relative to the largest of e, v h and tau h^2/m, in which the exponential is linear."""
    p, state = cases.parameters, cases.state
    start = np.array([state.deflection, state.velocity * H, cases.torque * H**2 / p.mass])
    end = np.einsum('nij,jn->in', exact, start)
    x, y = p.damping * H / p.mass, p.stiffness * H**2 / p.mass
    slope = np.array([-y, -x, np.ones(SETS)])
    acceleration = np.einsum('in,nij,jn->n', slope, exact, start)
    size = np.abs(start).max(axis=0)
    step = Admittance(H).step(state, p, cases.torque)
    assert np.abs((step.state.deflection - end[0]) / size).max() < EXACT
    assert np.abs((step.state.velocity * H - end[1]) / size).max() < EXACT
    scale = size * np.maximum(1.0, np.maximum(x, y))
    assert np.abs((step.acceleration * H**2 - acceleration) / scale).max() < EXACT


def test_equals_scipy(cases: Cases) -> None:
    """Where SciPy is there; normwise, as its exponential is exact."""
    linalg = pytest.importorskip('scipy.linalg')
    p, state = cases.parameters, cases.state
    x, y = p.damping * H / p.mass, p.stiffness * H**2 / p.mass
    a = np.zeros((SETS, 3, 3))
    a[:, 0, 1] = a[:, 1, 2] = 1.0
    a[:, 1, 0], a[:, 1, 1] = -y, -x
    start = np.array([state.deflection, state.velocity * H, cases.torque * H**2 / p.mass])
    end = np.einsum('nij,jn->in', linalg.expm(a), start)
    step = Admittance(H).step(state, p, cases.torque)
    size = np.abs(start).max(axis=0) * np.maximum(1.0, np.maximum(x, y))
    assert np.abs((step.state.deflection - end[0]) / size).max() < EXACT
    assert np.abs((step.state.velocity * H - end[1]) / size).max() < EXACT


def test_two_half_steps_are_one(cases: Cases) -> None:
    half, whole = Admittance(H / 2), Admittance(H)
    first = half.step(cases.state, cases.parameters, cases.torque)
    second = half.step(first.state, cases.parameters, cases.torque)
    once = whole.step(cases.state, cases.parameters, cases.torque)
    size = np.abs(
        [cases.state.deflection, cases.state.velocity * H, cases.torque * H**2]
        / np.array([np.ones(SETS), np.ones(SETS), cases.parameters.mass])
    ).max(axis=0)
    e = second.state.deflection - once.state.deflection
    v = second.state.velocity - once.state.velocity
    assert np.abs(e / size).max() < EXACT
    assert np.abs(v * H / size).max() < 10 * EXACT  # the phase of 1e4 rad per step


def test_steady_deflection_is_torque_over_stiffness() -> None:
    p = Parameters(np.array([0.5, 2.0]), np.array([40.0, 3.0]), np.array([40.0, 7.0]))
    torque = np.array([-8.0, 3.5])
    admittance, state = Admittance(H), AdmittanceState(np.zeros(2), np.zeros(2))
    for _ in range(20_000):
        state = admittance.step(state, p, torque).state
    np.testing.assert_allclose(state.deflection, torque / p.stiffness, rtol=1e-12)
    at_rest = AdmittanceState(torque / p.stiffness, np.zeros(2))
    again = admittance.step(at_rest, p, torque)
    assert again.state.deflection.tobytes() == at_rest.deflection.tobytes()
    assert not again.acceleration.any()


def test_positive_torque_moves_in_the_positive_direction(cases: Cases) -> None:
    rest = AdmittanceState(np.zeros(SETS), np.zeros(SETS))
    step = Admittance(H).step(rest, cases.parameters, np.ones(SETS))
    assert (step.state.deflection > 0.0).all()


def test_a_changed_parameter_moves_neither_position_nor_velocity() -> None:
    """In the middle of a push each parameter changes up to tenfold, a thousand times.

    The motion on after the change is looked at after a time so short that only a jump could
    be seen.
    """
    rng = np.random.default_rng(2)
    n, short = 1000, 1e-12
    p = Parameters(
        10.0 ** rng.uniform(-1, 1, n), 10.0 ** rng.uniform(0, 2, n), 10.0 ** rng.uniform(0, 2, n)
    )
    torque = rng.normal(scale=20.0, size=n)
    admittance, state = Admittance(H), AdmittanceState(np.zeros(n), np.zeros(n))
    for _ in range(100):
        step = admittance.step(state, p, torque)
        state = step.state
    factor = 10.0 ** rng.uniform(-1, 1, (3, n))
    after = Parameters(p.mass * factor[0], p.damping * factor[1], p.stiffness * factor[2])
    on = Admittance(short).step(state, after, torque).state
    a = (torque - after.damping * state.velocity - after.stiffness * state.deflection) / after.mass
    rounding = 4 * np.finfo(float).eps
    position = np.abs(on.deflection - state.deflection)
    velocity = np.abs(on.velocity - state.velocity)
    assert (
        position <= 2 * short * np.abs(state.velocity) + rounding * np.abs(state.deflection)
    ).all()
    assert (velocity <= 2 * short * np.abs(a) + rounding * np.abs(state.velocity)).all()


def test_coefficients_are_computed_once_per_parameters() -> None:
    p = Parameters(np.ones(1), np.ones(1), np.ones(1))
    admittance = Admittance(H)
    first = admittance.discretisation(p)
    assert admittance.discretisation(p) is first
    assert admittance.discretisation(alone(p, 0)) is not first
