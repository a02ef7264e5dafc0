"""Tolerances of joints: what is within, what is beyond, and how it is said."""

from __future__ import annotations

import numpy as np
import pytest

from simloop_ros.core.values import JointState
from simloop_ros.goals.tolerance import JointTolerances, chosen_joints, difference

JOINTS = ('a', 'b')
REST = np.zeros(2)


def test_errors_up_to_the_tolerance_are_allowed_in_both_directions() -> None:
    tolerances = JointTolerances((0.1, np.inf), (np.inf, 0.5))
    for sign in (1.0, -1.0):
        just = JointState(sign * np.array([0.1, 9.0]), sign * np.array([9.0, 0.5]))
        assert tolerances.violation(JOINTS, just) == ''
        beyond = JointState(sign * np.array([0.11, 9.0]), REST)
        assert tolerances.violation(JOINTS, beyond).startswith('a has a position error of ')
        fast = JointState(REST, sign * np.array([9.0, 0.51]))
        assert tolerances.violation(JOINTS, fast).startswith('b has a velocity error of ')


def test_the_joint_that_is_furthest_beyond_is_named() -> None:
    tolerances = JointTolerances((0.1, 0.2), (np.inf, np.inf))
    text = tolerances.violation(JOINTS, JointState(np.array([0.15, -0.4]), REST))
    assert text == 'b has a position error of -0.4, 0.2 is allowed'


def test_joints_without_tolerances_may_be_anywhere() -> None:
    anywhere = JointTolerances.none(2)
    assert anywhere.violation(JOINTS, JointState(np.array([1e9, -1e9]), REST)) == ''


def test_an_error_that_is_no_number_is_not_within() -> None:
    tolerances = JointTolerances((0.1, 0.1), (np.inf, np.inf))
    assert tolerances.violation(JOINTS, JointState(np.array([0.0, np.nan]), REST))


def test_the_error_is_what_is_missing_to_the_desired_state() -> None:
    actual = JointState(np.array([0.3, 0.1]), np.array([0.2, 0.0]))
    desired = JointState(np.array([0.5, 0.0]), np.array([0.1, 0.0]))
    error = difference(desired, actual)
    assert actual.position + error.position == pytest.approx(desired.position)
    assert actual.velocity + error.velocity == pytest.approx(desired.velocity)


def test_joints_are_chosen_in_the_order_of_the_goal() -> None:
    state = JointState(np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0]))
    chosen = chosen_joints(state, [2, 0])
    assert (chosen.position.tolist(), chosen.velocity.tolist()) == ([3.0, 1.0], [6.0, 4.0])
