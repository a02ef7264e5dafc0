"""External inputs of a step are collected; no step waits for those of another."""

from __future__ import annotations

import numpy as np

from simloop_ros.core.values import NO_INPUTS
from simloop_ros.ros.messages.notice import COLLISION, Notice
from simloop_ros.ros.messages.wrists import WRENCHES
from simloop_ros.ros.pacing.input_buffer import MAX_PENDING, InputBuffer

TORQUE = 'external_torque'
BOTH = (COLLISION, TORQUE)


def notice(stamp: int) -> Notice:
    return Notice(stamp, True, 'push', 0.0)


def test_in_lockstep_each_step_has_its_input() -> None:
    inputs = InputBuffer((COLLISION,), realtime=False)
    assert inputs.missing(0) == ()  # nothing has happened before the first step
    assert inputs.at(0) == NO_INPUTS
    assert inputs.missing(5) == (COLLISION,)
    for stamp in (5, 10, 15):
        inputs.add(COLLISION, stamp, notice(stamp))
    assert inputs.missing(10) == ()
    assert inputs.at(10).contact
    assert inputs.at(10).torque is None
    inputs.forget_until(10)
    assert inputs.missing(10) == (COLLISION,)
    assert inputs.missing(15) == ()


def test_a_step_waits_for_every_topic() -> None:
    inputs = InputBuffer(BOTH, realtime=False)
    inputs.add(TORQUE, 5, np.ones(2))
    assert inputs.missing(5) == (COLLISION,)
    inputs.add(COLLISION, 5, notice(5))
    assert inputs.missing(5) == ()
    found = inputs.at(5)
    assert (found.contact, found.kind) == (True, 'push')
    np.testing.assert_array_equal(found.torque, np.ones(2))


def test_inputs_from_a_far_future_do_not_displace_the_next_one() -> None:
    inputs = InputBuffer((COLLISION,), realtime=False)
    for stamp in range(10**6, 10**6 + 2 * MAX_PENDING):
        inputs.add(COLLISION, stamp, notice(stamp))
    inputs.add(COLLISION, 5, notice(5))
    assert inputs.missing(5) == ()


def test_in_real_time_the_last_input_holds() -> None:
    inputs = InputBuffer(BOTH, realtime=True)
    assert inputs.at(99) == NO_INPUTS
    assert inputs.missing(99) == ()
    inputs.add(COLLISION, 5, notice(5))
    inputs.add(TORQUE, 7, np.ones(2))
    assert inputs.at(99).contact
    np.testing.assert_array_equal(inputs.at(3).torque, np.ones(2))


def test_in_real_time_wrenches_that_are_used_again_are_held() -> None:
    inputs = InputBuffer((WRENCHES,), realtime=True)
    inputs.add(WRENCHES, 5, np.ones((2, 6)))
    assert [inputs.at(stamp).held for stamp in (10, 20, 30)] == [False, True, True]
    inputs.add(WRENCHES, 15, np.ones((2, 6)))
    assert [inputs.at(stamp).held for stamp in (40, 50)] == [False, True]


def test_in_real_time_a_torque_holds_until_it_times_out() -> None:
    inputs = InputBuffer(BOTH, realtime=True, timeout=20)
    assert inputs.at(100).torque is None
    assert inputs.silent == TORQUE  # none has been received
    inputs.add(COLLISION, 100, notice(100))
    inputs.add(TORQUE, 10**9, np.ones(2))  # of another clock
    for stamp in (110, 120, 129):
        assert inputs.at(stamp).torque is not None
        assert inputs.silent == ''
    assert inputs.at(130).torque is None
    assert inputs.at(130).contact  # until the monitor reports its end
    assert inputs.silent == TORQUE
    inputs.add(TORQUE, 10**9, np.ones(2))  # a repeated message is not a new one
    assert inputs.at(140).torque is None
    inputs.add(TORQUE, 10**9 + 10, np.ones(2))
    assert inputs.at(150).torque is not None
    assert inputs.silent == ''


# Wrist sensors

READING = np.arange(12.0).reshape(2, 6)


def test_wrist_sensors_are_read_before_the_first_step() -> None:
    inputs = InputBuffer((COLLISION, WRENCHES), realtime=False)
    assert inputs.missing(0) == (WRENCHES,)
    inputs.add(WRENCHES, 0, READING)
    assert inputs.missing(0) == ()
    found = inputs.at(0)
    np.testing.assert_array_equal(found.wrenches, READING)
    assert (found.contact, found.torque) == (False, None)
    assert inputs.missing(5) == (COLLISION, WRENCHES)
    inputs.add(COLLISION, 5, notice(5))
    inputs.add(WRENCHES, 5, READING + 1.0)
    assert inputs.missing(5) == ()
    assert inputs.at(5).contact
    np.testing.assert_array_equal(inputs.at(5).wrenches, READING + 1.0)
    inputs.forget_until(5)
    assert inputs.missing(5) == (COLLISION, WRENCHES)


def test_in_real_time_wrist_sensors_without_messages_are_lost() -> None:
    inputs = InputBuffer((WRENCHES,), realtime=True, timeout=20)
    assert inputs.at(100).wrenches is None
    assert inputs.silent == WRENCHES
    inputs.add(WRENCHES, 0, READING)
    for stamp in (100, 119):
        np.testing.assert_array_equal(inputs.at(stamp).wrenches, READING)
        assert inputs.silent == ''
    assert inputs.at(120).wrenches is None
    assert inputs.silent == WRENCHES
    inputs.add(WRENCHES, 7, READING)
    assert inputs.at(130).wrenches is not None
    assert inputs.silent == ''
