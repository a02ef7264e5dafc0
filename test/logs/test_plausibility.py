"""Logs that are not what they are taken for: found, and said with the likely cause."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest
from robot_logs import recording

from simloop_ros.core.errors import LogError
from simloop_ros.logs.plausibility import check_recording


@pytest.fixture(scope='module')
def lwr(shipped):
    return shipped('lwr')


@pytest.fixture(scope='module')
def made(lwr):
    return recording(lwr, 8.0, noise=0.3, coulomb=1.0)


def changed(made, **values):
    return msgspec.structs.replace(made, **values)


def test_a_log_of_the_robot_passes(lwr, made):
    assert check_recording(made, lwr) == ()
    assert check_recording(changed(made, effort=None), lwr) == ()


def test_degrees_taken_for_radians(lwr, made):
    with pytest.raises(LogError, match='probably degrees taken for radians'):
        check_recording(changed(made, position=np.degrees(made.position)), lwr)
    # Small motion in degrees stays within the ranges; its speed does not.
    small = 0.02 * (made.position - made.position.mean(axis=0))
    with pytest.raises(LogError, match='degrees taken for radians'):
        check_recording(changed(made, position=np.degrees(small), time=0.2 * made.time), lwr)


def test_milliseconds_taken_for_seconds(lwr, made):
    with pytest.raises(LogError, match='stamps in another unit'):
        check_recording(changed(made, time=1e-3 * made.time), lwr)


def test_stamps_in_milliseconds_read_as_seconds(lwr, made):
    """Then the robot creeps, which no limit of speed forbids."""
    with pytest.raises(LogError, match='every 5 s: probably milliseconds taken for seconds'):
        check_recording(changed(made, time=1e3 * made.time), lwr)


@pytest.mark.parametrize('pair', [(1, 3), (0, 1), (3, 5)])
def test_swapped_joints(lwr, made, pair):
    order = np.arange(lwr.n)
    order[list(pair)] = order[list(reversed(pair))]
    swapped = changed(made, position=made.position[:, order], effort=made.effort[:, order])
    names = ' and '.join(lwr.joint_names[i] for i in pair)
    with pytest.raises(LogError, match=f'{names} are (probably )?swapped'):
        check_recording(swapped, lwr)


def test_efforts_with_another_meaning_are_a_hint(lwr, made):
    (sign,) = check_recording(changed(made, effort=-made.effort), lwr)[:1]
    assert 'opposite sign' in sign
    (scale,) = check_recording(changed(made, effort=0.1 * made.effort), lwr)
    assert 'currents' in scale
    noise = np.random.default_rng(0).normal(size=made.effort.shape)
    (gravity,) = check_recording(changed(made, effort=noise), lwr)
    assert 'torque_without_gravity' in gravity
