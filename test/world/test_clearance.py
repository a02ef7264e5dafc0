"""Distances to the known world, against formulas and against MuJoCo."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from simloop_ros.plants.config import PlantConfig, in_world
from simloop_ros.plants.mujoco_plant import MujocoPlant
from simloop_ros.robot.model import RobotModel
from simloop_ros.world.clearance import Clearance
from simloop_ros.world.config import AnyBody, BoxBody, CylinderBody, SphereBody, WorldConfig

RADIUS = 0.1  # of the shipped sphere [m]
EXACT = 1e-9  # of shapes whose distance has a formula [m]
GJK = 1e-6  # accuracy of both engines for the others [m]
FAR = 5.0  # beyond it MuJoCo does not look [m]


def world(*bodies: AnyBody) -> WorldConfig:
    return WorldConfig(bodies=bodies)


@pytest.mark.parametrize(
    ('body', 'gap'),
    [
        (SphereBody(name='ball', position=(0.5, 0, 0), radius=0.2), 0.5 - 0.2 - RADIUS),
        (BoxBody(name='box', position=(0, 0, 0.5), size=(1, 1, 0.2)), 0.5 - 0.1 - RADIUS),
        # Turned by 90 degrees about y, its z axis is along x.
        (
            CylinderBody(
                name='rod', position=(0, 0, 0.4), rpy=(0, np.pi / 2, 0), radius=0.1, height=2
            ),
            0.4 - 0.1 - RADIUS,
        ),
        (BoxBody(name='near', position=(0.15, 0, 0), size=(0.2, 1, 1)), 0.05 - RADIUS),
    ],
)
def test_a_sphere_is_as_far_from_a_body_as_geometry_says(
    sphere: RobotModel, body: AnyBody, gap: float
) -> None:
    found = Clearance(sphere, world(body)).smallest(np.zeros(sphere.n))
    assert found is not None
    assert found.distance == pytest.approx(gap, abs=EXACT)
    assert (found.link, found.other) == ('sphere', body.name)


def test_it_is_free_beyond_the_margin_only(sphere: RobotModel) -> None:
    body = SphereBody(name='ball', position=(0.5, 0, 0), radius=0.2)
    for margin, free in ((0.0, True), (0.199, True), (0.201, False)):
        assert Clearance(sphere, world(body), margin).free(np.zeros(sphere.n)) is free


def test_a_world_without_bodies_is_free(sphere: RobotModel) -> None:
    clearance = Clearance(sphere, world(), 0.1)
    assert clearance.free(np.zeros(sphere.n))
    assert clearance.smallest(np.zeros(sphere.n)) is None


def random_world(rng: np.random.Generator) -> WorldConfig:
    def pose(i: int) -> dict[str, object]:
        position = rng.uniform((-0.8, -0.8, 0.0), (0.8, 0.8, 1.0))
        return {
            'name': f'body {i}',
            'position': tuple(position.tolist()),
            'rpy': tuple(rng.uniform(-3.0, 3.0, 3).tolist()),
        }

    def size() -> float:
        return float(rng.uniform(0.05, 0.3))

    return world(
        BoxBody(size=(size(), size(), size()), **pose(0)),
        SphereBody(radius=size(), **pose(1)),
        CylinderBody(radius=size(), height=size(), **pose(2)),
    )


def inside(model: RobotModel, rng: np.random.Generator) -> np.ndarray:
    return rng.uniform(np.maximum(model.lower, -3.0), np.minimum(model.upper, 3.0))


def mujoco_distance(model: RobotModel, known: WorldConfig) -> Callable[[np.ndarray], float]:
    """Return the least distance of a moving link from a body of the world [m], by MuJoCo."""
    mujoco = pytest.importorskip('mujoco')
    obstacles = in_world(PlantConfig(engine='mujoco'), known).obstacles
    plant = MujocoPlant(model, 0.005, 1, obstacles)
    mj, data = plant.mj_model, mujoco.MjData(plant.mj_model)
    index = [mj.joint(name).qposadr[0] for name in model.joint_names]
    moving = [i for i in range(mj.ngeom) if mj.body_weldid[mj.geom_bodyid[i]] > 0]
    bodies = [i for i in range(mj.ngeom) if mj.geom_bodyid[i] == 0][-len(obstacles) :]

    def distance(q: np.ndarray) -> float:
        data.qpos[index] = q
        mujoco.mj_kinematics(mj, data)
        pairs = ((a, b) for a in moving for b in bodies)
        return min(mujoco.mj_geomDistance(mj, data, a, b, FAR, None) for a, b in pairs)

    return distance


@pytest.mark.parametrize('name', ['irb120', 'yumi'])
def test_mujoco_finds_the_same_distances(
    name: str, shipped: Callable[[str], RobotModel], rng: np.random.Generator
) -> None:
    model = shipped(name)
    compared = 0
    for _ in range(10):
        known = random_world(rng)
        clearance, distance = Clearance(model, known), mujoco_distance(model, known)
        for _ in range(40):
            q = 0.3 * inside(model, rng) + 0.7 * model.home
            found, true = clearance.smallest(q), distance(q)
            assert found is not None
            assert found.distance <= true + GJK
            if found.other.startswith('body') and min(found.distance, true) > 0.0:
                assert found.distance == pytest.approx(true, abs=GJK)
                compared += 1
    assert compared > 5


@pytest.mark.parametrize('name', ['irb120', 'yumi', 'lwr'])
def test_the_fast_check_agrees_with_the_distances(
    name: str, shipped: Callable[[str], RobotModel], rng: np.random.Generator
) -> None:
    """But for distances that are the margin to within rounding."""
    model, margin = shipped(name), 0.01
    seen = set()
    for _ in range(5):
        clearance = Clearance(model, random_world(rng), margin)
        for _ in range(40):
            q = 0.5 * (inside(model, rng) + model.home)
            lacking = clearance.lacking(q)
            assert lacking is not None
            free = clearance.free(q)
            seen.add(free)
            if lacking.distance > margin + GJK:
                assert free
            elif lacking.distance < -GJK:
                assert not free
    assert seen == {True, False}


@pytest.mark.parametrize('name', ['irb120', 'yumi', 'lwr', 'two_link', 'sphere', 'workerbot'])
def test_every_shipped_robot_is_free_at_home(
    name: str, shipped: Callable[[str], RobotModel]
) -> None:
    model = shipped(name)
    assert Clearance(model, world(), 0.01).free(model.home)
