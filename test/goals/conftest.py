"""A robot for goals."""

from __future__ import annotations

from goal_run import LIMITS, GoalRun, H
import pytest

from simloop_ros.goals.motion_generator import MotionGenerator
from simloop_ros.robot.fit_robot import load_fit_robot
from simloop_ros.robot.model import RobotModel
from simloop_ros.scenario.robot_files import robot_config


@pytest.fixture(scope='session')
def irb120() -> RobotModel:
    return load_fit_robot(robot_config('irb120'))


@pytest.fixture(scope='session')
def irb120_generator(irb120: RobotModel) -> MotionGenerator:
    return MotionGenerator(irb120, LIMITS, H, irb120.home)


@pytest.fixture
def run(irb120: RobotModel, irb120_generator: MotionGenerator) -> GoalRun:
    return GoalRun(irb120, irb120_generator)
