"""A guided joint never leaves its range, speed or acceleration, and is left alone otherwise."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np

from simloop_ros.core.values import JointState
from simloop_ros.guiding.limits import Compliant, MotionLimits

ROUNDING = 1e-12
LOWER, UPPER = np.array([-0.4]), np.array([0.6])
exhaustive = settings(max_examples=200, derandomize=True)


def limits(
    h: float, acceleration: float = 10.0, speed: float = 2.0, time: float = 0.1
) -> MotionLimits:
    return MotionLimits(LOWER, UPPER, np.array([speed]), acceleration, time, h)


@exhaustive
@given(
    st.lists(st.floats(-200.0, 200.0), min_size=3, max_size=60),
    st.floats(0.0005, 0.02),
    st.floats(1.0, 50.0),
    st.floats(0.1, 5.0),
    st.floats(0.001, 0.3),
)
def test_whatever_is_wanted_the_limits_hold(
    pushes: list[float], h: float, a: float, v: float, time: float
) -> None:
    """Each acceleration is wanted for ten steps, from the middle of the range."""
    guard = limits(h, a, v, time)
    joints = JointState(np.zeros(1), np.zeros(1))
    for push in np.repeat(pushes, 10):
        velocity = joints.velocity + h * push
        position = joints.position + 0.5 * h * (joints.velocity + velocity)
        acceleration = np.array([push])
        wanted = Compliant(position, velocity, acceleration)
        end = guard.apply(joints, wanted, acceleration)
        change = end.velocity - joints.velocity
        assert abs(end.acceleration[0]) <= a * (1.0 + ROUNDING)
        assert abs(change[0]) <= a * h * (1.0 + ROUNDING)
        assert abs(end.velocity[0]) <= v * (1.0 + ROUNDING)
        assert LOWER[0] - ROUNDING <= end.position[0] <= UPPER[0] + ROUNDING
        moved = end.position - joints.position
        mean = 0.5 * h * (joints.velocity + end.velocity)
        np.testing.assert_allclose(moved, mean, atol=1e-15 + ROUNDING * h * v)
        joints = JointState(end.position, end.velocity)


def test_far_from_all_limits_nothing_changes() -> None:
    guard = limits(0.002)
    wanted = Compliant(np.array([0.1]), np.array([0.5]), np.array([3.0]))
    end = guard.apply(JointState(np.array([0.099]), np.array([0.494])), wanted, np.array([3.0]))
    assert end is wanted


def test_a_joint_at_its_limit_leaves_the_others_alone() -> None:
    n = 3
    guard = MotionLimits(np.full(n, -1.0), np.full(n, 1.0), np.full(n, 2.0), 10.0, 0.1, 0.002)
    joints = JointState(np.array([0.0, 0.999, 0.0]), np.array([0.1, 0.01, -0.1]))
    wanted = Compliant(
        joints.position + 0.002 * joints.velocity, joints.velocity + 0.001, np.full(n, 0.5)
    )
    end = guard.apply(joints, wanted, np.full(n, 0.5))
    for now, before in (
        (end.position, wanted.position),
        (end.velocity, wanted.velocity),
        (end.acceleration, wanted.acceleration),
    ):
        assert now[[0, 2]].tobytes() == before[[0, 2]].tobytes()
    assert end.velocity[1] < joints.velocity[1]


def test_the_end_of_the_range_is_approached_exponentially() -> None:
    h, time = 0.002, 0.1
    guard = limits(h, time=time)
    joints = JointState(np.zeros(1), np.zeros(1))
    course = []
    for _ in range(2000):
        wanted = Compliant(joints.position + h, joints.velocity + 5.0 * h, np.array([5.0]))
        end = guard.apply(joints, wanted, np.array([5.0]))
        joints = JointState(end.position, end.velocity)
        course.append(float(end.position[0]))
    left = UPPER[0] - np.array(course)
    assert 0.0 <= left[-1] < 1e-6
    last = left[(left < 0.1) & (left > 1e-6)]
    np.testing.assert_allclose(last[1:] / last[:-1], time / (time + h), rtol=0.01)


def test_a_range_that_is_left_is_returned_to_without_a_jump() -> None:
    h = 0.002
    guard = limits(h)
    joints = JointState(np.array([1.7]), np.array([3.0]))
    for _ in range(5000):
        wanted = Compliant(joints.position + h * joints.velocity, joints.velocity, np.zeros(1))
        end = guard.apply(joints, wanted, np.zeros(1))
        assert abs(end.acceleration[0]) <= 10.0 * (1.0 + ROUNDING)
        assert -2.0 - ROUNDING <= end.velocity[0] <= 3.0
        joints = JointState(end.position, end.velocity)
    assert LOWER[0] <= joints.position[0] <= UPPER[0]
