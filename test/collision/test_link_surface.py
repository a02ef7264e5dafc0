"""Points on the links' shapes: on them, and with normals that point away."""

from __future__ import annotations

import coal
import numpy as np
import pytest

from simloop_ros.collision.link_surface import (
    depth_inside,
    link_surfaces,
    low_discrepancy,
    sphere_directions,
)
from simloop_ros.collision.shape_area import pieces

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
        seen = surface.points(low_discrepancy(48))
        assert len(seen.points) >= 16
        for point, normal in zip(seen.points, seen.normals, strict=True):
            depths = [depth_inside(*shape, point) for shape in surface._shapes]
            assert max(depths) == pytest.approx(0.0, abs=ON_SURFACE)
            assert not surface.holds(point + 0.01 * normal)
            assert surface.holds(point - 0.005 * normal)


def test_a_ball_is_seen_at_its_radius(shipped):
    model = shipped('sphere')
    (surface,) = link_surfaces(model).values()
    seen = surface.points(low_discrepancy(20))
    radii = np.linalg.norm(seen.points, axis=1)
    np.testing.assert_allclose(radii, radii[0], atol=ON_SURFACE)
    np.testing.assert_allclose(seen.points / radii[0], seen.normals, atol=1e-3)


def test_a_ball_reaches_its_radius_from_its_centre(shipped):
    (surface,) = link_surfaces(shipped('sphere')).values()
    directions = sphere_directions(20)
    ((_, place),) = surface._shapes
    radius = np.linalg.norm(surface.points(low_discrepancy(1)).points[0] - place.translation)
    (reach,) = surface.reach(directions)
    np.testing.assert_allclose(reach, radius + directions @ place.translation, atol=ON_SURFACE)


@pytest.mark.parametrize(
    ('shape', 'area'),
    [
        (coal.Sphere(0.1), 4.0 * np.pi * 0.01),
        (coal.Cylinder(0.1, 0.4), 2.0 * np.pi * 0.1 * 0.4 + 2.0 * np.pi * 0.01),
        (coal.Capsule(0.1, 0.4), 2.0 * np.pi * 0.1 * 0.4 + 4.0 * np.pi * 0.01),
        (coal.Box(0.1, 0.2, 0.3), 2.0 * (0.02 + 0.03 + 0.06)),
    ],
    ids=['sphere', 'cylinder', 'capsule', 'box'],
)
def test_shapes_are_sampled_all_over(shape, area):
    """Area, and by Gauss' theorem volume: the mean of point times normal, times area, is 3 V."""
    parts = pieces(shape)
    assert sum(part.area for part in parts) == pytest.approx(area)
    flux = 0.0
    for part in parts:
        for _, u, v in low_discrepancy(4000):
            found = part.at(u, v)
            flux += part.area / 4000 * found.point @ found.normal
    assert flux / 3.0 == pytest.approx(shape.computeVolume(), rel=1e-3)


def test_triangles_are_sampled_all_over():
    box = coal.BVHModelOBBRSS()
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
    faces = [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1)]
    faces += [(2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3)]
    box.beginModel(len(faces), len(corners))
    box.addVertices(corners)
    box.addTriangles(np.array(faces))
    box.endModel()
    (part,) = pieces(box)
    assert part.area == pytest.approx(6.0)
    found = [part.at(u, v) for _, u, v in low_discrepancy(4000)]
    assert np.mean([each.point @ each.normal for each in found]) * 6.0 / 3.0 == pytest.approx(
        1.0, rel=1e-2
    )
    np.testing.assert_allclose(np.mean([each.point for each in found], axis=0), 0.5, atol=0.01)
