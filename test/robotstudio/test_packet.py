"""The packet: its characters, its limits, and that nothing gets lost in it."""

from __future__ import annotations

import math

from hypothesis import given, settings
from hypothesis import strategies as st
import pytest

from simloop_ros.core.errors import ConfigError, MessageError, UnsafeCommandError
from simloop_ros.robotstudio.packet import (
    LARGEST_ANGLE,
    LONGEST_ANSWER,
    OK,
    RESOLUTION,
    Target,
    decode,
    encode,
    fitting_time,
    refusal,
    refuse,
    time_field,
)

ANGLE = st.floats(-LARGEST_ANGLE, LARGEST_ANGLE)
TIME = st.integers(1, 999).map(lambda i: i / 100) | st.integers(100, 999).map(lambda i: i / 10)

exhaustive = settings(max_examples=200, derandomize=True)


def at(angle: float) -> tuple[float, ...]:
    return (0.0, 0.0, angle, 0.0, 0.0, 0.0)


def test_the_characters_of_a_packet() -> None:
    target = Target((0.0, -90.0, 12.3456, 180.0, -0.0004, 359.9996), 2.5)
    assert encode(target) == b'0000.000-090.0000012.3460180.0000000.0000360.0002.50'


@pytest.mark.parametrize(
    ('seconds', 'text'),
    [(0.01, '0.01'), (0.1 * 3, '0.30'), (9.99, '9.99'), (10, '10.0'), (99.9, '99.9')],
)
def test_times_that_fit(seconds: float, text: str) -> None:
    assert time_field(seconds) == text


@exhaustive
@given(st.tuples(*[ANGLE] * 6), TIME)
def test_reading_gives_back_what_was_written(angles: tuple[float, ...], seconds: float) -> None:
    packet = encode(Target(angles, seconds))
    assert len(packet) == 52
    read = decode(packet)
    assert read.time == seconds
    for angle, wanted in zip(read.angles, angles, strict=True):
        assert abs(angle - wanted) <= RESOLUTION / 2 * (1 + 1e-9)
    assert encode(read) == packet


@pytest.mark.parametrize('angle', [999.9996, -1000.0, 12345.0, 1e300])
def test_an_angle_that_does_not_fit_is_refused(angle: float) -> None:
    with pytest.raises(UnsafeCommandError, match=r'axis 3: .* do not fit 8 characters') as caught:
        encode(Target(at(angle), 1.0))
    assert caught.value.kind == 'position_range'


@pytest.mark.parametrize('angle', [math.nan, math.inf, -math.inf])
def test_an_angle_that_is_no_number_is_refused(angle: float) -> None:
    with pytest.raises(UnsafeCommandError, match=f'axis 3: {angle} is not a finite') as caught:
        encode(Target(at(angle), 1.0))
    assert caught.value.kind == 'not_finite'


@pytest.mark.parametrize('count', [0, 5, 7])
def test_another_number_of_joints_is_refused(count: int) -> None:
    with pytest.raises(UnsafeCommandError, match=f'{count} joint angles given; a packet has 6'):
        encode(Target((0.0,) * count, 1.0))


@pytest.mark.parametrize(
    'seconds',
    [0.0, -1.0, 0.001, 0.004, 0.125, 9.999, 10.05, 99.95, 100.0, 1e9, math.nan, math.inf],
)
def test_a_time_that_does_not_fit_is_refused_and_not_rounded(seconds: float) -> None:
    with pytest.raises(ConfigError, match=r'do not fit 4 characters; give one of 0.01 to 9.99'):
        encode(Target(at(0.0), seconds))


@exhaustive
@given(st.floats(0.0, 99.9))
def test_a_fitting_time_is_long_enough_and_the_next_shorter_one_is_not(seconds: float) -> None:
    fitting = fitting_time(seconds)
    assert float(time_field(fitting)) == fitting
    assert fitting >= seconds * (1 - 1e-9)
    shorter = fitting - (0.01 if fitting <= 10.0 else 0.1)
    assert shorter < seconds or fitting == 0.01


def test_a_time_that_is_too_long_for_any_packet() -> None:
    with pytest.raises(ConfigError, match=r'99.91 s needed; a packet has 99.9 s at most'):
        fitting_time(99.91)


def test_other_programs_may_fill_with_spaces_and_write_a_plus() -> None:
    packet = b'   0.000-90.0    +12.346   180.   -.0004359.9996 2.5'
    assert decode(packet) == Target((0.0, -90.0, 12.346, 180.0, -0.0004, 359.9996), 2.5)


GOOD = encode(Target((1.0,) * 6, 1.0))


@pytest.mark.parametrize(
    ('packet', 'reason'),
    [
        (b'', '0 bytes; 52'),
        (GOOD[:-1], '51 bytes'),
        (GOOD + b'\n', '53 bytes'),
        (b'x' * 52, "axis 1: 'xxxxxxxx' is no number"),
        (b'     nan' + GOOD[8:], 'axis 1'),
        (b'00001e05' + GOOD[8:], 'axis 1'),
        (GOOD[:8] + b'        ' + GOOD[16:], 'axis 2'),
        (GOOD[:8] + b'\xd9\xa1\xd9\xa1.\xd9\xa1 ' + GOOD[16:], 'axis 2'),
        (GOOD[:-4] + b'0.00', 'move time: 0 s'),
        (GOOD[:-4] + b'-1.0', 'move time'),
        (GOOD[:-4] + b'1000', "move time: '1000' is no number"),
    ],
)
def test_what_is_no_packet_is_refused(packet: bytes, reason: str) -> None:
    with pytest.raises(MessageError, match=reason):
        decode(packet)


@exhaustive
@given(st.binary(min_size=52, max_size=52))
def test_any_bytes_are_read_or_refused(packet: bytes) -> None:
    try:
        target = decode(packet)
    except MessageError:
        return
    assert all(map(math.isfinite, target.angles))


def test_answers() -> None:
    assert refusal(OK) == ''
    assert refusal(refuse('out of\n range')) == 'out of range'
    assert refusal(b'ERROR \n') == 'no reason given'
    long = refuse('x' * 200)
    assert len(long) == LONGEST_ANSWER
    assert refusal(long).startswith('xxx')


@pytest.mark.parametrize(
    'answer',
    [
        b'',
        b'\n',
        b'OK',
        b'ok\n',
        b'OK \n',
        b'OK\r\n',
        b'OKOK\n',
        b'ERROR',
        b'ERROR \x00\n',
        b'ERROR no\r\n',
        b'\xff\n',
    ],
)
def test_answers_that_are_none(answer: bytes) -> None:
    with pytest.raises(MessageError, match='neither OK nor ERROR'):
        refusal(answer)
