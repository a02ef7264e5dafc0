"""What a calibration learns from free motion: slow, with encoders, and with rests."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.calibration.free_motion import random_motion
from simloop_ros.collision.explanation import Explainer, nothing_learnt
from simloop_ros.identification.identify import explain
from simloop_ros.identification.motion import Stretch

H = 1.0 / 500.0
ENCODER = 1e-5
STICKS = 3e-3
"""Speed below which a joint sticks in one of the tests [rad/s]."""
DRY, VISCOUS = np.array([1.5, 0.6]), np.array([0.4, 0.2])


def moved(model, seed):
    """Return positions of free motion for a minute, speeds and accelerations of its steps."""
    q = random_motion(model, 60.0, np.random.default_rng(seed)).positions(H, 0, round(60.0 / H))
    v = np.diff(q, axis=0, prepend=model.home[None]) / H
    a = np.diff(v, axis=0, prepend=0.0 * v[:1]) / H
    return q, v, a


@pytest.fixture(scope='module')
def motion(two_link):
    return moved(two_link, seed=1)


def log_of(motion, needed, encoder=ENCODER):
    """Return the motion with its torques: a torque begins at the position before its step."""
    q, v, a = motion
    torque = np.array([needed(*row) for row in zip(q[:-1], v[:-1], a[1:], strict=True)])
    noise = encoder * np.random.default_rng(2).standard_normal(torque.shape)
    return Stretch(0.0, H, q[:-1] + noise, torque)


def heavier(model):
    """Return the robot with heavier links and a load."""
    real = pin.Model(model.with_mass_bias(0.2).pin_model)
    payload = pin.Inertia(0.7, np.array([0.1, 0.0, 0.3]), np.zeros((3, 3)))
    real.appendBodyToJoint(2, payload, pin.SE3.Identity())
    return real


def torque_of(real):
    """Return the torque that a robot with friction needs."""
    data = real.createData()

    def needed(q, v, a):
        return pin.rnea(real, data, q, v, a) + DRY * np.tanh(v / 0.01) + VISCOUS * v

    return needed


def test_a_heavier_robot_with_payload_and_friction_is_explained(two_link, motion):
    """Torques of motions that were not seen; expected values from the true robot."""
    needed = torque_of(heavier(two_link))
    explanation = explain(two_link, [log_of(motion, needed)])
    np.testing.assert_allclose(explanation.coulomb, DRY, rtol=0.01)
    np.testing.assert_allclose(explanation.viscous, VISCOUS, rtol=0.02)
    explainer = Explainer(two_link, explanation)
    nominal = Explainer(two_link, nothing_learnt(two_link))
    left, before = [], []
    for state in zip(*(values[1::50] for values in moved(two_link, seed=9)), strict=True):
        left.append(needed(*state) - explainer.torque(*state))
        before.append(needed(*state) - nominal.torque(*state))
    assert np.all(np.std(left, axis=0) < 0.01 * np.std(before, axis=0))


def test_a_single_joint_is_explained(sphere):
    """Weight and dry friction from the true robot: nothing couples the joint to another one."""
    real = pin.Model(sphere.with_mass_bias(0.2).pin_model)
    data = real.createData()

    def needed(q, v, a):
        return pin.rnea(real, data, q, v, a) + 1.5 * np.tanh(v / 0.01)

    explanation = explain(sphere, [log_of(moved(sphere, seed=1), needed)])
    np.testing.assert_allclose(explanation.coulomb, 1.5, rtol=0.01)
    rest = np.zeros(1)
    at_rest = Explainer(sphere, explanation).torque(rest, rest, rest)
    np.testing.assert_allclose(at_rest, needed(rest, rest, rest), rtol=0.01)


def test_noise_of_encoders_does_not_make_a_slow_robot_light(two_link):
    """The accelerations are as small as their noise over 20 ms, which takes a third of M."""
    real = heavier(two_link)
    motion = moved(two_link, seed=3)
    explanation = explain(two_link, [log_of(motion, torque_of(real))])
    learnt = explanation.corrected(two_link)
    for q in np.random.default_rng(4).uniform(-2.0, 2.0, (10, 2)):
        true, found = (np.triu(pin.crba(m, m.createData(), q)) for m in (real, learnt))
        np.testing.assert_allclose(np.diag(found), np.diag(true), rtol=0.05)


def test_a_joint_that_rests_says_nothing_about_its_friction(two_link, motion):
    """At rest, dry friction holds anything, here all of it in one direction."""
    needed = torque_of(heavier(two_link))

    def sticking(q, v, a):
        return needed(q, v, a) + 0.9 * DRY * (np.abs(v) < STICKS)

    log = log_of(motion, sticking)
    assert np.all((np.abs(motion[1]) < STICKS).mean(axis=0) > 0.05)
    explanation = explain(two_link, [log])
    np.testing.assert_allclose(explanation.coulomb, DRY, rtol=0.01)
    np.testing.assert_allclose(explanation.viscous, VISCOUS, rtol=0.05)


def test_where_nothing_is_wrong_nothing_is_learnt(two_link, motion):
    model, data = two_link.pin_model, two_link.pin_model.createData()
    log = log_of(motion, lambda *state: pin.rnea(model, data, *state), encoder=0.0)
    explanation = explain(two_link, [log])
    weight = np.abs(log.torque).max(axis=0)
    assert np.all(np.abs(explanation.coulomb) < 1e-3 * weight)
    assert np.all(np.abs(explanation.offset) < 1e-3 * weight)
    learnt, known = np.array(explanation.inertias), np.array(nothing_learnt(two_link).inertias)
    np.testing.assert_allclose(learnt[-1, 0], known[-1, 0], rtol=0.01)
