"""Isolation: a known force on a known point is found again in the torques that it makes."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.collision.isolation import Clue, Isolation
from simloop_ros.collision.link_surface import link_surfaces
from simloop_ros.plants.spring_contact import point_jacobian

NOISE = 0.005  # [N m], of a joint that slides
HELD = 0.1  # [N m], of a joint that turns or sticks
FORCE = 30.0  # [N]
SLIDES, TURNS = 0, 1


@pytest.fixture(scope='module')
def isolation(yumi):
    return Isolation(yumi, np.array([np.full(yumi.n, NOISE), np.full(yumi.n, HELD)]))


def clue(q: np.ndarray, torque: np.ndarray, *turning: int) -> Clue:
    regime = np.full(q.size, SLIDES)
    regime[list(turning)] = TURNS
    return Clue(q, torque, regime)


@pytest.fixture(scope='module')
def touch(yumi):
    """Return the maker of a contact: position, torques, true place and force."""
    surfaces = link_surfaces(yumi)
    data = yumi.pin_model.createData()

    def at(joint: int, rng: np.random.Generator):
        q = yumi.home + rng.uniform(-0.3, 0.3, yumi.n)
        seen = surfaces[joint].points(rng.random((200, 3)))
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
        hit = isolation.locate(clue(q, torque + NOISE * rng.normal(size=14)))
        right.append(hit.joint == joint)
        assert hit.joint // 7 == joint // 7  # the arm is never in doubt
        if hit.joint == joint:
            places.append(np.linalg.norm(hit.point - place))
            forces.append(np.linalg.norm(hit.force - force) / FORCE)
    assert np.mean(right) >= 0.9
    assert np.median(places) < 0.01  # [m]: half of what points are sampled apart
    assert np.median(forces) < 0.1


def test_a_link_beyond_the_last_torque_can_be_found(isolation, touch):
    """A push through the axis of the last joint makes no torque there: geometry tells it."""
    rng = np.random.default_rng(1)
    beyond = 0
    for _ in range(20):
        q, torque, _, _ = touch(5, rng)
        torque[5] = 0.0  # as if the line of action met the axis
        given = clue(q, torque)
        last, hit = isolation.last_joint(given), isolation.locate(given)
        assert last < 5
        beyond += hit.joint > last
    assert beyond > 0


def test_the_last_joint_is_the_last_significant_one(isolation, yumi):
    def last(*turning: int) -> int | None:
        return isolation.last_joint(clue(yumi.home, torque, *turning))

    torque = np.zeros(14)
    assert last() is None
    torque[[7, 8, 10]] = 2.0
    torque[2] = 0.5 * NOISE
    assert last() == 10
    torque[13] = 3.9 * NOISE
    assert last() == 10
    torque[13] = 4.1 * NOISE
    assert last() == 13
    assert last(13) == 10


def test_a_joint_that_turns_does_not_mislead(isolation, touch):
    """Its friction makes a torque beyond the hit link; while it slides that would be a sign."""
    rng = np.random.default_rng(2)
    blamed, excused = [], []
    for _ in range(10):
        q, torque, _, _ = touch(4, rng)
        torque[6] += HELD
        blamed.append(isolation.locate(clue(q, torque)).joint)
        excused.append(isolation.locate(clue(q, torque, 6)).joint)
    assert blamed.count(4) < excused.count(4)
    assert excused.count(4) >= 9


def test_without_torque_nothing_is_hit(isolation, yumi):
    hit = isolation.locate(clue(yumi.home, np.zeros(14)))
    assert (hit.joint, hit.link, hit.point) == (None, '', None)
    assert not hit.observable


def test_near_the_base_the_place_is_not_observable(isolation, yumi):
    """One torque of one joint does not tell where on the first link."""
    torque = np.zeros(14)
    torque[0] = 3.0
    hit = isolation.locate(clue(yumi.home, torque))
    assert hit.link == 'yumi_link_1_l'
    assert not hit.observable


def test_probabilities_are_of_all_links(isolation, touch):
    q, torque, _, _ = touch(11, np.random.default_rng(4))
    assert 0.0 < isolation.locate(clue(q, torque)).probability <= 1.0


def test_an_error_that_was_there_before_is_not_taken_for_a_sign(isolation, touch):
    """A gear that is warmer than it was calibrated: its torque was there before the contact."""
    rng = np.random.default_rng(6)
    wrong = np.zeros(14)
    wrong[[4, 5, 6]] = 0.2, -0.1, 0.15
    blamed, excused = [], []
    for _ in range(10):
        q, torque, _, _ = touch(3, rng)
        given = clue(q, torque + wrong)
        known = Clue(q, torque + wrong, given.regime, np.outer(wrong, wrong))
        blamed.append(isolation.locate(given).joint)
        excused.append(isolation.locate(known).joint)
    assert blamed.count(3) < 5
    assert excused.count(3) >= 9


def test_a_robot_without_shapes_still_has_a_last_joint(two_link, monkeypatch):
    monkeypatch.setattr('simloop_ros.collision.isolation.link_surfaces', lambda _: {})
    bare = Isolation(two_link, np.full((1, 2), NOISE))
    hit = bare.locate(clue(two_link.home, np.array([1.0, 0.5])))
    assert hit.joint == 1
    assert hit.link in two_link.links
    assert hit.force is None
