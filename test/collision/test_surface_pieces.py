"""Pieces of a surface: their wrenches, and groups of them."""

from __future__ import annotations

import numpy as np
import pytest

from simloop_ros.collision.link_surface import link_surfaces, low_discrepancy, sphere_directions
from simloop_ros.collision.surface_pieces import (
    FORCE_SLANT,
    SIZE_SPREAD,
    SurfacePieces,
    tangents,
)

WIDTH = 0.01  # [m]


@pytest.fixture(scope='module')
def pieces(yumi):
    return SurfacePieces.of(link_surfaces(yumi)[4].points(low_discrepancy(240)), WIDTH)


def wrench(point: np.ndarray, force: np.ndarray) -> np.ndarray:
    return np.array([*force, *np.cross(point, force)])


def test_modes_are_what_a_slanted_force_and_another_point_change(pieces):
    for i in (0, 17, 60):
        point, inward = pieces.points[i], pieces.inward[i]
        mean = pieces.wrenches[i, :, -1]
        np.testing.assert_allclose(mean, wrench(point, inward), atol=1e-12)
        changed = [
            wrench(point, (1.0 + SIZE_SPREAD) * inward),
            *(wrench(point, inward + FORCE_SLANT * side) for side in pieces.sides[i]),
            *(wrench(point + WIDTH * side, inward) for side in pieces.sides[i]),
        ]
        for mode, other in zip(pieces.wrenches[i, :, :-1].T, changed, strict=True):
            np.testing.assert_allclose(mode, other - mean, atol=1e-12)


def test_a_group_has_mean_and_covariance_of_its_pieces(pieces):
    """Against wrenches that are drawn from its pieces."""
    rng = np.random.default_rng(0)
    home = pieces.home(8, 0.05)
    groups = pieces.groups(home, 8)
    assert sorted(set(home)) == list(range(8))
    own = (home == 3).nonzero()[0]
    drawn = rng.choice(own, 40_000)
    z = rng.standard_normal((40_000, 5))
    wrenches = pieces.wrenches[drawn, :, -1] + np.einsum(
        'pim,pm->pi', pieces.wrenches[drawn, :, :-1], z
    )
    np.testing.assert_allclose(groups[3, :, -1], wrenches.mean(axis=0), atol=0.01)
    covariance = groups[3, :, :-1] @ groups[3, :, :-1].T
    np.testing.assert_allclose(covariance, np.cov(wrenches.T), atol=0.01)


def test_groups_are_in_one_place(pieces):
    home = pieces.home(24, 0.02)
    apart = [
        np.linalg.norm(pieces.points[home == group] - pieces.points[group], axis=1).max()
        for group in range(24)
    ]
    size = np.ptp(pieces.points, axis=0).max()
    assert max(apart) < 0.5 * size


def test_tangents_are_across():
    normals = sphere_directions(20)
    axes = np.concatenate((normals[:, None], tangents(normals)), axis=1)
    np.testing.assert_allclose(
        axes @ axes.transpose(0, 2, 1), np.broadcast_to(np.eye(3), (20, 3, 3)), atol=1e-12
    )
