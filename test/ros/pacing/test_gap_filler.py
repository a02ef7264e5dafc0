"""Steps that were not observed are filled, those of a long gap are not."""

from __future__ import annotations

import msgspec
import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.collision.config import MonitorConfig
from simloop_ros.collision.detector import CollisionDetector
from simloop_ros.collision.measured_torque import MeasuredTorque
from simloop_ros.collision.momentum_observer import MomentumObserver
from simloop_ros.collision.observation import Observation
from simloop_ros.core.values import Array, JointState
from simloop_ros.robot.model import RobotModel
from simloop_ros.ros.messages.effort_command import AppliedEffort, applied_kind
from simloop_ros.ros.messages.joint_state import ABSENT, DecodedJointState
from simloop_ros.ros.messages.stamps import stamp_of
from simloop_ros.ros.pacing.step_monitor import MAX_GAP, GapFiller, StepMonitor

H = 0.01  # s
PERIOD = stamp_of(1, H)
EPOCH = 1_700_000_000 * 10**9
ACCELERATION = 1e-4  # rad per step^2
EXTERNAL = np.array([3.0, -1.0])  # N m


def position(step: int) -> np.ndarray:
    """Return a motion with one acceleration."""
    return np.array([0.5 * ACCELERATION * step * (step + 1), 2e-3 * step])


def velocity(step: int) -> np.ndarray:
    """Return its difference quotient, which is what the control state has."""
    return (position(step) - position(step - 1)) / H


def seen(model: RobotModel, step: int) -> Observation:
    """Return a step in which an external torque acts."""
    q = position(step)
    state = JointState(q + 0.001, velocity(step))
    before = JointState(position(step - 1) + 0.001, velocity(step - 1))
    effort = _explained(model, before, state) - EXTERNAL
    return Observation(0.0, q + 0.002, effort, q, state, effort + EXTERNAL)


def _explained(model: RobotModel, before: JointState, after: JointState) -> Array:
    a = (after.velocity - before.velocity) / H
    effort: Array = pin.rnea(
        model.pin_model, model.pin_model.createData(), before.position, before.velocity, a
    )
    return effort


def filler_of(model: RobotModel, *, realtime: bool = True) -> GapFiller:
    return GapFiller(model, H, realtime=realtime)


def observe(
    model: RobotModel, filler: GapFiller, *steps: int, lag: int = 0
) -> list[list[Observation]]:
    """Return what becomes of observations; the last one's effort is for an earlier step."""
    lags = [0] * (len(steps) - 1) + [lag]
    return [
        filler.steps(EPOCH + step * PERIOD, seen(model, step), each)
        for step, each in zip(steps, lags, strict=True)
    ]


def times(rows: list[list[Observation]]) -> list[int]:
    return [round(each.time / H) for row in rows for each in row]


def external(model: RobotModel, before: Observation, each: Observation) -> Array:
    """Return the torque that the command does not explain [N m]."""
    return _explained(model, before.state, each.state) - each.effort


@pytest.mark.parametrize('realtime', [False, True])
def test_without_a_gap_nothing_is_filled(two_link: RobotModel, realtime: bool) -> None:
    filler = filler_of(two_link, realtime=realtime)
    rows = observe(two_link, filler, 1, 2, 3)
    assert times(rows) == [1, 2, 3]
    assert filler.filled == 0
    np.testing.assert_array_equal(rows[2][0].measured, position(3))
    np.testing.assert_array_equal(rows[2][0].effort, seen(two_link, 3).effort)


def test_a_gap_is_filled_with_one_acceleration_and_the_torque_that_acted_before(
    two_link: RobotModel,
) -> None:
    filler = filler_of(two_link)
    observe(two_link, filler, *range(-200, 1))
    rows = observe(two_link, filler, 1, 2, 6, 7)
    assert np.diff(times(rows)).tolist() == [1] * 6
    assert filler.filled == 3
    before = rows[1][0]
    for step, each in zip((3, 4, 5), rows[2][:-1], strict=True):
        np.testing.assert_allclose(each.measured, position(step), atol=1e-12)
        np.testing.assert_allclose(each.desired, each.measured + 0.002)
        np.testing.assert_allclose(each.state.velocity, velocity(step), atol=1e-12)
        np.testing.assert_allclose(external(two_link, before, each), EXTERNAL, atol=1e-6)
        np.testing.assert_allclose(each.rollback_effort - each.effort, EXTERNAL)
        before = each
    np.testing.assert_array_equal(rows[2][-1].effort, seen(two_link, 6).effort)


def test_a_command_of_an_earlier_step_says_nothing_about_the_last_one(
    two_link: RobotModel,
) -> None:
    filler = filler_of(two_link)
    observe(two_link, filler, *range(-200, 1))
    rows = observe(two_link, filler, 1, 2, 6, lag=3)
    *_, before, last = rows[2]
    np.testing.assert_allclose(external(two_link, before, last), EXTERNAL, atol=1e-6)


def test_positions_that_were_filled_count_for_the_next_gap(two_link: RobotModel) -> None:
    filler = filler_of(two_link)
    rows = observe(two_link, filler, 1, 2, 4, 6)
    assert times(rows) == [1, 2, 3, 4, 5, 6]
    np.testing.assert_allclose(rows[3][0].measured, position(5), atol=1e-12)


def test_the_longest_gap_is_filled_and_a_longer_one_is_a_jump_of_the_time(
    two_link: RobotModel,
) -> None:
    filler = filler_of(two_link)
    rows = observe(two_link, filler, 1, 2, 2 + MAX_GAP)
    assert times(rows) == list(range(1, 3 + MAX_GAP))
    filler = filler_of(two_link)
    rows = observe(two_link, filler, 1, 2, 3 + MAX_GAP, 4 + MAX_GAP)
    assert filler.filled == 0
    assert times(rows) == [1, 2, 3 + MAX_GAP, 4 + MAX_GAP]


@pytest.mark.parametrize('steps', [(1, 3), (5, 6, 4)])
def test_a_gap_after_a_single_sample_or_back_in_time_is_not_filled(
    two_link: RobotModel, steps: tuple[int, ...]
) -> None:
    filler = filler_of(two_link)
    rows = observe(two_link, filler, *steps)
    assert filler.filled == 0
    assert times(rows)[-1] - times(rows)[-2] == 1 + MAX_GAP


def test_in_lockstep_stamps_do_not_matter(two_link: RobotModel) -> None:
    filler = filler_of(two_link, realtime=False)
    assert times(observe(two_link, filler, 1, 2, 6, 99)) == [1, 2, 3, 4]


def test_a_gap_has_the_efforts_that_the_robot_applied(two_link: RobotModel) -> None:
    """As far as it tells them: of two steps, of which the first one is filled."""
    filler = filler_of(two_link)
    observe(two_link, filler, *range(1, 30))
    now, told = seen(two_link, 32), np.array([7.0, 8.0])
    found = filler.steps(EPOCH + 32 * PERIOD, now, 0, AppliedEffort(told, 2))
    assert len(found) == 3
    np.testing.assert_array_equal(found[1].effort, told)
    assert np.abs(found[0].effort - told).max() > 1.0


FINE = 0.001  # s
PUSH = 20.0  # rad/s^2, of the motors in one step
SMALL = 0.002  # of the torque of that: the filter's, of what is spread over the gap


def pushed(model: RobotModel, step: int) -> dict[str, DecodedJointState]:
    """Return the messages of a step of a robot whose motors push it in step 50 only."""
    speeds = [np.full(2, PUSH * FINE * (each >= 50)) for each in (step - 1, step)]
    way = max(0, step - 49) * PUSH * FINE**2
    after = JointState(np.full(2, way), speeds[1])
    before = JointState(after.position - FINE * after.velocity, speeds[0])
    a = (after.velocity - before.velocity) / FINE
    data = model.pin_model.createData()
    effort = pin.rnea(model.pin_model, data, before.position, before.velocity, a)
    stamps = [EPOCH + stamp_of(each, FINE) for each in (step - 1, step)]
    return {
        'effort_command': DecodedJointState(stamps[0], after.position, ABSENT, effort),
        'joint_states': DecodedJointState(
            stamps[1], after.position, ABSENT, effort, applied_kind(1)
        ),
        'control_state': DecodedJointState(stamps[1], after.position, after.velocity, effort),
    }


@pytest.mark.parametrize('lost', ['effort_command', 'joint_states', 'control_state'])
def test_a_lost_message_is_no_external_torque(two_link: RobotModel, lost: str) -> None:
    """Another one of the same step tells its effort, which nobody could have guessed."""
    detector = CollisionDetector(MomentumObserver(two_link, FINE))
    gaps = GapFiller(two_link, FINE, realtime=True)
    monitor = StepMonitor(detector, gaps, two_link.n, FINE, None)
    rows = {step: pushed(two_link, step) for step in range(1, 60)}
    found = []
    for step, row in rows.items():
        for topic, message in row.items():
            if step != 50 or topic != lost:
                monitor.hear(topic, message)
        if step != 50:
            found.append(monitor.observe(*row.values(), None).reading.torque)  # type: ignore[call-arg]
    push = rows[50]['effort_command'].effort - rows[49]['effort_command'].effort
    assert gaps.filled == 1
    assert np.abs(found).max() < SMALL * np.abs(push).max()


@pytest.mark.parametrize('lost', [None, 30])
def test_what_the_joints_measured_counts_more_than_any_command(
    two_link: RobotModel, lost: int | None
) -> None:
    """Commands and what the robot tells that it applied are wrong here by far."""
    detector = CollisionDetector(MomentumObserver(two_link, FINE))
    gaps = GapFiller(two_link, FINE, realtime=True)
    measured = MeasuredTorque(two_link, MonitorConfig(signal='measured'))
    monitor = StepMonitor(detector, gaps, two_link.n, FINE, None, measured)
    found = []
    for step in range(1, 60):
        row = pushed(two_link, step)
        torque = row['effort_command'].effort
        for topic in ('effort_command', 'joint_states'):
            wrong = {'effort': torque + 50.0, 'frame_id': applied_kind(2)}  # of a lost step, too
            row[topic] = msgspec.structs.replace(row[topic], **wrong)
            monitor.hear(topic, row[topic])
        if step != lost:
            found.append(monitor.observe(*row.values(), None, torque).reading.torque)  # type: ignore[call-arg]
    assert gaps.filled == (lost is not None)
    assert np.abs(found).max() < SMALL * PUSH


def test_commands_say_nothing_about_a_robot_that_does_not_tell(two_link: RobotModel) -> None:
    """Its driver may have held another one."""
    filler = filler_of(two_link)
    observe(two_link, filler, *range(-200, 3))
    filler.efforts.command(EPOCH + 2 * PERIOD, np.array([70.0, 80.0]))
    ((filled, _),) = observe(two_link, filler, 4)
    before = seen(two_link, 2)
    np.testing.assert_allclose(external(two_link, before, filled), EXTERNAL, atol=1e-6)
