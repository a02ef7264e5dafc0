"""One run of two hands on one object, in memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np

from simloop_ros.assembly.assemble import assemble
from simloop_ros.bimanual.planner import STOPPED
from simloop_ros.core.errors import SimloopError
from simloop_ros.core.values import Array
from simloop_ros.record.columns import COLUMNS, TRUE_POSITION, hands_row, stacked
from simloop_ros.record.hands_log import HANDS_COLUMNS
from simloop_ros.record.hands_summary import POSE, hands_summary, true_squeezes
from simloop_ros.record.log import LogArray
from simloop_ros.scenario.loading import load_scenario

from .controller_run import tip_paths
from .step_records import records_of

DESIRED = COLUMNS.index('desired_position')


class HandsRun(msgspec.Struct, frozen=True):
    """What two hands did, one row per step.

    :ivar period: time between two rows [s].
    :ivar desired: joint positions [rad], shape ``(steps, n)``.
    :ivar true: joint positions as they are [rad], shape ``(steps, n)``.
    :ivar tips: where the tips truly are [m], shape ``(steps, 2, 3)``.
    :ivar squeeze: true internal force [N], shape ``(steps,)``.
    :ivar object: true position of its centre [m], shape ``(steps, 3)``; zero if there is none.
    :ivar doing: of the two hands in each step, ``steps`` of them.
    :ivar summary: part of that of ``simloop run``.
    :ivar completed: whether the run came to its end; one that diverged has fewer rows.
    """

    period: float
    desired: Array
    true: Array
    tips: Array
    squeeze: Array
    object: Array
    doing: tuple[str, ...]
    summary: dict[str, Any]
    completed: bool

    @property
    def time(self) -> Array:
        """Return the end of each step [s]."""
        return self.period * np.arange(1.0, len(self.squeeze) + 1.0)

    @property
    def speeds(self) -> Array:
        """Return the true speeds of the tips, backward differences [m/s], ``(steps, 2)``."""
        moved = np.diff(self.tips, axis=0, prepend=self.tips[:1])
        return np.linalg.norm(moved, axis=2) / self.period

    @property
    def halt(self) -> tuple[float, str] | None:
        """Return when the hands halted [s] and why, if they did: the start of that step."""
        step = halted_at(self.doing)
        if step is None:
            return None
        return step * self.period, self.doing[step].removeprefix(f'{STOPPED}: ')


def halted_at(doing: Sequence[str]) -> int | None:
    """Return the step in which the hands began to stop; none if they did not.

    :param doing: of the hands in each step.
    """
    return next((step for step, now in enumerate(doing) if now.startswith(STOPPED)), None)


def run_hands(scenario_name: str, settings: tuple[str, ...] = ()) -> HandsRun:
    """Run a shipped scenario of two hands to its end, or until it diverges."""
    prepared = assemble(load_scenario(scenario_name, settings))
    facts, plan = prepared.facts, prepared.facts.plan
    if plan is None:
        raise SimloopError(f'{scenario_name}: no scenario of two hands')
    records = records_of(prepared)
    model, period = facts.model, facts.scenario.period
    doing = tuple(record.planner.activity for record in records if record.planner)
    rows, hand_rows = stacked(records), np.array([hands_row(record) for record in records])
    log, hands = LogArray(rows), LogArray(hand_rows, HANDS_COLUMNS)
    true = rows[:, TRUE_POSITION]
    return HandsRun(
        period=period,
        desired=rows[:, DESIRED],
        true=true,
        tips=tip_paths(model, true),
        squeeze=true_squeezes(model, log, hands),
        object=hand_rows[:, POSE, :3],
        doing=doing,
        summary=hands_summary(model, log, hands, plan, period, halted_at(doing)),
        completed=len(records) == facts.steps,
    )
