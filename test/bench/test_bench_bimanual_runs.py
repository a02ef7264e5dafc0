"""What is measured of two hands is what it says, and a bad run is seen."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from simloop_bench import bimanual_runs
from simloop_bench.bimanual_runs import (
    MEASURES,
    RUN_LIMITS,
    BimanualCase,
    measure,
    run_cases,
    run_figures,
    run_rows,
    steps_behind,
)
from simloop_bench.hands_run import HandsRun, run_hands
from simloop_ros.core.errors import SimloopError

PERIOD, STEPS, STOP = 0.001, 600, 200


def hands_run(**changes: Any) -> HandsRun:
    """Return a run that holds an object at rest with 20 N from step 50 on."""
    tips = np.zeros((STEPS, 2, 3))
    tips[:, 0, 1], tips[:, 1, 1] = 0.04, -0.04
    values: dict[str, Any] = {
        'period': PERIOD,
        'desired': np.zeros((STEPS, 4)),
        'true': np.zeros((STEPS, 4)),
        'tips': tips,
        'squeeze': np.where(np.arange(STEPS) < 50, 0.0, 20.0),
        'object': np.zeros((STEPS, 3)),
        'doing': ('task 1 (hold)',) * STEPS,
        'summary': {},
        'completed': True,
    }
    return HandsRun(**values | changes)


def arms(own: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return speeds: 0.3 and 0.2 m/s until the stop, then the given shares of them."""
    before = np.ones((STOP, 2))
    return np.concatenate((before, np.stack((own, other), axis=1))) * [0.3, 0.2]


@pytest.mark.parametrize('late', [0, 3, 25])
def test_an_arm_that_follows_later_is_behind_by_that(late: int) -> None:
    time = np.arange(STEPS - STOP)
    own = np.exp(-time / 50.0)
    speeds = arms(own, np.exp(-np.maximum(time - late, 0) / 50.0))
    assert steps_behind(speeds, STOP, 0, 250) == late
    assert steps_behind(speeds[:, ::-1], STOP, 1, 250) == late


def test_an_arm_that_speeds_up_again_has_not_stopped() -> None:
    time = np.arange(STEPS - STOP)
    own = np.exp(-time / 50.0)
    again = np.where((time > 60) & (time < 70), 0.55, own)
    # Below 0.5 its own arm is after 35 steps: 50 ln 2.
    assert steps_behind(arms(own, again), STOP, 0, 250) == 70 - 35


def test_an_arm_that_creeps_is_not_compared() -> None:
    time = np.arange(STEPS - STOP)
    own = np.maximum(np.exp(-time / 20.0), 0.001 * time)
    other = np.where(time < 100, own, 5.0 * own)
    assert steps_behind(arms(own, other), STOP, 0, 250) == 0


def test_an_arm_that_does_not_slow_down_is_seen() -> None:
    on = np.ones(STEPS - STOP)
    assert steps_behind(arms(on, on), STOP, 0, 250) == STEPS - STOP


def test_the_worst_run_of_a_case_is_its_row() -> None:
    cases = [
        BimanualCase('hold', 'a', 'x'),
        BimanualCase('hold', 'b', 'x'),
        BimanualCase('hold', 'a', 'x'),
    ]
    found = [
        {'settling_s': 0.1, 'least_n': 0.3},
        {'settling_s': 0.2, 'least_n': -0.1},
        {'settling_s': np.inf, 'least_n': 0.2},
    ]
    rows = run_rows(cases, found)
    assert rows == [
        {'part': 'hold', 'case': 'a', 'runs': 2, 'settling_s': np.inf, 'least_n': 0.2},
        {'part': 'hold', 'case': 'b', 'runs': 1, 'settling_s': 0.2, 'least_n': -0.1},
    ]
    assert run_figures(rows) == {'hold_settling_s': np.inf, 'hold_least_n': -0.1}


def test_every_limit_has_runs() -> None:
    parts = {case.part for case in run_cases(False)}
    assert parts == set(MEASURES)
    assert {figure.partition('_')[0] for figure in RUN_LIMITS} == parts - {'servo'}
    assert {case.part for case in run_cases(True)} <= parts


def test_motion_before_the_contact_is_compared_and_later_motion_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    desired, true = np.zeros((STEPS, 4)), np.zeros((STEPS, 4))
    desired[30, 2], true[20, 1] = 1e-9, -2e-9
    desired[50:], true[50:] = 1.0, 1.0
    runs = iter((hands_run(), hands_run(desired=desired, true=true)))
    asked = []

    def fake(name: str, settings: tuple[str, ...]) -> HandsRun:
        asked.append((name, settings))
        return next(runs)

    monkeypatch.setattr(bimanual_runs, 'run_hands', fake)
    row = measure(BimanualCase('free', 'x', 'workerbot_free'))
    assert row == {'free_s': 50 * PERIOD, 'desired_rad': 1e-9, 'true_rad': 2e-9}
    assert asked == [
        ('workerbot_free', ()),
        ('workerbot_free', ('bimanual.force_control=false',)),
    ]


@pytest.mark.parametrize(
    'changes', [{'doing': ('task 4 (move)', 'stopped: why')}, {'completed': False}]
)
def test_a_run_that_ended_early_is_no_good_one(
    monkeypatch: pytest.MonkeyPatch, changes: dict[str, Any]
) -> None:
    summary = {
        'internal_force_settling': 0.1,
        'internal_force_peak': 40.0,
        'internal_force_least': 0.5,
        'squeeze_error_max': 0.2,
        'object_error_max': 1e-5,
        'object_turn_error_max': 2e-3,
    }
    whole, cut = hands_run(summary=summary), hands_run(summary=summary, **changes)
    carry, hold = (
        BimanualCase('carry', 'x', 'workerbot_carry'),
        BimanualCase('hold', 'x', 'workerbot_hold'),
    )
    monkeypatch.setattr(bimanual_runs, 'run_hands', lambda *_: whole)
    assert measure(carry) == pytest.approx(
        {'squeeze_error_n': 0.2, 'path_error_mm': 0.01, 'turn_error_mrad': 2.0}
    )
    assert measure(hold)['least_n'] == 0.5
    monkeypatch.setattr(bimanual_runs, 'run_hands', lambda *_: cut)
    assert set(measure(carry).values()) == {np.inf}
    assert measure(hold)['settling_s'] == np.inf
    assert measure(hold)['least_n'] == -np.inf


@pytest.mark.parametrize('rows', [STEPS, 30])
@pytest.mark.parametrize('part', ['free', 'ungripped', 'stop', 'bump', 'fault'])
def test_a_run_that_diverged_meets_no_limit(
    monkeypatch: pytest.MonkeyPatch, part: str, rows: int
) -> None:
    """Even where all that it has looks well, or where it ended before anything happened."""
    fallen = np.linspace([0.0, 0.0, 0.5], [0.0, 0.0, 0.0], STEPS)
    arms = {name: getattr(hands_run(), name)[:rows] for name in ('desired', 'true', 'tips')}
    run = hands_run(
        **arms,
        squeeze=np.full(rows, 20.0),
        object=fallen[:rows],
        doing=(('task 4 (move)',) * STOP + ('stopped: why',) * (STEPS - STOP))[:rows],
        completed=False,
    )
    monkeypatch.setattr(bimanual_runs, 'run_hands', lambda *_: run)
    case = BimanualCase(part, 'x', 'workerbot_carry', at=STOP * PERIOD)
    figures = run_figures(run_rows([case], [measure(case)]))
    assert figures.keys() == {name for name in RUN_LIMITS if name.startswith(f'{part}_')}
    for name, value in figures.items():
        limit = RUN_LIMITS[name]
        assert limit.at_most is None or value > limit.at_most
        assert limit.at_least is None or value < limit.at_least


def test_hands_that_lost_the_beam_for_a_step_do_not_hold_it() -> None:
    least = RUN_LIMITS['hold_least_n'].at_least
    assert least is not None
    assert 0.0 < least < 1e-6  # N: any grip at all is more


def test_trouble_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    doing = ('task 4 (move)',) * (STOP + 7) + ('stopped: why',) * (STEPS - STOP - 7)
    squeeze = np.full(STEPS, 20.0)
    squeeze[100], squeeze[STOP + 20] = 90.0, 31.0
    held = hands_run(doing=doing, squeeze=squeeze)
    dropped = hands_run(
        squeeze=np.where(np.arange(STEPS) < 300, squeeze, 0.0),
        object=np.linspace([0.0, 0.0, 0.0], [0.0, 0.0, -0.3], STEPS),
    )
    early = hands_run(doing=('stopped: why',) * STEPS, squeeze=squeeze)
    case = BimanualCase('fault', 'x', 'workerbot_carry', at=STOP * PERIOD)
    for run, noticed, falls in (
        (held, pytest.approx(7.0), 0),
        (early, np.inf, 0),
        (dropped, np.inf, 1),
    ):
        monkeypatch.setattr(bimanual_runs, 'run_hands', lambda *_, run=run: run)
        row = measure(case)
        assert row['noticed_ms'] == noticed
        assert row['force_n'] == 31.0
        assert row['dropped'] == falls
    assert row['slip_mm'] == pytest.approx(300.0 * (1.0 - STOP / (STEPS - 1)))


def test_an_object_has_fallen_from_where_it_was_highest(monkeypatch: pytest.MonkeyPatch) -> None:
    course = np.zeros((STEPS, 3))
    course[:, 2] = np.interp(np.arange(STEPS), (0, 300, 350, STEPS), (0.82, 0.92, 0.83, 0.83))
    case = BimanualCase('ungripped', 'x', 'workerbot_grip')
    monkeypatch.setattr(bimanual_runs, 'run_hands', lambda *_: hands_run(object=course))
    assert measure(case) == pytest.approx({'lifted_mm': 100.0, 'fallen_mm': 90.0})
    rows = run_rows([case, case], [{'fallen_mm': 90.0}, {'fallen_mm': 5.0}])
    assert run_figures(rows) == {'ungripped_fallen_mm': 5.0}


def test_a_run_of_something_else_is_refused() -> None:
    with pytest.raises(SimloopError, match='no scenario of two hands'):
        run_hands('sphere_step')
