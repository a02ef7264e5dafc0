"""The end of a run on a driver that holds its last command for ever: the robot stays."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.core.values import Array
from simloop_ros.drivers.config import DriverContract, FaultConfig
from simloop_ros.drivers.stand_in import StandIn
from simloop_ros.plants.config import Friction, PlantConfig
from simloop_ros.robot.fit_robot import load_fit_robot
from simloop_ros.ros.messages.joint_state import DecodedJointState
from simloop_ros.ros.messages.stamps import stamp_of
from simloop_ros.ros.pacing.config import DriverConfig, GraphConfig
from simloop_ros.ros.pacing.driver_pace import RealtimeDriver
from simloop_ros.ros.pacing.driver_robot import build_driven_robot
from simloop_ros.safety.config import SafetyConfig, StopKind
from simloop_ros.scenario.robot_files import robot_config

H = 0.005  # s
EPOCH = 1_700_000_000 * 10**9
LWR = load_fit_robot(robot_config('lwr'))
GOAL = np.array([0.3, -0.2, 0.2, 0.3, -0.2, 0.2, 0.1])  # rad from home
MOTION = 2.0  # s
STIFFNESS = 30.0  # of control [rad/s]
LOAD = 2.0  # kg, that nobody knows
NOISE = {'noise': 1e-5, 'resolution': 1e-5}
FRICTION = Friction(
    coulomb=1.0, viscous=1.0
)  # without it no arm stays under an effort that stands
AFTER = 3.0  # time after the end [s]
STAYS = 2e-3  # m in that time: nothing holds the arm but an effort that stands
SINKS = 0.1  # m in that time without the effort of the load


class Run:
    """A run on a stand-in, and its end: control, follower, driver and robot."""

    def __init__(
        self,
        payload: float = 0.0,
        *,
        gravity_handled: bool = False,
        guided: bool = False,
        stop: StopKind = 'path',
        bias: float = 0.0,
    ):
        gravity = 'robot' if gravity_handled else 'command'
        contract = DriverContract(
            description='',
            takes='effort',
            command_topic='commands',
            rate=1.0 / H,
            gravity=gravity,
            effort='torque',
        )
        plant = PlantConfig(**NOISE, friction=FRICTION, mass_bias=bias)
        faults, rng = FaultConfig(payload=payload), np.random.default_rng(1)
        self.real = StandIn(contract, LWR, plant, faults, rng)
        driver = DriverConfig(topic='commands', gravity_handled=gravity_handled, guided=guided)
        self.sent: list[Array] = []
        safety = SafetyConfig(stop=stop, hold_frequency=STIFFNESS).resolved(real=True)
        self.robot = build_driven_robot(LWR, H, safety, driver, 100.0, self._send)
        graph = GraphConfig(period=H, realtime=True)
        self.pace = RealtimeDriver(self, graph, lambda: 20, clock=lambda: self.now)
        self.now = self.step = 0
        self.hand: Array = np.zeros(3)  # at the tip, in the world [N]
        self.before = self.real.position

    def _send(self, command: Array) -> None:
        self.sent.append(command)
        self.real.take(command)

    # What the pace uses

    def accepts(self, effort: Array, age: float) -> bool:
        self.robot.check(effort, age)
        return True

    def engage(self, reason: str) -> None:
        self.robot.engage(reason)

    hold = engage

    # What happens

    @property
    def tip(self) -> Array:
        return LWR.tip_positions(self.real.position)[0]

    @property
    def gravity(self) -> Array:
        data = LWR.pin_model.createData()
        return pin.computeGeneralizedGravity(LWR.pin_model, data, self.real.position).copy()

    def period(self, *, commands: bool, states: bool = True) -> None:
        """Let a period pass."""
        stamp = EPOCH + stamp_of(self.step, H)
        self.pace.watch()
        if states:
            self.pace.measured(DecodedJointState(stamp, self.real.state().position))
        if commands:
            self._command(stamp)
        jacobian = pin.computeFrameJacobian(
            LWR.pin_model,
            LWR.pin_model.createData(),
            self.real.position,
            LWR.frame(LWR.tips[0]),
            pin.ReferenceFrame.LOCAL_WORLD_ALIGNED,
        )
        self.before = self.real.position
        self.real.step(jacobian[:3].T @ self.hand)
        self.step += 1
        self.now += stamp_of(1, H)

    def _command(self, stamp: int) -> None:
        s = np.clip(((self.step + 1) * H - 0.5) / MOTION, 0.0, 1.0)
        desired = LWR.home + (10 * s**3 - 15 * s**4 + 6 * s**5) * GOAL
        q = self.real.position
        v = (q - self.before) / H
        a = STIFFNESS**2 * (desired - q) - 2.0 * STIFFNESS * v
        effort = pin.rnea(LWR.pin_model, LWR.pin_model.createData(), q, v, a)
        self.pace.command(DecodedJointState(stamp, desired, effort=effort.copy()))

    def move(self, seconds: float) -> None:
        """Let control move the robot, or hold it."""
        for _ in range(round(seconds / H)):
            self.period(commands=True)

    def end(self) -> float:
        """End the process of the follower; return how long that took [s]."""
        begin = self.step
        while not self.pace.leave():
            self.period(commands=False)
        self.pace.stand()
        return (self.step - begin) * H

    def left_alone(self) -> float:
        """Return how far the tip has gone some time later [m], under what the driver holds."""
        at, last = self.tip, len(self.sent)
        for _ in range(round(AFTER / H)):
            self.real.step()
        assert len(self.sent) == last
        assert (np.abs(self.sent) <= LWR.effort_limit).all()
        return float(np.linalg.norm(self.tip - at))

    @property
    def beyond_gravity(self) -> Array:
        """Return what the driver holds, without the gravity of the model [N m]."""
        handled = self.robot._handled
        return self.sent[-1] + handled - self.gravity


@pytest.mark.parametrize('gravity_handled', [False, True])
def test_a_load_that_nobody_knows_does_not_sink(gravity_handled: bool) -> None:
    run = Run(LOAD, gravity_handled=gravity_handled)
    run.move(4.0)
    assert run.end() < 1.5
    assert run.left_alone() < STAYS
    assert not run.real.fault


def test_without_that_effort_it_would_sink() -> None:
    """What the tests here are worth."""
    run = Run(LOAD, guided=True)
    run.move(4.0)
    run.end()
    assert run.left_alone() > SINKS


def test_an_arm_that_is_heavier_than_its_model_does_not_sink() -> None:
    run = Run(bias=0.1)
    run.move(4.0)
    run.end()
    assert run.left_alone() < STAYS
    assert not run.real.fault


def test_a_loaded_arm_that_is_stopped_in_motion_is_held_where_it_comes_to_rest() -> None:
    """The process waits until it knows what the arm bears."""
    run = Run(LOAD)
    run.move(1.5)
    assert 1.0 < run.end() < 4.0
    assert run.left_alone() < STAYS
    assert not run.real.fault


@pytest.mark.parametrize('force', [(0.0, 30.0, 0.0), (30.0, 0.0, 0.0), (0.0, 0.0, 20.0)])
def test_a_hand_that_pushes_is_not_held_against(force: tuple[float, float, float]) -> None:
    """It lets go one day, and nobody looks after the robot then."""
    run = Run()
    run.move(1.5)
    run.hand = np.array(force)
    run.move(3.5)
    run.end()
    assert np.abs(run.beyond_gravity).max() < 0.2  # N m, by the noise of the encoders
    run.hand = np.zeros(3)
    assert run.left_alone() < STAYS
    assert not run.real.fault


def test_a_hand_that_leans_on_an_arm_at_rest_is_not_held_against() -> None:
    run = Run()
    run.move(4.0)
    run.hand = np.array([0.0, 0.0, -20.0])
    run.move(2.0)
    run.end()
    assert run.left_alone() < STAYS
    assert not run.real.fault


def test_a_contact_that_is_reported_is_not_held_against() -> None:
    run = Run()
    run.move(1.5)
    run.hand = np.array([0.0, 0.0, -20.0])
    run.robot.feel(True)
    run.move(3.5)
    run.end()
    assert run.left_alone() < STAYS
    assert not run.real.fault


def test_an_arm_that_shall_be_moved_away_or_is_not_seen_gets_gravity_alone() -> None:
    damped = Run(LOAD, stop='damp')
    damped.move(4.0)
    damped.engage('a test')
    damped.pace.stand()
    unseen = Run(LOAD)
    unseen.move(4.0)
    for _ in range(4):
        unseen.period(commands=False, states=False)
    unseen.pace.stand()
    for run in (damped, unseen):
        assert np.abs(run.beyond_gravity).max() < 0.2
