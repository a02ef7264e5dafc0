"""The summary of a run, from its facts, logs and events."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np

from .columns import TRUE_POSITION
from .events import EventRecorder
from .facts import RunFacts
from .guided_summary import guided_summary
from .hands_summary import hands_summary
from .log import LogReader
from .metrics import compute_metrics
from .tasks_left import tasks_left
from .tip_error import tip_summary


def summarise(
    facts: RunFacts,
    log: LogReader,
    hands: LogReader | None,
    recorder: EventRecorder,
    status: str,
    elapsed: float,
    costs: dict[str, float],
) -> dict[str, Any]:
    """Return the summary of a run.

    :param hands: log of two hands, if there are any.
    :param status: how the run ended: ``completed``, ``interrupted`` or ``diverged``.
    :param elapsed: wall time of the run [s].
    :param costs: mean cost of each part of a step [s].
    """
    scenario, model, plan = facts.scenario, facts.model, facts.plan
    metrics = compute_metrics(log, hands)
    duration = log.rows * scenario.period
    events = recorder.events(duration)
    tip_errors: dict[str, float] = {}
    if facts.goals is not None and log.rows:
        truth = log.read(log.rows - 1)[0, TRUE_POSITION]
        missing = facts.goals - model.tip_positions(truth)
        lengths = np.linalg.norm(missing, axis=1)
        tip_errors = dict(zip(model.tips, lengths.tolist(), strict=True))
    return {
        'scenario': scenario.name,
        'robot': model.name,
        'plant': facts.engine,
        'planner': scenario.planner.kind,
        'rollback': facts.rollback,
        'status': status,
        'period': scenario.period,
        'steps': log.rows,
        'duration': duration,
        'seed': scenario.seed,
        'mass_bias': scenario.plant.mass_bias,
        'path_error_rms': metrics.path_error_rms,
        'path_error_max': metrics.path_error_max,
        'true_path_error_rms': metrics.true_path_error_rms,
        'true_path_error_max': metrics.true_path_error_max,
        'force_difference_rms': metrics.force_difference_rms,
        'force_difference_max': metrics.force_difference_max,
        'force_difference_end': dict(
            zip(model.joint_names, metrics.force_difference_end, strict=True)
        ),
        'velocity_difference_rms': metrics.velocity_difference_rms,
        'tip_error_end': tip_errors,
        **({} if facts.course is None else tip_summary(log, model, facts.course, scenario.period)),
        'effort_share_max': max(
            e / limit for e, limit in zip(metrics.effort_max, model.effort_limit, strict=True)
        ),
        'effort_limited_steps': recorder.limited_steps,
        **recorder.contact_summary(log),
        **({} if facts.tip_masses is None else guided_summary(log, facts.tip_masses)),
        **(
            {}
            if hands is None or plan is None
            else {
                **hands_summary(model, log, hands, plan, scenario.period, recorder.halted),
                'tasks_left': tasks_left(plan, events, log.rows, scenario.period),
            }
        ),
        'real_time_factor': duration / elapsed if elapsed > 0.0 else 0.0,
        'step_cost_us': {part: round(1e6 * cost, 2) for part, cost in costs.items()},
        'joint_names': list(model.joint_names),
        'joint_units': list(model.joint_units),
        'graphs': list(scenario.graphs),
        'notes': list(facts.notes),
        'settings': msgspec.json.decode(msgspec.json.encode(scenario)),
        'events': events,
        'digest': metrics.digest,
    }
