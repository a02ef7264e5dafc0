"""Two arms along their plan: what forces do to it, and how it halts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import msgspec
import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.assembly.motion import MotionSettings, build_motion
from simloop_ros.bimanual.config import BimanualConfig, KnownObject
from simloop_ros.bimanual.pace import Pace
from simloop_ros.bimanual.planner import BimanualPlanner
from simloop_ros.bimanual.snapshot import DRAG_DISTANCE, StalledArm
from simloop_ros.bimanual.task_config import (
    ApproachTask,
    GraspTask,
    HingeTask,
    HoldTask,
    ImpedanceConfig,
    InsertTask,
    MoveTask,
    ReleaseTask,
    RetractTask,
    SlideTask,
    YieldTask,
)
from simloop_ros.core.values import JointState, PathCorrection
from simloop_ros.planning.config import BimanualMotionConfig
from simloop_ros.robot.model import RobotModel

H = 4e-3
GRASP = GraspTask(squeeze=20.0, durations=(0.3,))
HOLD = HoldTask(duration=0.3)
CARRY = MoveTask(by=(0.1, 0.0, 0.1), turn=(0.0, 0.0, 0.3), duration=0.8)
SOFT = ImpedanceConfig(mass=(2.0,) * 6, damping=(200.0,) * 6, stiffness=(2000.0,) * 6)

Scenes = Callable[..., Any]


def test_free_hands_go_as_planned_bit_for_bit(workerbot: RobotModel, scene: Scenes) -> None:
    """With readings that are nothing but bias, and before contact, force control changes nothing.

    The same run without force control has the same bits.
    """
    tasks = (
        ApproachTask(durations=(0.3, 0.2)),
        GraspTask(durations=(0.2,), expect=False),
        ReleaseTask(),
    )
    runs = []
    for force_control in (True, False):
        free = scene(workerbot, *tasks, stiffness=0.0, force_control=force_control)
        bias = np.linspace(-2.0, 2.0, 12).reshape(2, 6)
        positions = []
        for _ in range(free.plan.last + 5):
            free.q = free.step_with(bias)
            positions.append(free.q)
        np.testing.assert_array_equal(positions[:-5], free.plan.joints[1:])
        np.testing.assert_array_equal(positions[-1], free.plan.joints[-1])
        assert not free.planner.halted
        runs.append(np.array(positions))
    np.testing.assert_array_equal(*runs)


def test_the_whole_chain(two_arms: RobotModel, scene: Scenes) -> None:
    """The beam is pressed with 20 N all along, let go, and the hands end where they began."""
    tasks = (
        ApproachTask(durations=(0.3,)),
        GRASP,
        HOLD,
        CARRY,
        ReleaseTask(),
        RetractTask(durations=(1.0,)),
    )
    run = scene(two_arms, *tasks)
    run.run_to('move')
    forces, displacement = [], np.array(CARRY.by)
    begin = run.middle
    while 'move' in run.planner.task:
        run.step()
        forces.append(run.force)
    assert np.abs(np.array(forces[:-1]) - 20.0).max() < 0.5
    np.testing.assert_allclose(run.middle - begin, displacement, atol=1e-5)
    run.run_to('retract')
    assert run.force == 0.0
    run.run(1.2)
    assert not run.planner.halted
    np.testing.assert_array_equal(run.q, two_arms.home)


def test_a_release_does_not_press(workerbot: RobotModel, scene: Scenes) -> None:
    run = scene(workerbot, GRASP, HOLD, ReleaseTask(durations=(0.3,)), stiffness=5e5, period=1e-3)
    run.run_to('release')
    forces = [run.force]
    while run.planner.snapshot().place < run.plan.last:
        run.step()
        forces.append(run.force)
    assert np.diff(forces).max() <= 1e-9
    assert forces[-1] == 0.0


def test_a_correction_moves_the_tips_by_just_that(workerbot: RobotModel, scene: Scenes) -> None:
    """In axes of the object, which is turned."""
    run = scene(workerbot, GRASP, HOLD, CARRY)
    run.run_to('move')
    run.run(0.5)
    planner = run.planner
    snapshot = planner.snapshot()
    place = int(snapshot.place)
    assert snapshot.place == place
    R = run.plan.object_rotation[place]
    assert np.abs(R - np.eye(3)).max() > 0.1
    correction: PathCorrection = planner.correction
    assert np.linalg.norm(correction.position, axis=1).min() > 5e-4
    planned = run.hands(run.plan.joints[place])
    for i, (hand, plan) in enumerate(zip(run.hands(), planned, strict=True)):
        moved = hand.translation - plan.translation
        np.testing.assert_allclose(moved, R @ correction.position[i], atol=1e-9)
        turned = pin.log3(hand.rotation @ plan.rotation.T)
        np.testing.assert_allclose(turned, R @ correction.rotation[i], atol=1e-9)


def test_replay_from_a_snapshot(workerbot: RobotModel, scene: Scenes) -> None:
    """Through contact, and once more: the same bits."""
    run = scene(workerbot, GRASP, HOLD)
    run.run(0.25)
    snapshot, q = run.planner.snapshot(), run.q
    first = run.run(0.3)
    assert run.planner.contact is not None
    assert run.planner.contact.contact
    run.planner.restore(snapshot)
    run.q = q
    np.testing.assert_array_equal(run.run(0.3), first)


@pytest.mark.parametrize(
    'moment',
    [
        'free',
        'task 2',
        'task 3',
        'insert, resisted',
        'task 5',
        'halting',
        'stalled',
        'lost',
        'end',
    ],
)
def test_a_planner_takes_over_the_plan_of_another_one(
    workerbot: RobotModel, scene: Scenes, moment: str
) -> None:
    """It was planned anew, from elsewhere, and has gone on; from then on both do the same."""
    tasks = (
        ApproachTask(durations=(0.2,)),
        GRASP,
        YieldTask(impedance=SOFT, duration=0.3),
        InsertTask(by=(0.04, 0.0, 0.0), max_force=5.0, duration=0.5),
        CARRY,
        ReleaseTask(durations=(0.3,)),
    )
    run = scene(workerbot, *tasks)
    beside = replace(workerbot, home=workerbot.home + 0.01)
    other = scene(beside, *tasks)
    assert np.abs(other.plan.joints - run.plan.joints).max() > 1e-3
    weight, wall = -run.config.object.mass * 9.82, run.middle[0] + 0.01
    run.push = lambda m: np.array([-2e4 * max(0.0, m[0] - wall), 0.5, weight])
    other.push = run.push
    other.run(0.45)
    if moment == 'free':
        run.run(0.1)
    elif moment == 'end':
        run.run(run.plan.last * H + 0.1)
    else:
        run.run_to(moment if moment in ('task 2', 'task 3', 'resisted') else 'task 5')
        run.run(0.1)
    if moment == 'halting':
        run.planner.halt('a request')
        run.run(0.008)
    elif moment == 'stalled':
        run.stopped = other.stopped = tuple(range(7))
        run.run(0.1)
        assert 'does not follow' in run.planner.halted
    elif moment == 'lost':
        run.stiffness = other.stiffness = 0.0
        run.run(0.1)
        assert 'dropped' in run.planner.halted
    other.planner.restore(run.planner.snapshot())
    other.q = run.q
    np.testing.assert_array_equal(other.planner.expected.position, run.planner.expected.position)
    assert other.planner.report.activity == run.planner.report.activity
    for _ in range(100):
        np.testing.assert_array_equal(other.step(), run.step())
    if moment == 'halting':
        assert run.planner.restart(run.planner.expected)
        assert other.planner.restart(run.planner.expected)
        np.testing.assert_array_equal(other.run(0.4), run.run(0.4))
    assert other.planner.report.activity == run.planner.report.activity
    for a, b in zip(
        msgspec.structs.astuple(other.planner.report.correction),
        msgspec.structs.astuple(run.planner.report.correction),
        strict=True,
    ):
        np.testing.assert_array_equal(a, b)


def test_what_is_expected(workerbot: RobotModel, scene: Scenes) -> None:
    run = scene(workerbot, GRASP, CARRY)
    run.run_to('move')
    a, b = run.run(0.4)[-2:]
    np.testing.assert_array_equal(run.planner.expected.position, b)
    np.testing.assert_allclose(run.planner.expected.velocity, (b - a) / H)


@pytest.mark.parametrize(('stop_time', 'duration'), [(0.02, 1.6), (0.048, 0.8)])
def test_a_halt_is_on_the_path_and_in_time(
    workerbot: RobotModel, scene: Scenes, stop_time: float, duration: float
) -> None:
    carry = msgspec.structs.replace(CARRY, duration=duration)
    run = scene(workerbot, GRASP, carry, stop_time=stop_time)
    run.run_to('move')
    run.run(0.5 * duration)
    begin, turned = run.plan.object_position[0], run.plan.object_rotation
    run.planner.halt('a request')
    run.planner.halt('and again')
    assert run.planner.halted == 'a request'
    steps = round(stop_time / H)
    ways = [run.planner.snapshot().place]
    for _ in range(steps):
        run.step()
        ways.append(run.planner.snapshot().place)
    paces = np.diff(ways)
    assert (np.diff(paces) <= 0.0).all()
    assert paces[-1] == 0.0
    assert paces[-2] > 0.0
    # Force control stays on, and the beam is where its path leads: x and z go alike.
    run.run(0.2)
    way = run.middle - begin
    assert abs(way[0] - way[2]) < 1e-5
    assert 0.02 < way[0] < 0.08
    assert abs(run.force - 20.0) < 0.5
    assert np.abs(run.planner.expected.velocity).max() < 1e-4
    left, right = run.hands()
    along = (left.translation - right.translation) / np.linalg.norm(
        left.translation - right.translation
    )
    # Between two rows of the plan, which are 3 mrad apart.
    np.testing.assert_allclose(along, turned[int(ways[-1])][:, 1], atol=3e-3)


def test_it_goes_on_after_a_halt(workerbot: RobotModel, scene: Scenes) -> None:
    run = scene(workerbot, GRASP, HOLD, CARRY, HOLD, stop_time=0.04)
    run.run_to('move')
    run.run(0.4)
    run.planner.halt('a request')
    run.run(0.1)
    q = run.planner.expected.position
    assert not run.planner.restart(JointState(q + 0.1, 0.0 * q))
    assert run.planner.halted
    assert run.planner.restart(JointState(q, 0.0 * q))
    speeds = np.abs(np.diff(run.run(1.4), axis=0)).max(axis=1)
    assert (np.diff(speeds[:5]) > 0.0).all()
    assert np.diff(speeds).max() < 0.02 * speeds.max()  # gently, not as fast as it stops
    assert not run.planner.halted
    assert run.planner.snapshot().place == run.plan.last
    np.testing.assert_allclose(run.middle - run.plan.object_position[0], CARRY.by, atol=1e-5)


def test_a_halt_while_it_gets_going_again_is_as_fast_as_any(
    workerbot: RobotModel, scene: Scenes
) -> None:
    run = scene(workerbot, GRASP, HOLD, CARRY, HOLD, stop_time=0.04)
    run.run_to('move')
    run.run(0.4)
    run.planner.halt('a request')
    run.run(0.1)
    q = run.planner.expected.position
    assert run.planner.restart(JointState(q, 0.0 * q))
    run.run(0.3)
    assert not run.planner.resting
    run.planner.halt('and again')
    run.run(0.04)
    assert run.planner.resting


@pytest.mark.parametrize(
    ('wrenches', 'message'),
    [
        (None, 'wrist sensors lost'),
        (np.full((2, 6), np.nan), 'wrist sensor of palm_l lost'),
        (np.full((2, 6), 1e6), 'beyond its range'),
    ],
)
def test_sensors_that_are_lost_halt_both_arms(
    workerbot: RobotModel, scene: Scenes, wrenches: np.ndarray | None, message: str
) -> None:
    run = scene(workerbot, GRASP, HOLD)
    run.run_to('hold')
    run.run(0.2)
    correction = run.planner.correction.position
    for _ in range(20):
        run.q = run.step_with(wrenches)
    assert message in run.planner.halted
    assert np.isfinite(run.q).all()
    assert run.planner.snapshot().pace.rate == 0.0
    np.testing.assert_allclose(run.planner.correction.position, correction, atol=1e-5)
    assert not run.planner.restart(run.planner.expected)


def test_joints_that_are_not_known_halt_both_arms(workerbot: RobotModel, scene: Scenes) -> None:
    run = scene(workerbot, GRASP, CARRY)
    run.run_to('move')
    run.run(0.3)
    for _ in range(20):
        desired = run.step_with(run.readings(), np.full(14, np.nan))
        assert np.isfinite(desired).all()
    assert 'not known' in run.planner.halted
    assert run.planner.snapshot().pace.rate == 0.0


@pytest.mark.parametrize('arm', [0, 1])
def test_an_arm_that_does_not_follow_stops_the_other(
    workerbot: RobotModel, scene: Scenes, arm: int
) -> None:
    """Its drives stop in the middle of a carry: the other stands where the beam is not pressed."""
    leash = 2e-4
    carry = msgspec.structs.replace(CARRY, duration=1.6)
    run = scene(workerbot, GRASP, HOLD, carry, period=1e-3, leash=leash / 1e-6)
    run.run_to('move')
    run.run(0.8)
    run.stopped = tuple(range(7 * arm, 7 * arm + 7))
    before = run.hands()
    forces, tips, halted = [], [], None
    for step in range(300):
        run.step()
        forces.append(run.force)
        tips.append(run.hands()[1 - arm].translation)
        if halted is None and run.planner.halted:
            halted = step
    assert workerbot.tips[arm] in run.planner.halted
    assert 'does not follow' in run.planner.halted
    assert halted is not None
    speed = 1.875 * np.linalg.norm(carry.by) / carry.duration
    assert halted <= leash / (speed * 1e-3) + 2
    # It stands after the 10 ms of stop_time, but for what force control does.
    ways = np.linalg.norm(np.diff(tips, axis=0), axis=1) / 1e-3
    assert ways[:halted].max() > 0.9 * speed
    assert ways[halted + 12 :].max() < 0.02
    assert max(forces) < 2.0 * 20.0
    assert abs(forces[-1] - 20.0) < 1.0
    # Hands are to each other as they were, and the other one is where the stopped one is.
    after = run.hands()
    was, now = (a.actInv(b) for a, b in (before, after))
    np.testing.assert_allclose(now.translation, was.translation, atol=2e-5)
    np.testing.assert_allclose(now.rotation, was.rotation, atol=1e-3)
    # The drives are not asked to go anywhere.
    desired = run.step()
    np.testing.assert_allclose(desired[list(run.stopped)], run.q[list(run.stopped)], atol=1e-9)
    assert not run.planner.restart(run.planner.expected)


def test_the_place_of_an_arm_that_does_not_follow() -> None:
    """While brakes engage it is where the arm is; then it stays, or is dragged behind it."""
    there, here = np.zeros(2), np.array([1.0, 2.0])
    coasting = StalledArm(0, there, Pace(3, 3), Pace(5, 5))
    np.testing.assert_array_equal(coasting.after(here, 0.5).joints, here)
    resting = StalledArm(0, there, Pace(0, 3), Pace(0, 5))
    np.testing.assert_array_equal(resting.after(here, 0.99 * DRAG_DISTANCE).joints, there)
    # Of four times the distance three quarters are made good: one is left.
    np.testing.assert_allclose(resting.after(here, 4.0 * DRAG_DISTANCE).joints, 0.75 * here)


def test_an_arm_that_coasts_takes_the_other_along(workerbot: RobotModel, scene: Scenes) -> None:
    """Brakes with a time constant of 20 ms: 4 mm more, and the beam is held all the time."""
    h, arm = 1e-3, list(range(7))
    carry = msgspec.structs.replace(CARRY, duration=1.6)
    run = scene(workerbot, GRASP, HOLD, carry, period=h, leash=3e-4 / h**2)
    run.run_to('move')
    run.run(0.8)
    run.stopped = tuple(arm)
    step = h * run.planner.expected.velocity[arm]
    forces, ways, begin = [], [], run.hands()[0].translation
    for _ in range(300):
        step = step * np.exp(-h / 0.02)
        run.step()
        run.q[arm] += step
        forces.append(run.force)
        ways.append([hand.translation for hand in run.hands()])
    assert 2e-3 < np.linalg.norm(ways[-1][0] - begin) < 5e-3
    assert min(forces) > 10.0
    assert max(forces) < 40.0
    speeds = np.linalg.norm(np.diff(ways, axis=0), axis=2) / h
    assert np.abs(speeds[60:, 0] - speeds[60:, 1]).max() < 0.01
    assert speeds[-1].max() < 1e-3


def test_nothing_between_the_hands(workerbot: RobotModel, scene: Scenes) -> None:
    run = scene(workerbot, GRASP, CARRY, stiffness=0.0)
    run.run(1.0)
    assert 'nothing between the hands' in run.planner.halted
    assert run.planner.snapshot().place * H < 0.4 + 0.05 + 0.012 + 2 * H  # grasp, wait, stop


def test_nothing_is_expected_without_force_control(workerbot: RobotModel, scene: Scenes) -> None:
    run = scene(workerbot, GRASP, CARRY, stiffness=0.0, force_control=False)
    run.run(1.5)
    assert not run.planner.halted


def test_a_dropped_object(workerbot: RobotModel, scene: Scenes) -> None:
    run = scene(workerbot, GRASP, HOLD, CARRY)
    run.run_to('move')
    run.run(0.2)
    run.stiffness = 0.0
    run.run(0.05)
    assert not run.planner.halted
    run.run(0.02)
    assert 'dropped' in run.planner.halted
    gap = np.ptp([hand.translation[1] for hand in run.hands()])
    run.run(0.5)  # the hands do not close on nothing
    assert abs(np.ptp([hand.translation[1] for hand in run.hands()]) - gap) < 5e-4


def test_a_push_moves_an_object_that_yields(workerbot: RobotModel, scene: Scenes) -> None:
    """By force over stiffness: 6 N on 2000 N/m are 3 mm."""
    run = scene(workerbot, GRASP, HOLD, YieldTask(impedance=SOFT, duration=1.0), HOLD)
    weight = -run.config.object.mass * 9.82
    run.push = lambda _: np.array([0.0, 0.0, weight])
    run.run_to('yield')
    run.run(0.2)
    before = run.middle
    run.push = lambda _: np.array([6.0, 0.0, weight])
    run.run(0.7)
    np.testing.assert_allclose(run.middle - before, [3e-3, 0.0, 0.0], atol=2e-5)
    assert abs(run.force - 20.0) < 0.5
    run.run_to('task 4')
    run.run(0.2)  # and there it stays
    np.testing.assert_allclose(run.middle - before, [3e-3, 0.0, 0.0], atol=5e-5)


def test_hands_that_release_an_object_that_has_yielded_do_not_touch_it_again(
    workerbot: RobotModel, scene: Scenes
) -> None:
    """It was pushed 15 mm along its own axis; the palms open by 10 mm, and never come back."""
    open_, home = ReleaseTask(clearance=0.01, durations=(0.4,)), RetractTask(durations=(1.0,))
    run = scene(workerbot, GRASP, HOLD, YieldTask(impedance=SOFT, duration=1.0), HOLD, open_, home)
    run.push = lambda _: np.array([0.0, 30.0, -run.config.object.mass * 9.82])
    run.run_to('task 4')
    run.push = lambda _: np.array([0.0, 0.0, -run.config.object.mass * 9.82])
    run.run_to('release')
    middle = run.middle
    assert middle[1] == pytest.approx(0.015, abs=1e-3)
    assert run.force > 15.0
    gaps = []
    while 'release' in run.planner.task:
        run.step()
        left, right = (hand.translation[1] for hand in run.hands())
        gaps.append((left - middle[1] - 0.04, middle[1] - 0.04 - right))
    assert np.diff(gaps, axis=0).min() > -1e-6
    np.testing.assert_allclose(gaps[-1], 0.01, atol=1e-4)
    speeds = np.abs(np.diff(run.run(1.5), axis=0)).max(axis=1) / run.period
    assert speeds[0] < 0.01  # at rest before the way home
    np.testing.assert_array_equal(run.q, workerbot.home)


def test_a_slide_yields_only_across(workerbot: RobotModel, scene: Scenes) -> None:
    task = SlideTask(by=(0.05, 0.0, 0.0), impedance=SOFT, duration=0.8)
    run = scene(workerbot, GRASP, HOLD, task)
    weight = -run.config.object.mass * 9.82
    run.push = lambda _: np.array([-4.0, 0.0, 4.0 + weight])
    run.run_to('slide')
    before = run.middle
    run.run(0.9)
    np.testing.assert_allclose(run.middle - before, [0.05, 0.0, 2e-3], atol=2e-5)


def test_an_insertion_ends_where_something_resists(workerbot: RobotModel, scene: Scenes) -> None:
    """A wall of 1e4 N/m after 20 of 40 mm: 10 N are measured 1 mm inside.

    It stops soon after, and goes back to there: a step back is 0.1 of one forth, 0.03 mm here.
    The way that is left is missing in all that follows, until the hands are home.
    """
    wall, stiffness = 0.02, 1e4
    task = InsertTask(by=(0.04, 0.0, 0.0), max_force=10.0, duration=1.0)
    back = MoveTask(by=(-0.02, 0.0, 0.0), duration=0.5)
    run = scene(workerbot, GRASP, HOLD, task, back, ReleaseTask(), RetractTask())
    weight = -run.config.object.mass * 9.82
    begin = run.middle

    def push(middle: np.ndarray) -> np.ndarray:
        depth = max(0.0, float(middle[0] - begin[0]) - wall)
        return np.array([-stiffness * depth, 0.0, weight])

    run.push = push
    run.run_to('task 4')
    assert not run.planner.halted
    reached = run.middle[0] - begin[0]
    assert wall + 1e-3 - 4e-5 < reached <= wall + 1e-3
    positions = run.run(0.5)
    np.testing.assert_allclose(run.middle[0] - begin[0], reached - 0.02, atol=1e-5)
    steps = np.abs(np.diff(positions, axis=0)).max(axis=1)
    assert steps[0] < 0.05 * steps.max()  # no jump where the next task begins
    run.run(4.0)
    assert not run.planner.halted
    np.testing.assert_array_equal(run.q, workerbot.home)


def test_an_insertion_that_is_resisted_from_its_begin_stays_there(
    workerbot: RobotModel, scene: Scenes
) -> None:
    """Nobody knows of its weight, which is more than ``max_force``: it goes back where it was."""
    task = InsertTask(by=(0.0, 0.0, 0.05), max_force=3.0, duration=1.0)
    known = KnownObject(position=(0.4, 0.0, 0.82))
    run = scene(workerbot, GRASP, HOLD, task, HOLD, object=known)
    run.push = lambda _: np.array([0.0, 0.0, -4.91])
    run.run_to('insert')
    begin = run.middle
    heights = []
    while 'task 4' not in run.planner.task:
        run.step()
        heights.append(run.middle[2] - begin[2])
    assert not run.planner.halted
    assert np.abs(np.diff(heights)).max() < 1e-4
    run.run(0.1)
    np.testing.assert_allclose(run.middle, begin, atol=2e-5)


def test_an_insertion_after_one_that_something_resists(
    workerbot: RobotModel, scene: Scenes
) -> None:
    """The second one presses less: it goes back from where the first one has ended."""
    first = InsertTask(by=(0.04, 0.0, 0.0), max_force=10.0, duration=1.0)
    second = InsertTask(by=(0.01, 0.0, 0.0), max_force=5.0, duration=4.0)
    run = scene(workerbot, GRASP, HOLD, first, second, HOLD)
    weight, wall = -run.config.object.mass * 9.82, run.middle[0] + 0.02
    run.push = lambda m: np.array([-1e4 * max(0.0, m[0] - wall), 0.0, weight])
    run.run_to('task 4')
    steps = [run.middle[0]]
    while 'task 5' not in run.planner.task:
        run.step()
        steps.append(run.middle[0])
    assert not run.planner.halted
    assert np.abs(np.diff(steps)).max() < 2e-4
    assert run.middle[0] - wall <= 1e-3


def test_an_insertion_that_is_halted_does_not_press_on(
    workerbot: RobotModel, scene: Scenes
) -> None:
    """A halt just after the contact: force control goes on, and relieves what is too much."""
    task = InsertTask(by=(0.04, 0.0, 0.0), max_force=5.0, duration=1.0)
    run = scene(workerbot, GRASP, HOLD, task, HOLD)
    weight, wall = -run.config.object.mass * 9.82, run.middle[0] + 0.02
    run.push = lambda m: np.array([-1e5 * max(0.0, m[0] - wall), 0.0, weight])
    run.run_to('insert')
    while run.middle[0] <= wall:
        run.step()
    run.planner.halt('a request')
    presses = []
    for _ in range(200):
        run.step()
        presses.append(1e5 * (run.middle[0] - wall))
    assert max(presses) > 20.0
    assert presses[-1] <= 5.0
    assert 'insert, resisted' in run.planner.task
    assert run.planner.doing == 'stopped: a request'


def _yielded(
    run: Any, push: tuple[float, float, float], task: str
) -> tuple[np.ndarray, np.ndarray]:
    """Push the object as long as it yields; return where it was and is after that [m]."""
    weight = np.array([0.0, 0.0, -run.config.object.mass * 9.82])
    run.push = lambda _: weight
    run.run_to('yield')
    before = run.middle
    run.push = lambda _: weight + push
    run.run_to(task)
    run.push = lambda _: weight
    return before, run.middle


def test_what_has_yielded_does_not_spring_back(workerbot: RobotModel, scene: Scenes) -> None:
    """Not in a second yield without a push, nor in a slide along the same axis."""
    give = YieldTask(impedance=SOFT, duration=1.0)
    slide = SlideTask(by=(0.02, 0.0, 0.0), impedance=SOFT, duration=0.5)
    run = scene(workerbot, GRASP, HOLD, give, HOLD, give, slide, HOLD)
    before, after = _yielded(run, (6.0, 0.0, 0.0), 'task 4')
    np.testing.assert_allclose(after - before, [3e-3, 0.0, 0.0], atol=1e-4)
    run.run_to('slide')
    np.testing.assert_allclose(run.middle, after, atol=3e-5)
    run.run_to('task 7')
    np.testing.assert_allclose(run.middle - after, [0.02, 0.0, 0.0], atol=3e-5)
    assert not run.planner.halted


def test_a_move_begins_where_the_object_has_yielded_to(
    workerbot: RobotModel, scene: Scenes
) -> None:
    """And it turns about the object's centre, where that is now."""
    move = MoveTask(by=(0.05, 0.0, 0.05), turn=(0.0, 0.0, 0.5), duration=1.0)
    run = scene(workerbot, GRASP, HOLD, YieldTask(impedance=SOFT, duration=1.0), HOLD, move, HOLD)
    before, after = _yielded(run, (10.0, 0.0, 0.0), 'move')
    assert after[0] - before[0] > 4e-3
    run.run_to('task 6')
    np.testing.assert_allclose(run.middle - after, [0.05, 0.0, 0.05], atol=3e-5)
    left, right = (hand.translation for hand in run.hands())
    angle = np.arctan2(*(right - left)[:2]) - np.pi  # of the y axis, from the hands alone
    assert abs(abs(angle) % np.pi - 0.5) < 1e-3


def test_a_hinge_is_a_door_for_an_object_that_is_not_at_its_place(
    workerbot: RobotModel, scene: Scenes
) -> None:
    """Its way from the line turns with it: ``x = c + exp(w) (x_0 - c)``, by Rodrigues."""
    pivot, angle = np.array([0.6, 0.0, 0.82]), 0.3
    hinge = HingeTask(pivot=tuple(pivot), turn=(0.0, 0.0, angle), duration=1.0)
    lift = MoveTask(by=(0.0, 0.0, 0.03), duration=0.5)
    give = YieldTask(impedance=SOFT, duration=1.0)
    run = scene(workerbot, GRASP, HOLD, give, hinge, lift, HOLD)
    _, after = _yielded(run, (6.0, 8.0, 0.0), 'hinge')
    run.run_to('task 5')
    c, s = np.cos(angle), np.sin(angle)
    turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    np.testing.assert_allclose(run.middle, pivot + turn @ (after - pivot), atol=3e-5)
    hinged = run.middle
    run.run_to('task 6')
    np.testing.assert_allclose(run.middle - hinged, [0.0, 0.0, 0.03], atol=3e-5)


def test_a_wrist_that_does_not_follow_stops_both_arms(
    workerbot: RobotModel, scene: Scenes
) -> None:
    """The last joint turns the palm about its own axis, and leaves its position as it is."""
    turn = MoveTask(turn=(0.0, 0.3, 0.0), duration=1.0)
    run = scene(workerbot, GRASP, HOLD, turn, leash=60.0)
    run.push = lambda _: np.array([0.0, 0.0, -run.config.object.mass * 9.82])
    run.run_to('move')
    run.stopped = (workerbot.joint_names.index('wb_joint_7_l'),)
    run.run(0.4)
    assert run.planner.halted.startswith('the arm of palm_l does not follow')


def test_free_hands_stop_at_what_is_in_their_way(workerbot: RobotModel, scene: Scenes) -> None:
    """An object that is 12 mm longer than known is met on the approach, before any is expected.

    It is found at 30 N, 0.3 mm deep; the 10 ms of a stop at this speed add as much at most.
    """
    run = scene(workerbot, ApproachTask(clearance=0.002, path='cp', durations=(0.5,)), period=1e-3)
    longer = 0.012
    along = np.array([0.0, 1.0, 0.0])

    def readings() -> np.ndarray:
        left, right = (hand.translation for hand in run.hands())
        force = 1e5 * max(0.0, 0.08 + longer - float((left - right) @ along))
        sensors = [pose.rotation for pose in run._poses(workerbot.sensors, run.q)]
        rows = [sensors[0].T @ (force * along), sensors[1].T @ (-force * along)]
        forces.append(force)
        return np.hstack([rows, np.zeros((2, 3))])

    forces: list[float] = []
    run.readings = readings
    run.run(0.8)
    assert 'in its way' in run.planner.halted
    assert 'task 1' in run.planner.task
    assert max(forces) > 30.0
    assert max(forces) < 30.0 + 1e5 * 2 * 0.03 * 0.01  # 8 mm in 0.5 s: less than 0.03 m/s each


def test_joints_that_can_follow_again_do_not_catch_up(
    workerbot: RobotModel, scene: Scenes
) -> None:
    """For some steps in the middle of a carry their ranges end where they are."""
    run = scene(workerbot, GRASP, HOLD, CARRY, HOLD)
    run.run_to('move')
    run.run(0.4)
    fastest = np.abs(np.diff(run.plan.joints, axis=0)).max()
    joints = run.planner._joints
    joints._lower, joints._upper = run.q - 0.5 * fastest, run.q + 0.5 * fastest
    first = run.q
    np.testing.assert_allclose(run.run(5 * H), [first] * 5, rtol=0.0, atol=1e-9)
    assert 'joints cannot follow' in run.planner.halted
    joints._lower, joints._upper = workerbot.lower, workerbot.upper
    after = np.array([first, *run.run(0.5)])
    assert np.abs(np.diff(after, axis=0)).max() < 0.1 * fastest


def test_redundant_arms_do_not_jump_after_an_insertion_that_ended_early(
    workerbot: RobotModel, scene: Scenes
) -> None:
    """Seven joints get to one place in many ways; those of the step before must lead on.

    The object is at rest from the end of the insertion to the move, and so are all joints.
    """
    task = InsertTask(by=(0.0, 0.1, 0.1), max_force=5.0, duration=2.0)
    back = MoveTask(by=(0.0, -0.1, -0.1), duration=2.0)
    run = scene(workerbot, GRASP, HOLD, task, HOLD, back, ReleaseTask(), RetractTask())
    begin, weight = run.middle, -run.config.object.mass * 9.82

    def push(middle: np.ndarray) -> np.ndarray:
        depth = max(0.0, float(middle[1] - begin[1]) - 0.02)
        return np.array([0.0, -2000.0 * depth, weight])

    run.push = push
    run.run_to('insert')
    run.run(1.8)
    assert 'insert' in run.planner.task
    assert run.middle[1] - begin[1] < 0.03
    before = run.q
    rest = np.array([before, *run.run(0.4)])
    assert 'task 4' in run.planner.task
    assert np.abs(np.diff(rest, axis=0)).max() < 1e-5
    run.run(6.0)
    np.testing.assert_array_equal(run.q, workerbot.home)


def test_an_insertion_that_meets_nothing_goes_all_the_way(
    workerbot: RobotModel, scene: Scenes
) -> None:
    run = scene(workerbot, GRASP, HOLD, InsertTask(by=(0.04, 0.0, 0.0), duration=0.5), HOLD)
    run.push = lambda _: np.array([0.0, 0.0, -run.config.object.mass * 9.82])
    begin = run.middle
    run.run_to('task 4')
    np.testing.assert_allclose(run.middle - begin, [0.04, 0.0, 0.0], atol=2e-5)


def test_built_from_a_scenario(
    workerbot: RobotModel, configured: Callable[..., BimanualConfig]
) -> None:
    config = configured(workerbot, ApproachTask(durations=(0.5,)))
    settings = MotionSettings(period=H, planner=BimanualMotionConfig(), bimanual=config)
    built = build_motion(settings, workerbot, workerbot.home)
    assert isinstance(built.planner, BimanualPlanner)
    assert not built.planner.open_loop
    assert built.duration == pytest.approx(0.5)
    assert built.goals is None


def test_its_snapshot_is_a_value(workerbot: RobotModel, scene: Scenes) -> None:
    run = scene(workerbot, GRASP)
    snapshot = run.planner.snapshot()
    with pytest.raises(AttributeError):
        snapshot.place = 1.0
    run.step_with(np.ones((2, 6)))
    assert snapshot.place == 0.0
    assert not snapshot.control.sensors.readings.any()
    assert run.planner.snapshot() != snapshot


def test_hands_that_seek_to_the_end_of_the_tasks_report_that_nothing_is_there(
    workerbot: RobotModel, scene: Scenes
) -> None:
    empty = scene(workerbot, ApproachTask(durations=(0.3,)), GRASP, HOLD, stiffness=0.0)
    empty.run(0.9)
    assert empty.planner.task == 'task 3 (hold)'
    assert not empty.planner.halted  # the object may be shorter than it is known to be
    empty.run(0.1)
    assert empty.planner.halted.startswith('nothing between the hands')


def test_a_limited_rate_slows_both_arms_down_and_up_again(
    workerbot: RobotModel, scene: Scenes
) -> None:
    run = scene(workerbot, GRASP, HOLD, CARRY, HOLD, stop_time=0.04)
    run.run_to('move')
    run.run(0.3)
    run.planner.limit_rate(0.5)
    places = []
    for _ in range(200):
        run.step()
        places.append(run.planner.snapshot().place)
    rates = np.diff(places)
    assert rates[-1] == pytest.approx(0.5, abs=0.05)
    assert (rates[50:] <= 0.5).all()
    assert abs(run.force - 20.0) < 0.5
    run.planner.limit_rate(1.0)
    run.run(0.2)
    assert run.planner.snapshot().pace.rate == 1.0
    run.planner.limit_rate(0.0)
    run.run(0.2)
    place = run.planner.snapshot().place
    run.run(0.1)
    assert run.planner.snapshot().place == place


def test_the_way_is_predicted_as_it_comes(workerbot: RobotModel, scene: Scenes) -> None:
    run = scene(workerbot, GRASP, HOLD, CARRY, HOLD)
    run.run_to('move')
    run.run(0.4)
    here = run.planner.expected.position
    now, predicted = run.planner.predict(np.array([0.0, 20.0]), np.ones(2))
    assert run.planner.steady
    np.testing.assert_allclose(now.position, here, rtol=0, atol=1e-12)
    assert predicted.predicted
    for _ in range(20):
        run.step()
    expected = run.planner.expected
    way = np.abs(expected.position - here).max()
    assert np.abs(predicted.position - expected.position).max() < 0.02 * way
    np.testing.assert_allclose(predicted.velocity, expected.velocity, atol=0.02 * way / (20 * H))
