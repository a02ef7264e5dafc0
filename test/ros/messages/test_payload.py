"""A payload as a message."""

from __future__ import annotations

import math

import pytest

from simloop_ros.core.errors import MessageError
from simloop_ros.robot.config import Payload
from simloop_ros.ros.messages.payload import from_message, to_message
from simloop_ros.ros.messages.stamps import join

BODY = Payload(
    mass=0.5, tip='hand', centre=(0.1, 0.2, 0.3), inertia=(1.0, 2.0, 3.0, 4.0, 5.0, 6.0)
)


def test_there_and_back() -> None:
    message = to_message(BODY, 1_234_567_890_123)
    assert from_message(message) == BODY
    assert join(message.header.stamp) == 1_234_567_890_123


@pytest.mark.parametrize('mass', [-1.0, math.nan, math.inf])
def test_bad_numbers_are_refused(mass: float) -> None:
    message = to_message(BODY, 0)
    message.inertia.m = mass
    with pytest.raises(MessageError, match='payload'):
        from_message(message)


def test_a_centre_has_to_be_finite() -> None:
    message = to_message(BODY, 0)
    message.inertia.com.y = math.nan
    with pytest.raises(MessageError, match='not finite'):
        from_message(message)
