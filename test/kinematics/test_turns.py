"""Turns of a joint, against counting them out."""

from __future__ import annotations

import math

import numpy as np
import pytest

from simloop_ros.kinematics.turns import (
    TURN,
    JointRange,
    all_turns,
    nearest_turn,
    nearest_turns,
    share,
)
from simloop_ros.robot.urdf import UNBOUNDED

ROUND_OFF = 1e-9
EXACT = 1e-14  # some units in the last place of 7 rad


def counted(angle: float, lower: float, upper: float) -> list[float]:
    turns = (angle + TURN * k for k in range(-20, 21))
    return [turned for turned in turns if lower <= turned <= upper]


def test_nearest_turn_is_the_nearest_within_the_limits(rng: np.random.Generator) -> None:
    empty = 0
    for _ in range(500):
        angle, near = rng.uniform(-20.0, 20.0, 2)
        lower, upper = np.sort(rng.uniform(-9.0, 9.0, 2))
        expected = counted(angle, lower, upper)
        found = nearest_turn(angle, near, lower, upper)
        many = nearest_turns(*(np.array([value]) for value in (angle, near, lower, upper)))
        assert sorted(all_turns(angle, lower, upper)) == pytest.approx(expected)
        if not expected:
            empty += 1
            assert found is None
            assert np.isnan(many[0])
            continue
        best = min(expected, key=lambda turned: abs(turned - near))
        assert found == pytest.approx(best, abs=ROUND_OFF)
        assert many[0] == pytest.approx(best, abs=ROUND_OFF)
    assert 20 < empty < 480


def test_a_limit_is_met_in_spite_of_round_off() -> None:
    beyond = 2.5 + 1e-12
    assert nearest_turn(beyond, 0.0, -2.5, 2.5) == 2.5
    assert all_turns(beyond, -2.5, 2.5) == [2.5]
    assert nearest_turn(2.5 + 1e-6, 0.0, -2.5, 2.5) is None


def test_joint_without_ends_has_one_turn_for_all() -> None:
    assert all_turns(7.0, -UNBOUNDED, UNBOUNDED) == pytest.approx([7.0 - 2.0 * math.pi])
    assert nearest_turn(0.1, 1000.0, -UNBOUNDED, UNBOUNDED) == pytest.approx(
        0.1 + TURN * round(999.9 / TURN)
    )


@pytest.mark.parametrize('far', [1e3, 1e9, 1e17, 1e300])
def test_the_angle_is_not_lost_far_away(far: float) -> None:
    for near, expected in ((far, 0.5 + TURN), (-far, 0.5 - TURN)):
        assert nearest_turn(0.5, near, -7.0, 7.0) == pytest.approx(expected, abs=EXACT)
        many = nearest_turns(*(np.array([value]) for value in (0.5, near, -7.0, 7.0)))
        assert many[0] == pytest.approx(expected, abs=EXACT)


def test_sharing_begins_at_the_limit_of_a_joint_that_was_far_away() -> None:
    """Only the sum, 0.7, is determined: joint 4 goes to its end, joint 6 takes the rest."""
    shared = share(
        0.5, 0.2, 1.0, JointRange(1e15, -2.0, 2.0), JointRange(0.0, -UNBOUNDED, UNBOUNDED)
    )
    assert shared is not None
    assert shared.first == 2.0
    assert shared.last == pytest.approx(0.7 - 2.0)
