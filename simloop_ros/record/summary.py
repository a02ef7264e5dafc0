"""The summary of a run, from its facts, logs and events."""

from __future__ import annotations

import math
from typing import Any

import msgspec
import numpy as np

from ..planning.tip_path import TipCourse
from ..robot.model import RobotModel, link_positions
from .columns import TRUE_POSITION
from .command_lag import CommandLag, measure_lag
from .events import TIME_DECIMALS, EventRecorder
from .evidence import Evidence
from .facts import RunFacts
from .goals_summary import goals_summary
from .guided_summary import guided_summary
from .hands_summary import hands_summary, tasks_left
from .log import LogReader
from .metrics import compute_metrics
from .realtime import RunAccelerations
from .timing import RunTiming
from .verdict import judge


def summarise(
    facts: RunFacts,
    log: LogReader,
    hands: LogReader | None,
    recorder: EventRecorder,
    elapsed: float,
    costs: dict[str, float],
    timing: RunTiming | None = None,
) -> dict[str, Any]:
    """Return the summary of a run.

    :param hands: log of two hands, if there are any.
    :param elapsed: wall time of the run [s].
    :param costs: mean cost of each part of a step [s].
    :param timing: of a run in real time.
    """
    scenario, model = facts.scenario, facts.model
    duration = round(log.rows * scenario.period, TIME_DECIMALS)
    events = recorder.events(duration)
    results = _results(facts, log, hands, recorder, events)
    motion = None if timing is None else RunAccelerations(model, log, scenario.period, timing)
    results.update({} if motion is None else motion.summary())
    lag = None if timing is None else _measured_lag(facts, log, timing)
    if timing is not None and facts.driven is not None:
        results['measured_lag'] = None if lag is None else lag.lag
    outcome = judge(Evidence(facts, log, events, results), motion)
    warnings = [lag.words] if lag is not None and lag.words else []
    largest, digest = results.pop('effort_max'), results.pop('digest')
    results['effort_share_max'] = max(
        effort / limit for effort, limit in zip(largest, model.effort_limit, strict=True)
    )
    return {
        'scenario': scenario.name,
        'robot': model.name,
        'plant': facts.engine,
        'planner': scenario.planner.kind,
        'rollback': facts.rollback,
        'status': outcome.status,
        'verdict': [*outcome.verdict, *warnings],
        'period': scenario.period,
        'steps': log.rows,
        'duration': duration,
        'seed': scenario.seed,
        'mass_bias': scenario.plant.mass_bias,
        **results,
        'real_time_factor': duration / elapsed if elapsed > 0.0 else 0.0,
        'step_cost_us': {part: round(1e6 * cost, 2) for part, cost in costs.items()},
        'joint_names': list(model.joint_names),
        'joint_units': list(model.joint_units),
        'graphs': list(scenario.drawn_graphs),
        'notes': list(facts.notes),
        'settings': msgspec.json.decode(msgspec.json.encode(scenario)),
        'events': events,
        'digest': digest,
    }


def _results(
    facts: RunFacts,
    log: LogReader,
    hands: LogReader | None,
    recorder: EventRecorder,
    events: list[dict[str, Any]],
) -> dict[str, Any]:
    """Return all that was measured."""
    scenario, model, plan = facts.scenario, facts.model, facts.plan
    metrics = msgspec.structs.asdict(compute_metrics(log, hands))
    ends = zip(model.joint_names, metrics['force_difference_end'], strict=True)
    of_hands: dict[str, Any] = {}
    if hands is not None and plan is not None:
        of_hands = hands_summary(model, log, hands, plan, scenario.period, recorder.halted)
        of_hands['tasks_left'] = tasks_left(plan, events, log.rows, scenario.period)
    return {
        **metrics,
        'force_difference_end': dict(ends),
        'tip_error_end': _tip_errors(facts, log),
        **({} if facts.course is None else tip_summary(log, model, facts.course, scenario.period)),
        'effort_limited_steps': recorder.limited_steps,
        **recorder.contact_summary(log),
        **({} if facts.forecast is None else goals_summary(facts.forecast, model, log, scenario)),
        **({} if facts.tip_masses is None else guided_summary(log, facts.tip_masses)),
        **of_hands,
    }


def _measured_lag(facts: RunFacts, log: LogReader, timing: RunTiming) -> CommandLag | None:
    """Return the lag of the commands of a real robot, if it can be seen.

    Not of efforts while a hand is there: what it does to the motion is no effect of them.
    """
    driven, scenario = facts.driven, facts.scenario
    if driven is None or (driven.takes == 'effort' and scenario.admittance.guides):
        return None
    steps = np.array(timing.row_steps[: log.rows], dtype=np.float64)
    return measure_lag(facts.model, log, steps, scenario.period, driven)


def _tip_errors(facts: RunFacts, log: LogReader) -> dict[str, float]:
    """Return the distance of each tip from its goal at the end [m], where there are goals."""
    if facts.goals is None or not log.rows:
        return {}
    truth = log.read(log.rows - 1)[0, TRUE_POSITION]
    missing = np.linalg.norm(facts.goals - facts.model.tip_positions(truth), axis=1)
    return dict(zip(facts.model.tips, missing.tolist(), strict=True))


def tip_summary(
    log: LogReader, model: RobotModel, course: TipCourse, period: float
) -> dict[str, Any]:
    """Return the additional keys of a run along a Cartesian path.

    ``tip_error_rms`` and ``tip_error_max`` [m]: distance of the true tip from its planned point
    at that time, at the end of every step and in the middle of it, where the true joints are
    interpolated. ``corners``: each corner with the time of arrival [s].
    """
    squares, count, largest = 0.0, 0, 0.0
    before, first = model.home[None], 0
    for block in log.chunks():
        position = np.concatenate((before, block[:, TRUE_POSITION]))
        before = position[-1:]
        steps = np.arange(first, first + len(block), dtype=np.float64)
        first += len(block)
        for rows, times in (
            (position[1:], (steps + 1.0) * period),
            (0.5 * (position[1:] + position[:-1]), (steps + 0.5) * period),
        ):
            error = link_positions(model.pin_model, course.tip, rows) - course.points(times)
            squared = np.square(error).sum(axis=1)
            squares += float(squared.sum())
            count += len(squared)
            largest = float(np.maximum(largest, squared.max()))
    return {
        'tip_error_rms': math.sqrt(squares / count) if count else 0.0,
        'tip_error_max': math.sqrt(largest),
        'corners': [{'name': name, 'time': time} for name, time in course.arrivals],
    }
