"""No position reaches a robot faster than its joints may move."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest

from simloop_ros.core.errors import UnsafeCommandError
from simloop_ros.robot.model import RobotModel
from simloop_ros.safety.position_gate import PositionGate

H = 0.002
SPEED = np.array([2.0, 5.0])
ROUNDING = 1e-12


@pytest.fixture(scope='module')
def robot(shipped: Callable[[str], RobotModel]) -> RobotModel:
    """Two joints within 1 rad, of 2 and 5 rad/s."""
    return replace(shipped('two_link'), lower=-np.ones(2), upper=np.ones(2), velocity_limit=SPEED)


def test_a_motion_within_the_limits_passes_as_it_is(robot: RobotModel) -> None:
    gate = PositionGate(robot, H)
    gate.start(np.zeros(2))
    for k in range(100):
        position = np.array([1.9, -4.9]) * H * k
        np.testing.assert_allclose(gate.let_pass(position), position, rtol=0.0, atol=ROUNDING)


@given(
    st.lists(st.tuples(st.floats(-1e300, 1e300), st.floats(-3, 3), st.integers(1, 20)), min_size=1)
)
def test_whatever_comes_it_stays_within_speed_and_range(
    robot: RobotModel, wanted: list[tuple[float, float, int]]
) -> None:
    gate = PositionGate(robot, H)
    last = np.array([0.5, -1.0])
    gate.start(last)
    for a, b, periods in wanted:
        sent = gate.let_pass(np.array([a, b]), periods)
        assert (np.abs(sent - last) <= SPEED * H * periods + ROUNDING).all()
        assert (np.abs(sent) <= 1.0 + ROUNDING).all()
        last = sent


def test_a_jump_is_gone_to_at_the_speed_limit(robot: RobotModel) -> None:
    gate = PositionGate(robot, H)
    gate.start(np.zeros(2))
    sent = [gate.let_pass(np.array([0.4, 0.0]))[0] for _ in range(120)]
    np.testing.assert_allclose(sent[:100], 2.0 * H * np.arange(1, 101), atol=ROUNDING)
    assert sent[100:] == pytest.approx([0.4] * 20)


@pytest.mark.parametrize('bad', [np.nan, np.inf, -np.inf])
def test_a_number_that_is_none_is_refused_and_forgotten(robot: RobotModel, bad: float) -> None:
    gate = PositionGate(robot, H)
    gate.start(np.zeros(2))
    with pytest.raises(UnsafeCommandError, match='joint2'):
        gate.let_pass(np.array([0.0, bad]))
    np.testing.assert_array_equal(gate.last, 0.0)


def test_the_robot_has_to_be_somewhere_that_is_allowed(robot: RobotModel) -> None:
    gate = PositionGate(robot, H)
    with pytest.raises(UnsafeCommandError, match='where the robot is'):
        gate.let_pass(np.zeros(2))
    with pytest.raises(UnsafeCommandError, match=r'joint2 .* 1\.01'):
        gate.start(np.array([0.0, 1.01]))
    assert gate.last is None


def test_after_several_periods_it_may_go_several_times_as_far(robot: RobotModel) -> None:
    gate = PositionGate(robot, H)
    gate.start(np.zeros(2))
    np.testing.assert_allclose(gate.let_pass(np.ones(2), 7), 7.0 * H * SPEED, atol=ROUNDING)
    np.testing.assert_allclose(gate.let_pass(np.ones(2)), 8.0 * H * SPEED, atol=ROUNDING)
