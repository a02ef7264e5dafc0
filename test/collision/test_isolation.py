"""Isolation: a known force on a known point is found again in the torques that it makes."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.collision.isolation import SLIDING, Isolation, cone
from simloop_ros.collision.link_surface import link_surfaces, sphere_directions
from simloop_ros.plants.spring_contact import point_jacobian

NOISE = 0.02  # [N m]
FORCE = 30.0  # [N]


@pytest.fixture(scope='module')
def isolation(yumi):
    return Isolation(yumi, np.full(yumi.n, NOISE))


@pytest.fixture(scope='module')
def touch(yumi):
    """Return the maker of a contact: position, torques, true place and force."""
    surfaces = link_surfaces(yumi)
    data = yumi.pin_model.createData()

    def at(joint: int, rng: np.random.Generator):
        q = yumi.home + rng.uniform(-0.3, 0.3, yumi.n)
        view = rng.normal(size=(1, 3))
        seen = surfaces[joint].seen_from(view / np.linalg.norm(view))
        pin.forwardKinematics(yumi.pin_model, data, q)
        frame = next(
            i
            for i, frame in enumerate(yumi.pin_model.frames)
            if frame.parentJoint == joint + 1 and frame.type == pin.FrameType.BODY
        )
        force = -FORCE * data.oMi[joint + 1].rotation @ seen.normals[0]
        jacobian, place = point_jacobian(yumi.pin_model, data, q, frame, seen.points[0])
        return q, jacobian.T @ force, place, force

    return at


def test_links_are_told_apart(isolation, touch):
    """Nine of ten, on links with three joints and more; neighbours overlap where they meet."""
    rng = np.random.default_rng(0)
    right, places, forces = [], [], []
    for joint in (3, 4, 5, 10, 11, 12) * 5:
        q, torque, place, force = touch(joint, rng)
        hit = isolation.locate(q, torque + NOISE * 0.2 * rng.normal(size=14))
        right.append(hit.joint == joint)
        assert hit.joint // 7 == joint // 7  # the arm is never in doubt
        if hit.joint == joint:
            places.append(np.linalg.norm(hit.point - place))
            forces.append(np.linalg.norm(hit.force - force) / FORCE)
    assert np.mean(right) >= 0.9
    assert np.median(places) < 0.03  # [m]: points are sampled that far apart
    assert np.median(forces) < 0.3


def test_a_link_beyond_the_last_torque_can_be_found(isolation, touch):
    """A push through the axis of the last joint makes no torque there: geometry tells it."""
    rng = np.random.default_rng(1)
    beyond = 0
    for _ in range(20):
        q, torque, _, _ = touch(5, rng)
        torque[5] = 0.0  # as if the line of action met the axis
        last, hit = isolation.last_joint(torque), isolation.locate(q, torque)
        assert last < 5
        beyond += hit.joint > last
    assert beyond > 0


def test_the_last_joint_is_the_last_significant_one(isolation):
    torque = np.zeros(14)
    assert isolation.last_joint(torque) is None
    torque[[7, 8, 10]] = 2.0
    torque[2] = 0.5 * NOISE
    assert isolation.last_joint(torque) == 10
    torque[13] = 3.9 * NOISE
    assert isolation.last_joint(torque) == 10
    torque[13] = 4.1 * NOISE
    assert isolation.last_joint(torque) == 13


def test_without_torque_nothing_is_hit(isolation, yumi):
    hit = isolation.locate(yumi.home, np.zeros(14))
    assert (hit.joint, hit.link, hit.point) == (None, '', None)
    assert not hit.observable


def test_near_the_base_the_place_is_not_observable(isolation, yumi):
    """One torque of one joint does not tell where on the first link."""
    torque = np.zeros(14)
    torque[0] = 3.0
    hit = isolation.locate(yumi.home, torque)
    assert hit.link == 'yumi_link_1_l'
    assert not hit.observable


def test_probabilities_are_of_all_links(isolation, touch):
    q, torque, _, _ = touch(11, np.random.default_rng(4))
    assert 0.0 < isolation.locate(q, torque).probability <= 1.0


def test_a_robot_without_shapes_still_has_a_last_joint(two_link):
    bare = Isolation(two_link, np.full(2, NOISE))
    bare._surfaces.clear()
    hit = bare.locate(two_link.home, np.array([1.0, 0.5]))
    assert hit.joint == 1
    assert hit.link in two_link.links
    assert hit.force is None


def test_directions_are_within_the_cone_of_friction():
    axes = sphere_directions(20)
    directions = cone(axes)
    np.testing.assert_allclose(np.linalg.norm(directions, axis=2), 1.0)
    cosines = np.einsum('pdi,pi->pd', directions, axes)
    assert np.all(cosines >= np.cos(np.arctan(SLIDING)) - 1e-12)
    np.testing.assert_allclose(directions[:, 0], axes, atol=1e-12)
