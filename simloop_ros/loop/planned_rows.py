"""What the plan of two hands says of each step of a run."""

from __future__ import annotations

import msgspec
import numpy as np

from ..bimanual.plan import BimanualPlan
from ..values import Array, Flags


class PlannedRows(msgspec.Struct, frozen=True):
    """The plan, row by row of a log; what is after its end is as at its end.

    :ivar index: row of the plan, shape ``(rows,)``, as everything below.
    :ivar leg: which of its tasks that is.
    :ivar squeeze: wanted internal force [N]; NaN while the hands are free.
    :ivar moving: whether the object is moved.
    :ivar foreseen: whether the object's place is known: until a force may displace it.
    """

    index: Array
    leg: Array
    squeeze: Array
    moving: Flags
    foreseen: Flags


def planned_rows(plan: BimanualPlan, rows: int) -> PlannedRows:
    """Return what the plan says of the first steps of a run.

    :param rows: number of steps.
    """
    index = np.minimum(np.arange(1, rows + 1), plan.last)
    leg = np.array(plan.leg_of)[index]
    squeeze = np.array([np.nan if w.squeeze is None else w.squeeze for w in plan.wishes])
    displaced = np.logical_or.accumulate(
        [
            leg.insertion is not None or any(wish.yielding is not None for wish in leg.wishes)
            for leg in plan.legs
        ]
    )
    return PlannedRows(
        index, leg, squeeze[index], np.array(moving_legs(plan))[leg], ~displaced[leg]
    )


def moving_legs(plan: BimanualPlan) -> list[bool]:
    """Return for each task whether it moves the object."""
    return [leg.bound and not leg.objects[0].isApprox(leg.objects[-1]) for leg in plan.legs]
