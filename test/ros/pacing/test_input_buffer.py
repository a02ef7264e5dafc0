"""What is known of a step is put together, and no step waits for what nobody said of another."""

from __future__ import annotations

import numpy as np

from simloop_ros.core.values import NO_INPUTS
from simloop_ros.ros.messages.notice import TOPIC, Notice
from simloop_ros.ros.messages.wrists import WRENCHES
from simloop_ros.ros.pacing.input_buffer import MOST, InputBuffer

TORQUE = 'external_torque'
BOTH = (TOPIC, TORQUE)


def notice(stamp: int) -> Notice:
    return Notice(stamp, True, 'push', 0.0)


def test_in_lockstep_each_step_has_its_word() -> None:
    feelings = InputBuffer((TOPIC,), realtime=False)
    assert feelings.lacking(0) == ()  # nothing has happened before the first step
    assert feelings.at(0) == NO_INPUTS
    assert feelings.lacking(5) == (TOPIC,)
    for stamp in (5, 10, 15):
        feelings.add(TOPIC, stamp, notice(stamp))
    assert feelings.lacking(10) == ()
    assert feelings.at(10).contact
    assert feelings.at(10).torque is None
    feelings.forget_until(10)
    assert feelings.lacking(10) == (TOPIC,)
    assert feelings.lacking(15) == ()


def test_a_step_waits_for_every_topic() -> None:
    feelings = InputBuffer(BOTH, realtime=False)
    feelings.add(TORQUE, 5, np.ones(2))
    assert feelings.lacking(5) == (TOPIC,)
    feelings.add(TOPIC, 5, notice(5))
    assert feelings.lacking(5) == ()
    felt = feelings.at(5)
    assert (felt.contact, felt.kind) == (True, 'push')
    np.testing.assert_array_equal(felt.torque, np.ones(2))


def test_words_from_a_far_future_do_not_crowd_out_the_next_one() -> None:
    feelings = InputBuffer((TOPIC,), realtime=False)
    for stamp in range(10**6, 10**6 + 2 * MOST):
        feelings.add(TOPIC, stamp, notice(stamp))
    feelings.add(TOPIC, 5, notice(5))
    assert feelings.lacking(5) == ()


def test_in_real_time_the_last_word_counts() -> None:
    feelings = InputBuffer(BOTH, realtime=True)
    assert feelings.at(99) == NO_INPUTS
    assert feelings.lacking(99) == ()
    feelings.add(TOPIC, 5, notice(5))
    feelings.add(TORQUE, 7, np.ones(2))
    assert feelings.at(99).contact
    np.testing.assert_array_equal(feelings.at(3).torque, np.ones(2))


def test_in_real_time_a_torque_counts_until_it_is_too_old() -> None:
    feelings = InputBuffer(BOTH, realtime=True, longest=20)
    assert feelings.at(100).torque is None
    assert feelings.silent == TORQUE  # nobody has told any
    feelings.add(TOPIC, 100, notice(100))
    feelings.add(TORQUE, 10**9, np.ones(2))  # of another clock
    for stamp in (110, 120, 129):
        assert feelings.at(stamp).torque is not None
        assert feelings.silent == ''
    assert feelings.at(130).torque is None
    assert feelings.at(130).contact  # until the monitor takes it back
    assert feelings.silent == TORQUE
    feelings.add(TORQUE, 10**9, np.ones(2))  # once more is not anew
    assert feelings.at(140).torque is None
    feelings.add(TORQUE, 10**9 + 10, np.ones(2))
    assert feelings.at(150).torque is not None
    assert feelings.silent == ''


# Wrist sensors

READING = np.arange(12.0).reshape(2, 6)


def test_wrist_sensors_tell_something_before_the_first_step() -> None:
    feelings = InputBuffer((TOPIC, WRENCHES), realtime=False)
    assert feelings.lacking(0) == (WRENCHES,)
    feelings.add(WRENCHES, 0, READING)
    assert feelings.lacking(0) == ()
    felt = feelings.at(0)
    np.testing.assert_array_equal(felt.wrenches, READING)
    assert (felt.contact, felt.torque) == (False, None)
    assert feelings.lacking(5) == (TOPIC, WRENCHES)
    feelings.add(TOPIC, 5, notice(5))
    feelings.add(WRENCHES, 5, READING + 1.0)
    assert feelings.lacking(5) == ()
    assert feelings.at(5).contact
    np.testing.assert_array_equal(feelings.at(5).wrenches, READING + 1.0)
    feelings.forget_until(5)
    assert feelings.lacking(5) == (TOPIC, WRENCHES)


def test_in_real_time_wrist_sensors_that_fall_silent_are_lost() -> None:
    feelings = InputBuffer((WRENCHES,), realtime=True, longest=20)
    assert feelings.at(100).wrenches is None
    assert feelings.silent == WRENCHES
    feelings.add(WRENCHES, 0, READING)
    for stamp in (100, 119):
        np.testing.assert_array_equal(feelings.at(stamp).wrenches, READING)
        assert feelings.silent == ''
    assert feelings.at(120).wrenches is None
    assert feelings.silent == WRENCHES
    feelings.add(WRENCHES, 7, READING)
    assert feelings.at(130).wrenches is not None
    assert feelings.silent == ''
