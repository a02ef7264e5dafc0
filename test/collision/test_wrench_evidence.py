"""The density of torques, against the normal distribution written out."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from simloop_ros.collision.wrench_evidence import likely_modes, log_density

JOINTS, MODES = 7, 5
FORCES = np.array([2.0, 30.0, 700.0])
ROUNDING = 1e-8
"""Relative: squares of 1e9 cancel, of which 16 digits are known."""


@pytest.fixture
def case():
    rng = np.random.default_rng(3)
    jacobian = rng.normal(size=(6, JOINTS))
    root = 0.1 * rng.normal(size=(JOINTS, JOINTS))
    error = root @ root.T + np.diag(rng.uniform(0.01, 0.1, JOINTS))
    modes, mean = 0.3 * rng.normal(size=(4, 6, MODES)), rng.normal(size=(4, 6))
    torque = jacobian.T @ (30.0 * mean[0]) + 0.1 * rng.normal(size=JOINTS)
    both = np.concatenate((modes, mean[:, :, None]), axis=2)
    information = jacobian @ np.linalg.solve(error, jacobian.T)
    gram = np.einsum('pia,ij,pjb->abp', both, information, both)
    pull = np.einsum('pia,i->ap', both, jacobian @ np.linalg.solve(error, torque))
    return jacobian, error, modes, mean, torque, gram, pull


def test_the_density_is_that_of_the_normal_distribution(case):
    """Up to what is the same for every piece and force."""
    jacobian, error, modes, mean, torque, gram, pull = case
    found = log_density(gram[..., None], pull[..., None], FORCES)
    expected = np.empty_like(found)
    for i in range(len(mean)):
        for k, force in enumerate(FORCES):
            spread = force * jacobian.T @ modes[i]
            expected[i, k] = multivariate_normal(
                force * jacobian.T @ mean[i], error + spread @ spread.T
            ).logpdf(torque)
    np.testing.assert_allclose(
        found - found[0, 0], expected - expected[0, 0], rtol=ROUNDING, atol=1e-6
    )


def test_pieces_and_forces_in_pairs_are_those_of_the_table(case):
    *_, gram, pull = case
    table = log_density(gram[..., None], pull[..., None], FORCES)
    pieces, sizes = np.array([0, 2, 3, 3]), np.array([1, 0, 2, 1])
    pairs = log_density(gram[:, :, pieces], pull[:, pieces], FORCES[sizes])
    np.testing.assert_allclose(pairs, table[pieces, sizes], rtol=1e-12)


def test_the_likeliest_modes_leave_the_least_error(case):
    """Against the gradient of ``|tau - J^T F (w + S z)|_E^2 + |z|^2``, which is zero there."""
    jacobian, error, modes, mean, torque, gram, pull = case
    force = 30.0
    z = likely_modes(gram[:, :, 0], pull[:, 0], force)
    made = force * jacobian.T @ modes[0]
    rest = torque - force * jacobian.T @ mean[0] - made @ z
    np.testing.assert_allclose(made.T @ np.linalg.solve(error, rest), z, atol=1e-8)
