"""Configuration of the connection to a controller: the one place of these defaults."""

from __future__ import annotations

from typing import Annotated

import msgspec

from ..core.config_types import NonNegative, Positive
from ..core.errors import ConfigError
from .packet import LONGEST_TIME, SHORTEST_TIME, TIMES, time_field

LARGEST_PORT = 65535
POSITIONS = ('true_position', 'desired_position', 'measured_position', 'position')
"""Columns of a log that can be sent; the first one is the motion that 002 sends."""
MoveTime = Annotated[float, msgspec.Meta(ge=SHORTEST_TIME, le=LONGEST_TIME)]
Port = Annotated[int, msgspec.Meta(ge=1, le=LARGEST_PORT)]


class LinkConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Address and timing of the connection to a controller.

    :ivar host: name or address of the controller; RobotStudio's virtual one is on its own machine.
    :ivar port: on which the controller's program listens.
    :ivar move_time: time from target to target [s]: 0.01 to 9.99 in steps of 0.01, or 10.0 to 99.9
        in steps of 0.1.
    :ivar approach_time: time of the first move [s], whose start is not known; long enough for each
        joint to cross its whole range.
    :ivar joints: the six joints of the model in the order of the controller's axes; empty for all.
    :ivar connect_timeout: longest time of one attempt to connect [s].
    :ivar answer_timeout: longest time to wait for an answer after the move time [s].
    :ivar attempts: number of attempts to connect.
    :ivar backoff: time after the first failed attempt [s]; twice as long after each further one.
    """

    host: str = '127.0.0.1'
    port: Port = 1025
    move_time: MoveTime = 0.5
    approach_time: MoveTime = 10.0
    joints: tuple[str, ...] = ()
    connect_timeout: Positive = 2.0
    answer_timeout: Positive = 5.0
    attempts: Annotated[int, msgspec.Meta(ge=1, le=100)] = 4
    backoff: NonNegative = 0.5


def parse_address(text: str) -> tuple[str, int]:
    """Return host and port of ``HOST:PORT``; an IPv6 address stands in brackets."""
    host, colon, port = text.rpartition(':')
    bare = host.removeprefix('[').removesuffix(']')
    bracketed = bare != host
    if not (colon and bare) or (':' in bare and not bracketed):
        raise ConfigError(f'robotstudio: {text!r} given; HOST:PORT is needed, as 127.0.0.1:1025')
    return bare, read_port(port)


def read_port(text: str) -> int:
    """Return a port that was given as text."""
    if not (text.isascii() and text.isdecimal() and 1 <= int(text) <= LARGEST_PORT):
        raise ConfigError(
            f'port: {text!r} given; a whole number from 1 to {LARGEST_PORT} is needed'
        )
    return int(text)


def read_move_time(text: str) -> float:
    """Return a move time that was given as text [s].

    :raises ConfigError: it is none, or does not fit a packet.
    """
    try:
        seconds = float(text)
    except ValueError:
        raise ConfigError(f'move time: {text!r} given; one of {TIMES} is needed') from None
    time_field(seconds)
    return seconds
