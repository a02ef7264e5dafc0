"""A robot whose driver holds its last command for ever, and what is beside that driver."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.core.errors import MessageError, UnsafeCommandError
from simloop_ros.core.values import Array, JointState
from simloop_ros.plants.pinocchio_plant import PinocchioPlant
from simloop_ros.robot.model import RobotModel
from simloop_ros.ros.messages.effort_command import FLOATING, STOPPED
from simloop_ros.ros.messages.joint_state import DecodedJointState
from simloop_ros.ros.messages.stamps import stamp_of
from simloop_ros.ros.pacing.config import DriverConfig, GraphConfig
from simloop_ros.ros.pacing.driver_pace import LONGEST_END, PATIENCE, RealtimeDriver
from simloop_ros.ros.pacing.driver_robot import build_driven_robot
from simloop_ros.safety.config import SafetyConfig

H = 0.005  # s
TIMEOUT = 20
SAFETY = SafetyConfig(timeout=TIMEOUT)
EPOCH = 1_700_000_000 * 10**9
SPEED = np.array([0.4, -0.3])
STEEPEST = 1.5 / SAFETY.stop_time  # planned deceleration by speed, see maths.coasting
NOISE = 5e-6  # of an encoder of 20 bits [rad]
KINDS = {
    'efforts': DriverConfig(topic='commands'),
    'efforts without gravity': DriverConfig(topic='commands', gravity_handled=True),
}


class World:
    """A robot behind a driver, and control that moves it at a constant speed.

    :ivar sent: what the driver got.
    :ivar velocities: true ones of each step [rad/s].
    """

    def __init__(self, model: RobotModel, driver: DriverConfig, bias: float = 0.0):
        self.model = model
        self.plant = PinocchioPlant(model, H)
        self.plant.start(JointState(model.home, np.zeros(model.n)))
        self.sent: list[Array] = []
        self.velocities: list[Array] = []
        self.reasons: list[str] = []
        self.calm: list[str] = []
        self.step = 0
        self.now = 0
        self.driver = driver
        self._bias = bias  # share of the efforts that gets lost
        self._noise = np.random.default_rng(1)
        self._data = model.pin_model.createData()
        self.robot = build_driven_robot(model, H, SAFETY, driver, 200.0, self.sent.append)
        graph = GraphConfig(period=H, realtime=True)
        self.pace = RealtimeDriver(self, graph, lambda: TIMEOUT, clock=lambda: self.now)

    # What the pace uses

    def accepts(self, effort: Array, age: float) -> bool:
        try:
            self.robot.check(effort, age)
        except UnsafeCommandError as error:
            self.engage(str(error))
            return False
        return True

    def engage(self, reason: str) -> None:
        if self.robot.engage(reason):
            self.reasons.append(reason)

    def hold(self, reason: str) -> None:
        if self.robot.engage(reason):
            self.calm.append(reason)

    # What happens

    @property
    def stamp(self) -> int:
        return EPOCH + stamp_of(self.step, H)

    @property
    def gravity(self) -> Array:
        q = self.plant.truth.position
        return pin.computeGeneralizedGravity(self.model.pin_model, self._data, q).copy()

    def tell(self) -> None:
        """Publish the joint state."""
        noise = self._noise.normal(scale=NOISE, size=self.model.n)
        self.pace.measured(DecodedJointState(self.stamp, self.plant.truth.position + noise))

    def goal(self, step: int) -> Array:
        """Return the desired position at the end of a step: even motion after a smooth start."""
        begin = 40
        x = min(1.0, max(0, step + 1) / begin)
        way = begin * (x**3 - 0.5 * x**4) + max(0, step + 1 - begin)
        return self.model.home + H * way * SPEED

    def command(self, step: int | None = None, kind: str = '') -> Array:
        """Let control answer to the state of a step; return its effort."""
        step = self.step if step is None else step
        q, v = self.plant.truth.position, self.plant.truth.velocity
        desired = self.goal(step)
        speed = (desired - self.goal(step - 1)) / H
        before = (self.goal(step - 1) - self.goal(step - 2)) / H
        a = (speed - before) / H + 900.0 * (desired - H * speed - q) + 60.0 * (before - v)
        effort = pin.rnea(self.model.pin_model, self._data, q, v, a).copy()
        stamp = EPOCH + stamp_of(step, H)
        self.pace.command(DecodedJointState(stamp, desired, effort=effort, frame_id=kind))
        return effort

    def move(self, steps: int, *, commands: bool, states: bool = True) -> None:
        """Let the robot go on for some periods with what its driver holds."""
        for _ in range(steps):
            self.pace.watch()
            if states:
                self.tell()
            if commands:
                self.command()
            effort = self.sent[-1] if self.sent else self.gravity
            if self.driver.gravity_handled and self.sent:
                effort = effort + self.gravity
            self.plant.step((1.0 - self._bias) * effort + self._bias * self.gravity)
            self.velocities.append(self.plant.truth.velocity)
            self.step += 1
            self.now += stamp_of(1, H)


@pytest.fixture(params=KINDS)
def world(request: pytest.FixtureRequest, two_link: RobotModel) -> World:
    return World(two_link, KINDS[request.param])


def decelerations(world: World, since: int) -> Array:
    velocities = np.array(world.velocities[since:])
    return np.abs(np.diff(velocities, axis=0)).max(axis=0) / H


@pytest.mark.parametrize('bias', [0.0, 0.1])
@pytest.mark.parametrize('kind', KINDS)
def test_without_control_the_robot_comes_to_rest_along_its_way(
    two_link: RobotModel, kind: str, bias: float
) -> None:
    """The driver holds what it got last, for ever: without a follower the robot would run away."""
    world = World(two_link, KINDS[kind], bias)
    world.move(100, commands=True)
    at, speed = world.plant.truth.position, world.plant.truth.velocity
    np.testing.assert_allclose(speed, SPEED, rtol=0.1)
    world.move(200, commands=False)
    assert (decelerations(world, 99) <= 2.0 * STEEPEST * np.abs(SPEED)).all()
    way = world.plant.truth.position - at
    np.testing.assert_allclose(way, 0.5 * SAFETY.stop_time * SPEED, rtol=0.15)
    np.testing.assert_allclose(world.velocities[-1], 0.0, atol=2e-3)
    assert world.reasons == [f'effort_command: no message for {TIMEOUT} periods']
    rest = world.plant.truth.position
    world.move(400, commands=False)
    np.testing.assert_allclose(world.plant.truth.position, rest, atol=1e-3)
    assert (np.abs(world.sent) <= two_link.effort_limit).all()


def test_a_command_is_sent_at_once_and_stands_for_two_states(world: World) -> None:
    world.tell()
    assert not world.sent  # before the first command the driver has what it had
    handled = world.gravity if world.driver.gravity_handled else 0.0
    effort = world.command()
    np.testing.assert_allclose(world.sent[-1], effort - handled, atol=1e-2)
    world.step += 1
    world.tell()
    assert len(world.sent) == 1
    world.step += 1
    world.tell()
    assert len(world.sent) == 2
    assert world.pace.report()['states without a command'] == 1


def test_a_robot_that_was_taken_over_is_held_until_the_first_command(world: World) -> None:
    """Its own controller does not hold it any more, and control is not there yet."""
    graph = GraphConfig(period=H, realtime=True)
    world.pace = RealtimeDriver(world, graph, lambda: TIMEOUT, holds=True, clock=lambda: world.now)
    world.move(1000, commands=False)
    assert len(world.sent) == 999
    np.testing.assert_allclose(world.plant.truth.position, world.model.home, rtol=0, atol=1e-3)
    assert not world.reasons


def test_a_late_command_is_not_applied_but_its_position_counts(two_link: RobotModel) -> None:
    punctual, late = (World(two_link, KINDS['efforts']) for _ in range(2))
    for world in (punctual, late):
        world.move(100, commands=True)
        world.tell()
        world.step += 1
        world.tell()
    before = len(late.sent)
    late.command(late.step - 1)
    assert len(late.sent) == before
    assert late.pace.report()['late commands'] == 1
    for world in (punctual, late):
        world.step += 1
        world.tell()
    assert len(late.sent) > before
    assert (late.sent[-1] != punctual.sent[-1]).any()


def test_a_command_may_overtake_its_joint_state(two_link: RobotModel) -> None:
    world = World(two_link, KINDS['efforts'])
    world.move(50, commands=True)
    effort = world.command()
    np.testing.assert_array_equal(world.sent[-1], effort)
    world.tell()
    np.testing.assert_array_equal(world.sent[-1], effort)
    world.step += 1
    world.tell()
    np.testing.assert_array_equal(world.sent[-1], effort)


@pytest.mark.parametrize('bias', [0.0, 0.1])
@pytest.mark.parametrize('kind', KINDS)
def test_without_joint_states_the_robot_comes_to_rest_where_its_model_says(
    two_link: RobotModel, kind: str, bias: float
) -> None:
    """Gravity of the last position alone would let it run on, faster and faster."""
    world = World(two_link, KINDS[kind], bias)
    world.move(100, commands=True)
    at, last = world.plant.truth.position, len(world.sent)
    world.move(PATIENCE, commands=False, states=False)
    assert len(world.sent) == last  # a state may be late
    steps = round(1.2 * SAFETY.stop_time / H)
    world.move(steps - PATIENCE, commands=False, states=False)
    assert (decelerations(world, 99) <= 2.0 * STEEPEST * np.abs(SPEED)).all()
    # An error of the model grows: what held the robot elsewhere does not hold it here.
    left = 0.05 if bias == 0.0 else 0.35
    assert (np.abs(world.velocities[-1]) <= left * np.abs(SPEED)).all()
    way = world.plant.truth.position - at
    np.testing.assert_allclose(way, 0.55 * SAFETY.stop_time * SPEED, rtol=0.1 + bias)
    assert world.reasons == [f'joint_states: no message for {TIMEOUT} periods']
    assert (np.abs(world.sent) <= two_link.effort_limit).all()


def test_an_unseen_robot_bears_the_load_that_it_bore_before(two_link: RobotModel) -> None:
    world = World(two_link, KINDS['efforts'])
    world.plant = PinocchioPlant(two_link.with_mass_bias(0.1), H)
    world.plant.start(JointState(two_link.home, np.zeros(two_link.n)))
    world.move(200, commands=True)
    at = world.plant.truth
    world.move(30, commands=False, states=False)
    predicted = world.robot._state  # what it reckons with
    there = world.plant.truth.position
    assert (np.abs(predicted.position - there) < 0.1 * np.abs(there - at.position)).all()


@pytest.mark.parametrize('kind', KINDS)
def test_a_robot_that_is_seen_again_goes_on_without_a_jump(
    two_link: RobotModel, kind: str
) -> None:
    world = World(two_link, KINDS[kind], 0.1)
    world.move(100, commands=True)
    world.move(30, commands=False, states=False)
    seen = len(world.velocities)
    world.move(200, commands=False)
    assert (decelerations(world, seen - 1) <= 4.0 * STEEPEST * np.abs(SPEED)).all()
    np.testing.assert_allclose(world.velocities[-1], 0.0, atol=2e-3)


@pytest.mark.parametrize('kind', [*KINDS, 'positions'])
def test_silence_is_no_stop_of_a_robot_that_stands_still(two_link: RobotModel, kind: str) -> None:
    driver = KINDS.get(kind, DriverConfig(topic='commands', output='position'))
    world = World(two_link, driver)
    for _ in range(TIMEOUT):
        world.tell()
        world.pace.command(
            DecodedJointState(world.stamp, two_link.home, effort=world.gravity, frame_id='')
        )
        world.step += 1
    for _ in range(2 * TIMEOUT):
        world.tell()
        world.step += 1
    assert world.calm == [f'effort_command: no message for {TIMEOUT} periods']
    assert not world.reasons
    assert world.robot.engaged


@pytest.mark.parametrize('kind', KINDS)
def test_states_that_come_together_do_not_shake_the_robot(two_link: RobotModel, kind: str) -> None:
    """Five at a time: control answers the last one, and then nothing is known for five periods."""
    world = World(two_link, KINDS[kind])
    world.move(100, commands=True)
    for _ in range(40):
        waiting = []
        for _ in range(5):
            world.pace.watch()
            waiting.append((world.stamp, world.plant.truth.position))
            effort = world.sent[-1] + world.gravity * world.driver.gravity_handled
            world.plant.step(effort)
            world.velocities.append(world.plant.truth.velocity)
            world.step += 1
        for stamp, position in waiting:
            world.pace.measured(DecodedJointState(stamp, position))
        world.command(world.step - 1)
    assert not world.reasons
    np.testing.assert_allclose(world.velocities[-100:], np.tile(SPEED, (100, 1)), rtol=0.3)


def test_a_released_robot_is_held_until_its_next_command(two_link: RobotModel) -> None:
    world = World(two_link, KINDS['efforts'])
    world.move(50, commands=True)
    world.engage('test')
    world.move(200, commands=False)
    world.pace.release()
    at = world.plant.truth.position
    world.move(2 * TIMEOUT, commands=False)
    assert world.robot.engaged == ''
    np.testing.assert_allclose(world.plant.truth.position, at, atol=1e-3)
    effort = world.gravity + 0.1
    world.pace.command(DecodedJointState(world.stamp - stamp_of(1, H), at, effort=effort))
    np.testing.assert_array_equal(world.sent[-1], effort)


def test_a_stopped_robot_takes_no_efforts(two_link: RobotModel) -> None:
    world = World(two_link, KINDS['efforts'])
    world.move(50, commands=True)
    world.engage('test')
    world.tell()
    count, own = len(world.sent), world.sent[-1]
    world.command()
    world.command(kind=STOPPED)
    assert len(world.sent) == count
    assert world.sent[-1] is own


def test_a_robot_that_floats_is_damped(two_link: RobotModel) -> None:
    world = World(two_link, KINDS['efforts'])
    world.move(50, commands=True)
    world.tell()
    world.command(kind=FLOATING)
    world.step += 1
    world.move(3, commands=False)
    speed = np.abs(world.velocities[-1])
    world.move(100, commands=False)
    assert (np.abs(world.velocities[-1]) < 0.5 * speed).all()


def test_what_is_left_without_gravity_is_cut_to_the_limits(two_link: RobotModel) -> None:
    """The whole is within them: no reason to stop the robot."""
    world = World(two_link, KINDS['efforts without gravity'])
    world.move(10, commands=True)
    world.tell()
    limit = -np.sign(world.gravity) * two_link.effort_limit
    world.pace.command(DecodedJointState(world.stamp, two_link.home, effort=limit))
    assert not world.reasons
    np.testing.assert_array_equal(world.sent[-1], limit)


def test_what_the_gate_refuses_stops_the_robot(two_link: RobotModel) -> None:
    world = World(two_link, KINDS['efforts without gravity'])
    world.move(10, commands=True)
    world.tell()
    limit = -np.sign(world.gravity) * two_link.effort_limit
    world.pace.command(DecodedJointState(world.stamp, two_link.home, effort=1.001 * limit))
    assert 'beyond its limit' in world.reasons[0]
    world = World(two_link, KINDS['efforts'])
    world.tell()
    world.pace.command(DecodedJointState(world.stamp, two_link.home, effort=limit))
    assert not world.reasons
    with pytest.raises(MessageError, match='is not after'):
        world.tell()


@pytest.mark.parametrize('position', [1e3, -1e200, 1e308])
def test_whatever_the_driver_says_efforts_are_within_their_limits(
    world: World, position: float
) -> None:
    world.move(50, commands=True)
    for _ in range(3):
        world.step += 1
        world.pace.measured(DecodedJointState(world.stamp, np.array([position, -position])))
    world.step += 1
    world.tell()
    assert (np.abs(world.sent) <= world.model.effort_limit).all()


@pytest.mark.parametrize('commands', [False, True])
def test_the_process_ends_when_the_robot_rests(two_link: RobotModel, commands: bool) -> None:
    idle = World(two_link, KINDS['efforts'])
    assert idle.pace.leave()
    world = World(two_link, KINDS['efforts'])
    world.move(60, commands=True)
    steps = 0
    while not world.pace.leave():
        world.move(1, commands=commands)  # control may not have heard yet
        steps += 1
    assert steps * H == pytest.approx(SAFETY.stop_time, abs=0.2)
    np.testing.assert_allclose(world.velocities[-1], 0.0, atol=0.02)
    world.pace.stand()
    np.testing.assert_allclose(world.sent[-1], world.gravity, atol=1e-2)
    assert world.reasons == ['the process ends']


@pytest.mark.parametrize('kind', [*KINDS, 'positions'])
def test_the_end_is_no_stop_of_a_robot_that_stands_still(two_link: RobotModel, kind: str) -> None:
    driver = KINDS.get(kind, DriverConfig(topic='commands', output='position'))
    world = World(two_link, driver)
    for _ in range(20):
        world.tell()
        world.pace.command(
            DecodedJointState(world.stamp, two_link.home, effort=world.gravity, frame_id='')
        )
        world.step += 1
    assert not world.pace.leave()
    assert world.calm == ['the process ends']
    assert not world.reasons


def test_the_process_ends_when_a_damped_robot_rests(two_link: RobotModel) -> None:
    world = World(two_link, KINDS['efforts'])
    world.robot.configure(SafetyConfig(timeout=TIMEOUT, stop='damp'))
    world.move(60, commands=True)
    while not world.pace.leave():
        world.move(1, commands=False)
    np.testing.assert_allclose(world.velocities[-1], 0.0, atol=0.03)
    assert world.robot.held is None
    assert world.now < LONGEST_END * 1e9


def test_the_process_does_not_wait_for_ever(two_link: RobotModel) -> None:
    world = World(two_link, KINDS['efforts'])
    world.move(10, commands=True)
    world.tell()
    assert not world.pace.leave()
    world.now += round(1.01e9 * LONGEST_END)
    assert world.pace.leave()


# Positions


@pytest.fixture
def positions(two_link: RobotModel) -> Callable[[int], World]:
    """Return what gives a robot that takes positions, after some commands."""

    def moved(steps: int) -> World:
        world = World(two_link, DriverConfig(topic='commands', output='position'))
        for _ in range(steps):
            world.tell()
            world.command()
            world.plant.start(JointState(world.sent[-1], SPEED))  # it follows
            world.step += 1
        return world

    return moved


def test_a_robot_that_takes_positions_comes_to_rest_along_its_way(
    positions: Callable[[int], World],
) -> None:
    world = positions(100)
    np.testing.assert_allclose(world.sent[-1], world.goal(99), atol=1e-12)
    last = len(world.sent) - 1
    for _ in range(200):
        world.tell()
        world.step += 1
    path = np.array(world.sent[last:])
    velocities = np.diff(path, axis=0) / H
    assert (np.abs(np.diff(velocities, axis=0)) / H <= 1.01 * STEEPEST * np.abs(SPEED)).all()
    np.testing.assert_array_equal(path[-1], path[-50])
    np.testing.assert_allclose(path[-1] - path[0], 0.5 * SAFETY.stop_time * SPEED, rtol=0.02)
    assert world.robot.let_go()
    world.pace.stand()
    np.testing.assert_array_equal(world.sent[-1], path[-1])


class Lagging(World):
    """A robot that takes positions, and is 15 ms behind them."""

    LAG = 0.015  # s

    def move(self, steps: int, *, commands: bool, states: bool = True) -> None:
        assert states
        for _ in range(steps):
            self.tell()
            if commands:
                self.command()
            here = self.plant.truth.position
            there = self.sent[-1] if self.sent else here
            way = (1.0 - np.exp(-H / self.LAG)) * (there - here)
            self.plant.start(JointState(here + way, way / H))
            self.step += 1


def test_a_stop_does_not_jump_back_to_where_the_robot_is(two_link: RobotModel) -> None:
    """Positions go on to rest, and stay there; a release does not jump, either."""
    world = Lagging(two_link, DriverConfig(topic='commands', output='position'))
    world.move(100, commands=True)
    lag = world.sent[-1] - world.plant.truth.position
    assert (np.abs(lag) > 0.8 * Lagging.LAG * np.abs(SPEED)).all()
    stopped = len(world.sent)
    world.engage('test')
    world.move(40, commands=False)
    world.pace.release()  # in the midst of it
    world.move(20, commands=False)  # for a while nobody says anything
    at = world.plant.truth.position - 0.1 * np.sign(SPEED)
    for _ in range(40):  # control has another place for it
        world.move(1, commands=False)
        effort = np.zeros(2)
        world.pace.command(DecodedJointState(world.stamp - stamp_of(1, H), at, effort=effort))
    steps = np.diff(world.sent, axis=0)
    assert (np.abs(steps) <= H * two_link.velocity_limit * (1.0 + 1e-9)).all()
    forward = steps[stopped - 1 : stopped + 39] * np.sign(SPEED)
    assert (forward >= -1e-12).all()
    assert (forward <= 1.01 * H * np.abs(SPEED)).all()
    np.testing.assert_allclose(world.sent[-1], at, atol=1e-9)


def test_a_robot_that_was_moved_away_is_not_drawn_back(positions: Callable[[int], World]) -> None:
    world = positions(50)
    world.engage('test')
    world.tell()
    moved = world.plant.truth.position + 0.3
    world.plant.start(JointState(moved, np.zeros(2)))
    world.step += 1
    world.tell()
    world.pace.release()
    world.pace.command(DecodedJointState(world.stamp, moved, effort=np.zeros(2)))
    np.testing.assert_allclose(world.sent[-1], moved, atol=1e-4)


def test_positions_pass_their_gate(positions: Callable[[int], World]) -> None:
    world = positions(3)
    far = world.sent[-1] + 1.0
    world.tell()
    world.pace.command(DecodedJointState(world.stamp, far, effort=np.zeros(2)))
    way = world.sent[-1] - world.sent[-2]
    np.testing.assert_allclose(way, H * world.model.velocity_limit)
    world.pace.release()
    world.step += 1
    world.plant.start(JointState(world.model.upper + 1.0, SPEED))
    count = len(world.sent)
    world.tell()
    world.pace.command(DecodedJointState(world.stamp, far, effort=np.zeros(2)))
    assert 'not within its range' in world.reasons[0]
    assert len(world.sent) == count
