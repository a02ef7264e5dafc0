"""Positions of joints without ends, from drivers that count them from -pi to pi."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import numpy as np

from ...core.values import Array, Flags
from .joint_state import DecodedJointState

TURN = 2.0 * np.pi


def without_jumps(
    call: Callable[[DecodedJointState], None], endless: Flags
) -> Callable[[DecodedJointState], None]:
    """Return a function that passes joint states on, without jumps by whole turns.

    :param endless: joints that have no ends, shape ``(n,)``.
    """
    last: Array | None = None

    def take(message: DecodedJointState) -> None:
        nonlocal last
        if last is not None:
            turns = np.where(endless, np.round((last - message.position) / TURN), 0.0)
            if turns.any():
                message = msgspec.structs.replace(
                    message, position=message.position + TURN * turns
                )
        last = message.position
        call(message)

    return take
