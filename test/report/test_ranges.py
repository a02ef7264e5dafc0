"""Equal scales where joints are compared, and rounding that is told from results."""

from __future__ import annotations

import pytest

from simloop_ros.report.ranges import Extent, rounding_text, shared_ranges, without_side


def extent(low: float, high: float, unit: str = 'rad', arm: str = '') -> Extent:
    return Extent(low, high, unit, arm or f'{low} {high}')


def test_joints_of_similar_size_have_equal_heights_about_their_own_middles() -> None:
    first, second, small = shared_ranges(
        [extent(1.0, 2.0), extent(-0.3, 0.1), extent(0.0, 0.05)], same_limits=False
    )
    assert first.high - first.low == pytest.approx(second.high - second.low)
    assert first.low < 1.0 < 2.0 < first.high
    assert first.largest == second.largest == first.high  # one unit for both
    assert (second.low + second.high) / 2.0 == pytest.approx(-0.1)
    assert small.high - small.low < 0.1


def test_differences_of_similar_size_have_equal_limits() -> None:
    first, second, other = shared_ranges(
        [extent(-1.0, 0.0), extent(0.0, 0.4), extent(0.0, 0.4, 'm')], same_limits=True
    )
    assert first == second
    assert other.high < 0.5


def test_two_arms_are_compared_however_different_they_are() -> None:
    left, right, other = shared_ranges(
        [extent(0.0, 1.0, arm='a'), extent(0.0, 0.02, arm='a'), extent(0.0, 0.02, arm='b')],
        same_limits=True,
    )
    assert left == right
    assert other.high < 0.1


def test_a_joint_that_hardly_moves_is_a_flat_line() -> None:
    _, still = shared_ranges([extent(0.0, 1.0), extent(0.5, 0.5 + 1e-6)], same_limits=False)
    assert still.high - still.low > 0.009


@pytest.mark.parametrize(
    ('left', 'right'),
    [
        ('yumi_joint_1_l', 'yumi_joint_1_r'),
        ('left_s0', 'right_s0'),
        ('l_wrist_roll_joint', 'r_wrist_roll_joint'),
    ],
)
def test_the_side_of_a_joint_is_known_by_its_name(left: str, right: str) -> None:
    assert without_side(left) == without_side(right)
    assert without_side(left) != without_side('joint_2_r')


def test_rounding_is_told_by_the_scale_of_the_quantity() -> None:
    assert rounding_text(2.16e-15, 50.0, 'N m') == 'below 3e-15 N m: rounding'
    assert rounding_text(0.0, 50.0, 'N m') == '0 N m throughout'
    assert rounding_text(1e-6, 50.0, 'N m') is None
    # The least value of any quantity: a robot at rest at zero.
    assert rounding_text(1e-15, 1e-15, 'rad') == 'below 1e-15 rad: rounding'
