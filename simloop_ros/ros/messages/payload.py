"""A payload as a message: geometry_msgs/InertiaStamped, from its stamp on at the link it names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from ...core.errors import MessageError
from ...robot.config import Payload
from .stamps import split

if TYPE_CHECKING:
    from geometry_msgs.msg import InertiaStamped

TOPIC = 'payload'
LEAD = 0.1
"""Time after which a payload holds, in real time: by then every node has heard of it [s]."""


def from_message(message: InertiaStamped) -> Payload:
    """Return the payload, or raise MessageError."""
    body = message.inertia
    given: dict[str, Any] = {
        'mass': body.m,
        'tip': message.header.frame_id,
        'centre': (body.com.x, body.com.y, body.com.z),
        'inertia': (body.ixx, body.ixy, body.ixz, body.iyy, body.iyz, body.izz),
    }
    if not np.isfinite([body.m, *given['centre'], *given['inertia']]).all():
        raise MessageError(f'{TOPIC}: a number is not finite; mass, centre and inertia are needed')
    try:
        return msgspec.convert(given, Payload)
    except msgspec.ValidationError as error:
        raise MessageError(f'{TOPIC}: {error}') from error


def to_message(payload: Payload, stamp: int) -> InertiaStamped:
    """Return a payload that holds from a stamp on [ns]; 0 for at once."""
    from geometry_msgs.msg import InertiaStamped

    message = InertiaStamped()
    message.header.stamp.sec, message.header.stamp.nanosec = split(stamp)
    message.header.frame_id = payload.tip
    body = message.inertia
    body.m = payload.mass
    body.com.x, body.com.y, body.com.z = payload.centre
    body.ixx, body.ixy, body.ixz, body.iyy, body.iyz, body.izz = payload.inertia
    return message
