"""The known world, as typed data. Importing it loads no engine."""

from __future__ import annotations

from typing import Annotated

import msgspec

from ..core.config_types import NAME_PATTERN, Positive, Vector

BodyName = Annotated[str, msgspec.Meta(pattern=NAME_PATTERN)]


class WorldBody(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field='kind'
):
    """A fixed body of the known world.

    :ivar name: what it is called in messages.
    :ivar position: of its centre in the world [m].
    :ivar rpy: its roll, pitch and yaw there [rad].
    """

    name: BodyName
    position: Vector = (0.0, 0.0, 0.0)
    rpy: Vector = (0.0, 0.0, 0.0)

    @property
    def kind(self) -> str:
        """Return the value of ``kind``."""
        return str(self.__struct_config__.tag)


class BoxBody(WorldBody, frozen=True, kw_only=True, tag='box'):
    """A box.

    :ivar size: edges along its axes [m].
    """

    size: tuple[Positive, Positive, Positive]


class SphereBody(WorldBody, frozen=True, kw_only=True, tag='sphere'):
    """A sphere.

    :ivar radius: of it [m].
    """

    radius: Positive


class CylinderBody(WorldBody, frozen=True, kw_only=True, tag='cylinder'):
    """A cylinder along its z axis.

    :ivar radius: of it [m].
    :ivar height: of it, between its flat ends [m].
    """

    radius: Positive
    height: Positive


AnyBody = BoxBody | SphereBody | CylinderBody
"""Every kind of body."""


class WorldConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What planning knows to be around the robot.

    :ivar bodies: around the robot; its base may stand on or in them.
    """

    bodies: tuple[AnyBody, ...] = ()
