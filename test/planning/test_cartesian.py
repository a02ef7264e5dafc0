"""A tip along corners: where it goes, what is refused, and that the refusal names the reason."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
import re
import time

import msgspec
import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.core.errors import ConfigError, GoalError, UnknownNameError
from simloop_ros.core.values import NO_INPUTS, JointState
from simloop_ros.planning import cartesian
from simloop_ros.planning.build import PlannedMotion, build_planner
from simloop_ros.planning.cartesian import plan_cartesian
from simloop_ros.planning.config import CartesianConfig, PlannerConfig
from simloop_ros.planning.offline import OfflinePlanner
from simloop_ros.robot.fit_robot import load_fit_robot
from simloop_ros.robot.model import RobotModel, link_positions
from simloop_ros.scenario.loading import load_scenario

H = 1 / 200
ON_THE_WAY = 1e-8  # tip from its side, a hundredth of what is asked for [m]
START = (0.3, -0.15, 0.35)


@pytest.fixture(scope='module')
def irb120() -> RobotModel:
    """Return the robot of the rectangle, its tip at the first corner."""
    return load_fit_robot(load_scenario('irb120_rectangle').robot)


def rectangle(**changes: object) -> CartesianConfig:
    config = load_scenario('irb120_rectangle').planner
    assert isinstance(config, CartesianConfig)
    return msgspec.structs.replace(config, **changes)


def rest(position: np.ndarray) -> JointState:
    return JointState(position, np.zeros_like(position))


def built(
    model: RobotModel, config: PlannerConfig, period: float = H, goals: np.ndarray | None = None
) -> PlannedMotion:
    return build_planner(config, model, period, rest(model.home), goals=goals)


def poses(model: RobotModel, tip: str, positions: np.ndarray) -> list[pin.SE3]:
    return [model.frame_poses(q, [tip])[0] for q in positions]


@pytest.mark.parametrize('profile', ['quintic', 'trapezoidal', 'time_optimal'])
def test_the_rectangle(irb120: RobotModel, profile: str) -> None:
    if profile == 'time_optimal':
        pytest.importorskip('toppra')
    plan = plan_cartesian(rectangle(profile=profile), irb120, H, rest(irb120.home))
    times = H * (1.0 + np.arange(len(plan.positions)))
    wanted = plan.course.points(times)
    tips = link_positions(irb120.pin_model, 'tool0', plan.positions)
    assert np.linalg.norm(tips - wanted, axis=1).max() < ON_THE_WAY
    # On the rectangle itself, as it was asked for: z, and x or y at its end.
    x, y, z = tips.T
    assert np.abs(z - 0.35).max() < ON_THE_WAY
    away = np.min([np.abs(x - 0.3), np.abs(x - 0.45), np.abs(y - 0.15), np.abs(y + 0.15)], axis=0)
    assert away.max() < ON_THE_WAY
    held = irb120.frame_poses(irb120.home, ['tool0'])[0].rotation
    for pose in poses(irb120, 'tool0', plan.positions[::37]):
        assert np.linalg.norm(pin.log3(held.T @ pose.rotation)) < ON_THE_WAY
    corners = [(0.45, -0.15, 0.35), (0.45, 0.15, 0.35), (0.3, 0.15, 0.35), START]
    arrivals = np.round(np.cumsum(plan.course.durations) / H).astype(int) - 1
    np.testing.assert_allclose(tips[arrivals], corners, atol=1e-9)


@pytest.mark.parametrize('period', [1 / 200, 1 / 2000])
def test_joints_rest_at_corners(irb120: RobotModel, period: float) -> None:
    plan = plan_cartesian(rectangle(), irb120, period, rest(irb120.home))
    assert plan.course.durations.tolist() == [5.0, 5.0, 5.0, 5.0]
    assert len(plan.positions) == round(20.0 / period)
    velocities = np.diff(plan.positions, axis=0, prepend=irb120.home[None]) / period
    fastest = np.abs(velocities).max()
    for corner in (5, 10, 15, 20):
        step = round(corner / period)
        around = velocities[step - 1 : step + 1]
        # What a difference over one step leaves of the quintic: 10 (h/T)^3 L/h.
        assert np.abs(around).max() < 20.0 * (period / 5.0) ** 2 * fastest


def test_forty_thousand_poses_are_planned_in_far_less_than_two_seconds(irb120: RobotModel) -> None:
    begin = time.process_time()
    plan = plan_cartesian(rectangle(), irb120, 1 / 2000, rest(irb120.home))
    assert time.process_time() - begin < 1.0  # measured: 0.2 s
    assert len(plan.positions) == 40_000


def test_a_side_takes_whole_steps(irb120: RobotModel) -> None:
    plan = plan_cartesian(rectangle(duration=0.9013), irb120, H, rest(irb120.home))
    np.testing.assert_allclose(plan.course.durations, 0.905, rtol=1e-12)
    assert len(plan.positions) == 4 * 181


def test_time_optimal_uses_the_limits_and_passes_none(irb120: RobotModel) -> None:
    pytest.importorskip('toppra')
    config = rectangle(profile='time_optimal', joint_acceleration=500.0, limit_share=0.9)
    plan = plan_cartesian(config, irb120, 1 / 2000, rest(irb120.home))
    q = np.concatenate((irb120.home[None], plan.positions))
    v = np.diff(q, axis=0) * 2000
    a = np.diff(v, axis=0) * 2000
    data = irb120.pin_model.createData()
    tau = np.array(
        [pin.rnea(irb120.pin_model, data, *row) for row in zip(q[1:-1], v[:-1], a, strict=True)]
    )
    used = np.maximum(
        (np.abs(v[:-1]) / irb120.velocity_limit).max(axis=1),
        (np.abs(tau) / irb120.effort_limit).max(axis=1),
    )
    assert used.max() < 0.9 * 1.03  # differences at a switch see a little more
    assert np.median(used) > 0.85
    slow = plan_cartesian(rectangle(profile='time_optimal'), irb120, H, rest(irb120.home))
    assert plan.course.duration < 0.75 * slow.course.duration


def test_the_tip_turns_where_asked_to(irb120: RobotModel) -> None:
    wanted = (np.pi, 0.3, 2.8)
    corners = ((0.35, -0.1, 0.4), (0.4, 0.0, 0.4))
    config = rectangle(corners=corners, closed=False, orientation=wanted)
    plan = plan_cartesian(config, irb120, H, rest(irb120.home))
    for pose in poses(irb120, 'tool0', plan.positions[1000::50]):
        away = pin.log3(pin.rpy.rpyToMatrix(np.array(wanted)).T @ pose.rotation)
        assert np.linalg.norm(away) < ON_THE_WAY


@pytest.mark.parametrize(('robot', 'tip'), [('yumi', 'tool0_r'), ('lwr', None)])
def test_any_robot(shipped: Callable[[str], RobotModel], robot: str, tip: str | None) -> None:
    """Redundant arms, by the numerical solver; the other arm stays where it is."""
    model = shipped(robot)
    config = CartesianConfig(
        tip=tip,
        corners=((0.0, 0.0, 0.05), (0.05, -0.05, 0.05)),
        corners_from='start',
        duration=0.6,
    )
    motion = built(model, config)
    assert motion.course is not None
    assert motion.goals is not None
    positions = np.array(
        [motion.planner.step(rest(model.home), NO_INPUTS).position for _ in range(240)]
    )
    name = tip or model.tips[0]
    which = model.tips.index(name)
    tips = link_positions(model.pin_model, name, positions)
    times = H * (1.0 + np.arange(240))
    assert np.linalg.norm(tips - motion.course.points(times), axis=1).max() < ON_THE_WAY
    begin = model.tip_positions(model.home)
    np.testing.assert_allclose(tips[-1] - begin[which], (0.05, -0.05, 0.05), atol=1e-9)
    for other in range(len(model.tips)):
        if other != which:
            np.testing.assert_array_equal(model.tip_positions(positions[-1])[other], begin[other])
            np.testing.assert_array_equal(motion.goals[other], begin[other])


def test_a_path_that_is_planned_anew_leads_straight_to_its_end(irb120: RobotModel) -> None:
    goals = np.array([[0.4, 0.0, 0.4]])
    motion = built(irb120, rectangle(), goals=goals)
    assert motion.course is not None
    assert motion.duration == 5.0
    assert isinstance(motion.planner, OfflinePlanner)
    last = motion.planner._positions[-1]
    np.testing.assert_allclose(irb120.tip_positions(last), goals, atol=1e-9)
    there = built(irb120, rectangle(), goals=irb120.tip_positions(irb120.home))
    assert isinstance(there.planner, OfflinePlanner)
    np.testing.assert_array_equal(there.planner.snapshot().positions, [irb120.home])


SIDE_2 = r'side 2, from corner 2 \(0\.450, -0\.150, 0\.350\) m to corner 3 \(0\.450, 0\.150'
REFUSED = {
    'corner out of reach': (
        {'corners': (START, (0.9, 0.0, 0.35))},
        r'corner 2 \(0\.900, 0\.000, 0\.350\) m: tool0 is out of reach by .*; move the corner',
    ),
    'corner beyond a joint limit': (
        {'corners': (START, (-0.4, -0.1, 0.35))},
        r'corner 2 .*: tool0 can be there only beyond the limit of joint_1 .*; move the corner',
    ),
    'corner beyond the horizon': (
        {'corners': (START, (1e300, 0.0, 0.35))},
        r'corner 2 \(1e\+300, 0\.000, 0\.350\) m: tool0 is out of reach',
    ),
    'corner inside the base': (
        {'corners': (START, (0.03, 0.02, 0.1))},
        r'corner 2 .* inside base_link, .*; move the corner',
    ),
    'side beyond a joint limit': (
        {'corners': (START, (-0.3, -0.15, 0.35), (-0.3, 0.15, 0.35))},
        r'side 2, .*, at \(-0\.300, -0\.0\d+, 0\.350\) m: tool0 can be there with the shoulder '
        r'and elbow of the course only beyond the limit of joint_1 .*; move its corners',
    ),
    'side to a joint limit': (
        {'orientation': (0.0, 1.5708, 0.0)},
        SIDE_2 + r'.*: joint_4 comes to its limit: joint_6 would leap',
    ),
    'side to a singularity': (
        {'corners': ((0.374, 0.0, 0.63),), 'orientation': (0.0, np.pi / 2.0, 0.0)},
        r'side 1, from the start .*: it crosses a singularity at \(0\.374, 0\.000, 0\.630\) m',
    ),
    'side through the robot itself': (
        {
            'corners': (
                START,
                (-0.41, -0.19, 0.16),
            ),
            'closed': False,
        },
        r'side 1, from corner 1 .*: the robot would run into itself: link_1 touches link_4 at ',
    ),
    'too fast': (
        {'duration': 0.2},
        r'side 4, .*: joint_1 would have to go at 9\.\d+ rad/s, its limit is 4\.36 rad/s; raise '
        r'planner\.duration to 0\.43\d s',
    ),
}


@pytest.mark.parametrize('name', REFUSED)
def test_refused_before_motion(irb120: RobotModel, name: str) -> None:
    changes, message = REFUSED[name]
    with pytest.raises(GoalError, match=message):
        built(irb120, rectangle(**changes))


def test_the_advised_duration_is_enough_and_little_less_is_not(irb120: RobotModel) -> None:
    with pytest.raises(GoalError) as refusal:
        built(irb120, rectangle(duration=0.1))
    advised = float(re.findall(r'planner\.duration to ([\d.]+) s', str(refusal.value))[0])
    built(irb120, rectangle(duration=advised), 1e-3)
    with pytest.raises(GoalError, match='its limit is'):
        built(irb120, rectangle(duration=0.97 * advised), 1e-3)


def test_a_weak_joint_is_named(irb120: RobotModel) -> None:
    data = irb120.pin_model.createData()
    held = np.abs(pin.computeGeneralizedGravity(irb120.pin_model, data, irb120.home))
    weak = irb120.effort_limit.copy()
    weak[1] = 0.5 * held[1]
    with pytest.raises(GoalError, match=r'joint_2 would need .* the weight alone needs') as found:
        built(replace(irb120, effort_limit=weak), rectangle())
    assert found.value.joints == ('joint_2',)
    weak[:] = irb120.effort_limit
    # Nothing hangs on the vertical axis: only accelerations need it, most with the arm far out.
    weak[0] = 0.5
    with pytest.raises(GoalError, match=r'side 2, .*: joint_1 would need .* raise planner\.dura'):
        built(replace(irb120, effort_limit=weak), rectangle(duration=1.5))
    built(replace(irb120, effort_limit=weak), rectangle(duration=5.0))


def test_a_singularity_inside_a_side_is_seen(irb120: RobotModel) -> None:
    """Both corners are good; half way joint 5 is at zero, 002 (20), and joints 4 and 6 in line."""
    straight = np.array([0.0, 0.3, -0.3, 0.0, 0.0, 0.0])
    (middle,) = irb120.frame_poses(straight, ['tool0'])
    offset = np.array([0.0, 0.0, 0.05])
    bent = straight + np.array([0.0, -0.15, 0.0, 0.0, 0.4, 0.0])
    model = replace(irb120, home=bent)
    rpy = tuple(pin.rpy.matrixToRpy(middle.rotation))
    first, second = (tuple(middle.translation + sign * offset) for sign in (1.0, -1.0))
    config = rectangle(corners=(first,), closed=False, orientation=rpy)
    good = plan_cartesian(config, model, H, rest(bent))  # the way there is good
    assert abs(good.positions[-1][4]) > 0.05
    with pytest.raises(GoalError, match=r'side 2, from corner 1 .* to corner 2 .* singularity'):
        built(model, rectangle(corners=(first, second), closed=False, orientation=rpy))


def test_a_side_that_the_joints_cannot_keep_to_is_refused(
    irb120: RobotModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With demands beyond rounding no number of places is enough."""
    monkeypatch.setattr(cartesian, 'PATH_TOLERANCE', 1e-19)
    monkeypatch.setattr(cartesian, 'LARGEST_DEVIATION', 1e-18)
    with pytest.raises(GoalError, match=r'side 1, .*, at .* would have to turn too abruptly'):
        built(irb120, rectangle())


@pytest.mark.parametrize(
    ('changes', 'message'),
    [
        ({'tip': 'flange'}, r"unknown planner\.tip 'flange': valid: tool0"),
        ({'duration': 1e9}, r'planner\.duration: the motion would take 4e\+09 s.* lower it'),
        ({'corners': ()}, r'planner\.corners is empty'),
    ],
)
def test_what_makes_no_sense(irb120: RobotModel, changes: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        built(irb120, rectangle(**changes))


def test_of_several_tips_one_is_to_be_chosen(yumi: RobotModel) -> None:
    with pytest.raises(ConfigError, match=r'planner\.tip: the robot has 2 tips; choose one of'):
        built(yumi, rectangle())
    with pytest.raises(UnknownNameError, match='tool0_l'):
        built(yumi, rectangle(tip='tool0'))


def test_a_sliding_joint_is_told_in_its_own_units(sphere: RobotModel) -> None:
    config = CartesianConfig(corners=((0.0, 0.0, 0.5),), corners_from='start', duration=0.01)
    with pytest.raises(GoalError, match=r'side 1, .* at [\d.]+ m/s, its limit is [\d.]+ m/s'):
        built(sphere, config)


def test_a_time_optimal_motion_without_end_is_refused(irb120: RobotModel) -> None:
    pytest.importorskip('toppra')
    config = rectangle(profile='time_optimal', joint_acceleration=1e-6)
    with pytest.raises(ConfigError, match=r'planner.joint_acceleration.* steps .*raise it'):
        plan_cartesian(config, irb120, H, rest(irb120.home))
