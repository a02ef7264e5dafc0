"""The status of a run and its verdict in words, from facts, log and events alone."""

from __future__ import annotations

from typing import Literal

import msgspec
import numpy as np

from .columns import DESIRED_POSITION, TRUE_POSITION
from .events import halt_reason
from .evidence import Evidence
from .findings import find_lines
from .realtime import RunAccelerations, bounds_left, timing_words
from .touches import Incident
from .wording import length

Status = Literal['reached', 'ended', 'missed', 'stopped', 'disturbed', 'diverged', 'interrupted']
EXIT_STATUS: dict[str, int] = {
    'reached': 0,
    'ended': 0,
    'missed': 1,
    'stopped': 1,
    'disturbed': 1,
    'diverged': 1,
    'interrupted': 130,
}
"""Status of a run -> exit status of its process."""
REST_TIME = 0.01
"""Time at the end in which a robot at rest moves by less than the tolerance of its goal [s]."""
PERSISTENT = 0.1
"""Share of the steps at an effort limit from which that limit is a cause."""
FOLLOWED = 0.1
"""Share of the distance from the goal below which setpoints were followed."""
CAUSE_TIME = 0.5
"""Time after a touch in which it is the cause of a deviation [s]."""
MOST_LINES = 3
MOST_PLACES = 1000
"""Number of rows in which it is looked how far a robot was led."""
MOST_INCIDENTS = 3
"""Number of incidents that are told in words; the events have all."""


class Outcome(msgspec.Struct, frozen=True):
    """How a run ended.

    :ivar verdict: in words, one to three lines; in real time one or two more.
    """

    status: Status
    verdict: tuple[str, ...]


class Goal(msgspec.Struct, frozen=True):
    """What the robot should do, and whether it did.

    :ivar words: of a goal that was reached.
    :ivar missed: of one that was not, without the cause.
    """

    reached: bool
    words: str
    missed: str


class Cause(msgspec.Struct, frozen=True):
    """Why the robot is not where it should be."""

    words: str
    incident: Incident | None = None


def judge(evidence: Evidence, motion: RunAccelerations | None = None) -> Outcome:
    """Return the status of a run and what is to be said about it.

    :param motion: of a run in real time.
    """
    facts, rows, end = evidence.facts, evidence.log.rows, evidence.moment(evidence.end)
    timing = [] if motion is None else [timing_words(motion.timing)]
    for event in evidence.events:
        if event['kind'] == 'divergence':
            return Outcome('diverged', (str(event['message']), *timing))
    if rows < facts.steps and not evidence.stands_stopped:
        return Outcome('interrupted', (f'interrupted after {end} ({rows} steps)', *timing))
    goal, left = _goal(evidence), _left(evidence)
    bounds = '' if motion is None else bounds_left(evidence, motion)
    short = facts.planned is not None and evidence.end < facts.planned - 0.5 * evidence.period
    reached = goal is not None and goal.reached and not short
    cause = None if reached and not evidence.stands_stopped else _stop(evidence, goal)
    status: Status
    if cause is not None:
        status, first = 'stopped', cause.words
    elif goal is not None and reached:
        status, first = ('disturbed' if left or bounds else 'reached'), goal.words
    elif goal is not None and not short:
        cause = _cause(evidence)
        status, first = 'missed', f'{goal.missed}: {cause.words}'
    else:
        status, first = ('disturbed' if left or bounds else 'ended'), f'ended after {end}'
        first += _led(evidence)
        if short and facts.planned is not None:
            first += f', before its end: the motion takes {evidence.moment(facts.planned)}'
            first += f'; {goal.missed}' if goal and facts.plan is not None else ''
    if left is not None and status == 'disturbed':
        cause, first = left, f'{first}; {left.words}'
    told = None if cause is None else cause.incident
    others = [incident for incident in evidence.incidents if incident != told]
    lines = [first, *_told(evidence, others), *find_lines(evidence)][:MOST_LINES]
    return Outcome(status, (first, *([bounds] if bounds else []), *timing, *lines[1:]))


def _goal(evidence: Evidence) -> Goal | None:
    """Return the goal of a run; ``None`` if it has none."""
    facts, results, log = evidence.facts, evidence.results, evidence.log
    model, tolerance = facts.model, facts.scenario.goal_tolerance
    steps = max(1, round(REST_TIME / evidence.period))
    rows = log.read(max(0, log.rows - 1 - steps))
    tips = [model.tip_positions(row[TRUE_POSITION]) for row in (rows[0], rows[-1])]
    at_rest = _apart(*tips) <= tolerance
    if facts.plan is not None:
        off = _apart(tips[-1], model.tip_positions(rows[-1, DESIRED_POSITION]))
        left, count = list(results['tasks_left']), len(facts.plan.legs)
        dropped = results.get('dropped')
        if dropped is not None:
            missed = f'dropped the object at {evidence.moment(dropped)}'
        elif left:
            missed = f'{_tasks(left)} not done'
        else:
            missed = f'did its tasks, but its hands are {length(off)} from where they should be'
        reached = not left and dropped is None and at_rest and off <= tolerance
        return Goal(reached, f'did all {count} tasks', missed)
    if facts.goals is None:
        return None
    distance = max(results['tip_error_end'].values())
    goals = 'goals' if len(model.tips) > 1 and facts.course is None else 'goal'
    moving = '' if at_rest else ' and was still moving'
    return Goal(
        distance <= tolerance and at_rest,
        f'reached its {goals} to {length(distance)}',
        f'missed its goal by {length(distance)}{moving}',
    )


def _apart(some: np.ndarray, others: np.ndarray) -> float:
    """Return the largest distance between points [m], each of shape ``(points, 3)``."""
    return float(np.linalg.norm(some - others, axis=1).max(initial=0.0))


def _tasks(left: list[str]) -> str:
    return left[0] + (f' and {len(left) - 1} more' if len(left) > 1 else '')


def _stop(evidence: Evidence, goal: Goal | None) -> Cause | None:
    """Return why a robot that has not reached its goal stands; ``None`` if it was not stopped.

    By its safety, by a halt of two hands, or by its reaction to a collision.
    """
    facts, results = evidence.facts, evidence.results
    reactions = [i for i in evidence.incidents if i.alarm and i.alarm.reaction != 'none']
    reaction = reactions[-1] if reactions else None
    for event in reversed(evidence.events):
        at = f'at {evidence.moment(event["time"])}'
        if event['kind'] == 'stop':
            who = f'{event["source"]}: ' if evidence.realtime else ''
            return Cause(f'stopped {at}: {who}{event["message"]}')
        if event['kind'] == 'task':
            why = halt_reason(event)
            if why is None:
                break
            left = _tasks(list(results['tasks_left']))
            because = why if reaction is None else evidence.describe(reaction)
            return Cause(f'stopped {at}, {left} not done: {because}', reaction)
    if goal is None or reaction is None or facts.plan is not None:
        return None
    if goal.missed.endswith('still moving') and facts.scenario.monitor.resume_after is not None:
        return None
    distance = max(results['tip_error_end'].values())
    words = evidence.describe(reaction)
    return Cause(f'stopped {length(distance)} from its goal: {words}', reaction)


def _left(evidence: Evidence) -> Cause | None:
    """Return how far the robot left its path and why; ``None`` if it did not.

    A real robot that is guided is where the hand has it: that is no path of its own.
    """
    deviation = evidence.deviation
    if deviation is None or evidence.hand_leads:
        return None
    time = (deviation.row + 1) * evidence.period
    words = f'{length(deviation.distance)} off its path at {evidence.moment(time)}'
    for incident in reversed(evidence.incidents):
        touch = incident.touch
        if touch is not None and touch.start <= time <= touch.end + CAUSE_TIME:
            return Cause(f'{words}: {evidence.describe(incident)}', incident)
    limited = evidence.limited
    if limited is not None:
        words += f': {limited.name} at its effort limit in {limited.steps} steps'
    return Cause(words)


def _cause(evidence: Evidence) -> Cause:
    """Return the likeliest reason why a goal was missed.

    Whichever came first of an effort limit that lasts and a touch that was found or lasts to the
    end; else the joint that is furthest from its setpoint, unless the tips are that near to where
    the setpoints put them that most of the distance from the goal has another reason.
    """
    model, log, period = evidence.facts.model, evidence.log, evidence.period
    limited, since = evidence.limited, np.inf
    if limited is not None and limited.steps >= PERSISTENT * log.rows:
        since = limited.first * period
    for incident in evidence.incidents:
        lasts = incident.touch and incident.touch.end >= evidence.end - CAUSE_TIME
        if incident.time <= since and (incident.alarm or lasts):
            return Cause(evidence.describe(incident), incident)
    if limited is not None and since < np.inf:
        return Cause(f'{limited.name} at its effort limit from {since:.1f} s')
    row = log.read(log.rows - 1)[0]
    tips = [model.tip_positions(row[column]) for column in (TRUE_POSITION, DESIRED_POSITION)]
    missed = max(
        evidence.results['tip_error_end'].values(), default=evidence.facts.scenario.goal_tolerance
    )
    if _apart(*tips) < FOLLOWED * missed:
        return Cause('the robot followed its setpoints; these did not lead there')
    behind = np.abs(row[TRUE_POSITION] - row[DESIRED_POSITION])
    joint = int(behind.argmax())
    name, unit = model.joint_names[joint], model.joint_units[joint]
    return Cause(f'{name} does not follow, it is {behind[joint]:.2g} {unit} from its setpoint')


def _led(evidence: Evidence) -> str:
    """Return how far each tip of a real robot that is guided was led, in words."""
    model, log = evidence.facts.model, evidence.log
    if not evidence.hand_leads or not log.rows:
        return ''
    rows = log.read(0, None, max(1, log.rows // MOST_PLACES))[:, TRUE_POSITION]
    places = np.array([model.tip_positions(q) for q in rows])
    ways = np.linalg.norm(places - places[0], axis=2).max(axis=0)
    led = ' and '.join(
        f'{tip} by {length(way)}' for tip, way in zip(model.tips, ways, strict=True)
    )
    return f'; led {led}' if led else ''


def _told(evidence: Evidence, incidents: list[Incident]) -> list[str]:
    """Return one line about incidents; none if there are none."""
    words = [evidence.describe(incident) for incident in incidents[:MOST_INCIDENTS]]
    if len(incidents) > len(words):
        words.append(f'{len(incidents) - len(words)} more in the events')
    return ['; '.join(words)] if words else []
