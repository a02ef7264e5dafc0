"""How a tip speeds up and stops: laws that hold for every distance, limit and step."""

from __future__ import annotations

import math

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest

from simloop_ros.planning.config import OnlineConfig
from simloop_ros.planning.profiles import (
    ConstantAcceleration,
    JerkLimited,
    Profile,
    Travel,
    build_profile,
)

ROUNDING = 1e-12  # of sums of some thousand steps, relative to the largest number in them
RUCKIG_ROUNDING = 1e-8  # ruckig's own tolerance on positions, relative to the distance
COUPLE_OF_STEPS = 2.5  # the start, the switch and the end each fall between two steps
LONGEST = 20_000  # steps: more than any journey that is drawn here needs

# The same journeys every time: a failure is the code's, not the day's.
exhaustive = settings(max_examples=150, derandomize=True)


def exponents(low: float, high: float) -> st.SearchStrategy[float]:
    """Return numbers spread evenly over their logarithm."""
    return st.floats(low, high).map(lambda exponent: 10.0**exponent)


@st.composite
def journeys(draw: st.DrawFn) -> tuple[float, float, float, float]:
    """Return step, acceleration, largest velocity and distance, from one step to thousands.

    The velocity is drawn in units of ``a h`` and the distance in units of ``a h^2``.
    """
    h, a = draw(exponents(-4, -1)), draw(exponents(-2, 1))
    n = draw(exponents(-0.5, 2.3))
    u = draw(st.one_of(exponents(-3, 1.5), st.floats(0.0, 1.0).map(lambda f: n * (n + 500 * f))))
    return h, a, n * a * h, u * a * h * h


def run(profile: Profile, start: Travel) -> list[Travel]:
    """Return all travels from the start to rest at the goal."""
    travels = [start]
    while travels[-1].remaining or travels[-1].speed:
        travels.append(profile.advance(travels[-1]))
        assert len(travels) < LONGEST, 'never arrives'
    return travels


def columns(travels: list[Travel]) -> tuple[np.ndarray, np.ndarray]:
    return (
        np.array([travel.remaining for travel in travels]),
        np.array([travel.speed for travel in travels]),
    )


def trapezoid(d: float, a: float, v_max: float, t: np.ndarray) -> np.ndarray:
    """Return the way covered under constant acceleration, in continuous time."""
    v = min(v_max, math.sqrt(a * d))
    end, ramp = d / v + v / a, v / a
    return np.select(
        [t <= ramp, t <= end - ramp, t <= end],
        [0.5 * a * t**2, v * (t - 0.5 * ramp), d - 0.5 * a * (end - t) ** 2],
        d,
    )


@exhaustive
@given(journeys())
def test_stops_exactly_at_the_goal_and_stays(journey: tuple[float, ...]) -> None:
    h, a, v_max, d = journey
    profile = ConstantAcceleration(h, a, v_max)
    *_, before, last = run(profile, Travel(d))
    assert last == Travel(0.0, 0.0, -before.speed / h)
    assert profile.advance(last) == Travel(0.0)


@exhaustive
@given(journeys())
def test_obeys_its_limits_in_every_step(journey: tuple[float, ...]) -> None:
    h, a, v_max, d = journey
    remaining, speed = columns(run(ConstantAcceleration(h, a, v_max), Travel(d)))
    assert speed.max() <= v_max
    assert np.abs(np.diff(speed)).max() <= a * h * (1.0 + ROUNDING) + ROUNDING * v_max
    assert np.all(np.diff(remaining) <= 0.0)
    assert remaining.min() >= -ROUNDING * d
    assert speed.min() >= -ROUNDING * d / h


@exhaustive
@given(journeys())
def test_speed_is_the_way_covered_in_a_step(journey: tuple[float, ...]) -> None:
    h, a, v_max, d = journey
    remaining, speed = columns(run(ConstantAcceleration(h, a, v_max), Travel(d)))
    np.testing.assert_allclose(-np.diff(remaining), h * speed[1:], rtol=0, atol=ROUNDING * d)


@exhaustive
@given(journeys())
def test_takes_the_time_of_the_trapezoid(journey: tuple[float, ...]) -> None:
    """d/v + v/a with a plateau, 2 sqrt(d/a) without."""
    h, a, v_max, d = journey
    plateau = d >= v_max**2 / a
    expected = d / v_max + v_max / a if plateau else 2.0 * math.sqrt(d / a)
    # The last travel only tells that the tip has come to rest.
    duration = h * (len(run(ConstantAcceleration(h, a, v_max), Travel(d))) - 2)
    assert abs(duration - expected) <= COUPLE_OF_STEPS * h


@pytest.mark.parametrize(('d', 'v_max'), [(1.0, 1.0), (1.0, 0.2), (0.003, 1.0)])
def test_tends_to_the_trapezoid_with_the_step(d: float, v_max: float) -> None:
    """000, algorithm 1, is written for continuous time; half the step, half the difference."""
    a, errors = 0.1, []
    for h in (0.02, 0.01, 0.005):
        remaining, _ = columns(run(ConstantAcceleration(h, a, v_max), Travel(d)))
        t = h * np.arange(len(remaining))
        errors.append(np.abs(d - remaining - trapezoid(d, a, v_max, t)).max())
        assert errors[-1] <= COUPLE_OF_STEPS * h * min(v_max, math.sqrt(a * d))
    assert errors[2] < errors[1] < errors[0]


@exhaustive
@given(journeys(), st.sampled_from([-1e-12, 1e-12]))
def test_is_continuous(journey: tuple[float, ...], nudge: float) -> None:
    """Rounding in the distance, here a picometre, changes nothing that can be seen."""
    unseen = 1e-9
    h, a, v_max, d = journey
    profile = ConstantAcceleration(h, a, v_max)
    ways = [columns(run(profile, Travel(start)))[0] for start in (d, max(0.0, d + nudge))]
    length = max(map(len, ways))
    first, second = (np.pad(way, (0, length - len(way))) for way in ways)
    assert np.abs(first - second).max() <= unseen


@exhaustive
@given(journeys(), st.floats(0.0, 1.0))
def test_goes_on_from_a_speed(journey: tuple[float, ...], share: float) -> None:
    """A start from which stopping is possible, ``v^2/(2 a) <= d``, obeys the same limits."""
    h, a, v_max, d = journey
    start = Travel(d, share * min(v_max, math.sqrt(2.0 * a * d)))
    remaining, speed = columns(run(ConstantAcceleration(h, a, v_max), start))
    assert remaining[-1] == speed[-1] == 0.0
    assert speed.max() <= v_max
    assert np.abs(np.diff(speed)).max() <= a * h * (1.0 + ROUNDING) + ROUNDING * v_max
    assert remaining.min() >= -ROUNDING * d


@exhaustive
@given(journeys(), st.floats(1.0, 100.0))
def test_rather_brakes_harder_than_overshoots(journey: tuple[float, ...], excess: float) -> None:
    h, a, v_max, d = journey
    start = Travel(d, excess * math.sqrt(2.0 * a * d))
    remaining, speed = columns(run(ConstantAcceleration(h, a, v_max), start))
    assert remaining[-1] == speed[-1] == 0.0
    assert np.all(np.diff(remaining) <= 0.0)
    assert speed[1:].max() <= v_max


def test_at_the_goal_is_no_motion() -> None:
    assert ConstantAcceleration(0.01, 1.0, 1.0).advance(Travel(0.0)) == Travel(0.0)
    assert JerkLimited(0.01, 1.0, 1.0, 1.0).advance(Travel(0.0)) == Travel(0.0)


@settings(exhaustive, max_examples=60)
@given(journeys(), exponents(0.0, 3.0))
def test_jerk_limited_obeys_its_limits_and_arrives(
    journey: tuple[float, ...], periods_to_full_acceleration: float
) -> None:
    h, a, v_max, d = journey
    jerk = a / (periods_to_full_acceleration * h)
    travels = run(JerkLimited(h, a, v_max, jerk), Travel(d))
    remaining, speed = columns(travels)
    acceleration = np.array([travel.acceleration for travel in travels])
    assert travels[-1] == Travel(0.0)
    assert speed.max() <= v_max * (1.0 + RUCKIG_ROUNDING)
    assert np.abs(acceleration).max() <= a * (1.0 + RUCKIG_ROUNDING)
    assert np.abs(np.diff(acceleration)).max() <= jerk * h * (1.0 + 1e3 * RUCKIG_ROUNDING)
    assert remaining.min() >= -RUCKIG_ROUNDING * max(d, 1.0)
    # Between two steps the jerk is bounded, so the trapezoidal rule is off by j h^3/12 at most
    # with one jerk in the step, and by no more than j h^3/4 with changes of it.
    covered = 0.5 * h * (speed[1:] + speed[:-1])
    bound = 0.25 * jerk * h**3 + RUCKIG_ROUNDING * max(d, 1.0)
    assert np.abs(-np.diff(remaining) - covered)[:-1].max(initial=0.0) <= bound


def test_without_a_bound_on_jerk_the_two_profiles_take_the_same_time() -> None:
    h, a, v_max, d = 0.01, 0.5, 0.25, 1.0
    bang_bang = d / v_max + v_max / a
    steps = len(run(JerkLimited(h, a, v_max, 1e6), Travel(d))) - 1
    assert h * steps == pytest.approx(bang_bang, abs=COUPLE_OF_STEPS * h)
    slow = len(run(JerkLimited(h, a, v_max, 1.0), Travel(d))) - 1
    # Jerk j delays each end by a/(2 j): two ends of two ramps.
    assert h * slow == pytest.approx(bang_bang + a / 1.0, abs=COUPLE_OF_STEPS * h)


def test_the_configuration_says_which() -> None:
    assert isinstance(build_profile(OnlineConfig(), 0.01), ConstantAcceleration)
    jerky = OnlineConfig(profile='jerk_limited')
    assert isinstance(build_profile(jerky, 0.01), JerkLimited)
