"""What was heard of a driver: plain data, for ``examine``."""

from __future__ import annotations

import msgspec

from ..core.values import Array


class Endpoint(msgspec.Struct, frozen=True, kw_only=True):
    """A publisher or a subscription of a topic.

    :ivar node: full name of its node.
    :ivar kind: type of its messages, as ``sensor_msgs/msg/JointState``.
    :ivar reliable: whether its quality of service is.
    """

    node: str
    kind: str
    reliable: bool


class Controller(msgspec.Struct, frozen=True, kw_only=True):
    """What the node that takes the commands says of itself.

    :ivar joints: in the order of its commands.
    :ivar interface: that it writes to, as ``effort``.
    """

    joints: tuple[str, ...]
    interface: str


class HeardStates(msgspec.Struct, frozen=True, kw_only=True):
    """The joint states of a driver, ``m`` of them.

    :ivar joints: in the order of the messages.
    :ivar waited: time until the first one came [s].
    :ivar arrivals: by a steady clock [s], shape ``(m,)``.
    :ivar stamps: after that of the first one [s], shape ``(m,)``.
    :ivar ages: at their arrival, by the clock of this machine [s], shape ``(m,)``.
    :ivar stamped: whether they have stamps at all.
    :ivar positions: [rad], shape ``(m, n)``.
    :ivar efforts: shape ``(m, n)``; ``(m, 0)`` where they have none.
    """

    joints: tuple[str, ...]
    waited: float
    arrivals: Array
    stamps: Array
    ages: Array
    stamped: bool
    positions: Array
    efforts: Array


class HeardDriver(msgspec.Struct, frozen=True, kw_only=True):
    """All that was heard, without a command being sent.

    :ivar states: the joint states; none if none came.
    :ivar patience: how long the first one was waited for [s].
    :ivar publishers: of the joint states.
    :ivar listeners: of commands.
    :ivar speakers: publishers of commands.
    :ivar controller: none if it did not answer.
    :ivar elsewhere: other topics with joint states.
    """

    states: HeardStates | None
    patience: float
    publishers: tuple[Endpoint, ...] = ()
    listeners: tuple[Endpoint, ...] = ()
    speakers: tuple[Endpoint, ...] = ()
    controller: Controller | None = None
    elsewhere: tuple[str, ...] = ()
