"""Identification: robots that are found again, bodies that are possible, honest errors."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.collision.explanation import nothing_learnt
from simloop_ros.identification.base_parameters import base_parameters
from simloop_ros.identification.friction_terms import Term, basic_terms
from simloop_ros.identification.identify import identify
from simloop_ros.identification.motion import Stretch, tracks
from simloop_ros.identification.pseudo_inertia import is_consistent
from simloop_ros.identification.regression import Rows, known_parameters
from simloop_ros.identification.uncertainty import covariance
from simloop_ros.identification.validation import compare

from .conftest import heavier

COULOMB, VISCOUS = np.array([1.5, 0.6]), np.array([0.8, 0.3])


def truth(robot, terms, friction):
    """Return all parameters of a robot, with the friction by kind."""
    inertial = [body.toDynamicParameters() for body in list(robot.inertias)[1:]]
    own = [friction.get(t.kind, np.zeros(9))[j] for j, kinds in enumerate(terms) for t in kinds]
    return np.concatenate((*inertial, own))


@pytest.fixture(scope='module')
def robot(two_link):
    return heavier(two_link, seed=5)


@pytest.fixture(scope='module')
def log(two_link, robot, make_log):
    return make_log(two_link, robot, COULOMB, VISCOUS)


@pytest.fixture(scope='module')
def found(two_link, log):
    return identify(two_link, [log])


def test_a_planar_arm_has_its_textbook_base_parameters(two_link):
    """Two links in a vertical plane: 6, the second rotor, friction and offset of each joint."""
    terms = tuple(tuple(basic_terms(0.01)) for _ in range(2))
    base = base_parameters(two_link, terms)
    assert len(base.base) == 6 + 1 + 6
    assert 'm' in {name.rpartition('.')[2] for name in base.without_effect}


def test_base_parameters_say_the_same_as_all_parameters(lwr):
    """Torques of two robots with the same base parameters are the same."""
    terms = tuple(tuple(basic_terms(0.01)) for _ in range(lwr.n))
    base = base_parameters(lwr, terms)
    rng = np.random.default_rng(2)
    x = np.concatenate((known_parameters(lwr), np.zeros(4 * lwr.n)))
    other = x.copy()
    other[base.dependent] += rng.normal(size=len(base.dependent))
    other[base.base] += base.of(x) - base.of(other)
    data = lwr.pin_model.createData()
    for _ in range(5):
        q, v, a = rng.normal(size=(3, lwr.n))
        columns = pin.computeJointTorqueRegressor(lwr.pin_model, data, q, v, a)
        # The terms of a joint: rotor, viscous, dry, offset.
        np.testing.assert_allclose(
            columns @ x[: 10 * lwr.n] + x[10 * lwr.n :: 4] * a,
            columns @ other[: 10 * lwr.n] + other[10 * lwr.n :: 4] * a,
            atol=1e-6,
        )


def test_parameters_are_found_within_their_errors(found, robot):
    friction = {'coulomb': COULOMB, 'viscous': VISCOUS, 'armature': np.array(robot.armature)}
    true = found.base.of(truth(robot, found.terms, friction))
    assert np.all(np.abs(found.values - true) < 3.5 * found.errors)
    assert np.all(np.abs(found.free - true) < 3.5 * found.errors)


def test_bodies_are_possible_and_friction_brakes(found):
    assert all(is_consistent(np.array(body)) for body in found.explanation.inertias)
    assert min(*found.explanation.coulomb, *found.explanation.viscous) >= 0.0
    assert min(found.explanation.armature) >= 0.0


def test_motion_that_was_not_seen_is_explained_up_to_the_noise(two_link, robot, make_log, found):
    other = make_log(two_link, robot, COULOMB, VISCOUS, seed=9, noise=0.0)
    models = {'before': nothing_learnt(two_link), 'after': found.explanation}
    comparison = compare(two_link, models, [other], 8.0)
    assert np.all(comparison.rms('after') < 0.03 * comparison.rms('before'))


def test_a_robot_like_its_description_stays_so(two_link, make_log):
    log = make_log(two_link, two_link.pin_model, np.zeros(2), np.zeros(2))
    found = identify(two_link, [log])
    assert np.all(np.array(found.explanation.coulomb) < 0.05)
    known = known_parameters(two_link).reshape(-1, 10)
    np.testing.assert_allclose(np.array(found.explanation.inertias)[:, 0], known[:, 0], rtol=0.05)


def test_only_a_joint_with_stribeck_friction_gets_it(two_link, robot, make_log):
    def more(v):
        return np.tanh(v / 0.01) * np.exp(-np.abs(v) / 0.06) * [1.2, 0.0]

    log = make_log(two_link, robot, COULOMB, VISCOUS, more=more)
    kinds = [{term.kind for term in own} for own in identify(two_link, [log]).terms]
    assert 'stribeck' in kinds[0]
    assert 'stribeck' not in kinds[1]


def test_what_a_motion_does_not_tell_is_said_and_stays_as_described(two_link, robot, make_log):
    """A log in which the second joint rests."""
    log = make_log(two_link, robot, COULOMB, VISCOUS, duration=8.0)
    still = log.position.copy()
    still[:, 1] = still[0, 1]
    found = identify(two_link, [Stretch(0.0, log.period, still, log.torque)])
    assert found.untold
    assert found.condition > 1e3


def test_errors_are_those_of_coloured_noise(two_link, log):
    """The spread of estimates from many draws of the same coloured noise, by definition."""
    rows = Rows.of(two_link, tracks([log], 8.0, 'causal'))
    columns = np.stack([rows.column(0, Term(kind, 0.01)) for kind in ('viscous', 'coulomb')], 1)
    design = np.zeros((len(columns), 2, 2))
    design[:, 0] = columns
    rng = np.random.default_rng(3)
    estimates, errors = [], []
    for _ in range(200):
        noise = np.zeros((len(columns), 2))
        noise[:, 0] = np.convolve(rng.normal(size=len(columns) + 4), np.ones(5), 'valid')
        free = np.linalg.lstsq(columns, noise[:, 0], rcond=None)[0]
        noise[:, 0] -= columns @ free
        estimates.append(free)
        errors.append(np.sqrt(np.diag(covariance(rows, design, noise, np.ones(2)))))
    ratio = np.mean(errors, axis=0) / np.std(estimates, axis=0)
    # 200 draws give the spread to 5 %.
    np.testing.assert_allclose(ratio, 1.0, atol=0.15)
