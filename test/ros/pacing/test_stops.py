"""A stop brakes a real robot and never lets it fall, whoever takes the efforts and the gravity.

Lanes: a driver that takes ``effort_command`` itself, and one behind ``robot_follower``, with and
without gravity of its own. Each with every ``safety.stop``.
"""

from __future__ import annotations

from typing import Any, get_args

import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.control.config import ControlConfig
from simloop_ros.control.control_simulation import ControlSimulation
from simloop_ros.core.errors import ConfigError
from simloop_ros.core.values import Array, JointState, Setpoint
from simloop_ros.loop.guarded_control import GuardedControl
from simloop_ros.plants.pinocchio_plant import PinocchioPlant
from simloop_ros.robot.model import RobotModel
from simloop_ros.ros.launch.wiring import WiringOptions, wire
from simloop_ros.ros.messages.effort_command import command_kind
from simloop_ros.ros.messages.joint_state import DecodedJointState
from simloop_ros.ros.messages.stamps import NANO, stamp_of
from simloop_ros.ros.pacing.config import DriverConfig, GraphConfig
from simloop_ros.ros.pacing.control_pace import RealtimeControl
from simloop_ros.ros.pacing.driver_pace import RealtimeDriver
from simloop_ros.ros.pacing.driver_robot import build_driven_robot
from simloop_ros.safety.config import SafetyConfig, StopKind
from simloop_ros.scenario.loading import load_scenario

H = 0.005  # s
EPOCH = 1_700_000_000 * NANO
SPEED = np.array([0.4, -0.3])
NOISE = 5e-6  # of an encoder of 20 bits [rad]
KINDS: tuple[StopKind, ...] = get_args(StopKind)
LANES: dict[str, DriverConfig | None] = {
    'effort_command': None,
    'follower': DriverConfig(topic='commands'),
    'follower, gravity handled': DriverConfig(topic='commands', gravity_handled=True),
}
STILL = 5e-3  # rad/s
FALL = 5e-3  # rad: drift in seconds of a robot that is stopped
LONGEST = {'path': 0.5, 'hold': 0.2, 'damp': 0.2}
"""Time at the first speed whose way a stop may take [s]: half of ``stop_time``, or some
``brake_time``, and what control is late by."""


class World:
    """Control, a planner of even motion, a driver that holds what it gets, and its robot."""

    def __init__(self, model: RobotModel, driver: DriverConfig | None, safety: SafetyConfig):
        self.model, self.driver, self.safety = model, driver, safety
        self.now = self.step = 0
        self.sent: list[Array] = []
        self.velocities: list[Array] = []
        self.moves = True
        self.load: Array = np.zeros(model.n)  # that the model does not know [N m]
        self.plant = PinocchioPlant(model, H)
        self.plant.start(JointState(model.home, np.zeros(model.n)))
        self._rng = np.random.default_rng(1)
        self._data = model.pin_model.createData()
        config = ControlConfig().resolved(noisy=True, realtime=True)
        graph = GraphConfig(period=H, realtime=True)
        self.control = GuardedControl(ControlSimulation(model, config, H), H, safety)
        self.pace = RealtimeControl(self, graph, lambda: safety, lambda: self.now)
        self.robot: Any = None
        if driver is not None:
            self.robot = build_driven_robot(
                model, H, safety, driver, config.bandwidth, self.sent.append
            )
            self.driver_pace = RealtimeDriver(
                self, graph, lambda: safety.timeout_periods(H), clock=lambda: self.now
            )

    # What the paces use

    def command(self, stamp: int, setpoint: Setpoint, age: float = 0.0) -> None:
        command = self.control.step(setpoint, age)
        kind = command_kind(setpoint, command, bool(self.control.stopped))
        message = DecodedJointState(stamp, setpoint.position, effort=command.effort, frame_id=kind)
        if self.driver is None:
            self.sent.append(command.effort)
        else:
            self.driver_pace.command(message)

    def publish_state(self, stamp: int, effort: Array) -> None: ...

    def stop_robot(self, reason: str) -> None:
        self.control.stop(reason)
        self.engage(reason)

    def request(self, topic: str, stamp: int) -> None: ...

    def accepts(self, effort: Array, age: float) -> bool:
        self.robot.check(effort, age)
        return True

    def engage(self, reason: str) -> None:
        if self.robot is not None:
            self.robot.engage(reason)

    hold = engage

    # What happens

    @property
    def gravity(self) -> Array:
        q = self.plant.truth.position
        return pin.computeGeneralizedGravity(self.model.pin_model, self._data, q).copy()

    def goal(self, step: int) -> Setpoint:
        """Return the setpoint of a step: even motion after a smooth start."""
        begin = 60
        x = min(1.0, max(0, step + 1) / begin)
        way = begin * (x**3 - 0.5 * x**4) + max(0, step + 1 - begin)
        speed = 3.0 * x**2 - 2.0 * x**3
        return Setpoint(self.model.home + H * way * SPEED, speed * SPEED)

    def run(self, seconds: float) -> None:
        for _ in range(round(seconds / H)):
            stamp = EPOCH + stamp_of(self.step, H)
            noise = self._rng.normal(scale=NOISE, size=self.model.n)
            message = DecodedJointState(stamp, self.plant.truth.position + noise)
            if self.driver is not None:
                self.driver_pace.watch()
                self.driver_pace.measured(message)
            if self.moves:
                goal = self.goal(self.step)
                self.pace.due = max(self.pace.due, 0) or stamp
                self.pace.desired(DecodedJointState(stamp, goal.position, goal.velocity))
            self.pace.due = min(self.pace.due, stamp - 1)
            self.pace.measured(message)
            effort = self.sent[-1] if self.sent else self.gravity
            if self.sent and self.driver is not None and self.driver.gravity_handled:
                effort = effort + self.gravity
            self.plant.step(effort - self.load)
            self.velocities.append(self.plant.truth.velocity)
            self.step += 1
            self.now += stamp_of(1, H)


@pytest.mark.parametrize('kind', KINDS)
@pytest.mark.parametrize('lane', LANES)
def test_a_stop_brakes_and_the_arm_stays(two_link: RobotModel, lane: str, kind: StopKind) -> None:
    world = World(two_link, LANES[lane], SafetyConfig(stop=kind))
    world.run(1.0)
    np.testing.assert_allclose(world.plant.truth.velocity, SPEED, rtol=0.05)
    begin = world.plant.truth.position
    world.stop_robot('a test')
    world.run(1.0)
    way = world.plant.truth.position - begin
    assert (np.abs(way) <= LONGEST[kind] * np.abs(SPEED)).all()
    np.testing.assert_allclose(world.velocities[-1], 0.0, atol=STILL)
    rest = world.plant.truth.position
    world.run(4.0)
    np.testing.assert_allclose(world.plant.truth.position, rest, rtol=0.0, atol=FALL)
    assert (np.abs(world.sent) <= two_link.effort_limit).all()


@pytest.mark.parametrize('lane', LANES)
def test_along_its_way_a_stop_is_as_soft_as_planned_with_a_load(
    two_link: RobotModel, lane: str
) -> None:
    safety = SafetyConfig()
    world = World(two_link, LANES[lane], safety)
    world.run(0.5)
    world.load = np.array([2.0, 1.0])
    world.run(1.0)
    world.stop_robot('a test')
    world.run(1.0)
    changes = np.diff(np.array(world.velocities[-round(1.0 / H) - 1 :]), axis=0) / H
    steepest = 1.5 / safety.stop_time * np.abs(SPEED)
    assert (np.abs(changes) <= 2.0 * steepest).all()


@pytest.mark.parametrize('lane', LANES)
def test_a_damped_arm_can_be_moved_away_and_a_held_one_not(
    two_link: RobotModel, lane: str
) -> None:
    ways = {}
    for kind in KINDS:
        world = World(two_link, LANES[lane], SafetyConfig(stop=kind))
        world.run(1.0)
        world.stop_robot('a test')
        world.run(1.0)
        rest = world.plant.truth.position
        world.plant.start(JointState(rest, np.array([0.3, 0.0])))  # a push
        world.run(1.0)
        ways[kind] = abs(world.plant.truth.position - rest).max()
    assert ways['damp'] > 2 * FALL
    assert max(ways['hold'], ways['path']) < FALL


def test_without_states_a_stopped_robot_is_asked_for_no_motion(two_link: RobotModel) -> None:
    """What braked it in the last state would drive it back from then on."""
    world = World(two_link, None, SafetyConfig())
    world.run(1.0)
    gravity = world.gravity
    for _ in range(60):
        world.now += stamp_of(1, H) // 2
        world.pace.watch()
    assert world.control.stopped.startswith('joint_states: no message')
    np.testing.assert_allclose(world.sent[-1], gravity, atol=0.1)


def test_the_place_to_rest_does_not_follow_the_robot(two_link: RobotModel) -> None:
    """It is what a robot reads that takes positions from ``effort_command``."""
    world = World(two_link, None, SafetyConfig())
    world.run(1.0)
    world.stop_robot('a test')
    rests = []
    for _ in range(200):
        world.run(H)
        rests.append(world.control.rest)
    steps = np.abs(np.diff(rests, axis=0))
    assert (steps <= 1.05 * H * np.abs(SPEED)).all()
    assert np.ptp(rests[-50:], axis=0).max() == 0.0


def test_who_compensates_gravity_is_told_where_it_counts() -> None:
    """A driver that takes ``effort_command`` gets it with gravity, in motion and at a stop."""
    scenario = load_scenario('step', ['robot=two_link', 'planner.move=[[0.1, 0, 0.1]]'])
    options = WiringOptions(realtime=True, simulated=False, gravity_handled=True)
    with pytest.raises(ConfigError, match='only with a driver_topic'):
        wire(scenario, options)
