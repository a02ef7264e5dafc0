"""Points on the links' shapes: on them, and with normals that point away."""

from __future__ import annotations

import numpy as np
import pytest

from simloop_ros.collision.link_surface import depth_inside, link_surfaces, sphere_directions

ON_SURFACE = 1e-4  # [m]: of the distance algorithm


def test_directions_are_spread_evenly():
    directions = sphere_directions(500)
    np.testing.assert_allclose(np.linalg.norm(directions, axis=1), 1.0)
    np.testing.assert_allclose(directions.mean(axis=0), 0.0, atol=0.01)
    np.testing.assert_allclose(directions.T @ directions / 500, np.eye(3) / 3.0, atol=0.01)


@pytest.mark.parametrize('robot', ['sphere', 'yumi'])
def test_points_are_on_the_surface_of_their_link(robot, shipped):
    model = shipped(robot)
    surfaces = link_surfaces(model)
    assert len(surfaces) == model.n
    for surface in surfaces.values():
        seen = surface.seen_from(sphere_directions(32))
        assert len(seen.points) >= 16
        for point, normal in zip(seen.points, seen.normals, strict=True):
            depths = [depth_inside(*shape, point) for shape in surface._shapes]
            assert max(depths) == pytest.approx(0.0, abs=ON_SURFACE)
            assert not surface.holds(point + 0.01 * normal)
            assert surface.holds(point - 0.005 * normal)


def test_a_ball_is_seen_at_its_radius(shipped):
    model = shipped('sphere')
    (surface,) = link_surfaces(model).values()
    seen = surface.seen_from(sphere_directions(20))
    radii = np.linalg.norm(seen.points, axis=1)
    np.testing.assert_allclose(radii, radii[0], atol=ON_SURFACE)
    np.testing.assert_allclose(seen.points / radii[0], seen.normals, atol=1e-3)


def test_a_ball_reaches_its_radius_from_its_centre(shipped):
    (surface,) = link_surfaces(shipped('sphere')).values()
    directions = sphere_directions(20)
    ((_, place),) = surface._shapes
    radius = np.linalg.norm(surface.seen_from(directions).points[0] - place.translation)
    (reach,) = surface.reach(directions)
    np.testing.assert_allclose(reach, radius + directions @ place.translation, atol=ON_SURFACE)
