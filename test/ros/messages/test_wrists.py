"""What two hands feel, over topics: whose number is whose, and what the drivers tell."""

from __future__ import annotations

import math

import numpy as np
import pytest

pytest.importorskip('rclpy')
from geometry_msgs.msg import WrenchStamped

from simloop_ros.core.errors import MessageError
from simloop_ros.record.hands_log import AXES
from simloop_ros.ros.messages.joint_state import JointStateDecoder, JointStateEncoder
from simloop_ros.ros.messages.wrists import WRENCHES, WristDrivers, by_hand, hand_axes
from simloop_ros.ros.pacing.input_buffer import InputBuffer

TIPS = ('left', 'right')
SENSORS = ('left_wrist', 'right_wrist')


def reading(stamp: int, *numbers: float) -> WrenchStamped:
    message = WrenchStamped()
    message.header.stamp.sec, message.header.stamp.nanosec = divmod(stamp, 10**9)
    force, torque = message.wrench.force, message.wrench.torque
    force.x, force.y, force.z, torque.x, torque.y, torque.z = map(float, numbers)
    return message


class Heard(list):
    """What was handed on: stamps and wrenches."""

    def __call__(self, stamp: int, wrenches: np.ndarray) -> None:
        self.append((stamp, wrenches))


def test_the_numbers_of_a_hand_are_its_six_axes() -> None:
    names = hand_axes(TIPS)
    assert len(set(names)) == 12
    assert names[:2] == ('left/x', 'left/y')
    assert names[6:] == tuple(f'right/{axis}' for axis in AXES)
    np.testing.assert_array_equal(by_hand(np.arange(12.0)), [range(6), range(6, 12)])


def test_wrenches_survive_a_message_a_lost_sensor_too() -> None:
    names = hand_axes(TIPS)
    sent = np.arange(12.0)
    sent[:6] = math.nan
    data = JointStateEncoder(names, ('effort',)).encode(5, sent)
    swapped = JointStateDecoder(hand_axes(TIPS[::-1]), ('effort',), finite=False)
    for _ in range(2):  # a layout that is new, and one that is known
        received = by_hand(swapped.decode(data).effort)
        np.testing.assert_array_equal(received, by_hand(sent)[::-1])
    with pytest.raises(MessageError, match='left/x'):
        JointStateDecoder(names, ('effort',)).decode(data)


def test_nothing_is_told_before_each_sensor_has_spoken() -> None:
    heard = Heard()
    drivers = WristDrivers(SENSORS, heard)
    assert drivers.topics == ('hand_1/wrench', 'hand_2/wrench')
    drivers.take(1, reading(10, *range(6)))
    drivers.take(1, reading(20, *range(10, 16)))
    assert heard == []
    drivers.take(0, reading(15, *range(20, 26)))
    ((stamp, wrenches),) = heard
    assert stamp == 15
    np.testing.assert_array_equal(wrenches, [range(20, 26), range(10, 16)])


def test_each_word_is_told_with_the_last_of_the_others() -> None:
    heard = Heard()
    drivers = WristDrivers(SENSORS, heard)
    drivers.take(0, reading(1, *[1] * 6))
    drivers.take(1, reading(2, *[2] * 6))
    drivers.take(1, reading(3, *[3] * 6))
    drivers.take(0, reading(4, *[4] * 6))
    assert [stamp for stamp, _ in heard] == [2, 2, 4]
    np.testing.assert_array_equal([w[:, 0] for _, w in heard], [[1, 2], [1, 3], [4, 3]])
    np.testing.assert_array_equal(heard[0][1], [[1] * 6, [2] * 6])  # not changed afterwards


@pytest.mark.parametrize('bad', [math.nan, math.inf, -math.inf])
def test_a_number_that_is_none_is_a_lost_sensor(bad: float) -> None:
    heard = Heard()
    drivers = WristDrivers(SENSORS, heard)
    drivers.take(0, reading(1, 0, 0, bad, 0, 0, 0))
    drivers.take(1, reading(2, *range(6)))
    ((_, wrenches),) = heard
    np.testing.assert_array_equal(np.isnan(wrenches[0]), np.arange(6) == 2)
    np.testing.assert_array_equal(wrenches[1], range(6))


def test_a_stamp_before_time_began_is_refused() -> None:
    heard = Heard()
    drivers = WristDrivers(SENSORS, heard)
    drivers.take(0, reading(1, *range(6)))
    with pytest.raises(MessageError, match='hand_2/wrench: a stamp before time began'):
        drivers.take(1, reading(-(10**9), *range(6)))
    assert heard == []


def test_what_another_sensor_reads_is_refused() -> None:
    heard = Heard()
    drivers = WristDrivers(SENSORS, heard)
    messages = [reading(1, *range(6)), reading(2, *range(6))]
    for message, sensor in zip(messages, SENSORS[::-1], strict=True):
        message.header.frame_id = sensor
    swapped = r"hand_1/wrench: frame_id is 'right_wrist', .* 'left_wrist'.* swapped"
    with pytest.raises(MessageError, match=swapped):
        drivers.take(0, messages[0])
    with pytest.raises(MessageError, match='hand_2/wrench'):
        drivers.take(1, messages[1])
    assert heard == []
    drivers.take(1, messages[0])
    drivers.take(0, messages[1])
    assert len(heard) == 1


def test_a_single_driver_that_is_dead_is_noticed() -> None:
    """The other one goes on; its words are not taken for those of both."""
    feelings = InputBuffer((WRENCHES,), realtime=True, longest=20)
    drivers = WristDrivers(SENSORS, lambda stamp, word: feelings.add(WRENCHES, stamp, word))
    for stamp in range(0, 100, 5):
        drivers.take(0, reading(stamp, *range(6)))
        if stamp < 50:
            drivers.take(1, reading(stamp, *range(6)))
        assert (feelings.at(stamp).wrenches is None) == (stamp >= 65)
    assert feelings.silent == WRENCHES
