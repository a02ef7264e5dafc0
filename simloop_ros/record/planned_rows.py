"""The plan of two hands for each step of a run."""

from __future__ import annotations

import msgspec
import numpy as np

from ..bimanual.plan import BimanualPlan
from ..core.values import Array, Flags


class PlannedRows(msgspec.Struct, frozen=True):
    """The plan, row by row of a log; its last row is repeated.

    :ivar index: row of the plan, shape ``(rows,)``, as everything below.
    :ivar leg: index of its task.
    :ivar squeeze: setpoint of the internal force [N]; NaN while the hands are free.
    :ivar holding: whether its task leaves the hands at the object.
    :ivar going: whether the hands still follow it: until they are halted.
    :ivar moving: whether the object is moved, by hands that follow it.
    :ivar foreseen: whether the object's pose is known in advance: until a force may displace it,
        or the hands are halted.
    """

    index: Array
    leg: Array
    squeeze: Array
    holding: Flags
    going: Flags
    moving: Flags
    foreseen: Flags


def planned_rows(plan: BimanualPlan, rows: int, halted: int | None = None) -> PlannedRows:
    """Return the plan for the first steps of a run.

    :param halted: step in which the hands are halted, if they are.
    """
    index = np.minimum(np.arange(1, rows + 1), plan.last)
    leg = np.array(plan.leg_of)[index]
    squeeze = np.array([np.nan if w.squeeze is None else w.squeeze for w in plan.targets])
    displaced = np.logical_or.accumulate(
        [
            leg.insertion is not None or any(target.yielding is not None for target in leg.targets)
            for leg in plan.legs
        ]
    )
    going = np.arange(rows) < (rows if halted is None else halted)
    moving = np.array(
        [leg.bound and not leg.objects[0].isApprox(leg.objects[-1]) for leg in plan.legs]
    )
    holding = np.array([leg.targets[-1].squeeze is not None for leg in plan.legs])
    return PlannedRows(
        index,
        leg,
        squeeze[index],
        holding[leg],
        going,
        moving[leg] & going,
        ~displaced[leg] & going,
    )
