"""What a page has to know before the first frame."""

from __future__ import annotations

from typing import Literal

import msgspec

from ..core.values import Array
from ..robot.model import RobotModel

BodyShape = Literal['box', 'sphere', 'plane', 'cylinder']


class BodyDescription(msgspec.Struct, frozen=True):
    """A body that is no link.

    :ivar size: edges of a box, radius of a sphere, radius and length of a cylinder [m]; of a plane
        nothing.
    :ivar position: at the start [m], shape ``(3,)``.
    :ivar quaternion: ``w, x, y, z``; z is the normal of a plane.
    :ivar carried: whether it is the object of two hands, which hide most of it.
    """

    name: str
    shape: BodyShape
    size: tuple[float, ...]
    position: Array
    quaternion: Array
    carried: bool = False


class LiveKey(msgspec.Struct, frozen=True):
    """A key that can be changed while it runs.

    :ivar choices: of a text; empty where it is not a choice.
    :ivar unit: as in ``simloop keys``.
    """

    name: str
    value: str | float | bool
    choices: tuple[str, ...] = ()
    description: str = ''


class Abilities(msgspec.Struct, frozen=True):
    """What a source can do: the page has controls for no more than that.

    :ivar live: robot is simulated now, or real: it can be stopped and resumed.
    :ivar grips: links can be dragged.
    :ivar steps: single steps, speed and reset.
    :ivar speeds: whether the speed is among them: a graph has its own.
    :ivar rewinds: time can be set back (live), or to any place (recorded).
    :ivar throws: balls can be thrown.
    :ivar payloads: something can be put into a hand.
    :ivar loads: another scenario can be chosen.
    :ivar records: a log can be written.
    """

    live: bool = False
    pauses: bool = False
    grips: bool = False
    steps: bool = False
    speeds: bool = True
    rewinds: bool = False
    throws: bool = False
    payloads: bool = False
    loads: bool = False
    records: bool = False


class Description(msgspec.Struct, frozen=True):
    """The scene and what can be done in it.

    :ivar model: of the robot: kinematics, description with meshes and collision shapes, tips.
    :ivar goals: of the tips [m], shape ``(tips, 3)``; ``None`` where there are none.
    :ivar paths: planned path of each tip [m], shape ``(points, 3)`` each.
    :ivar columns: of ``Frame.trace``, for instance ``effort``, with their units.
    :ivar scalars: names and units of ``Frame.scalars``, for instance ``monitor margin``.
    :ivar duration: of the run [s]; ``None`` where it has no end.
    """

    title: str
    model: RobotModel
    period: float
    duration: float | None
    bodies: tuple[BodyDescription, ...]
    goals: Array | None
    paths: tuple[Array, ...]
    columns: tuple[tuple[str, str], ...]
    scalars: tuple[tuple[str, str], ...]
    keys: tuple[LiveKey, ...]
    abilities: Abilities
    notes: tuple[str, ...] = ()
