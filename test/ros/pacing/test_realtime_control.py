"""Control and planner in real time, on a clock of ours: messages come late, or not at all."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import cache
import heapq
from itertools import count

import numpy as np
import pytest

from simloop_ros.control.config import ControlConfig
from simloop_ros.control.control_simulation import ControlSimulation
from simloop_ros.core.errors import MessageError, SimloopError
from simloop_ros.core.resources import resource_folder
from simloop_ros.core.values import NO_INPUTS, Array, JointState, Setpoint
from simloop_ros.loop.guarded_control import GuardedControl
from simloop_ros.planning.build import PlannedMotion, build_planner
from simloop_ros.planning.config import OfflineConfig, OnlineConfig
from simloop_ros.plants.pinocchio_plant import PinocchioPlant
from simloop_ros.robot.loading import load_robot
from simloop_ros.robot.model import RobotModel
from simloop_ros.ros.messages.joint_state import DecodedJointState
from simloop_ros.ros.messages.safety_status import PLANT, SafetyStatus
from simloop_ros.ros.messages.stamps import NANO
from simloop_ros.ros.pacing.config import GraphConfig
from simloop_ros.ros.pacing.control_pace import RealtimeControl
from simloop_ros.ros.pacing.realtime_planner import RealtimePlanner
from simloop_ros.safety.config import MAX_ACCELERATION, SafetyConfig
from simloop_ros.safety.gate import gravity_effort
from simloop_ros.scenario.robot_files import robot_config

H = 0.002  # s
PERIOD = round(H * NANO)
SAFETY = SafetyConfig(timeout=10, tracking_error=0.2, max_acceleration=MAX_ACCELERATION)
EPOCH = 1_700_000_000 * NANO  # stamps have as many digits as today's
MOVE = ((0, 0.1, 0), (0, -0.1, 0))  # m
LIGHT = 20_000  # ns: what a message takes at least
EXACT = 1e-5  # rad, m: the model is right, and so is the way but for its first steps
SLIP = 5e-3  # rad: until it is gripped anew, a robot without brakes goes on as it was
STILL = 0.01  # rad/s
SLACK = 10  # steps of the way that are over when control takes over, at most
Delay = Callable[[np.random.Generator], int]


@cache
def the_robot() -> RobotModel:
    return load_robot(robot_config('yumi'), resource_folder('urdf'))


@pytest.fixture(scope='module')
def yumi() -> RobotModel:
    return the_robot()


def motion_from(start: JointState, kind: str) -> PlannedMotion:
    config = (OnlineConfig if kind == 'online' else OfflineConfig)(move=MOVE)
    compliance = ControlConfig().resolved(noisy=True, realtime=True).compliance(H)
    return build_planner(config, the_robot(), H, start, compliance=compliance)


@cache
def motion_from_home(kind: str) -> PlannedMotion:
    """Return the motion that most tests begin with; its planner has taken no step."""
    return motion_from(at_home(), kind)


def at_home() -> JointState:
    return JointState(the_robot().home, np.zeros(the_robot().n))


@cache
def listed_way() -> Array:
    """Return the positions of the motion from home [rad], shape ``(steps, n)``."""
    listed = build_planner(OfflineConfig(move=MOVE), the_robot(), H, at_home())
    assert listed.duration is not None
    steps = range(round(listed.duration / H))
    return np.array([listed.planner.step(at_home(), NO_INPUTS).position for _ in steps])


class World:
    """A robot, control and planner whose messages take a while; one topic keeps its order.

    :param delay: gives how long a message takes [ns].
    :param jitter: largest deviation of a state's stamp [s].
    :param rate: steps of the robot per period.
    """

    def __init__(
        self,
        model: RobotModel,
        delay: Delay,
        kind: str = 'online',
        jitter: float = 0.0,
        rate: float = 1.0,
    ):
        config = ControlConfig().resolved(noisy=True, realtime=True)
        self.now = 0
        self.control = GuardedControl(ControlSimulation(model, config, H), H, SAFETY)
        self.realtime = RealtimeControl(
            self, GraphConfig(period=H), lambda: SAFETY, lambda: self.now
        )
        self.model = model
        self.plant = PinocchioPlant(model, H / rate)
        self.path: list[Array] = []
        self.efforts: list[Array] = []
        self.silent = False
        self.held = 0  # for how long the time of the robot was held [ns]
        self.desired_delay = 0  # [ns]
        self._newest: DecodedJointState | None = None
        self._effort: Array | None = None
        self._rng = np.random.default_rng(3)
        self._delay, self._jitter = delay, jitter
        self._tick = round(PERIOD / rate)
        self._events: list[tuple[int, int, Callable[[], None]]] = []
        self._number = count()
        self._last = dict.fromkeys(('joints', 'effort', 'state', 'desired'), 0)
        self._follow(motion_from_home(kind))
        self.way = listed_way()
        self._at(0, self._step)
        self._at(0, self._watch)

    def plan(self, start: JointState) -> None:
        """Give the planner a motion from a state."""
        self._follow(motion_from(start, 'online'))

    def _follow(self, motion: PlannedMotion) -> None:
        assert motion.goals is not None
        assert motion.duration is not None
        self.goals, self.duration = motion.goals, motion.duration
        self.planner: RealtimePlanner | None = RealtimePlanner(copy(motion.planner), H)

    def set_rate(self, rate: float) -> None:
        """Let the robot take another number of steps per period."""
        self._tick = round(PERIOD / rate)
        snapshot = self.plant.snapshot()
        self.plant = PinocchioPlant(self.model, H / rate)
        self.plant.restore(snapshot)

    def run(self, seconds: float) -> None:
        end = self.now + round(seconds * NANO)
        while self._events and self._events[0][0] <= end:
            self.now, _, call = heapq.heappop(self._events)
            call()
        self.now = end

    def deviation(self) -> float:
        """Return how far the robot was from its way at most, whenever it was there [rad]."""
        path = np.array(self.path)
        last = min(len(path), len(self.way)) - SLACK
        return min(
            float(np.abs(path[:last] - self.way[shift : shift + last]).max())
            for shift in range(SLACK)
        )

    def acceleration(self) -> float:
        """Return the largest acceleration so far [rad/s^2]."""
        return float(np.abs(np.diff(np.array(self.path), 2, axis=0)).max() / H**2)

    def share(self) -> float:
        """Return the largest effort that was sent so far, as a share of its limit."""
        return float(np.abs(np.array(self.efforts) / self.model.effort_limit).max())

    def distance(self) -> float:
        """Return how far the tips are from their goals [m]."""
        tips = self.model.tip_positions(self.plant.truth.position)
        return float(np.abs(tips - self.goals).max())

    def speed(self) -> float:
        return float(np.abs(self.plant.truth.velocity).max())

    def _at(self, time: int, call: Callable[[], None]) -> None:
        heapq.heappush(self._events, (time, next(self._number), call))

    def _send(self, topic: str, call: Callable[[], None], more: int = 0) -> None:
        arrival = max(self._last[topic], self.now + LIGHT + self._delay(self._rng) + more)
        self._last[topic] = arrival
        self._at(arrival, call)

    def _step(self) -> None:
        if self._effort is not None:
            self.plant.step(self._effort)
            self.path.append(self.plant.truth.position)
        stamp = (
            EPOCH + self.now - self.held + round(self._jitter * self._rng.uniform(-1, 1) * NANO)
        )
        message = DecodedJointState(stamp, self.plant.observe())
        if not self.silent:
            self._send('joints', lambda: self._arrive(message))
        self._at(self.now + self._tick, self._step)

    def _arrive(self, message: DecodedJointState) -> None:
        """Keep only the last state of those that come at the same time: a queue of depth 1."""
        self._newest = message
        self._at(self.now, self._measure)

    def _measure(self) -> None:
        message, self._newest = self._newest, None
        if message:
            self.realtime.measured(message)

    def _watch(self) -> None:
        self.realtime.watch()
        self._at(self.now + PERIOD // 2, self._watch)

    # ControlPort

    def command(self, stamp: int, setpoint: Setpoint, age: float = 0.0) -> None:  # noqa: ARG002
        assert setpoint.effort is None
        command = self.control.step(setpoint, age)
        self.efforts.append(command.effort)
        self._send('effort', lambda: setattr(self, '_effort', command.effort))

    def publish_state(self, stamp: int, effort: Array) -> None:  # noqa: ARG002
        state = self.control.state
        self._send('state', lambda: self._plan(stamp, state))

    def _plan(self, stamp: int, state: JointState) -> None:
        for point in self.planner.answer(stamp, state) if self.planner else ():
            setpoint = point.setpoint
            message = DecodedJointState(point.stamp, setpoint.position, setpoint.velocity)
            self._send(
                'desired',
                lambda message=message: self.realtime.desired(message),
                self.desired_delay,
            )

    def stop_robot(self, reason: str) -> None:
        self.control.stop(reason)

    def request(self, topic: str, stamp: int) -> None:
        raise AssertionError(f'{topic} {stamp}: nobody asks in real time')


def prompt(_: np.random.Generator) -> int:
    return 0


def busy(rng: np.random.Generator) -> int:
    """Every fifth message is late by up to three periods, one in a thousand by eight."""
    choice = rng.random()
    if choice < 0.001:
        return 8 * PERIOD
    return round(rng.uniform(0, 3) * PERIOD) if choice < 0.2 else round(rng.uniform(0, PERIOD / 4))


@pytest.mark.parametrize('kind', ['online', 'offline'])
def test_the_motion_is_the_planned_one(yumi: RobotModel, kind: str) -> None:
    world = World(yumi, prompt, kind)
    world.run(world.duration + 1.0)
    assert not world.control.stopped
    assert world.deviation() < EXACT
    assert world.distance() < EXACT
    report = world.realtime.report()
    assert report['steps beyond the plan'] == report['missed states'] == 0


@pytest.mark.parametrize('kind', ['online', 'offline'])
def test_late_messages_do_not_shake_the_robot(yumi: RobotModel, kind: str) -> None:
    """What this replaced let the time stand still in periods that nobody saw: each was a jerk."""
    calm, shaken = World(yumi, prompt, kind), World(yumi, busy, kind)
    for world in (calm, shaken):
        world.run(world.duration + 1.0)
        assert not world.control.stopped
        assert world.distance() < EXACT
    assert int(shaken.realtime.report()['missed states']) > 100
    assert shaken.share() < 1.1 * calm.share()
    assert shaken.acceleration() < 2.0 * calm.acceleration()


def test_a_planner_that_is_late_for_a_while_moves_nothing(yumi: RobotModel) -> None:
    """Eight periods of silence in the midst of the motion: what was sent ahead suffices."""
    world = World(yumi, prompt)
    world.run(0.3)
    planner, world.planner = world.planner, None
    world.run(8 * H)
    world.planner = planner
    world.run(world.duration + 1.0)
    assert not world.control.stopped
    assert world.deviation() < EXACT
    assert world.realtime.report()['steps beyond the plan'] == 0


@pytest.mark.parametrize('dead', ['desired_joint_states', 'joint_states'])
def test_who_is_dead_stops_the_robot_within_ten_periods(yumi: RobotModel, dead: str) -> None:
    world = World(yumi, prompt)
    world.run(0.3)
    if dead == 'joint_states':
        world.silent = True
    else:
        world.planner = None
    world.run(8 * H)
    assert not world.control.stopped
    world.run(2 * H)
    assert world.control.stopped.startswith(f'{dead}: no message')


class Pausing(World):
    """A plant that can be paused."""

    paused = False

    def _step(self) -> None:
        if self.paused:
            self.held += PERIOD
            self._at(self.now + PERIOD, self._step)
        else:
            super()._step()

    def pause(self, paused: bool, late: int = 0) -> None:
        """Hold the time of the robot, or go on; control hears of it some periods later."""
        self.paused = paused
        self.run(late * H)
        self.realtime.take_safety(SafetyStatus(PLANT, '', 0, paused=paused))


@pytest.mark.parametrize('late', [0, 3])
def test_a_pause_of_the_plant_stops_nothing_and_moves_nothing(yumi: RobotModel, late: int) -> None:
    world = Pausing(yumi, prompt)
    world.run(0.3)
    world.pause(True, late)
    steps = len(world.path)
    world.run(50 * SAFETY.timeout * H)
    assert len(world.path) == steps
    world.pause(False, late)
    world.run(world.duration + 1.0)
    assert not world.control.stopped
    assert world.deviation() < EXACT
    assert world.distance() < EXACT
    world.silent = True
    world.run(SAFETY.timeout * H)
    assert world.control.stopped  # silence is a fault again


def test_stamps_that_jitter_do_not_shake_the_robot(yumi: RobotModel) -> None:
    """As they are, stamps that are 0.1 ms off would ask for 50 rad/s^2 at 1 rad/s."""
    exact, jittery = World(yumi, prompt), World(yumi, prompt, jitter=1e-4)
    for world in (exact, jittery):
        world.run(world.duration + 1.0)
        assert world.distance() < 1e-5
    assert jittery.acceleration() < 2.0 * exact.acceleration()


@pytest.mark.parametrize('rate', [0.999, 1.001])
def test_a_robot_whose_clock_is_not_ours_goes_the_same_way(yumi: RobotModel, rate: float) -> None:
    world = World(yumi, prompt, rate=rate)
    world.run(world.duration + 1.0)
    assert not world.control.stopped
    assert world.distance() < 1e-5
    assert world.acceleration() < 10.0  # rad/s^2; 5 with the right clock


@pytest.mark.parametrize('late', [0.0, 3.0, 9.5])
def test_the_first_effort_is_what_the_robot_needs_to_stay(yumi: RobotModel, late: float) -> None:
    """However late the planner's first answer comes; the plan does not wait for it."""
    world = World(yumi, lambda _: 0)
    world.desired_delay = round(late * PERIOD)
    world.run(0.2)
    world.desired_delay = 0
    first = world.efforts[0] - gravity_effort(yumi, yumi.home)
    assert (np.abs(first) <= SAFETY.first_effort * yumi.effort_limit).all()
    changes = np.abs(np.diff(world.efforts, axis=0)) / yumi.effort_limit
    assert changes.max() < SAFETY.first_effort
    world.run(world.duration + 1.0)
    assert not world.control.stopped
    assert world.distance() < EXACT
    assert world.acceleration() < 10.0  # rad/s^2; 5 as planned


class Jumping(World):
    """A planner whose setpoints jump in the midst of the motion."""

    jump = 0.0  # rad

    def _plan(self, stamp: int, state: JointState) -> None:
        for point in self.planner.answer(stamp, state) if self.planner else ():
            position = point.setpoint.position + self.jump
            message = DecodedJointState(point.stamp, position, point.setpoint.velocity)
            self._send('desired', lambda message=message: self.realtime.desired(message))


@pytest.mark.parametrize('jump', [0.05, 0.5])
def test_a_setpoint_that_jumps_is_reached_within_the_limits(yumi: RobotModel, jump: float) -> None:
    """Without the gate 0.05 rad were 100 % of the effort and 11 rad/s."""
    world = Jumping(yumi, prompt, 'offline')
    world.run(0.3)
    world.jump = jump
    speeds = []
    for _ in range(500):
        world.run(H)
        speeds.append(np.abs(world.plant.truth.velocity))
    assert not world.control.stopped
    assert (np.array(speeds) < 1.2 * yumi.velocity_limit).all()
    assert world.acceleration() < 2.0 * MAX_ACCELERATION
    assert world.share() < 1.0
    assert int(world.realtime.report()['limited setpoints']) > 0


def test_a_robot_that_does_not_follow_is_stopped(yumi: RobotModel) -> None:
    world = World(yumi, prompt)
    world.run(0.3)
    state = world.plant.truth
    for step in range(200):  # something drags it away
        away = state.position + 0.005 * step
        world.plant.start(JointState(away, np.zeros(yumi.n)))
        world.run(H)
        if world.control.stopped:
            break
    assert 'from its setpoint' in world.control.stopped


@pytest.mark.parametrize('rate', [0.34, 0.5, 0.95, 1.05, 1.2, 2.0, 2.5])
def test_a_robot_with_another_rate_is_not_controlled(yumi: RobotModel, rate: float) -> None:
    world = World(yumi, busy, rate=rate)
    world.run(2.0)
    assert not world.efforts
    assert 'Hz measured' in world.realtime.refusal
    assert f'{rate / H:.4g} Hz measured' in world.realtime.refusal or rate < 1.0
    assert not world.control.stopped


@pytest.mark.parametrize('rate', [0.34, 0.5, 0.9, 1.1, 2.0, 2.5])
def test_a_rate_that_changes_stops_the_robot_softly(yumi: RobotModel, rate: float) -> None:
    """Robot and control do not agree on the time any more: it must not shake meanwhile."""
    world = World(yumi, prompt)
    world.run(0.4)
    usual = world.share()
    world.set_rate(rate)
    world.run(1.0)
    assert 'Hz measured' in world.control.stopped
    assert world.share() < 1.2 * usual
    assert world.speed() < STILL
    with pytest.raises(SimloopError, match='Hz measured'):
        world.realtime.release()
    world.set_rate(1.0)
    world.run(0.5)
    world.realtime.release()


def test_after_a_release_the_robot_is_held_where_it_is_now(yumi: RobotModel) -> None:
    """Not where it was when it was stopped: somebody may have moved it since."""
    world = World(yumi, prompt)
    world.run(0.3)
    world.stop_robot('a test')
    world.planner = None
    world.run(5 * H)
    moved = yumi.home + 0.1
    world.plant.start(JointState(moved, np.zeros(yumi.n)))
    world.realtime.release()
    world.control.release()
    world.run(1.0)
    assert not world.control.stopped
    np.testing.assert_allclose(world.plant.truth.position, moved, rtol=0.0, atol=SLIP)


def test_what_was_planned_before_a_stop_is_not_heard_after_a_release(yumi: RobotModel) -> None:
    world = World(yumi, prompt)
    world.run(0.3)
    world.stop_robot('a test')
    world.run(H)
    world.realtime.release()
    world.control.release()
    held = world.plant.truth.position
    world.run(5 * H)  # the planner knows of nothing and goes on
    world.planner = None
    world.run(1.0)
    np.testing.assert_allclose(world.plant.truth.position, held, rtol=0.0, atol=SLIP)
    assert world.speed() < 1e-6


@pytest.mark.parametrize('pause', [0, 1, 3, 30], ids=lambda steps: f'{steps} periods')
def test_a_motion_after_a_release_begins_without_a_leap(yumi: RobotModel, pause: int) -> None:
    """However soon the planner is asked for it."""
    world = World(yumi, prompt)
    world.run(0.3)
    world.stop_robot('a test')
    world.planner = None
    world.run(1.0)
    rest = world.plant.truth.position
    world.realtime.release()
    world.control.release()
    world.run(pause * H)
    world.path.clear()
    world.plan(JointState(rest, np.zeros(yumi.n)))
    world.run(world.duration + 1.0)
    assert not world.control.stopped
    assert world.distance() < EXACT
    assert world.acceleration() < 10.0  # rad/s^2


@pytest.mark.parametrize('age', [0, 1, PERIOD], ids=lambda age: f'{age} ns')
def test_a_state_that_is_not_newer_than_the_last_one_is_no_step(
    yumi: RobotModel, age: int
) -> None:
    """It is refused and counted, and the robot gets no effort for it."""
    world = World(yumi, prompt)
    world.run(30 * H)
    realtime = world.realtime
    due, sent = realtime.due, len(world.efforts)
    assert sent > 0
    with pytest.raises(MessageError, match=r'joint_states: stamp .* is not after'):
        realtime.measured(DecodedJointState(due - age, world.plant.observe()))
    assert (realtime.due, len(world.efforts)) == (due, sent)
    assert realtime.report()['stale states'] == 1


def test_a_driver_that_is_silent_is_told_of_rarely(yumi: RobotModel) -> None:
    world = World(yumi, lambda _: LIGHT)
    told: list[str] = []
    for second in range(100):
        world.now = second * NANO
        world.realtime.tell('/joints', told.append, told.append)
    assert [line.split(', ')[-1] for line in told] == [
        f'{seconds} s already' for seconds in (4, 8, 16, 32, 64)
    ]
    assert all(line.startswith('waiting for /joints from the driver') for line in told)
    world.realtime.due = 0  # a joint state came
    world.now = 1000 * NANO
    world.realtime.tell('/joints', told.append, told.append)
    assert len(told) == 5


class Following(World):
    """A planner that asks the robot to stay where it is: 000, section 6.1.4."""

    def _plan(self, stamp: int, state: JointState) -> None:
        message = DecodedJointState(stamp, state.position, 0.0 * state.velocity, frame_id='follow')
        self._send('desired', lambda: self.realtime.desired(message))


@pytest.mark.parametrize('delay', [prompt, busy])
def test_a_robot_that_shall_stay_where_it_is_is_not_drawn_back(
    yumi: RobotModel, delay: Delay
) -> None:
    """It gets a push, and stops where that leaves it, however late the setpoints are."""
    world = Following(yumi, delay)
    world.run(0.2)
    world.plant.start(JointState(world.plant.truth.position, np.full(yumi.n, 0.1)))
    world.run(1.0)
    assert not world.control.stopped
    assert world.speed() < 1e-3
    assert world.share() < 0.5
