"""What monitors see of a log."""

from __future__ import annotations

import msgspec
import numpy as np
import pinocchio as pin
import pytest
from robot_logs import motion, recording

from simloop_ros.logs.segments import uniform_segments
from simloop_ros.replay.observing import filtered_motion, seen


@pytest.fixture(scope='module')
def lwr(shipped):
    return shipped('lwr')


def test_the_torque_of_a_row_belongs_to_the_acceleration_that_it_shows(lwr):
    made = recording(lwr, 1.0, period=0.002)
    (segment,) = uniform_segments(made)
    found = seen(segment, lwr, 'measured')
    data = lwr.pin_model.createData()
    q = made.position
    for k in range(50, 60):
        a = (q[k] - 2.0 * q[k - 1] + q[k - 2]) / segment.period**2
        v = (q[k] - q[k - 2]) / (2.0 * segment.period)
        needed = pin.rnea(lwr.pin_model, data, q[k - 1], v, a)
        np.testing.assert_allclose(found.effort[k], needed, atol=1e-3)
    sent = msgspec.structs.replace(made, command=made.effort, effort=None)
    (segment,) = uniform_segments(sent)
    np.testing.assert_array_equal(seen(segment, lwr, 'command').effort, made.effort)


def test_filtered_motion_is_causal_and_follows_a_motion(lwr):
    time = 0.002 * np.arange(1000)
    q, v, _ = motion(lwr, time)
    found = filtered_motion(q, 0.002)
    # A filter of 200 rad/s lags by a few milliseconds in the third derivative only.
    np.testing.assert_allclose(found[500:, 1], v[500:], atol=2e-2)
    changed = q.copy()
    changed[600:] += 1.0
    other = filtered_motion(changed, 0.002)
    np.testing.assert_array_equal(found[:600], other[:600])
    assert np.abs(found[600] - other[600]).max() > 0.1


def test_the_force_difference_of_the_right_model_is_small(lwr):
    made = recording(lwr, 1.0, period=0.002)
    (segment,) = uniform_segments(made)
    found = seen(segment, lwr, 'measured')
    error = (found.explained - found.effort)[300:]
    assert np.sqrt(np.mean(error**2)) < 0.05 * np.sqrt(np.mean(found.effort**2))
