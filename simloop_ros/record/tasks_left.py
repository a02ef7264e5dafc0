"""Which tasks of two hands a run did not complete."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..bimanual.plan import BimanualPlan
from .events import halt_reason


def tasks_left(
    plan: BimanualPlan, events: Iterable[Mapping[str, Any]], steps: int, period: float
) -> list[str]:
    """Return the names of the tasks that are not done, in their order.

    A task is done when another has begun, or after its time; not where the hands stop in it.
    """
    current, since, stopped = 0, 0, False
    for event in events:
        if event['kind'] != 'task':
            continue
        stopped = halt_reason(event) is not None
        # Without the bracket: for a resisted insertion there is more text in it.
        names = (leg.name.rstrip(')') for leg in plan.legs[current + 1 :])
        for number, name in enumerate(names, current + 1):
            if str(event['doing']).startswith(name):
                current, since = number, round(float(event['time']) / period)
    done = not stopped and steps >= since + plan.legs[current].steps
    return [leg.name for leg in plan.legs[current + done :]]
