"""Twin against robot: what is explained is explained, and what is not is measured."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest
from robot_logs import recording

from simloop_ros.collision.explanation import nothing_learnt
from simloop_ros.identification.motion import SMOOTHING_WIDTH
from simloop_ros.logs.segments import uniform_segments
from simloop_ros.replay.explained import joint_fits, torque_curves

ROUNDING = 0.03
"""Share of the torque that second differences of a smooth motion over 5 ms may miss."""


@pytest.fixture(scope='module')
def lwr(shipped):
    return shipped('lwr')


def fits(model, made, explanation=None, signal='measured'):
    curves = torque_curves(
        uniform_segments(made), model, explanation or nothing_learnt(model), signal
    )
    return joint_fits(curves, model.joint_names, np.ones(len(curves.time), bool))


def test_the_right_model_explains_all(lwr):
    for fit in fits(lwr, recording(lwr)):
        assert fit.error_rms < ROUNDING * max(fit.spread, 1.0)
        assert fit.explained > 0.99


def test_a_wrong_constant_is_what_is_left(lwr):
    made = recording(lwr)
    shifted = msgspec.structs.replace(made, effort=made.effort + np.arange(lwr.n))
    for i, fit in enumerate(fits(lwr, shifted)):
        assert fit.error_rms == pytest.approx(i, abs=ROUNDING * max(fit.spread, 1.0))
    offset = msgspec.structs.replace(nothing_learnt(lwr), offset=tuple(map(float, range(lwr.n))))
    for fit in fits(lwr, shifted, offset):
        assert fit.error_rms < ROUNDING * max(fit.spread, 1.0)


def test_a_command_belongs_to_the_period_before_its_row(lwr):
    made = recording(lwr, 4.0)
    assert made.effort is not None
    late = np.concatenate((made.effort[:1], made.effort[:-1]))
    sent = msgspec.structs.replace(made, command=late, effort=None)
    for fit in fits(lwr, sent, signal='command'):
        assert fit.error_rms < ROUNDING * max(fit.spread, 1.0)


def test_causal_filters_see_nothing_of_what_comes_later(lwr):
    made = recording(lwr, 4.0)
    assert made.effort is not None
    changed = made.effort.copy()
    changed[500:] += 10.0
    other = msgspec.structs.replace(made, effort=changed)
    one, two = (
        torque_curves(uniform_segments(each), lwr, nothing_learnt(lwr), 'measured')
        for each in (made, other)
    )
    # What smooths positions and torques before looks ahead by its half width, and is that late.
    before = one.time < made.time[500] - SMOOTHING_WIDTH
    np.testing.assert_array_equal(one.measured[before], two.measured[before])
    both = torque_curves(
        uniform_segments(other), lwr, nothing_learnt(lwr), 'measured', 'zero_phase'
    )
    near = (both.time < made.time[500]) & (both.time > made.time[500] - 0.1)
    same = torque_curves(
        uniform_segments(made), lwr, nothing_learnt(lwr), 'measured', 'zero_phase'
    )
    assert np.abs(both.measured[near] - same.measured[near]).max() > 1.0


def test_curves_have_a_break_at_gaps(lwr):
    made = recording(lwr, 8.0)
    kept = made.picked((made.time < 3.0) | (made.time > 4.0))
    curves = torque_curves(uniform_segments(kept), lwr, nothing_learnt(lwr), 'measured')
    assert np.isnan(curves.measured[:, 0]).sum() == 1
    for fit in joint_fits(curves, lwr.joint_names, np.ones(len(curves.time), bool)):
        assert fit.explained > 0.99
