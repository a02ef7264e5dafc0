"""The plant in lockstep and in real time: which command is applied when, and what brakes it."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.core.errors import SimloopError, UnsafeCommandError
from simloop_ros.core.values import Array, Disturbance, JointState
from simloop_ros.plants.pinocchio_plant import PinocchioPlant
from simloop_ros.robot.model import RobotModel
from simloop_ros.ros.messages.joint_state import DecodedJointState
from simloop_ros.ros.messages.stamps import stamp_of
from simloop_ros.ros.pacing.braked_plant import BrakedPlant, ExternalWrench
from simloop_ros.ros.pacing.config import GraphConfig
from simloop_ros.ros.pacing.plant_pace import MAX_CATCH_UP, LockstepPlant, RealtimePlant
from simloop_ros.ros.pacing.position_stream import PositionStream, StreamConfig
from simloop_ros.safety.brake import Brake
from simloop_ros.safety.config import SafetyConfig

H = 0.01  # s
PERIOD = stamp_of(1, H)
TIMEOUT = 5
EPOCH = 1_700_000_000 * 10**9
EFFORT = np.array([1.0, -0.5])


class Port:
    """A plant without a node; its gate is the real one."""

    def __init__(self, model: RobotModel):
        plant = PinocchioPlant(model, H)
        plant.start(JointState(model.home, np.zeros(model.n)))
        self.plant = BrakedPlant(plant, model, H, SafetyConfig(timeout=TIMEOUT))
        self.published: list[int] = []
        self.ages: list[float] = []

    @property
    def position(self) -> Array:
        return self.plant.plant.truth.position

    def accepts(self, effort: Array, age: float) -> bool:
        self.ages.append(age)
        try:
            self.plant.check(effort, age)
        except UnsafeCommandError as error:
            self.engage(str(error))
            return False
        return True

    def publish(self, stamp: int) -> None:
        self.published.append(stamp)

    def engage(self, reason: str) -> None:
        self.plant.engage(reason)


@pytest.fixture
def port(two_link: RobotModel) -> Port:
    return Port(two_link)


def command(stamp: int, effort: Array = EFFORT) -> DecodedJointState:
    return DecodedJointState(stamp, effort=effort)


def expected(model: RobotModel, efforts: list[Array]) -> Array:
    """Return where efforts take the bare plant."""
    plant = PinocchioPlant(model, H)
    plant.start(JointState(model.home, np.zeros(model.n)))
    for effort in efforts:
        plant.step(effort)
    return plant.truth.position


# Brakes


def test_brakes_act_from_the_first_reason_until_a_release(port: Port) -> None:
    plant = port.plant
    for _ in range(10):
        plant.step(EFFORT)
    moving = np.abs(plant.plant.truth.velocity).max()
    assert plant.engage('first')
    assert not plant.engage('second')
    assert (plant.engaged, plant.stops) == ('first', 1)
    assert plant.held is None
    for _ in range(200):
        plant.step(EFFORT)
    assert np.abs(plant.plant.truth.velocity).max() < 1e-3 * moving
    np.testing.assert_allclose(plant.held, port.position, atol=1e-3)
    plant.release()
    assert (plant.engaged, plant.stops, plant.held) == ('', 1, None)
    before = port.position
    plant.step(EFFORT)
    assert (port.position != before).any()
    plant.release('the robot does not follow')
    assert plant.engaged == 'the robot does not follow'


def test_a_late_command_after_a_release_does_not_pull_the_robot_back(port: Port) -> None:
    """What the brakes held at a stop is over once the robot moves again."""
    plant = port.plant
    plant.engage('test')
    for _ in range(5):
        plant.step(None)
    held = plant.held
    assert held is not None
    plant.release()
    for _ in range(3):
        plant.step(EFFORT)
    before = np.abs(port.position - held).max()  # so near that no effort limit lets it go
    for _ in range(100):
        plant.step(None)
    assert np.abs(port.position - held).max() >= before


def test_the_largest_effort_is_that_of_motors_and_brakes(port: Port, two_link: RobotModel) -> None:
    assert port.plant.effort_share == 0.0
    port.plant.step(EFFORT)
    port.plant.wrench.apply('tip', np.array([100.0, 0, 0, 0, 0, 0]))
    port.plant.step(0.5 * EFFORT)
    share = np.abs(EFFORT / two_link.effort_limit).max()
    assert port.plant.effort_share == share


def test_missed_periods_are_told_before_the_first_command_too(port: Port) -> None:
    """Else control takes a process that was busy at its start for a robot with another rate."""
    for _ in range(10):
        port.plant.wait()
    assert port.plant.take_applied().steps == 10
    port.plant.step(EFFORT)
    port.plant.step(3.0 * EFFORT)
    told = port.plant.take_applied()
    assert told.steps == 2
    np.testing.assert_allclose(told.effort, 2.0 * EFFORT)


def test_a_wrench_moves_the_plant(port: Port, two_link: RobotModel) -> None:
    port.plant.wrench.apply('tip', np.array([0.0, 0, 5, 0, 0, 0]))
    port.plant.step(EFFORT)
    assert (port.position != expected(two_link, [EFFORT])).any()


def test_brakes_do_not_know_a_push(port: Port, two_link: RobotModel) -> None:
    """They hold by the position alone: the robot gives way as it does without a sensor."""
    bare, brake = PinocchioPlant(two_link, H), Brake(two_link, H, SafetyConfig(timeout=TIMEOUT))
    push, wrench = ExternalWrench(two_link, H), np.array([0.0, 0, 5, 0, 0, 0])
    port.plant.engage('test')
    port.plant.wrench.apply('tip', wrench)
    push.apply('tip', wrench)
    for _ in range(5):
        port.plant.step(None)
        truth = bare.truth
        bare.step(brake.effort(truth), Disturbance(push.torque(truth.position)))
    assert np.abs(port.position - two_link.home).max() > 1e-6
    np.testing.assert_array_equal(port.position, bare.truth.position)


# Lockstep


def test_the_command_that_is_due_is_applied_once(port: Port, two_link: RobotModel) -> None:
    plant = LockstepPlant(port, GraphConfig(period=H))
    plant.begin()
    assert port.published == [0]
    assert plant.missing() == (('effort_command', 0),)
    plant.command(command(PERIOD, -EFFORT))  # too early
    plant.command(command(0))
    plant.command(command(0, -EFFORT))  # repeated
    plant.command(command(PERIOD, 2 * EFFORT))
    assert port.published == [0, PERIOD, 2 * PERIOD]
    assert plant.missing() == (('effort_command', 2 * PERIOD),)
    np.testing.assert_array_equal(port.position, expected(two_link, [EFFORT, 2 * EFFORT]))
    assert set(port.ages) == {0.0}


def test_a_refused_command_is_not_applied(port: Port) -> None:
    plant = LockstepPlant(port, GraphConfig(period=H))
    plant.command(command(0, np.array([np.nan, 0.0])))
    assert plant.steps == 0
    assert 'not a finite number' in port.plant.engaged
    plant.release()
    assert port.plant.engaged == ''
    plant.command(command(0))
    assert plant.steps == 1


def test_the_plant_does_not_run_away_from_the_recorder(port: Port) -> None:
    plant = LockstepPlant(port, GraphConfig(period=H, window=3))
    plant.command(command(0))
    assert plant.steps == 0  # the recorder is not there yet
    assert plant.waits_for_recorder
    assert plant.missing() == ()
    plant.recorded(5 * PERIOD)  # of steps that were not taken
    assert plant.steps == 0
    plant.recorded(0)
    for step in range(1, 6):
        plant.command(command(step * PERIOD))
    assert plant.steps == 3
    plant.recorded(0)  # once more is no more
    assert plant.steps == 3
    plant.recorded(2 * PERIOD)
    assert plant.steps == 4


def test_a_paused_plant_steps_when_it_is_told(port: Port) -> None:
    plant = LockstepPlant(port, GraphConfig(period=H))
    plant.pause(True)
    with pytest.raises(SimloopError, match='no command has come'):
        plant.step_once()
    plant.command(command(0))
    assert plant.steps == 0
    plant.step_once()
    assert (plant.steps, plant.paused) == (1, True)
    plant.command(command(PERIOD))
    plant.pause(False)
    assert plant.steps == 2


def test_rest_is_at_the_home(port: Port, two_link: RobotModel) -> None:
    plant = LockstepPlant(port, GraphConfig(period=H))
    plant.command(command(0))
    assert plant.rest() == 'the robot rests at its home'
    np.testing.assert_array_equal(port.position, two_link.home)
    assert not port.plant.plant.truth.velocity.any()


# Real time


class Clock:
    """A clock of ours [ns]."""

    def __init__(self) -> None:
        self.now = 10**12

    def __call__(self) -> int:
        return self.now


class Realtime:
    """A plant in real time, whose timer ticks when it is told."""

    def __init__(self, port: Port, stream: PositionStream | None = None):
        self.clock = Clock()
        self.plant = RealtimePlant(
            port, GraphConfig(period=H, realtime=True), lambda: TIMEOUT, stream, self.clock
        )
        self.plant.begin(EPOCH)

    def tick(self, periods: float = 1.0) -> None:
        self.clock.now += round(periods * PERIOD)
        self.plant.tick()


def test_a_command_is_applied_in_its_period_only(port: Port, two_link: RobotModel) -> None:
    robot = Realtime(port)
    robot.tick()
    np.testing.assert_array_equal(port.position, two_link.home)  # rests before the first command
    for efforts in (EFFORT, 2 * EFFORT):
        robot.plant.command(command(robot.plant.stamp, efforts))
        robot.tick()
    np.testing.assert_array_equal(port.position, expected(two_link, [EFFORT, 2 * EFFORT]))
    robot.plant.command(command(robot.plant.stamp - PERIOD, 3 * EFFORT))
    robot.tick()
    assert (port.plant.applied != 3 * EFFORT).any()
    assert port.published == [EPOCH + k * PERIOD for k in range(1, 5)]
    assert port.ages == pytest.approx([0.0, 0.0, H])
    assert robot.plant.report()['late commands'] == 1


def test_a_robot_without_commands_goes_on_and_comes_to_rest_softly(
    port: Port, two_link: RobotModel
) -> None:
    """It follows where the last commands led, and the effort of none of them is held."""
    robot, speed = Realtime(port), np.array([0.4, -0.3])
    model, data = two_link.pin_model, two_link.pin_model.createData()
    position, velocity = two_link.home, np.zeros(2)
    for step in range(40):
        wanted = min(1.0, step / 20) * speed
        acceleration = (wanted - velocity) / H
        effort = pin.rnea(model, data, position, velocity, acceleration)
        position, velocity = position + H * wanted, wanted
        stamp = robot.plant.stamp
        robot.plant.command(DecodedJointState(stamp, position, effort=effort))
        robot.tick()
    np.testing.assert_allclose(port.position, position, atol=1e-12)
    speeds = [port.plant.plant.truth.velocity]
    for _ in range(80):
        robot.tick()
        speeds.append(port.plant.plant.truth.velocity)
    assert port.plant.engaged == 'effort_command: no message for 5 periods'
    np.testing.assert_allclose(speeds[3], speed, rtol=0.03)  # nearly as before
    np.testing.assert_allclose(speeds[-1], 0.0, atol=1e-3)
    way = 0.5 * SafetyConfig().stop_time * speed
    np.testing.assert_allclose(port.position - position, way, rtol=0.05)
    steepest = np.abs(np.diff(np.array(speeds), axis=0) / H).max(axis=0)
    assert (steepest < 1.1 * 1.5 * np.abs(speed) / SafetyConfig().stop_time).all()


def test_the_effort_of_a_stopped_controller_is_not_applied(port: Port) -> None:
    robot = Realtime(port)
    stamp = robot.plant.stamp
    robot.plant.command(DecodedJointState(stamp, effort=EFFORT, frame_id='stopped'))
    robot.tick()
    assert not port.ages
    assert not port.plant.applied.any()


def test_missed_periods_are_caught_up_with_up_to_a_limit(port: Port) -> None:
    robot = Realtime(port)
    robot.plant.command(command(robot.plant.stamp, np.zeros(2)))
    robot.tick(0.5)
    assert robot.plant.steps == 0
    robot.tick(3.0)
    assert robot.plant.steps == 3
    assert robot.plant.report()['missed periods'] == 2
    robot.tick(1000.0)
    assert robot.plant.steps == 3 + MAX_CATCH_UP
    robot.tick(1.0)
    assert robot.plant.steps == 4 + MAX_CATCH_UP


def test_silence_of_control_engages_the_brakes_after_the_timeout(port: Port) -> None:
    robot = Realtime(port)
    robot.tick(20)
    assert not port.plant.engaged  # nobody has commanded yet
    robot.plant.command(command(robot.plant.stamp))
    for _ in range(TIMEOUT - 1):
        robot.tick()
        assert not port.plant.engaged
    robot.tick()
    assert port.plant.engaged == f'effort_command: no message for {TIMEOUT} periods'
    robot.plant.release()
    for _ in range(2 * TIMEOUT):  # the brakes hold until the next command
        robot.tick()
    assert not port.plant.engaged
    assert np.abs(port.plant.plant.truth.velocity).max() < 0.05


def test_a_paused_plant_stands_still_and_time_with_it(port: Port) -> None:
    robot = Realtime(port)
    robot.plant.command(command(robot.plant.stamp))
    robot.plant.pause(True)
    robot.tick(50)
    assert robot.plant.steps == 0
    robot.plant.step_once()
    assert robot.plant.steps == 1
    robot.tick(50)
    robot.plant.pause(False)
    robot.tick()
    assert robot.plant.steps == 2


# A real robot that follows


class Follower:
    """A stream of positions, and what came out of it."""

    def __init__(self, model: RobotModel):
        self.sent: list[tuple[int, Array]] = []
        self.refused: list[str] = []
        config = StreamConfig(joint_states='targets', tolerance=0.1)
        self.stream = PositionStream(
            model, H, config, lambda *part: self.sent.append(part), self.refused.append
        )


def test_a_surrogate_begins_where_the_robot_rests(port: Port, two_link: RobotModel) -> None:
    follower = Follower(two_link)
    robot = Realtime(port, follower.stream)
    where = two_link.home + 0.05
    robot.tick(3)
    assert (robot.plant.steps, robot.plant.started) == (0, False)
    follower.stream.follow(where + 0.01)
    follower.stream.follow(where)  # it still moves
    robot.tick()
    assert not robot.plant.started
    follower.stream.follow(where)
    robot.tick()
    assert robot.plant.started
    np.testing.assert_array_equal(port.position, where)
    robot.tick()
    assert not follower.sent  # not before the first command
    robot.plant.command(command(robot.plant.stamp, np.zeros(2)))
    robot.tick()
    ((stamp, position),) = follower.sent
    assert stamp == port.published[-1]
    np.testing.assert_array_equal(position, port.position)
    assert robot.plant.report()['positions sent to the robot'] == 1


def test_a_robot_beyond_its_range_is_not_begun_with(port: Port, two_link: RobotModel) -> None:
    follower = Follower(two_link)
    robot = Realtime(port, follower.stream)
    for _ in range(2):
        follower.stream.follow(two_link.upper + 0.5)
    robot.tick()
    assert not robot.plant.started
    assert 'not within its range' in follower.refused[0]
    with pytest.raises(SimloopError, match='beyond its range'):
        robot.plant.rest()


@pytest.mark.parametrize('fault', ['lost', 'does not follow'])
def test_a_surrogate_brakes_when_the_robot_does_not_follow(
    port: Port, two_link: RobotModel, fault: str
) -> None:
    follower = Follower(two_link)
    robot = Realtime(port, follower.stream)
    for _ in range(2):
        follower.stream.follow(two_link.home)
    robot.tick()
    for _ in range(TIMEOUT + 1):
        robot.plant.command(command(robot.plant.stamp, np.zeros(2)))
        if fault == 'does not follow':
            follower.stream.follow(two_link.home + 0.2)
        robot.tick()
    reason = 'no message for 5 periods' if fault == 'lost' else 'from the position sent to it'
    assert reason in port.plant.engaged
    robot.plant.release()  # nobody is released who is elsewhere
    assert reason in port.plant.engaged
    follower.stream.follow(two_link.home + 0.05)
    assert robot.plant.rest() == 'the robot rests where the real one is'
    np.testing.assert_array_equal(port.position, two_link.home + 0.05)
    robot.plant.release()
    assert port.plant.engaged == ''


def test_a_plan_that_came_before_the_first_command_is_not_shifted(
    port: Port, two_link: RobotModel
) -> None:
    """The plan accelerates: in a late period the robot does, too, by as much as planned."""
    now = 0
    plant = RealtimePlant(port, GraphConfig(period=H), lambda: TIMEOUT, clock=lambda: now)
    plant.begin(EPOCH)
    rate, home = np.array([20.0, -10.0]), port.position  # of the acceleration [rad/s^3]

    def state(step: int) -> JointState:
        """Return where the robot shall be at the end of a step."""
        time = (step + 1) * H
        return JointState(home + rate * time**3 / 6.0, rate * time**2 / 2.0)

    def tick() -> None:
        nonlocal now
        now += PERIOD
        plant.tick()

    for step in range(30):
        after = state(step)
        plant.desired(DecodedJointState(EPOCH + step * PERIOD, after.position, after.velocity))
    for _ in range(10):  # their commands got lost
        tick()
    data = two_link.pin_model.createData()
    for step in (10, 11, 12):
        before, after = state(step - 1), state(step)
        port.plant.plant.start(before)
        a = (after.velocity - before.velocity) / H
        effort = pin.rnea(two_link.pin_model, data, before.position, before.velocity, a)
        plant.command(DecodedJointState(plant.stamp, after.position, effort=effort))
        tick()
    port.plant.plant.start(state(12))
    tick()
    gained = port.plant.plant.truth.velocity - state(12).velocity
    np.testing.assert_allclose(gained, state(13).velocity - state(12).velocity, rtol=0.5)
