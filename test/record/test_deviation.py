"""How far the robot was from its setpoints, and which joints were at their limits."""

from __future__ import annotations

import numpy as np
import pytest

from simloop_ros.record.columns import COLUMNS, DESIRED_POSITION, EFFORT, TRUE_POSITION
from simloop_ros.record.deviation import largest_deviation, most_limited
from simloop_ros.record.log import LogArray
from simloop_ros.robot.model import RobotModel

ROWS = 5000  # more than a block
BOUND = 0.005


def rows_at_home(robot: RobotModel) -> np.ndarray:
    rows = np.zeros((ROWS, len(COLUMNS), robot.n))
    rows[:, DESIRED_POSITION] = rows[:, TRUE_POSITION] = robot.home
    return rows


def test_the_largest_deviation_is_found_wherever_it_is(robot: RobotModel) -> None:
    rows = rows_at_home(robot)
    rng = np.random.default_rng(0)
    rows[:, TRUE_POSITION] += rng.normal(0.0, 1e-4, (ROWS, robot.n))
    assert largest_deviation(robot, LogArray(rows), BOUND) is None
    rows[4321, TRUE_POSITION] += 0.3
    rows[17, TRUE_POSITION] += 0.1
    found = largest_deviation(robot, LogArray(rows), BOUND)
    assert found is not None
    assert found.row == 4321
    tips = [
        robot.tip_positions(rows[4321, column]) for column in (DESIRED_POSITION, TRUE_POSITION)
    ]
    assert found.distance >= np.linalg.norm(tips[1] - tips[0], axis=1).max() > BOUND


def test_a_joint_that_moves_no_tip_counts_too(yumi: RobotModel) -> None:
    """An elbow that is pushed aside while the hand stays."""
    rows = rows_at_home(yumi)
    rows[3, TRUE_POSITION, 1] += 0.1
    assert largest_deviation(yumi, LogArray(rows), BOUND) is not None


def test_the_joint_most_often_at_its_limit_is_named(two_link: RobotModel) -> None:
    rows = rows_at_home(two_link)
    assert most_limited(two_link, LogArray(rows)) is None
    rows[4500:4600, EFFORT, 1] = -two_link.effort_limit[1]
    rows[100, EFFORT, 0] = two_link.effort_limit[0]
    found = most_limited(two_link, LogArray(rows))
    assert found is not None
    assert (found.name, found.first, found.steps) == (two_link.joint_names[1], 4500, 100)


def test_an_effort_below_its_limit_is_not_at_it(two_link: RobotModel) -> None:
    rows = rows_at_home(two_link)
    rows[:, EFFORT] = 0.999 * two_link.effort_limit
    assert most_limited(two_link, LogArray(rows)) is None


@pytest.mark.parametrize('value', [np.nan, np.inf])
def test_a_log_that_ran_away_does_not_fail(two_link: RobotModel, value: float) -> None:
    rows = rows_at_home(two_link)
    rows[-1, TRUE_POSITION] = value
    with np.errstate(invalid='ignore'):
        largest_deviation(two_link, LogArray(rows), BOUND)
