"""A planner's node without ROS: goals in real time, planned as slowly as a test wants."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import numpy as np

from simloop_ros.assembly.motion import MotionSettings
from simloop_ros.core.values import NO_INPUTS, Array, JointState
from simloop_ros.goals.goal import AnyGoal
from simloop_ros.goals.goal_status import GoalStatus
from simloop_ros.robot.model import RobotModel
from simloop_ros.ros.messages.joint_state import DecodedJointState
from simloop_ros.ros.messages.stamps import stamp_of
from simloop_ros.ros.pacing.goal_queue import BackgroundGoals
from simloop_ros.ros.pacing.motion_guide import MotionGuide
from simloop_ros.ros.pacing.motion_hold import MotionHold
from simloop_ros.safety.config import SafetyConfig
from simloop_ros.scenario.loading import load_scenario

H = 0.005


class PlannerNode:
    """A planner's node whose background is as slow as the test wants.

    :ivar slowness: steps that the next plan takes; each later one ``growth`` times as many.
    :ivar rows: the setpoints that hold, by step.
    :ivar followed: goals of the action, of the same robot.
    :ivar push: by how much the robot is off its way [rad], shape ``(n,)``.
    """

    def __init__(self, model: RobotModel, slowness: int = 3, goals: tuple[AnyGoal, ...] = ()):
        scenario = load_scenario('irb120_rectangle', ['planner.kind=hold', f'period={H}'])
        settings = MotionSettings.of(scenario)
        self.guide = MotionGuide(model, settings, SafetyConfig(), realtime=True)
        self.hold = MotionHold()
        self.guide.plan(model.home)
        self.goals = BackgroundGoals(self, goals, H)
        self.told: list[GoalStatus] = []
        self.goals.on_change = self.told.append
        self.followed = self.goals.followed
        self.push = np.zeros(model.n)
        self.slowness, self.growth = slowness, 1
        self.step = 0
        self.rows: dict[int, Array] = {}
        self._work: deque[tuple[int, Future[Any], Callable[[], Any]]] = deque()

    def in_background(self, call: Callable[[], Any]) -> Future[Any]:
        future: Future[Any] = Future()
        self._work.append((self.step + self.slowness, future, call))
        self.slowness *= self.growth
        return future

    def run(self, steps: int) -> None:
        """Take control states of a robot that follows."""
        for _ in range(steps):
            while self._work and self._work[0][0] <= self.step:
                _, future, call = self._work.popleft()
                try:
                    future.set_result(call())
                except Exception as error:
                    future.set_exception(error)
            stamp = stamp_of(self.step, H)
            here = self.rows.get(self.step - 1, self.guide.start)
            assert here is not None
            state = JointState(here, np.zeros_like(here))
            measured = here + self.push
            self.goals.take_state(DecodedJointState(stamp, measured, state.velocity))
            for point in self.guide.points(stamp, state, NO_INPUTS):
                self.goals.take_setpoint(point.stamp, point.setpoint)
                self.rows[round(point.stamp / stamp_of(1, H))] = point.setpoint.position
            self.step += 1

    @property
    def positions(self) -> Array:
        return np.array([self.rows[step] for step in range(self.step)])

    def states(self, number: int) -> list[str]:
        return [status.state for status in self.told if status.id == number]

    def check_limits(self) -> None:
        acceleration = np.diff(self.positions, 2, axis=0) / H**2
        jerk = np.diff(self.positions, 3, axis=0) / H**3
        assert np.abs(acceleration).max() <= 4.0 * 1.001
        assert np.abs(jerk).max() <= 40.0 * 1.001
