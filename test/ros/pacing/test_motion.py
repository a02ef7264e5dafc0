"""A planner in lockstep and in real time: which state is answered when, and what a stop does."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from simloop_ros.assembly.bearable_delay import BearableDelay
from simloop_ros.core.errors import SimloopError
from simloop_ros.core.values import ExternalInputs, JointState, Setpoint
from simloop_ros.maths.plan import PlanPoint
from simloop_ros.robot.model import RobotModel
from simloop_ros.ros.messages.joint_state import DecodedJointState
from simloop_ros.ros.messages.notice import COLLISION, Notice
from simloop_ros.ros.messages.safety_status import CONTROL, SafetyStatus
from simloop_ros.ros.messages.stamps import stamp_of
from simloop_ros.ros.messages.wrists import WRENCHES
from simloop_ros.ros.pacing.config import GraphConfig
from simloop_ros.ros.pacing.input_buffer import InputBuffer
from simloop_ros.ros.pacing.lateness_watch import LatenessWatch
from simloop_ros.ros.pacing.motion_pace import (
    MAX_REQUEST_AHEAD,
    LockstepMotion,
    MotionHold,
    RealtimeMotion,
)
from simloop_ros.safety.config import SafetyConfig
from simloop_ros.safety.lateness import LatenessLevel

H = 0.01  # s
PERIOD = stamp_of(1, H)
TORQUE = 'external_torque'
AHEAD = 4


class Guide:
    """A motion that goes on by a step of 1 rad for each setpoint, from where it was planned."""

    open_loop = True

    expects_torques = False

    def __init__(self) -> None:
        self.planner = self
        self.start: np.ndarray | None = None
        self.reaction: object | None = None
        self.resumes = True
        self.seen: list[tuple[JointState, ExternalInputs]] = []
        self._steps = 0

    def plan(self, position: np.ndarray) -> None:
        self.take(self.motion_from(position))

    def motion_from(self, position: np.ndarray) -> np.ndarray:
        return position.copy()

    def take(self, motion: np.ndarray) -> None:
        self.start = motion
        self._steps = 0

    def setpoint(self, state: JointState, inputs: ExternalInputs) -> Setpoint:
        assert self.start is not None
        self.seen.append((state, inputs))
        self._steps += 1
        return Setpoint(self.start + self._steps, np.ones_like(self.start))

    def points(self, stamp: int, state: JointState, inputs: ExternalInputs) -> list[PlanPoint]:
        return [PlanPoint(stamp + k * PERIOD, self.setpoint(state, inputs)) for k in range(3)]

    def resume(self) -> bool:
        return self.resumes

    def step_without_torque(self, state: JointState, inputs: ExternalInputs) -> Setpoint | None:
        """Let the last torque hold."""

    bearable_delay = BearableDelay('plan', 0.05)

    def predicted(self, stamp: int) -> tuple[PlanPoint, ...]:
        """Predict nothing."""
        del stamp
        return ()

    def adapt(self, level: LatenessLevel) -> None:
        self.level = level


class Task:
    """A call in the background, which is over when the test says so."""

    def __init__(self, call: Callable[[], Any]):
        self._call = call
        self.over = False
        self.meanwhile: Callable[[], Any] = lambda: None

    def done(self) -> bool:
        return self.over

    def result(self) -> Any:
        return self._call()

    def __await__(self) -> Any:
        self.meanwhile()
        return self.result()
        yield


class Port:
    """A planner without a node."""

    def __init__(self, topics: tuple[str, ...] = (), *, realtime: bool = False):
        self.guide: Any = Guide()
        self.inputs = InputBuffer(topics, realtime=realtime, timeout=3 * PERIOD)
        self.hold = MotionHold()
        self.sent: dict[int, Setpoint] = {}
        self.sent_again: list[int] = []
        self.levels: list[str] = []
        self.stops: list[str] = []
        self.tasks: list[Task] = []
        self.silence: list[str] = []
        self.meanwhile: Callable[[], Any] = lambda: None

    def send(self, stamp: int, setpoint: Setpoint) -> None:
        self.sent[stamp] = setpoint

    def send_again(self, stamp: int) -> bool:
        if stamp in self.sent:
            self.sent_again.append(stamp)
        return stamp in self.sent

    def in_background(self, call: Callable[[], Any]) -> Task:
        self.tasks.append(Task(call))
        self.tasks[-1].meanwhile = self.meanwhile
        return self.tasks[-1]

    def note_silence(self, topic: str) -> None:
        self.silence.append(topic)

    def note_lateness(self, lateness: LatenessWatch) -> None:
        self.levels.append(lateness.level.name)

    def stop_robot(self, reason: str) -> None:
        self.stops.append(reason)

    def positions(self) -> list[float]:
        """Return the first joint of each setpoint, in the order of the stamps."""
        return [float(self.sent[stamp].position[0]) for stamp in sorted(self.sent)]


def state(step: int, position: float = 0.0) -> DecodedJointState:
    return DecodedJointState(step * PERIOD, np.full(2, position), np.zeros(2))


def safety(stops: int, stopped: str = '', source: str = CONTROL) -> SafetyStatus:
    return SafetyStatus(source, stopped, stops)


def lockstep(port: Port, model: RobotModel) -> LockstepMotion:
    return LockstepMotion(port, GraphConfig(period=H, ahead=AHEAD), model)


# Lockstep


def test_a_motion_without_inputs_is_sent_ahead_as_far_as_it_is_requested(
    two_link: RobotModel,
) -> None:
    port = Port()
    motion = lockstep(port, two_link)
    motion.begin()
    home = float(two_link.home[0])
    assert sorted(port.sent) == [k * PERIOD for k in range(AHEAD)]
    assert motion.missing() == ()
    motion.resend(2 * PERIOD)  # a half of it is used: some again, some new
    assert port.sent_again == [2 * PERIOD, 3 * PERIOD]
    assert port.positions() == pytest.approx([home + k for k in range(1, 2 + AHEAD + 1)])
    motion.resend((motion.answers + MAX_REQUEST_AHEAD) * PERIOD)  # a malformed request
    assert motion.answers == 2 + AHEAD
    motion.begin()  # active again
    assert motion.answers == 2 + AHEAD


def test_a_motion_that_depends_on_the_robot_is_not_sent_ahead(two_link: RobotModel) -> None:
    port = Port()
    port.guide.open_loop = False
    motion = lockstep(port, two_link)
    assert not motion.sends_ahead
    motion.begin()
    assert not port.sent
    assert motion.missing() == (('control_state', 0),)


def test_each_state_is_answered_once_in_its_order(two_link: RobotModel) -> None:
    port = Port((TORQUE,))
    motion = lockstep(port, two_link)
    start = two_link.home + 0.25
    motion.state(state(1))  # too early
    assert not port.sent
    motion.state(DecodedJointState(0, start, np.zeros(2)))  # not at its home: planned from there
    motion.state(DecodedJointState(0, start, np.zeros(2)))  # repeated
    np.testing.assert_array_equal(port.sent[0].position, start + 1)
    assert len(port.guide.seen) == 1
    assert motion.missing() == (('control_state', PERIOD),)


def test_an_answer_waits_for_the_inputs_of_its_step(two_link: RobotModel) -> None:
    port = Port((COLLISION, TORQUE))
    motion = lockstep(port, two_link)
    motion.state(DecodedJointState(0, two_link.home, np.zeros(2)))
    motion.add_input(TORQUE, PERIOD, np.ones(2))  # before its state
    motion.state(state(1))
    assert PERIOD not in port.sent
    assert motion.missing() == [(COLLISION, PERIOD)]
    motion.add_input(COLLISION, 2 * PERIOD, Notice(2 * PERIOD, False, 'none', 1.0))
    assert PERIOD not in port.sent
    motion.add_input(COLLISION, PERIOD, Notice(PERIOD, True, 'push', 0.0))
    _, inputs = port.guide.seen[-1]
    assert (inputs.contact, inputs.kind) == (True, 'push')
    np.testing.assert_array_equal(inputs.torque, np.ones(2))
    motion.add_input(TORQUE, PERIOD, np.ones(2))  # repeated: of no use
    motion.state(state(2))
    assert motion.missing() == [(TORQUE, 2 * PERIOD)]


def test_after_a_stop_the_robot_is_held_where_it_is(two_link: RobotModel) -> None:
    port = Port((TORQUE,))
    motion = lockstep(port, two_link)
    motion.state(DecodedJointState(0, two_link.home, np.zeros(2)))
    port.hold.take(safety(1, 'a fault'))
    for step, position in ((7, 0.5), (8, 0.6)):  # steps went by; while it brakes it moves
        motion.add_input(TORQUE, step * PERIOD, np.zeros(2))
        motion.state(state(step, position))
        np.testing.assert_array_equal(port.sent[step * PERIOD].position, np.full(2, position))
        assert not port.sent[step * PERIOD].velocity.any()
    port.hold.take(safety(1))  # released
    for step in (9, 10):
        motion.add_input(TORQUE, step * PERIOD, np.zeros(2))
        motion.state(state(step, 0.1 * step))
    np.testing.assert_array_equal(port.sent[10 * PERIOD].position, np.full(2, 0.9))
    motion.resend(15 * PERIOD)  # control went on meanwhile
    assert motion.missing() == (('control_state', 15 * PERIOD),)
    port.hold.release()
    motion.resend(99 * PERIOD)
    assert motion.missing() == (('control_state', 15 * PERIOD),)


# Real time


def realtime(port: Port, *, ahead: bool, window: int = 0) -> RealtimeMotion:
    graph = GraphConfig(period=H, realtime=True, window=window)
    return RealtimeMotion(port, graph, runs_ahead=ahead, safety=SafetyConfig())


def test_in_real_time_the_motion_is_planned_in_the_background() -> None:
    port = Port(realtime=True)
    motion = realtime(port, ahead=True, window=512)
    motion.state(state(1, 0.5))
    assert not port.tasks  # may the robot move?
    port.hold.take(safety(0))
    motion.state(state(2, 0.5))
    assert not port.tasks  # the recorder is not ready
    motion.recorded()
    motion.state(state(3, 0.5))
    motion.state(state(4, 0.6))
    assert len(port.tasks) == 1
    port.tasks[0].over = True
    motion.state(state(5, 0.7))
    np.testing.assert_array_equal(port.guide.start, np.full(2, 0.5))
    assert not port.sent
    motion.state(state(6, 0.5))
    assert sorted(port.sent) == [6 * PERIOD, 7 * PERIOD, 8 * PERIOD]
    motion.state(state(6, 0.5))  # repeated
    assert len(port.guide.seen) == 3


def planned(port: Port) -> Port:
    """Return the planner under way."""
    port.hold.take(safety(0))
    port.guide.plan(np.zeros(2))
    return port


def test_in_real_time_one_setpoint_answers_a_state_where_inputs_decide() -> None:
    port = planned(Port((TORQUE,), realtime=True))
    motion = realtime(port, ahead=False)
    motion.add_input(TORQUE, 10**15, np.ones(2))  # of another clock
    for step in range(1, 7):
        motion.state(state(step))
    assert sorted(port.sent) == [k * PERIOD for k in range(1, 7)]
    held = [inputs.torque is not None for _, inputs in port.guide.seen]
    assert held == [True, True, True, False, False, False]
    assert port.silence == [TORQUE]
    motion.add_input(TORQUE, 10**15 + 1, np.ones(2))
    motion.state(state(7))
    assert port.silence == [TORQUE, '']


def test_in_real_time_two_hands_wait_for_their_sensors() -> None:
    port = Port((WRENCHES,), realtime=True)
    port.hold.take(safety(0))
    motion = realtime(port, ahead=False)
    motion.state(state(1))
    assert motion.waits_for_wrenches
    assert not port.tasks
    motion.add_input(WRENCHES, 5, np.zeros((2, 6)))
    motion.state(state(2))
    assert not motion.waits_for_wrenches
    assert len(port.tasks) == 1


def test_in_real_time_nothing_is_sent_while_the_robot_is_held() -> None:
    port = planned(Port(realtime=True))
    motion = realtime(port, ahead=True)
    port.hold.take(safety(1, 'a fault'))
    motion.state(state(3, 0.3))
    motion.state(state(2, 0.2))  # whatever its stamp
    assert not port.sent
    np.testing.assert_array_equal(port.hold.position, np.full(2, 0.2))


# Stop, release, start


def test_a_stop_gives_the_motion_up_even_if_it_was_missed() -> None:
    hold = MotionHold()
    assert not hold.control_known
    assert not hold.take(safety(0))
    assert hold.control_known
    assert not hold.take(safety(3, 'brakes', source='plant'))  # control stops for it
    assert not hold.active
    assert hold.take(safety(0, 'a watchdog', source='user'))
    hold.release()
    assert hold.take(safety(1))  # released again meanwhile
    assert hold.active
    assert not hold.stopped
    assert not hold.take(safety(1))


@pytest.mark.parametrize('is_realtime', [False, True])
def test_a_start_says_why_it_is_too_early(is_realtime: bool, two_link: RobotModel) -> None:
    port = Port(realtime=is_realtime)
    pace = realtime(port, ahead=True) if is_realtime else lockstep(port, two_link)

    def start() -> str:
        return asyncio.run(pace.start())

    with pytest.raises(SimloopError, match='safety status yet'):
        start()
    port.hold.take(safety(0))
    with pytest.raises(SimloopError, match='under way already'):
        start()
    port.hold.take(safety(1, 'a fault'))
    port.hold.position = np.ones(2)
    with pytest.raises(SimloopError, match='release it first'):
        start()
    port.hold.take(safety(1))
    with pytest.raises(SimloopError, match='no control state has come'):
        start()
    port.hold.position = np.full(2, 0.4)
    assert start() == 'planned the way to the goal'
    np.testing.assert_array_equal(port.guide.start, np.full(2, 0.4))
    assert not port.hold.active
    assert port.hold.position is None


def test_a_stop_while_a_way_is_planned_wins() -> None:
    port = Port(realtime=True)
    port.hold.take(safety(1))
    port.hold.position = np.zeros(2)
    port.meanwhile = lambda: port.hold.take(safety(2, 'a fault'))
    with pytest.raises(SimloopError, match='in the meantime'):
        asyncio.run(realtime(port, ahead=True).start())
    assert port.hold.active
    assert port.guide.start is None


def test_a_start_after_a_reaction_goes_on_once_the_robot_rests(two_link: RobotModel) -> None:
    port = planned(Port())
    motion = lockstep(port, two_link)
    port.guide.reaction = object()
    port.guide.resumes = False
    with pytest.raises(SimloopError, match='not at rest yet'):
        asyncio.run(motion.start())
    port.guide.resumes = True
    assert asyncio.run(motion.start()) == 'going on to the goal'
