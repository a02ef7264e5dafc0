"""What became of the goals of a run, for its summary and in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np

from ..goals.goal_list import GoalForecast, GoalOutcome
from ..robot.model import RobotModel
from ..scenario.scenario import Scenario
from .columns import TRUE_POSITION
from .log import LogReader

ORDER = ('reached', 'missed', 'replaced', 'cancelled', 'paused', 'aborted', 'active', 'refused')
"""In which states are told."""


def goals_summary(
    forecast: GoalForecast, model: RobotModel, log: LogReader, scenario: Scenario
) -> dict[str, Any]:
    """Return ``goals``: each with its answer, its times [s], and how near the robot came.

    ``tip_error`` [m] is the largest distance of a tip from its place at the goal, at the end of
    the motion to it; ``missed`` is the state of a goal that the robot was not near to.
    """
    return {'goals': [_entry(each, model, log, scenario) for each in forecast.outcomes]}


def _entry(
    outcome: GoalOutcome, model: RobotModel, log: LogReader, scenario: Scenario
) -> dict[str, Any]:
    found: dict[str, Any] = {
        'id': outcome.id,
        'goal': msgspec.json.decode(msgspec.json.encode(outcome.goal)),
        'state': outcome.state,
        'begin': outcome.begin,
    }
    if outcome.reason:
        found['reason'] = outcome.reason
    if outcome.end is None:
        return found
    row = round(outcome.end / scenario.period) - 1
    if row >= log.rows:
        return {**found, 'state': 'active'}
    found['end'] = outcome.end
    if outcome.position is not None and model.tips:
        truth = log.read(row, row + 1)[0, TRUE_POSITION]
        apart = model.tip_positions(truth) - model.tip_positions(outcome.position)
        found['tip_error'] = float(np.linalg.norm(apart, axis=1).max())
        if found['tip_error'] > scenario.goal_tolerance:
            found['state'] = 'missed'
    return found


def goals_in_words(goals: Sequence[dict[str, Any]]) -> str:
    """Return how many goals there were and what became of them, with the reason of a refusal."""
    told = [goal for goal in goals if goal['state'] != 'done']
    counts = Counter(goal['state'] for goal in told)
    states = sorted(counts, key=ORDER.index)
    words = ', '.join(f'{counts[state]} {state}' for state in states)
    line = f'{len(told)} goal{"" if len(told) == 1 else "s"}: {words}'
    reasons = [goal['reason'] for goal in told if goal['state'] == 'refused']
    return f'{line}: {reasons[0]}' if reasons else line
