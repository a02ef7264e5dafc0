"""What becomes of a list of goals, before the robot moves."""

from __future__ import annotations

import msgspec

from ..core.errors import GoalError
from ..core.values import NO_INPUTS, Array
from ..planning.config import LONGEST_MOTION
from .goal import AnyGoal
from .goal_planner import GoalPlanner
from .goal_status import ENDS, GoalState


class GoalOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to a goal, and how it ends.

    :ivar begin: time at which it takes effect [s].
    :ivar end: time at which its motion ends, or is left for another one [s]; none of a refused
        one.
    :ivar position: where it ends [rad], shape ``(n,)``; none where it is not reached.
    """

    id: int
    goal: AnyGoal
    state: GoalState
    reason: str = ''
    begin: float
    end: float | None = None
    position: Array | None = None


class GoalForecast(msgspec.Struct, frozen=True):
    """A rehearsal of a list of goals.

    :ivar duration: until the robot rests after the last one [s].
    :ivar position: where it rests [rad], shape ``(n,)``; none if all were refused.
    """

    outcomes: tuple[GoalOutcome, ...]
    duration: float
    position: Array | None


def forecast(planner: GoalPlanner) -> GoalForecast:
    """Take the steps of a planner until its list is done, and go back to where it was.

    :raises GoalError: that takes longer than any motion may.
    """
    before = planner.snapshot()
    outcomes: dict[int, GoalOutcome] = {}
    period = planner.period
    first, read = planner.count, 0
    while not planner.at_end:
        if planner.count - first > LONGEST_MOTION:
            raise GoalError(f'the goals take more than {LONGEST_MOTION} steps; leave some out')
        planner.step(planner.expected, NO_INPUTS)
        for change in planner.changes(read):
            read = change.number + 1
            time = round(change.step * period, 9)
            if change.goal is not None and change.id not in outcomes:
                outcomes[change.id] = GoalOutcome(
                    id=change.id,
                    goal=change.goal,
                    state=change.state,
                    reason=change.reason,
                    begin=time,
                )
            over = change.state in ENDS and change.state not in ('refused', 'done')
            outcomes[change.id] = msgspec.structs.replace(
                outcomes[change.id],
                state=change.state,
                end=time if over else None,
                position=planner.expected.position if change.state == 'reached' else None,
            )
    found = GoalForecast(
        tuple(outcomes.values()),
        planner.count * period,
        planner.expected.position if planner.taken_over else None,
    )
    planner.restore(before)
    return found
