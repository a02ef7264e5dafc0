"""What became of a goal."""

from __future__ import annotations

from typing import Literal

import msgspec

from .goal import AnyGoal

GoalState = Literal[
    'refused', 'active', 'reached', 'replaced', 'paused', 'cancelled', 'aborted', 'done'
]
"""``done`` is said of commands: they have no motion of their own."""
ENDS: tuple[GoalState, ...] = ('refused', 'reached', 'replaced', 'cancelled', 'aborted', 'done')
"""After which nothing more is said about a goal, unless its motion is taken up again."""


class GoalReply(msgspec.Struct, frozen=True):
    """The answer to a goal.

    :ivar id: number of the goal, from 1.
    :ivar reason: why it is refused.
    """

    id: int
    accepted: bool
    reason: str = ''


class GoalStatus(msgspec.Struct, frozen=True):
    """A change of a goal's state.

    :ivar number: of the change, from 0.
    :ivar step: of the planner, at whose begin it changed.
    :ivar reason: why, where there is a reason.
    :ivar distance: largest way of a joint to where the goal ends [rad]; none for commands.
    :ivar goal: the goal, when it is answered.
    :ivar listed: whether it is one of the scenario's list.
    """

    number: int
    id: int
    state: GoalState
    step: int
    reason: str = ''
    distance: float | None = None
    goal: AnyGoal | None = None
    listed: bool = False
