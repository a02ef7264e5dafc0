"""Pseudo-inertia: it is positive for bodies and for no others, and its map is smooth."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.identification.pseudo_inertia import (
    LogCholesky,
    inertial_parameters,
    is_consistent,
    pseudo_inertia,
)

ROUNDING = 1e-12
BALL = np.array([1.0, 0, 0, 0, 0.01, 0, 0.01, 0, 0, 0.01])


def points(seed: int) -> np.ndarray:
    """Return the inertial parameters of a cloud of point masses, as Pinocchio sums them."""
    rng = np.random.default_rng(seed)
    total = np.zeros(10)
    for _ in range(6):
        body = pin.Inertia(rng.uniform(0.1, 1.0), rng.normal(size=3), np.zeros((3, 3)))
        total += body.toDynamicParameters()
    return total


@pytest.mark.parametrize('seed', range(5))
def test_the_pseudo_inertia_of_points_is_their_second_moment(seed):
    """``P = sum m [r; 1][r; 1]^T`` by definition, here from other code: Pinocchio's inertias."""
    rng = np.random.default_rng(seed)
    masses, places = rng.uniform(0.1, 1.0, 6), rng.normal(size=(6, 3))
    bodies = [pin.Inertia(m, r, np.zeros((3, 3))) for m, r in zip(masses, places, strict=True)]
    parameters = sum(body.toDynamicParameters() for body in bodies)
    vectors = np.column_stack((places, np.ones(6)))
    np.testing.assert_allclose(
        pseudo_inertia(parameters), vectors.T @ np.diag(masses) @ vectors, atol=ROUNDING
    )
    np.testing.assert_allclose(inertial_parameters(pseudo_inertia(parameters)), parameters)


def test_bodies_are_consistent_and_impossible_ones_are_not():
    assert is_consistent(points(3))
    # One principal moment larger than the sum of the others.
    assert not is_consistent(np.array([1.0, 0, 0, 0, 0.1, 0, 0.1, 0, 0, 0.3]))
    assert not is_consistent(np.array([-1.0, 0, 0, 0, 0.1, 0, 0.1, 0, 0, 0.1]))


@pytest.mark.parametrize('seed', range(5))
def test_every_factor_is_a_body_and_zero_is_the_prior(seed):
    body = LogCholesky(points(seed), BALL)
    np.testing.assert_allclose(body.parameters(np.zeros(10)), points(seed), rtol=1e-9)
    assert is_consistent(body.parameters(2.0 * np.random.default_rng(seed).normal(size=10)))


def test_the_derivative_is_that_of_the_parameters():
    body = LogCholesky(points(1), BALL)
    t = 0.3 * np.random.default_rng(1).normal(size=10)
    step = 1e-6
    steps = step * np.eye(10)
    numeric = [(body.parameters(t + s) - body.parameters(t - s)) / (2 * step) for s in steps]
    np.testing.assert_allclose(body.derivative(t), np.array(numeric).T, atol=1e-7)


def test_a_link_without_mass_can_become_one():
    body = LogCholesky(np.zeros(10), BALL)
    assert is_consistent(body.prior)
