"""Readings of wrist sensors: their names over topics, and how those of readings are combined."""

from __future__ import annotations

import math

from geometry_msgs.msg import Vector3, Wrench, WrenchStamped
import numpy as np
import pytest

from simloop_ros.core.errors import MessageError
from simloop_ros.record.hands_log import AXES
from simloop_ros.ros.messages.arrays import wrench_from_message
from simloop_ros.ros.messages.joint_state import JointStateDecoder, JointStateEncoder
from simloop_ros.ros.messages.wrists import WRENCHES, by_hand, hand_axes
from simloop_ros.ros.node.inputs import WristReadings
from simloop_ros.ros.pacing.input_buffer import InputBuffer

TIPS = ('left', 'right')
SENSORS = ('left_wrist', 'right_wrist')


def reading(stamp: int, *numbers: float, frame: str = '') -> tuple[str, int, np.ndarray]:
    return frame, stamp, np.array(numbers, float)


class Received(list):
    """What was handed on: stamps and wrenches."""

    def __call__(self, stamp: int, wrenches: np.ndarray) -> None:
        self.append((stamp, wrenches))


def test_the_numbers_of_a_hand_are_its_six_axes() -> None:
    names = hand_axes(TIPS)
    assert len(set(names)) == 12
    assert names[:2] == ('left/x', 'left/y')
    assert names[6:] == tuple(f'right/{axis}' for axis in AXES)
    np.testing.assert_array_equal(by_hand(np.arange(12.0)), [range(6), range(6, 12)])


def test_a_wrench_is_the_force_and_then_the_torque() -> None:
    force, torque = Vector3(x=1.0, y=2.0, z=3.0), Vector3(x=4.0, y=5.0, z=6.0)
    message = WrenchStamped(wrench=Wrench(force=force, torque=torque))
    np.testing.assert_array_equal(wrench_from_message(message), [1, 2, 3, 4, 5, 6])


def test_wrenches_survive_a_message_a_lost_sensor_too() -> None:
    names = hand_axes(TIPS)
    sent = np.arange(12.0)
    sent[:6] = math.nan
    data = JointStateEncoder(names, ('effort',)).encode(5, sent)
    swapped = JointStateDecoder(hand_axes(TIPS[::-1]), ('effort',), finite=False)
    for _ in range(2):  # a layout that is new, and one that is known
        read = by_hand(swapped.decode(data).effort)
        np.testing.assert_array_equal(read, by_hand(sent)[::-1])
    with pytest.raises(MessageError, match='left/x'):
        JointStateDecoder(names, ('effort',)).decode(data)


def test_nothing_is_handed_on_before_each_sensor_was_read() -> None:
    received = Received()
    readings = WristReadings(SENSORS, received)
    assert readings.topics == ('hand_1/wrench', 'hand_2/wrench')
    readings.take(1, *reading(10, *range(6)))
    readings.take(1, *reading(20, *range(10, 16)))
    assert received == []
    readings.take(0, *reading(15, *range(20, 26)))
    ((stamp, wrenches),) = received
    assert stamp == 15
    np.testing.assert_array_equal(wrenches, [range(20, 26), range(10, 16)])


def test_each_reading_is_handed_on_with_the_last_of_the_others() -> None:
    received = Received()
    readings = WristReadings(SENSORS, received)
    readings.take(0, *reading(1, *[1] * 6))
    readings.take(1, *reading(2, *[2] * 6))
    readings.take(1, *reading(3, *[3] * 6))
    readings.take(0, *reading(4, *[4] * 6))
    assert [stamp for stamp, _ in received] == [2, 2, 4]
    np.testing.assert_array_equal([w[:, 0] for _, w in received], [[1, 2], [1, 3], [4, 3]])
    np.testing.assert_array_equal(received[0][1], [[1] * 6, [2] * 6])  # not changed afterwards


@pytest.mark.parametrize('bad', [math.nan, math.inf, -math.inf])
def test_a_number_that_is_not_finite_is_a_lost_sensor(bad: float) -> None:
    received = Received()
    readings = WristReadings(SENSORS, received)
    readings.take(0, *reading(1, 0, 0, bad, 0, 0, 0))
    readings.take(1, *reading(2, *range(6)))
    ((_, wrenches),) = received
    np.testing.assert_array_equal(np.isnan(wrenches[0]), np.arange(6) == 2)
    np.testing.assert_array_equal(wrenches[1], range(6))


def test_a_negative_stamp_is_refused() -> None:
    received = Received()
    readings = WristReadings(SENSORS, received)
    readings.take(0, *reading(1, *range(6)))
    with pytest.raises(MessageError, match='hand_2/wrench: negative stamp'):
        readings.take(1, *reading(-(10**9), *range(6)))
    assert received == []


def test_the_reading_of_another_sensor_is_refused() -> None:
    received = Received()
    readings = WristReadings(SENSORS, received)
    messages = [
        reading(stamp, *range(6), frame=sensor)
        for stamp, sensor in zip((1, 2), SENSORS[::-1], strict=True)
    ]
    swapped = r"hand_1/wrench: frame_id is 'right_wrist', .* 'left_wrist'.* swapped"
    with pytest.raises(MessageError, match=swapped):
        readings.take(0, *messages[0])
    with pytest.raises(MessageError, match='hand_2/wrench'):
        readings.take(1, *messages[1])
    assert received == []
    readings.take(1, *messages[0])
    readings.take(0, *messages[1])
    assert len(received) == 1


def test_a_single_driver_that_is_dead_is_noticed() -> None:
    """The other one goes on; its readings are not taken for those of both."""
    inputs = InputBuffer((WRENCHES,), realtime=True, timeout=20)
    readings = WristReadings(
        SENSORS, lambda stamp, wrenches: inputs.add(WRENCHES, stamp, wrenches)
    )
    for stamp in range(0, 100, 5):
        readings.take(0, *reading(stamp, *range(6)))
        if stamp < 50:
            readings.take(1, *reading(stamp, *range(6)))
        assert (inputs.at(stamp).wrenches is None) == (stamp >= 65)
    assert inputs.silent == WRENCHES
