"""The observer: its gains are Kalman's, it has no bias, and as much noise as theory says."""

from __future__ import annotations

import numpy as np
import pytest

from simloop_ros.control.followers import Measured, Observed
from simloop_ros.control.observer import Estimate, Observer
from simloop_ros.core.values import JointState
from simloop_ros.maths.kalman import kalman_gains

TUNINGS = [(0.005, 200.0), (0.0005, 200.0), (0.001, 30.0), (0.002, 2000.0)]
RICCATI = 1e-9  # relative: the iteration stops at 1e-13 a step, and contracts by some percent
CONVERGED = 1e-12  # relative change of a doubling iteration that has settled
UNBIASED = 1e-9  # relative to the disturbance: rounding, and what is left of the start
STATISTICS = 0.05  # relative: of a variance from some ten thousand correlated samples


def transition(h: float) -> np.ndarray:
    """Return F of position, velocity and disturbance, in semi-implicit steps."""
    return np.array([[1.0, h, h * h], [0.0, 1.0, h], [0.0, 0.0, 1.0]])


def closed_loop(h: float, gains: np.ndarray) -> np.ndarray:
    """Return how the error of the estimate goes on: ``(I - K H) F``."""
    return (np.eye(3) - np.outer(gains, [1.0, 0.0, 0.0])) @ transition(h)


def lyapunov(A: np.ndarray, Q: np.ndarray) -> np.ndarray:
    """Solve ``P = A P A^T + Q`` by doubling: the sum of ``A^k Q A^kT``."""
    P = Q
    for _ in range(60):
        added = A @ P @ A.T
        P, A = P + added, A @ A
        if np.abs(added).max() <= CONVERGED * np.abs(P).max():
            break
    return P


@pytest.mark.parametrize(('h', 'bandwidth'), TUNINGS)
def test_gains_are_those_of_the_steady_riccati_equation(h: float, bandwidth: float) -> None:
    """The covariance that the gains lead to has these very gains as its optimum.

    The wander per step of a filter in continuous time with its poles at radius ``w`` and encoder
    noise of variance one: ``w^6 h`` of density, ``w^6 h^2`` per step.
    """
    K = np.array(kalman_gains(h, bandwidth))
    F, wander = transition(h), np.diag([0.0, 0.0, bandwidth**6 * h**2])
    keep = np.eye(3) - np.outer(K, [1.0, 0.0, 0.0])
    # In units of one step all numbers are near one.
    units = np.diag([1.0, h, h * h])
    back = np.linalg.inv(units)
    A = units @ keep @ F @ back
    Q = units @ (keep @ wander @ keep.T + np.outer(K, K)) @ units
    predicted = units @ F @ back @ lyapunov(A, Q) @ (units @ F @ back).T + units @ wander @ units
    optimum = predicted[:, 0] / (predicted[0, 0] + 1.0)
    np.testing.assert_allclose(units @ K, optimum, rtol=RICCATI)


@pytest.mark.parametrize(('h', 'bandwidth'), [*TUNINGS, (0.02, 200.0), (0.005, 5000.0)])
def test_poles_are_inside_the_unit_circle(h: float, bandwidth: float) -> None:
    poles = np.linalg.eigvals(closed_loop(h, np.array(kalman_gains(h, bandwidth))))
    assert np.abs(poles).max() < 1.0


def test_poles_are_butterworths_for_small_steps() -> None:
    """``s^3 + 2 w s^2 + 2 w^2 s + w^3`` in continuous time."""
    h, w = 1e-4, 100.0
    poles = np.linalg.eigvals(closed_loop(h, np.array(kalman_gains(h, w))))
    expected = np.roots([1.0, 2.0 * w, 2.0 * w**2, w**3])
    discretisation = 1e-3  # relative: of the order (w h)^2
    np.testing.assert_allclose(
        np.sort_complex(np.log(poles) / h), np.sort_complex(expected), rtol=discretisation
    )


def errors(
    h: float, bandwidth: float, a: float, disturbance: float, noise: np.ndarray
) -> np.ndarray:
    """Return the errors of the estimates of position, velocity, disturbance, ``(steps, 3)``.

    A joint under the commanded acceleration ``a`` and a constant disturbance, from a start that
    is known; the encoder adds ``noise``.
    """
    observer = Observer(h, bandwidth)
    q, v = 0.3, -0.2
    estimate = Estimate(JointState(np.array([q]), np.array([v])), np.zeros(1))
    rows = []
    for added in noise:
        v += h * (a + disturbance)
        q += h * v
        estimate = observer.update(estimate, np.array([a]), np.array([q + added]))
        state = estimate.state
        rows.append(
            (state.position[0] - q, state.velocity[0] - v, estimate.disturbance[0] - disturbance)
        )
    return np.array(rows)


def test_follows_what_it_commands_without_lag() -> None:
    """Constant acceleration, nothing unknown: no error at any time, however fast."""
    rounding = np.array([1e-12, 1e-10, 1e-7])
    assert np.all(np.abs(errors(0.005, 50.0, 3.0, 0.0, np.zeros(500))) <= rounding)


@pytest.mark.parametrize(('h', 'bandwidth'), TUNINGS)
def test_constant_disturbance_leaves_no_error(h: float, bandwidth: float) -> None:
    """A motion that nobody commanded, of constant acceleration, is followed without lag too."""
    disturbance = -4.0
    off = errors(h, bandwidth, 1.0, disturbance, np.zeros(round(60.0 / (bandwidth * h)) + 60))
    assert np.abs(off[0, 2]) > 1e-3 * abs(disturbance)  # it had to be learnt
    scale = np.array([h * h, h, 1.0]) * abs(disturbance)
    rounding = np.array([1e-14, 1e-14 / h, 1e-14 / h**2])
    assert np.all(np.abs(off[-1]) <= UNBIASED * scale + 10.0 * rounding)


@pytest.mark.parametrize(('h', 'bandwidth'), [(0.005, 100.0), (0.001, 200.0)])
def test_noise_comes_through_as_theory_says(h: float, bandwidth: float) -> None:
    """Covariance ``P = A P A^T + r K K^T``, from a Lyapunov equation solved beside the code."""
    sigma = 1e-5
    noise = np.random.default_rng(1).normal(scale=sigma, size=40_000)
    seen = errors(h, bandwidth, 0.0, 0.0, noise)[1000:]
    K = np.array(kalman_gains(h, bandwidth))
    expected = np.diag(lyapunov(closed_loop(h, K), sigma**2 * np.outer(K, K)))
    np.testing.assert_allclose(seen.var(axis=0), expected, rtol=STATISTICS)
    # The raw rollback of 000 has the encoder's noise, and its difference quotient's.
    assert expected[0] < sigma**2
    assert expected[1] < 0.5 * 2.0 * sigma**2 / h**2


def test_less_bandwidth_is_less_noise() -> None:
    variances = []
    for bandwidth in (50.0, 100.0, 200.0, 400.0):
        K = np.array(kalman_gains(0.001, bandwidth))
        variances.append(np.diag(lyapunov(closed_loop(0.001, K), np.outer(K, K))))
    assert np.all(np.diff(variances, axis=0) > 0.0)


def test_measured_is_the_difference_quotient() -> None:
    """000 (5.6)."""
    h = 0.25  # a power of two: exact
    old = JointState(np.array([1.0, -2.0]), np.array([9.0, 9.0]))
    new = Measured(h).follow(old, np.zeros(2), np.array([1.5, -1.0]))
    np.testing.assert_array_equal(new.position, [1.5, -1.0])
    np.testing.assert_array_equal(new.velocity, [2.0, 4.0])


def test_observed_remembers_the_disturbance() -> None:
    """Each joint for itself; a start forgets."""
    h = 0.005
    follower = Observed(Observer(h, 200.0))
    state = JointState(np.zeros(2), np.zeros(2))
    follower.start(state)
    disturbance = np.array([2.0, 0.0])
    q, v = np.zeros(2), np.zeros(2)
    for _ in range(200):
        v = v + h * disturbance
        q = q + h * v
        state = follower.follow(state, np.zeros(2), q)
    np.testing.assert_allclose(follower.snapshot(), disturbance, rtol=0.0, atol=1e-7)
    np.testing.assert_allclose(state.velocity, v, rtol=0.0, atol=1e-9)
    follower.start(state)
    np.testing.assert_array_equal(follower.snapshot(), 0.0)
