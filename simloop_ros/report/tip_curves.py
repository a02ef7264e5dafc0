"""The paths of the tips of a robot, from its log."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from ..core.values import Array
from ..record.mcap import McapReader, read_mcap
from ..robot.model import link_positions
from ..robot.urdf import kinematic_tree


class TipCurve(msgspec.Struct, frozen=True):
    """The path of one tip in the world.

    :ivar time: [s], shape ``(points,)``.
    :ivar desired: of the desired joints [m], shape ``(points, 3)``.
    :ivar actual: of the true joints [m], shape ``(points, 3)``.
    """

    name: str
    time: Array
    desired: Array
    actual: Array


def tip_curves(log: McapReader, tips: Sequence[str], points: int = 4000) -> tuple[TipCurve, ...]:
    """Return the paths of tips, by the robot description in the log.

    :param points: about how many rows of a long log are kept.
    """
    if not tips:
        return ()
    tree = kinematic_tree(log.description)
    found = read_mcap(log.path, stride=max(1, log.rows // points))
    return tuple(
        TipCurve(
            tip,
            found.time,
            *(
                link_positions(tree, tip, found.column(f'{which}_position'))
                for which in ('desired', 'true')
            ),
        )
        for tip in tips
    )
