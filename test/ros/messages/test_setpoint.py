"""What a planner wants survives the way to control; who says only positions is understood too."""

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
    send_setpoint,
)

NAMES = ('a', 'b')
POSITION, VELOCITY, EFFORT = (np.array(x) for x in ([0.1, 0.2], [0.3, 1e-300], [-5.0, 6.0]))
STAMP = 1_700_000_000_000_000_001
WISHES = [
    Setpoint(POSITION, VELOCITY),
    Setpoint(POSITION, VELOCITY, restart=True),
    Setpoint(POSITION, VELOCITY, EFFORT),
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


def test_wishes_survive_the_way_in_any_order() -> None:
    wire = Wire()
    sent = [WISHES[i] for i in (0, 1, 2, 0, 2, 1, 1, 0)]
    for wanted in sent:
        send_setpoint(wire, STAMP, wanted)  # type: ignore[arg-type]
    for wanted, read in zip(sent, wire.read, strict=True):
        np.testing.assert_array_equal(read.position, wanted.position)
        np.testing.assert_array_equal(read.velocity, wanted.velocity)
        assert read.restart == wanted.restart
        assert (read.effort is None) == (wanted.effort is None)
        if wanted.effort is not None:
            np.testing.assert_array_equal(read.effort, wanted.effort)


def test_positions_alone_are_enough() -> None:
    decode = JointStateDecoder(NAMES, NEEDED, optional=OPTIONAL).decode
    wanted = read_setpoint(decode(JointStateEncoder(NAMES, ('position',)).encode(STAMP, POSITION)))
    np.testing.assert_array_equal(wanted.position, POSITION)
    np.testing.assert_array_equal(wanted.velocity, np.zeros(2))
    assert wanted.effort is None
    assert not wanted.restart


@pytest.mark.parametrize(
    ('fields', 'frame_id', 'message'),
    [(('position',), 'effort', 'no effort'), (FIELDS, 'world', "'world' is none of")],
)
def test_what_nobody_understands_is_refused(
    fields: tuple[str, ...], frame_id: str, message: str
) -> None:
    decode = JointStateDecoder(NAMES, NEEDED, optional=OPTIONAL).decode
    data = JointStateEncoder(NAMES, fields, frame_id).encode(STAMP, *[POSITION] * len(fields))
    with pytest.raises(MessageError, match=message):
        read_setpoint(decode(data))


@pytest.mark.parametrize('field', FIELDS)
def test_a_number_that_is_none_is_refused_wherever_it_is(field: str) -> None:
    decode = JointStateDecoder(NAMES, NEEDED, optional=OPTIONAL).decode
    arrays = [np.array([1.0, np.nan]) if each == field else POSITION for each in FIELDS]
    with pytest.raises(MessageError, match=f"{field} of 'b' is nan"):
        decode(JointStateEncoder(NAMES, FIELDS).encode(STAMP, *arrays))
