"""Two hands on an object in the shipped scenarios: cases and their measures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import numpy as np

from simloop_ros.core.values import Array
from simloop_ros.record.hands_summary import TOUCH_FORCE
from simloop_ros.scenario.loading import load_scenario

from .hands_run import HandsRun, run_hands
from .result import Limit

STIFFNESSES = ('5e4', '1e5', '5e5')
"""Of 003's beams [N/m]."""
SEEDS = 5
SENSORS = '{noise: 0.5, torque_noise: 0.02, bias: 2, torque_bias: 0.05}'
NOISY = (f'plant.sensors={SENSORS}', 'bimanual.sensor_noise=true')
"""Wrist sensors with the noise [N, N m] and bias that issue 7 asks for."""
STOPS = (1.8, 2.2, 2.5, 3.0)
"""When an arm stops [s]; the object is moved from 1.5 s to 3.5 s, fastest at 2.5 s."""
FAULT = BUMP = 2.5
"""When a sensor fails, and when an elbow is pushed [s]."""
SERVOS = {
    'computed torque': ('control.law=computed_torque',),
    'computed torque, encoders 1e-5 rad': ('control.law=computed_torque', 'plant.noise=1e-5'),
    'computed torque, 1 period late': ('control.law=computed_torque', 'plant.delay=1'),
    'deadbeat, encoders 1e-5 rad': ('plant.noise=1e-5',),
    'deadbeat, K = 5e5': ('plant.object.stiffness=5e5',),
    'deadbeat, K = 5e5, encoders 1e-5 rad': ('plant.object.stiffness=5e5', 'plant.noise=1e-5'),
    'PID': ('control.law=pid',),
}
"""Carries by other joint controllers than the default one, by worse encoders, of a stiff beam."""
LOOSE = 'bimanual.leash=5000'
"""They follow less exactly: such a leash does not stop them."""
SHORTER = 'plant.object.length=0.078'
"""Palms that go 1 mm beyond the known ends of such a beam just touch it: it has to be sought."""
AFTER = 0.7
"""Time after a stop or a fault that is looked at [s]."""
AIM = 0.25
"""Time in which the internal force shall die away, if it can [s]."""
SHARES = tuple(0.1 * k for k in range(9, 0, -1))
"""Shares of the speeds at a stop at which both arms are compared."""
CLEARLY = 0.8
"""Part of a share that an arm must come below, for that share to count."""
BRAKING = 0.25
"""Time in which brakes take an arm to its least speed [s]; later it may creep."""
HELD = 2.0
"""Internal force at the end below which the object is not held [N]."""
FALLEN = 50.0
"""Way down at which an object has been dropped, and not only slipped [mm]: nearly a palm."""
TURN = 25.0
"""Angle by which the object may be turned away [mrad]: 1 mm at the ends of its 80 mm."""

RUN_LIMITS = {
    'hold_settling_s': Limit(at_most=0.5),
    # Palms only press, so that no force is below 0: hands that lost the beam read exactly that.
    'hold_least_n': Limit(at_least=TOUCH_FORCE),
    'uneven_settling_s': Limit(at_most=0.5),
    'free_desired_rad': Limit(at_most=1e-12),
    'free_true_rad': Limit(at_most=1e-12),
    'carry_squeeze_error_n': Limit(at_most=1.0),
    'carry_path_error_mm': Limit(at_most=1.0),
    'carry_turn_error_mrad': Limit(at_most=TURN),
    'grip_squeeze_error_n': Limit(at_most=1.0),
    'grip_path_error_mm': Limit(at_most=1.0),
    'grip_turn_error_mrad': Limit(at_most=TURN),
    'ungripped_fallen_mm': Limit(at_least=FALLEN),
    'stop_noticed_ms': Limit(at_most=10.0),
    'stop_behind_ms': Limit(at_most=10.0),
    'stop_force_n': Limit(at_most=40.0),
    'stop_dropped': Limit(at_most=0.0),
    'bump_noticed_ms': Limit(at_most=10.0),
    'bump_behind_ms': Limit(at_most=10.0),
    'bump_force_n': Limit(at_most=40.0),
    'bump_dropped': Limit(at_most=0.0),
    'fault_force_n': Limit(at_most=40.0),
    'fault_dropped': Limit(at_most=0.0),
}
"""What issue 7 asks for."""

Row = dict[str, Any]


class BimanualCase(msgspec.Struct, frozen=True):
    """One run to measure, in the way of its ``part``.

    :ivar label: what its row is called: runs with the same one are one row, of the worst.
    :ivar at: when something happens to an arm [s].
    :ivar arm: index of that arm.
    """

    part: str
    label: str
    scenario: str
    settings: tuple[str, ...] = ()
    at: float = 0.0
    arm: int = 0


def run_cases(quick: bool) -> list[BimanualCase]:
    """Return what is run.

    :param quick: one hold, and a carry that is cut short.
    """
    if quick:
        return [
            BimanualCase('hold', 'workerbot, K = 1e5', 'workerbot_hold'),
            BimanualCase('carry', 'workerbot, 0.5 s of it', 'workerbot_carry', ('duration=2',)),
        ]
    robots = ('workerbot', 'yumi')
    cases = [case for robot in robots for case in _holds(robot)]
    cases.append(BimanualCase('uneven', 'workerbot', 'workerbot_uneven'))
    for name in ('workerbot_uneven', 'workerbot_free'):
        cases.append(BimanualCase('free', name, name))
        cases += [
            BimanualCase('free', f'{name}, noise', name, (*NOISY, f'seed={seed}'))
            for seed in range(SEEDS)
        ]
    for robot in robots:
        cases += [
            BimanualCase('carry', robot, f'{robot}_carry', (f'seed={seed}',))
            for seed in range(SEEDS)
        ]
    cases += [
        BimanualCase('servo', f'workerbot, carry, {kind}', 'workerbot_carry', (*settings, LOOSE))
        for kind, settings in SERVOS.items()
    ]
    late = SERVOS['computed torque, 1 period late']
    cases += [
        BimanualCase(
            'servo',
            f'workerbot, hold, K = {stiffness}, computed torque, 1 period late',
            'workerbot_hold',
            (f'plant.object.stiffness={stiffness}', *late),
        )
        for stiffness in STIFFNESSES
    ]
    grip, off = 'workerbot_grip', ('bimanual.force_control=false',)
    cases += [
        BimanualCase('grip', 'force control', grip, (f'seed={seed}',)) for seed in range(SEEDS)
    ]
    cases.append(BimanualCase('grip', 'force control, 2 mm too short', grip, (SHORTER,)))
    cases.append(BimanualCase('ungripped', 'no force control', grip, off))
    end = f'duration={BUMP + AFTER}'
    cases += [
        BimanualCase(
            'bump', 'workerbot, left elbow', 'workerbot_bump', (end, f'seed={seed}'), BUMP
        )
        for seed in range(SEEDS)
    ]
    for robot in robots:
        cases += _stops(robot) + _faults(robot)
    return cases


def _holds(robot: str) -> list[BimanualCase]:
    name = f'{robot}_hold'
    cases = []
    for stiffness in STIFFNESSES:
        label, beam = f'{robot}, K = {stiffness}', f'plant.object.stiffness={stiffness}'
        cases.append(BimanualCase('hold', label, name, (beam,)))
        cases += [
            BimanualCase('hold', f'{label}, noise', name, (beam, *NOISY, f'seed={seed}'))
            for seed in range(SEEDS)
        ]
    return cases


def _stops(robot: str) -> list[BimanualCase]:
    name = f'{robot}_carry'
    return [
        BimanualCase(
            'stop',
            f'{robot}, {tip} at {at:g} s',
            name,
            (f'plant.stops=[{{tip: {tip}, start: {at}}}]', f'duration={at + AFTER}'),
            at,
            arm,
        )
        for arm, tip in enumerate(load_scenario(name).robot.tips)
        for at in STOPS
    ]


def _faults(robot: str) -> list[BimanualCase]:
    name = f'{robot}_carry'
    return [
        BimanualCase(
            'fault',
            f'{robot}, {tip} {kind}',
            name,
            (
                f'plant.sensors.faults=[{{tip: {tip}, kind: {kind}, start: {FAULT}}}]',
                f'duration={FAULT + AFTER}',
            ),
            FAULT,
            arm,
        )
        for arm, tip in enumerate(load_scenario(name).robot.tips)
        for kind in ('lost', 'frozen')
    ]


def measure(case: BimanualCase) -> Row:
    """Run a case and return what is measured: a job of the benchmark."""
    return MEASURES[case.part](case)


def _run(case: BimanualCase) -> HandsRun:
    return run_hands(case.scenario, case.settings)


def _summary(case: BimanualCase) -> Row:
    """Return the summary of a completed run; empty for one that halted or diverged.

    The summary of a run that halted counts until then: it would look good.
    """
    run = _run(case)
    return run.summary if run.completed and run.halt is None else {}


def _hold(case: BimanualCase) -> Row:
    """Return how the internal force dies away.

    ``settling_s``: from the first contact until it is for good below 2 % of its peak, or, where
    the setpoint is above that, no farther from it; infinite where it is not. ``least_n``:
    from the contact on.
    """
    summary = _summary(case)
    settling = summary.get('internal_force_settling')
    return {
        'settling_s': np.inf if settling is None else settling,
        'aim_s': AIM,
        'peak_n': summary.get('internal_force_peak', np.inf),
        'least_n': summary.get('internal_force_least', -np.inf),
    }


def _free(case: BimanualCase) -> Row:
    """Return how far joints are from those without force control, until something is touched.

    Infinite where one of both runs diverged.
    """
    one = _run(case)
    other = run_hands(case.scenario, (*case.settings, 'bimanual.force_control=false'))
    if not (one.completed and other.completed):
        return {'free_s': 0.0, 'desired_rad': np.inf, 'true_rad': np.inf}
    free = min(_first_touch(one.squeeze), _first_touch(other.squeeze))
    apart = [
        float(np.abs(a[:free] - b[:free]).max())
        for a, b in ((one.desired, other.desired), (one.true, other.true))
    ]
    return {'free_s': free * one.period, 'desired_rad': apart[0], 'true_rad': apart[1]}


def _first_touch(squeeze: Array) -> int:
    touching = np.flatnonzero(np.abs(squeeze) > TOUCH_FORCE)
    return int(touching[0]) if touching.size else len(squeeze)


def _carry(case: BimanualCase) -> Row:
    """Return the largest errors while the object is moved; infinite if it was not, to the end."""
    summary = _summary(case)
    return {
        'squeeze_error_n': summary.get('squeeze_error_max', np.inf),
        'path_error_mm': 1e3 * summary.get('object_error_max', np.inf),
        'turn_error_mrad': 1e3 * summary.get('object_turn_error_max', np.inf),
    }


def _servo(case: BimanualCase) -> Row:
    """Return what is measured of a hold or a carry."""
    return (_hold if case.scenario.endswith('_hold') else _carry)(case)


def _ungripped(case: BimanualCase) -> Row:
    """Return how high the object was lifted, and how far it is below that at the end.

    Of a run that diverged neither: the place of the object is not known.
    """
    run = _run(case)
    if not run.completed:
        return {'lifted_mm': -np.inf, 'fallen_mm': -np.inf}
    height = 1e3 * run.object[:, 2]
    highest = float(height.max())
    return {'lifted_mm': highest - float(height[0]), 'fallen_mm': highest - float(height[-1])}


def _stop(case: BimanualCase) -> Row:
    """Return what the stop of an arm does: see ``steps_behind`` and ``_trouble``."""
    run = _run(case)
    if not run.completed:
        return {'behind_ms': np.inf, **_trouble(run, case.at)}
    at, braking = (round(time / run.period) for time in (case.at, BRAKING))
    behind = run.period * steps_behind(run.speeds, at, case.arm, braking)
    return {'behind_ms': 1e3 * behind, **_trouble(run, case.at)}


def steps_behind(speeds: Array, at: int, arm: int, braking: int) -> int:
    """Return how many steps the other arm comes to rest later than the one that stops.

    Each speed is taken as a share of what it was at the stop. A share counts as reached when the
    arm stays below it, until the one that stops is slowest; the largest delay of all shares. Of
    an arm that does not slow down it is the whole time.

    :param speeds: of both tips [m/s], shape ``(steps, 2)``.
    :param at: first step of the stop.
    :param arm: index of the one that stops.
    :param braking: steps in which its brakes make it slowest.
    """
    shares = speeds[at:] / speeds[at - 1]
    own, other = shares[:, arm], shares[:, 1 - arm]
    slowest = int(np.argmin(own[:braking]))
    counted = [share for share in SHARES if own[slowest] <= CLEARLY * share]
    return max(
        (_below(other, share, slowest) - _below(own, share, slowest) for share in counted),
        default=len(own),
    )


def _below(course: Array, share: float, until: int) -> int:
    """Return the number of steps after which a course stays below a share."""
    above = np.flatnonzero(course[: until + 1] > share)
    return int(above[-1]) + 1 if above.size else 0


def _trouble(run: HandsRun, at: float) -> Row:
    """Return what followed from a stop or a fault.

    ``noticed_ms``: from then until both arms halt; infinite where they do not, or did so before
    anything happened. ``force_n``: the largest internal force after it. ``dropped``: 1 where the
    hands press nothing in the end. ``slip_mm``: how far the object slipped between the
    hands by the end. Of a run that diverged all are as bad as possible.
    """
    if not run.completed:
        return {'noticed_ms': np.inf, 'force_n': np.inf, 'dropped': 1, 'slip_mm': np.inf}
    halt = run.halt
    first = round(at / run.period)
    before, after = (
        np.linalg.norm(run.object[step] - run.tips[step].mean(axis=0)) for step in (first, -1)
    )
    return {
        'noticed_ms': 1e3 * (halt[0] - at) if halt and halt[0] > at - run.period else np.inf,
        'force_n': float(run.squeeze[first:].max()),
        'dropped': int(run.squeeze[-1] < HELD),
        'slip_mm': 1e3 * float(after - before),
    }


def _fault(case: BimanualCase) -> Row:
    """Return what a sensor's fault does: see ``_trouble``."""
    return _trouble(_run(case), case.at)


MEASURES: dict[str, Callable[[BimanualCase], Row]] = {
    'hold': _hold,
    'uneven': _hold,
    'free': _free,
    'carry': _carry,
    'servo': _servo,
    'grip': _carry,
    'ungripped': _ungripped,
    'stop': _stop,
    'bump': _stop,
    'fault': _fault,
}
"""Part -> what is measured of a run."""
WORST_IS_LEAST = ('least_n', 'free_s', 'lifted_mm', 'fallen_mm')
"""Of which the least is the worst; of all else it is the largest."""


def run_rows(cases: Sequence[BimanualCase], found: Sequence[Row]) -> list[Row]:
    """Return a row for each label, with the worst of its runs."""
    rows: dict[tuple[str, str], Row] = {}
    for case, values in zip(cases, found, strict=True):
        row = rows.setdefault(
            (case.part, case.label), {'part': case.part, 'case': case.label, 'runs': 0}
        )
        row['runs'] += 1
        for name, value in values.items():
            worse = min if name in WORST_IS_LEAST else max
            row[name] = worse(row.get(name, value), value)
    return list(rows.values())


def run_figures(rows: Sequence[Row]) -> dict[str, float]:
    """Return the worst of all rows, for what has a limit."""
    figures = {}
    for figure in RUN_LIMITS:
        part, _, name = figure.partition('_')
        values = [float(row[name]) for row in rows if row['part'] == part and name in row]
        if values:
            figures[figure] = min(values) if name in WORST_IS_LEAST else max(values)
    return figures
