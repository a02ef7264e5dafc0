"""The motion of a planner node, after a collision of two hands, and after a stop of a task."""

from __future__ import annotations

import msgspec
import numpy as np

from simloop_ros.assembly.motion import MotionSettings
from simloop_ros.bimanual.planner import BimanualPlanner
from simloop_ros.core.values import NO_INPUTS, ExternalInputs, JointState, Setpoint
from simloop_ros.maths.plan import Plan, PlanPoint
from simloop_ros.planning.offline import OfflinePlanner
from simloop_ros.robot.fit_robot import load_fit_robot
from simloop_ros.robot.model import RobotModel
from simloop_ros.ros.messages.stamps import stamp_of
from simloop_ros.ros.pacing.motion_guide import MotionGuide
from simloop_ros.ros.pacing.realtime_planner import RATE_TIME, RealtimePlanner
from simloop_ros.safety.config import SafetyConfig
from simloop_ros.scenario.loading import load_scenario
from simloop_ros.teaching.planner import TaskPlanner

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
        self.guide = MotionGuide(model, settings, SafetyConfig())
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


def test_a_slower_motion_is_the_same_way(two_link: RobotModel) -> None:
    """At half the rate the setpoints are those of half the time, with half the velocity."""
    period, stamp = 0.002, stamp_of(1, 0.002)
    way = np.sin(np.linspace(0.0, 3.0, 2000))[:, None] * np.array([0.1, -0.2])
    planner = OfflinePlanner(two_link.home + way, period)
    realtime, plan = RealtimePlanner(planner, period), Plan()
    rest = JointState(two_link.home, np.zeros(2))
    found = []
    for step in range(1500):
        realtime.largest_rate = 0.5 if step >= 100 else 1.0
        for point in realtime.answer(step * stamp, rest):
            plan.add(point)
        setpoint = plan.at(step * stamp, 0.5)
        assert setpoint is not None
        found.append(setpoint)
    positions = np.array([setpoint.position for setpoint in found])
    planned = two_link.home + way
    np.testing.assert_allclose(positions[:90], planned[:90], atol=1e-12)
    # From full to half the rate within half of RATE_TIME, a quarter less of it is way.
    slowing = round(0.5 * RATE_TIME / period)
    lost = 0.25 * slowing + 0.5 * (1400 - 100 - slowing)
    place = 1400 - lost
    near = planned[int(place)] + (place % 1.0) * (planned[int(place) + 1] - planned[int(place)])
    np.testing.assert_allclose(positions[1400], near, atol=1e-3)
    speed = (positions[1400] - positions[1398]) / (2 * period)
    np.testing.assert_allclose(found[1400].velocity, speed, atol=2e-3)
    accelerations = np.diff(positions, 2, axis=0) / period**2
    bound = (
        np.abs(np.diff(planned, 2, axis=0)).max() / period**2
        + 2.0 * np.abs(np.diff(planned, axis=0)).max() / period / RATE_TIME
    )
    assert np.abs(accelerations).max() < 1.5 * bound


def test_a_motion_whose_rate_is_zero_rests(two_link: RobotModel) -> None:
    period, stamp = 0.002, stamp_of(1, 0.002)
    way = np.linspace(0.0, 1.0, 2000)[:, None] * np.ones(2)
    realtime = RealtimePlanner(OfflinePlanner(two_link.home + way, period), period)
    realtime.largest_rate = 0.0
    rest = JointState(two_link.home, np.zeros(2))
    for step in range(600):
        points = realtime.answer(step * stamp, rest)
    (last,) = points
    (again,) = realtime.answer(600 * stamp, rest)
    np.testing.assert_array_equal(last.setpoint.position, again.setpoint.position)
    assert not last.setpoint.velocity.any()
    assert again.stamp == 600 * stamp


def test_a_robot_that_gives_way_too_easily_is_damped_in_real_time() -> None:
    scenario = load_scenario('lwr_tcp', ['period=0.005'])
    model = load_fit_robot(scenario.robot)
    dampings = []
    for realtime, lateness in ((False, 'adapt'), (True, 'adapt'), (True, 'refuse')):
        safety = SafetyConfig(lateness=lateness)  # type: ignore[arg-type]
        guide = MotionGuide(model, MotionSettings.of(scenario), safety, realtime=realtime)
        guide.plan(model.home)
        state = JointState(model.home, np.zeros(model.n))
        for _ in range(2000):  # the damping goes to its new value step by step
            guide.setpoint(state, ExternalInputs(torque=np.zeros(model.n)))
        assert guide.motion is not None
        assert guide.motion.guided is not None
        dampings.append(guide.motion.guided.guidance.parameters.damping)
    np.testing.assert_allclose(dampings[1], 1.75 * dampings[0], rtol=1e-3)
    np.testing.assert_array_equal(dampings[2], dampings[0])


def test_two_hands_predict_how_they_come_to_rest_until_they_are_halted() -> None:
    robot, plan = Guided(), Plan()
    period = 0.001

    def go_on(steps: int, bump: float = 0.0) -> None:
        for _ in range(steps):
            robot.run(1, bump)
            stamp = stamp_of(go_on.__dict__.setdefault('step', 1), period)
            go_on.__dict__['step'] += 1
            expected = robot.planner.expected
            plan.add(PlanPoint(stamp, Setpoint(expected.position, expected.velocity)))
            for point in robot.guide.predicted(stamp):
                plan.add(point)

    go_on(300)
    assert plan.rests
    assert 0.5 < (plan.end - plan.last) / 1e9 < 0.6
    before = robot.planner.expected
    go_on(20)
    there = plan.at(plan.last + stamp_of(30, period), 0.5)
    go_on(30)
    assert there is not None
    way = np.abs(robot.planner.expected.position - before.position).max()
    assert np.abs(robot.planner.expected.position - there.position).max() < 0.02 * way
    while not robot.planner.halted:
        go_on(1, bump=45.0)
    assert not robot.planner.resting
    assert not plan.rests
    go_on(60)
    assert robot.planner.resting
    assert plan.rests  # where it is


def test_after_a_stop_a_task_goes_on_where_it_was() -> None:
    """The service start plans from where the robot was stopped, not the whole task again."""
    scenario = load_scenario('lwr_repeat', ['period=0.005'])
    model = load_fit_robot(scenario.robot)
    guide = MotionGuide(model, MotionSettings.of(scenario), SafetyConfig())
    guide.plan(model.home)
    whole = guide.motion.duration
    q = model.home
    for _ in range(300):
        q = guide.setpoint(JointState(q, np.zeros_like(q)), NO_INPUTS).position
    stopped = q + 0.02
    guide.take(guide.motion_from(stopped))
    first = guide.setpoint(JointState(stopped, np.zeros_like(q)), NO_INPUTS).position
    assert np.abs(first - stopped).max() < 1e-3
    planner = guide.motion.nominal
    assert whole - 300 * 0.005 < guide.motion.duration < whole - 0.5
    assert isinstance(planner, TaskPlanner)
    assert planner.place_near(q).share > 0.3
