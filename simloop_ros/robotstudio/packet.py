"""The packet of 002, section V: six joint angles and a move time, and its answer.

002 sends "a data packet as a string": 8 characters for each joint angle and 4 for the time, both
with the decimal point. What it leaves open is settled here: degrees and seconds, joint 1 first and
the time last, no separator, no end, a minus sign within the 8 characters, zeros in front, ASCII.
The answer is a line: ``OK`` once the robot is there, ``ERROR reason`` if it will not go.
"""

from __future__ import annotations

import math
import re

import msgspec

from ..core.errors import ConfigError, MessageError, UnsafeCommandError

JOINTS = 6
ANGLE_WIDTH, TIME_WIDTH = 8, 4
PACKET_SIZE = JOINTS * ANGLE_WIDTH + TIME_WIDTH
RESOLUTION = 1e-3
"""Step of an angle in a packet [deg]."""
LARGEST_ANGLE = 999.999
"""What fits its width with a sign in front [deg]."""
SHORTEST_TIME, LONGEST_TIME = 0.01, 99.9
"""Move times that fit their width [s]."""
TIMES = (
    f'{SHORTEST_TIME} to 9.99 s in steps of 0.01 s and 10.0 to {LONGEST_TIME} s in steps of 0.1 s'
)
OK = b'OK\n'
LONGEST_ANSWER = 80
"""Characters of an answer at most, its end included: a string of RAPID has no more."""

_NUMBER = re.compile(r' *[+-]?(\d+\.\d*|\.\d+) *', re.ASCII)
_REFUSED = 'ERROR '
ROUNDING = 1e-9
"""Relative error of a time that was computed, as 3 * 0.1."""


class Target(msgspec.Struct, frozen=True):
    """Content of one packet: the angles of the six joints [deg], and the move time [s]."""

    angles: tuple[float, ...]
    time: float


def encode(target: Target) -> bytes:
    """Return the packet; an angle is rounded to ``RESOLUTION``, nothing is ever cut off.

    :raises UnsafeCommandError: there are not six angles, or one is not finite or does not fit.
    :raises ConfigError: the time does not fit.
    """
    if len(target.angles) != JOINTS:
        raise UnsafeCommandError(
            f'{len(target.angles)} joint angles given; a packet has {JOINTS}', 'joints'
        )
    fields = [_angle(i, angle) for i, angle in enumerate(target.angles, 1)]
    return ''.join((*fields, time_field(target.time))).encode()


def _angle(axis: int, angle: float) -> str:
    if not math.isfinite(angle):
        raise UnsafeCommandError(
            f'angle of axis {axis}: {angle} is not a finite number', 'not_finite'
        )
    text = f'{round(angle, 3) + 0.0:0{ANGLE_WIDTH}.3f}'  # the sum has no negative zero
    if abs(float(text)) > LARGEST_ANGLE:
        raise UnsafeCommandError(
            f'angle of axis {axis}: {angle:g} deg do not fit {ANGLE_WIDTH} characters; '
            f'-{LARGEST_ANGLE} to {LARGEST_ANGLE} do',
            'position_range',
        )
    return text


def time_field(seconds: float) -> str:
    """Return a move time [s] as a packet has it.

    :raises ConfigError: it does not fit.
    """
    for text in (f'{seconds:.2f}', f'{seconds:.1f}'):
        if len(text) == TIME_WIDTH and SHORTEST_TIME <= float(text) <= LONGEST_TIME:
            if math.isclose(float(text), seconds, rel_tol=ROUNDING):
                return text
            break
    raise ConfigError(
        f'move time: {seconds:g} s do not fit {TIME_WIDTH} characters; give one of {TIMES}'
    )


def fitting_time(seconds: float) -> float:
    """Return the shortest move time that fits a packet and is no shorter than this one [s].

    :raises ConfigError: there is none.
    """
    for steps in (100, 10):
        fitting = max(1, math.ceil(seconds * steps * (1.0 - ROUNDING))) / steps
        if fitting <= (9.99 if steps == 100 else LONGEST_TIME):
            return fitting
    raise ConfigError(f'move time: {seconds:g} s needed; a packet has {LONGEST_TIME} s at most')


def decode(packet: bytes) -> Target:
    """Return the content of a packet; spaces instead of zeros and a plus sign are accepted.

    :raises MessageError: it is none.
    """
    if len(packet) != PACKET_SIZE:
        raise MessageError(f'packet of {len(packet)} bytes; {PACKET_SIZE} are needed')
    text = packet.decode('latin-1')
    starts = range(0, JOINTS * ANGLE_WIDTH, ANGLE_WIDTH)
    angles = tuple(
        _number(f'angle of axis {i}', text[start : start + ANGLE_WIDTH])
        for i, start in enumerate(starts, 1)
    )
    seconds = _number('move time', text[-TIME_WIDTH:])
    if seconds < SHORTEST_TIME:
        raise MessageError(f'move time: {seconds:g} s; {SHORTEST_TIME} or more are needed')
    return Target(angles, seconds)


def _number(what: str, text: str) -> float:
    if not _NUMBER.fullmatch(text):
        raise MessageError(f'{what}: {text!r} is no number with a decimal point')
    return float(text)


def refuse(reason: str) -> bytes:
    """Return the answer that a target is refused; a reason that is too long is shortened."""
    line = f'{_REFUSED}{" ".join(reason.split())}'.encode('ascii', 'replace')
    return line[: LONGEST_ANSWER - 1] + b'\n'


def refusal(answer: bytes) -> str:
    """Return why a target was refused, from the answer; empty if it was reached.

    :raises MessageError: the answer is something else.
    """
    if answer == OK:
        return ''
    text = answer.decode('latin-1')
    if not text.startswith(_REFUSED) or not text.endswith('\n') or not text[:-1].isprintable():
        raise MessageError(f'{answer[:LONGEST_ANSWER]!r} is neither OK nor ERROR and a reason')
    return text.removeprefix(_REFUSED).strip() or 'no reason given'
