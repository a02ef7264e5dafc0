"""A planner of goals with all that it gave, and the limits that it must keep to."""

from __future__ import annotations

import numpy as np

from simloop_ros.core.values import NO_INPUTS, Array, JointState
from simloop_ros.goals.config import GoalLimits
from simloop_ros.goals.goal_planner import GoalPlanner
from simloop_ros.goals.motion_generator import MotionGenerator
from simloop_ros.planning.offline import Stay
from simloop_ros.robot.model import RobotModel

H = 0.004
LIMITS = GoalLimits()
ROUNDING = 1e-3  # of differences of positions, by h^3: 1e-15/6.4e-8 of 40 rad/s^3


class GoalRun:
    """A planner at rest at home, and every setpoint that it gave."""

    def __init__(self, model: RobotModel, generator: MotionGenerator):
        self.model = model
        self.generator = generator
        rest = JointState(model.home, np.zeros(model.n))
        self.planner = GoalPlanner(Stay(rest), generator)
        self.rows = [model.home] * 3

    def step(self, count: int = 1) -> None:
        """Take steps."""
        for _ in range(count):
            setpoint = self.planner.step(self.planner.expected, NO_INPUTS)
            self.rows.append(setpoint.position)

    def finish(self) -> None:
        """Take steps until the robot rests, and some more."""
        while not self.planner.at_end:
            self.step()
        self.step(5)

    @property
    def positions(self) -> Array:
        return np.array(self.rows)

    def states(self, goal_id: int) -> list[str]:
        """Return the states of a goal, one after the other."""
        return [change.state for change in self.planner.changes() if change.id == goal_id]

    def check_limits(self) -> None:
        """Check velocity, acceleration and jerk, as differences of the setpoints."""
        velocity = np.diff(self.positions, axis=0) / H
        acceleration = np.diff(velocity, axis=0) / H
        jerk = np.diff(acceleration, axis=0) / H
        assert (np.abs(velocity) <= (1.0 + ROUNDING) * self.generator.motion.velocity).all()
        assert np.abs(acceleration).max() <= (1.0 + ROUNDING) * LIMITS.acceleration
        assert np.abs(jerk).max() <= (1.0 + ROUNDING) * LIMITS.jerk
