"""Setpoints survive the way to control; messages with positions only are accepted too."""

from __future__ import annotations

import numpy as np
import pytest

from simloop_ros.core.errors import MessageError
from simloop_ros.core.values import Setpoint
from simloop_ros.ros.messages.joint_state import JointStateDecoder, JointStateEncoder
from simloop_ros.ros.messages.setpoint import (
    FIELDS,
    NEEDED,
    OPTIONAL,
    read_setpoint,
    setpoint_arrays,
    setpoint_kind,
)

NAMES = ('a', 'b')
POSITION, VELOCITY, EFFORT = (np.array(x) for x in ([0.1, 0.2], [0.3, 1e-300], [-5.0, 6.0]))
STAMP = 1_700_000_000_000_000_001
SETPOINTS = [
    Setpoint(POSITION, VELOCITY),
    Setpoint(POSITION, VELOCITY, restart=True),
    Setpoint(POSITION, VELOCITY, EFFORT),
    Setpoint(POSITION, VELOCITY, predicted=True),
    Setpoint(POSITION, VELOCITY, restart=True, predicted=True),
    Setpoint(POSITION, VELOCITY, follows=True),
]


class Wire:
    """A publisher whose messages end in a decoder."""

    def __init__(self) -> None:
        self._decode = JointStateDecoder(NAMES, NEEDED, optional=OPTIONAL).decode
        self.read: list[Setpoint] = []

    def send(self, stamp: int, *arrays: np.ndarray, frame_id: str = '') -> None:
        data = JointStateEncoder(NAMES, FIELDS, frame_id).encode(stamp, *arrays)
        message = self._decode(data)
        assert message.stamp == STAMP
        self.read.append(read_setpoint(message))


def test_setpoints_survive_the_way_in_any_order() -> None:
    wire = Wire()
    sent = [SETPOINTS[i] for i in (0, 1, 2, 3, 4, 5, 0, 2, 1, 4, 1, 3, 0)]
    for setpoint in sent:
        wire.send(STAMP, *setpoint_arrays(setpoint), frame_id=setpoint_kind(setpoint))
    for setpoint, read in zip(sent, wire.read, strict=True):
        np.testing.assert_array_equal(read.position, setpoint.position)
        np.testing.assert_array_equal(read.velocity, setpoint.velocity)
        assert read.restart == setpoint.restart
        assert read.predicted == setpoint.predicted
        assert read.follows == setpoint.follows
        assert (read.effort is None) == (setpoint.effort is None)
        if setpoint.effort is not None:
            np.testing.assert_array_equal(read.effort, setpoint.effort)


def test_positions_alone_are_enough() -> None:
    decode = JointStateDecoder(NAMES, NEEDED, optional=OPTIONAL).decode
    setpoint = read_setpoint(
        decode(JointStateEncoder(NAMES, ('position',)).encode(STAMP, POSITION))
    )
    np.testing.assert_array_equal(setpoint.position, POSITION)
    np.testing.assert_array_equal(setpoint.velocity, np.zeros(2))
    assert setpoint.effort is None
    assert not setpoint.restart


@pytest.mark.parametrize(
    ('fields', 'frame_id', 'message'),
    [(('position',), 'effort', 'no effort'), (FIELDS, 'world', "'world' is none of")],
)
def test_an_unknown_kind_or_a_missing_effort_is_refused(
    fields: tuple[str, ...], frame_id: str, message: str
) -> None:
    decode = JointStateDecoder(NAMES, NEEDED, optional=OPTIONAL).decode
    data = JointStateEncoder(NAMES, fields, frame_id).encode(STAMP, *[POSITION] * len(fields))
    with pytest.raises(MessageError, match=message):
        read_setpoint(decode(data))


@pytest.mark.parametrize('field', FIELDS)
def test_a_number_that_is_not_finite_is_refused_in_every_field(field: str) -> None:
    decode = JointStateDecoder(NAMES, NEEDED, optional=OPTIONAL).decode
    arrays = [np.array([1.0, np.nan]) if each == field else POSITION for each in FIELDS]
    with pytest.raises(MessageError, match=f"{field} of 'b' is nan"):
        decode(JointStateEncoder(NAMES, FIELDS).encode(STAMP, *arrays))
