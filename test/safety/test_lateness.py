"""The budget of lateness: which level holds when, and how it is left."""

from __future__ import annotations

import pytest

from simloop_ros.safety.lateness import (
    LARGEST_AGE,
    LEVELS,
    MEMORY_TIME,
    RETURN_TIME,
    LatenessBudget,
)

H = 0.002  # s


def after(budget: LatenessBudget, ages: list[float]) -> str:
    for age in ages:
        budget.add(age)
    return budget.level.name


def test_what_is_in_time_costs_nothing() -> None:
    budget = LatenessBudget(0.001, H)
    assert after(budget, [0.0] * 1000) == 'normal'
    assert budget.lateness == 0.0


def test_the_mean_goes_to_the_age_with_its_time_constant() -> None:
    budget = LatenessBudget(1.0, H)
    after(budget, [1.0] * round(MEMORY_TIME / H))
    assert budget.lateness == pytest.approx((1.0 - 0.3679) * H, rel=0.01)


@pytest.mark.parametrize('level', LEVELS)
def test_each_level_begins_at_its_share(level: object) -> None:
    index = LEVELS.index(level)  # type: ignore[arg-type]
    share = LEVELS[index].share
    bearable = H / (1.05 * share) if share else 1.0
    assert after(LatenessBudget(bearable, H), [1.0] * 3000) == LEVELS[index].name


def test_one_long_pause_is_no_lateness() -> None:
    """Else a robot that a hand leads would be stopped by a single pause of 50 ms."""
    ages = [float(age) for age in range(1, 26)]
    assert after(LatenessBudget(0.0014, H), ages) == 'normal'
    assert LARGEST_AGE < 3.0


def test_levels_are_left_one_by_one_but_the_last_stays() -> None:
    budget = LatenessBudget(0.002, H)
    assert after(budget, [1.0] * 1000) == 'soft'
    seen = []
    for _ in range(round(4 * RETURN_TIME / H)):
        budget.add(0.0)
        if not seen or seen[-1] != budget.level.name:
            seen.append(budget.level.name)
    assert seen == ['soft', 'slow', 'normal']
    stopped = LatenessBudget(0.0005, H)
    assert after(stopped, [1.0] * 1000) == 'stop'
    assert after(stopped, [0.0] * 5000) == 'stop'


def test_a_level_is_not_left_while_it_is_late_now_and_then() -> None:
    budget = LatenessBudget(0.002, H)
    after(budget, [1.0] * 1000)
    for _ in range(2000):
        assert after(budget, [1.0, 0.0]) == 'soft'
