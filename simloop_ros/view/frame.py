"""What a page shows of one moment."""

from __future__ import annotations

from typing import Literal

import msgspec

from ..core.values import Array

ForceKind = Literal['mouse', 'hand', 'contact', 'push', 'ball', 'estimated']
"""What exerts a force; ``estimated`` is what the collision monitor makes of all of them."""


class Force(msgspec.Struct, frozen=True, gc=False):
    """A force on the robot.

    :ivar link: that it acts on; empty where it is not known.
    :ivar point: where it acts, in the world [m], shape ``(3,)``.
    :ivar vector: in world axes [N], shape ``(3,)``; zero where its direction is not known.
    """

    kind: ForceKind
    link: str
    point: Array
    vector: Array


class ShownBody(msgspec.Struct, frozen=True, gc=False):
    """Where a body is that is no link: the beam of two hands, a ball, an obstacle that moves.

    :ivar name: of ``Description.bodies``, or of one that came later.
    :ivar position: in the world [m], shape ``(3,)``.
    :ivar quaternion: ``w, x, y, z``, from its axes to those of the world, shape ``(4,)``.
    :ivar radius: of a ball that was thrown [m]; 0 for a body of ``Description.bodies``.
    """

    name: str
    position: Array
    quaternion: Array
    radius: float = 0.0


class ShownAlarm(msgspec.Struct, frozen=True, gc=False):
    """What the collision monitor says.

    :ivar kind: ``push`` or ``impact``; ``none`` where there is no contact.
    :ivar link: likeliest link; empty where none is known.
    :ivar probability: of that link.
    :ivar delay: from the beginning of the true contact to that of the alarm [s]; ``None`` where
        the true one is not known, or while it is not noticed.
    :ivar margin: largest residual, as a share of its threshold.
    """

    kind: str = 'none'
    link: str = ''
    probability: float = 0.0
    delay: float | None = None
    margin: float = 0.0


class Progress(msgspec.Struct, frozen=True, gc=False):
    """How the run goes.

    :ivar playing: whether time goes on by itself.
    :ivar speed: simulated time per real time that is asked for; 0 for as fast as it goes.
    :ivar factor: what it was lately.
    :ivar late_share: share of the periods, since it plays, that ended late by more than a period.
    :ivar earliest, latest: times that a rewind can go to [s].
    :ivar ended: why it does not go on, for instance ``reached``; empty while it can.
    """

    playing: bool
    speed: float
    factor: float
    late_share: float
    earliest: float
    latest: float
    ended: str = ''


class Frame(msgspec.Struct, frozen=True, gc=False):
    """All that is drawn at one moment.

    :ivar time: since the start of the run [s].
    :ivar joints: of the robot, as it is, or as measured [rad], shape ``(n,)``.
    :ivar twin: of the control simulation [rad], shape ``(n,)``.
    :ivar forces: that act, and that are estimated; of a contact and a ball the largest on each
        link since the last frame, if that was shortly before: an impact is shorter than a frame.
    :ivar bodies: that may have moved.
    :ivar effective_masses: of each tip, in the direction of the strongest pull, else of
        ``admittance.mass_direction``: the effective mass of 001 [kg] times that unit vector, shape
        ``(tips, 3)``, zero where it cannot move that way; ``None`` where the robot is not guided.
    :ivar activity: what the planner does.
    :ivar trace: signals of every step since the last frame, shape ``(steps, columns, n)``; the
        columns are those of ``Description.columns``.
    :ivar scalars: of those steps, shape ``(steps, names)``; names of ``Description.scalars``.
    :ivar times: ends of those steps [s], shape ``(steps,)``.
    """

    time: float
    joints: Array
    twin: Array
    forces: tuple[Force, ...]
    bodies: tuple[ShownBody, ...]
    effective_masses: Array | None
    alarm: ShownAlarm | None
    activity: str
    progress: Progress
    times: Array
    trace: Array
    scalars: Array
