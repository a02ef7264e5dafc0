"""What markers show is what the nodes meant by them."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.core.values import Contact, HandReport, ObjectReport
from simloop_ros.plants.config import Obstacle
from simloop_ros.robot.model import RobotModel
from simloop_ros.ros.messages.markers import (
    MarkerSet,
    hand_markers,
    object_markers,
    obstacle_markers,
    push_markers,
)
from simloop_ros.view.graph.heard_scene import HeardScene

OBSTACLES = (
    Obstacle(kind='plane', name='floor', position=(0.0, 0.0, -0.1), normal=(0.0, 1.0, 1.0)),
    Obstacle(kind='box', name='box', position=(0.5, 0.0, 0.2), size=(0.2, 0.3, 0.4)),
    Obstacle(kind='sphere', name='ball', position=(0.0, 0.6, 0.3), radius=0.1),
    Obstacle(  # lies along x
        kind='cylinder',
        name='rod',
        position=(-1.0, 0.0, 0.3),
        radius=0.1,
        height=0.6,
        rpy=(0.0, np.pi / 2, 0.0),
    ),
)


@pytest.fixture
def scene() -> HeardScene:
    return HeardScene()


def test_obstacles_are_bodies(scene: HeardScene) -> None:
    scene.take(MarkerSet().message(obstacle_markers(OBSTACLES, 'world')), 0.0)
    plane, box, ball, rod = scene.bodies
    shapes = [body.shape for body in scene.bodies]
    assert shapes == ['plane', 'box', 'sphere', 'cylinder']
    assert rod.size == pytest.approx((0.1, 0.6))
    normal = pin.Quaternion(*plane.quaternion.tolist()).toRotationMatrix()[:, 2]
    assert normal == pytest.approx(np.array([0.0, 1.0, 1.0]) / 2**0.5)
    assert (box.size, ball.size) == ((0.2, 0.3, 0.4), (0.1,))
    assert box.position == pytest.approx([0.5, 0.0, 0.2])
    scene.forget_until(100.0)
    assert len(scene.bodies) == 4


@pytest.mark.parametrize(
    ('point', 'normal'),
    [
        ((0.4, 0.0, 0.3), (-1.0, 0.0, 0.0)),
        ((0.5, 0.1, 0.401), (0.0, 0.0, 1.0)),
        ((0.0, 0.5, 0.3), (0.0, -1.0, 0.0)),
        ((-1.1, 0.0, 0.401), (0.0, 0.0, 1.0)),
        ((-1.301, 0.0, 0.33), (-1.0, 0.0, 0.0)),
        ((2.0, 0.0, -0.1), (0.0, 0.5**0.5, 0.5**0.5)),
    ],
)
def test_a_contact_pushes_away_from_its_obstacle(
    scene: HeardScene, point: tuple[float, float, float], normal: tuple[float, float, float]
) -> None:
    scene.take(MarkerSet().message(obstacle_markers(OBSTACLES, 'world')), 0.0)
    (force,) = scene.contact_forces((Contact('tip', 'box', 8.0, point),))
    assert force.vector == pytest.approx(8.0 * np.array(normal))


def test_hands_and_pushes_are_forces_until_they_are_gone(
    scene: HeardScene, lwr: RobotModel
) -> None:
    markers, force = MarkerSet(), np.array([3.0, -4.0, 12.0])
    hand = HandReport('flange', held=True, gap=np.zeros(3), force=force, power=0.0, energy=0.0)
    wrench = np.array([0.0, 0.0, 6.0, 0.0, 0.0, 0.0])
    shown = [
        *hand_markers([hand], np.array([[0.1, 0.2, 0.3]]), 'world'),
        *push_markers({'flange': wrench}),
    ]
    scene.take(markers.message(shown), 0.0)
    (led,) = scene.hands()
    assert led.vector == pytest.approx(force)
    assert led.point == pytest.approx([0.1, 0.2, 0.3])
    (pushed,) = scene.pushes(lwr, lwr.home, set())
    assert pushed.link == 'flange'
    turn = lwr.frame_poses(lwr.home, ['flange'])[0].rotation
    assert pushed.vector == pytest.approx(turn @ wrench[:3])
    assert scene.pushes(lwr, lwr.home, {'flange'}) == ()  # it is our own
    scene.take(markers.message([]), 0.1)
    assert scene.hands() == ()


def test_the_object_of_two_hands_moves(scene: HeardScene) -> None:
    turn = pin.exp3(np.array([0.0, 0.0, 0.5]))
    held = ObjectReport(
        position=np.array([0.3, 0.0, 0.4]),
        rotation_vector=pin.log3(turn),
        velocity=np.zeros(6),
    )
    shown = object_markers(held, (0.05, 0.4, 0.05), (), None, 'world')
    scene.take(MarkerSet().message(shown), 0.0)
    (beam,) = scene.moved
    assert [body.name for body in scene.bodies] == [beam.name]
    assert beam.position == pytest.approx([0.3, 0.0, 0.4])
    assert pin.Quaternion(*beam.quaternion.tolist()).toRotationMatrix() == pytest.approx(turn)
    scene.forget_until(5.0)
    assert scene.moved == ()
