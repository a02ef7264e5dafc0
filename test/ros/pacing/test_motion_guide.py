"""The motion of a planner node, after a collision of two hands."""

from __future__ import annotations

import msgspec
import numpy as np

from simloop_ros.assembly.motion import MotionSettings
from simloop_ros.bimanual.planner import BimanualPlanner
from simloop_ros.core.values import ExternalInputs, JointState
from simloop_ros.robot.fit_robot import load_fit_robot
from simloop_ros.ros.pacing.motion_guide import MotionGuide
from simloop_ros.scenario.loading import load_scenario

TASKS = (
    '{do: approach, path: cp, clearance: 0.008, durations: [1]}, '
    '{do: grasp, squeeze: 20, durations: [0.3]}'
)


class Guided:
    """A robot that is where it is wanted, and whose free hands may be bumped."""

    def __init__(self) -> None:
        scenario = load_scenario('workerbot_bump', [f'bimanual.tasks=[{TASKS}]'])
        model = load_fit_robot(scenario.robot)
        settings = msgspec.structs.replace(MotionSettings.of(scenario), noise=1e-6)
        self.guide = MotionGuide(model, settings, stop_time=0.5)
        self.guide.plan(model.home)
        self._rng = np.random.default_rng(0)
        self._q = model.home

    @property
    def planner(self) -> BimanualPlanner:
        assert isinstance(self.guide.planner, BimanualPlanner)
        return self.guide.planner

    def run(self, steps: int, bump: float = 0.0) -> None:
        """Go on for some steps; a hand that is bumped, by a force [N], is a collision."""
        for _ in range(steps):
            wrenches = 0.5 * self._rng.standard_normal((2, 6))
            wrenches[0, 2] += bump
            inputs = ExternalInputs(bump > 0.0, 'impact' if bump else 'none', wrenches=wrenches)
            state = JointState(self._q, np.zeros_like(self._q))
            self._q = self.guide.setpoint(state, inputs).position


def test_the_planner_is_the_one_that_leads_the_robot() -> None:
    """Also after the tasks were planned anew: what a node tells of its hands comes from it."""
    robot = Guided()
    old = robot.planner.snapshot().plan
    robot.run(200)
    robot.run(60, bump=45.0)
    assert robot.guide.reaction
    assert robot.planner.halted == 'collision'
    assert robot.guide.resume()
    robot.run(10)
    assert robot.planner.snapshot().plan is not old
    assert robot.planner.doing == 'task 1 (approach)'
    place = robot.planner.snapshot().place
    robot.run(10)
    assert robot.planner.snapshot().place > place
