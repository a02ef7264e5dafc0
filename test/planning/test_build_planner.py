"""From a configuration to a planner: what is refused, and how noise is allowed for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.core.errors import ConfigError, GoalError
from simloop_ros.core.resources import resource_folder
from simloop_ros.core.values import NO_INPUTS, JointState
from simloop_ros.planning.build import build_planner
from simloop_ros.planning.config import (
    ForcedMotionConfig,
    GuidingConfig,
    OfflineConfig,
    OnlineConfig,
)
from simloop_ros.planning.hand_guiding import HandGuiding
from simloop_ros.robot.loading import load_robot
from simloop_ros.robot.model import RobotModel
from simloop_ros.scenario.robot_files import robot_config

AtHome = Callable[[RobotModel], JointState]

H = 0.005
TURN = np.radians(0.5)  # what a tip may turn where it keeps its orientation


@pytest.mark.parametrize('move', [(), ((0.0, 0.1, 0.0),), ((0.0, 0.1, 0.0),) * 3])
def test_one_row_per_tip(
    yumi: RobotModel, at_home: AtHome, move: tuple[tuple[float, float, float], ...]
) -> None:
    with pytest.raises(ConfigError, match=rf'{len(move)} rows.* 2 tips: tool0_l, tool0_r'):
        build_planner(OnlineConfig(move=move), yumi, H, at_home(yumi))


@pytest.mark.parametrize('kind', [OnlineConfig, OfflineConfig])
def test_something_must_be_there_to_move(
    sphere: RobotModel, at_home: AtHome, kind: type[ForcedMotionConfig]
) -> None:
    with pytest.raises(ConfigError, match=r'robot\.tips is empty'):
        build_planner(kind(), replace(sphere, tips=()), H, at_home(sphere))


def test_guiding_needs_neither_tips_nor_move(sphere: RobotModel, at_home: AtHome) -> None:
    built = build_planner(GuidingConfig(), replace(sphere, tips=()), H, at_home(sphere))
    assert isinstance(built.planner, HandGuiding)
    assert built.duration is None


@pytest.mark.parametrize('kind', [OnlineConfig, OfflineConfig])
def test_an_impossible_motion_is_refused_beforehand(
    sphere: RobotModel, at_home: AtHome, kind: type[ForcedMotionConfig]
) -> None:
    with pytest.raises(GoalError, match='out of reach'):
        build_planner(kind(move=((0.0, 0.0, 3.0),)), sphere, H, at_home(sphere))


def test_the_motion_is_counted_from_the_start(sphere: RobotModel) -> None:
    start = JointState(np.array([0.5]), np.zeros(1))
    config = OfflineConfig(move=((0.0, 0.0, 0.1),))
    built = build_planner(config, sphere, H, start)
    assert built.duration is not None
    steps = round(built.duration / H)
    last = [built.planner.step(start, NO_INPUTS).position for _ in range(steps)][-1]
    assert last == pytest.approx(0.6, abs=1e-9)


def test_noise_is_not_a_displacement(sphere: RobotModel, at_home: AtHome) -> None:
    """Nine standard deviations apart change nothing, even on no leash; eleven do."""
    noise, start = 1e-4, at_home(sphere)
    config = OnlineConfig(move=((0.0, 0.0, 0.5),), leash=0.0)
    straight, near, far = (
        build_planner(config, sphere, H, start, noise=noise).planner for _ in range(3)
    )
    position = start.position
    for _ in range(20):
        moved = straight.step(JointState(position, start.velocity), NO_INPUTS).position
        beside = JointState(position + 9.0 * noise, start.velocity)
        np.testing.assert_array_equal(near.step(beside, NO_INPUTS).position, moved)
        beyond = JointState(position - 11.0 * noise, start.velocity)
        far_away = far.step(beyond, NO_INPUTS).position
        position = moved
    assert far_away[0] < moved[0] - 0.5 * noise


def test_noise_is_not_a_hand(sphere: RobotModel, at_home: AtHome) -> None:
    noise, start = 1e-4, at_home(sphere)
    config = GuidingConfig(threshold=1.0, tare_time=H)
    guiding = build_planner(config, sphere, H, start, noise=noise).planner
    guiding.step(start, NO_INPUTS)
    inside = JointState(np.array([9.9 * noise + 1.0 * H**2]), np.zeros(1))
    np.testing.assert_array_equal(guiding.step(inside, NO_INPUTS).position, 0.0)
    beyond = JointState(np.array([10.1 * noise + 1.0 * H**2]), np.zeros(1))
    np.testing.assert_allclose(guiding.step(beyond, NO_INPUTS).position, beyond.position)


def home_of(robot: RobotModel) -> JointState:
    return JointState(robot.home, np.zeros(robot.n))


def largest_turn(robot: RobotModel, config: OnlineConfig | OfflineConfig) -> float:
    """Return how far a tip turns on its way at most [rad]; it comes to its goal."""
    planned = build_planner(config, robot, H, home_of(robot))
    state, turn = home_of(robot), 0.0
    first = robot.frame_poses(robot.home, robot.tips)
    assert planned.duration is not None
    for _ in range(round(planned.duration / H)):
        setpoint = planned.planner.step(state, NO_INPUTS)
        state = JointState(setpoint.position, setpoint.velocity)
        poses = robot.frame_poses(state.position, robot.tips)
        turn = max(
            turn,
            *(
                float(np.linalg.norm(pin.log3(begin.rotation.T @ pose.rotation)))
                for begin, pose in zip(first, poses, strict=True)
            ),
        )
    reached = robot.tip_positions(state.position) - robot.tip_positions(robot.home)
    np.testing.assert_allclose(reached, config.move, rtol=0.0, atol=1e-6)
    return turn


@pytest.mark.parametrize('config', [OnlineConfig, OfflineConfig])
@pytest.mark.parametrize(
    ('name', 'move'),
    [
        ('yumi', ((0.0, 0.15, 0.05), (0.0, -0.15, 0.05))),
        ('lwr', ((-0.1, 0.0, 0.1),)),
        ('irb120', ((0.0, 0.15, 0.1),)),
    ],
)
def test_tips_with_six_joints_keep_their_orientation(name: str, move: Any, config: Any) -> None:
    robot = load_robot(robot_config(name), resource_folder('urdf'))
    assert largest_turn(robot, config(move=move)) < TURN
    assert largest_turn(robot, config(move=move, keep='position')) > 10.0 * TURN


def test_tips_with_too_few_joints_turn_and_it_is_told() -> None:
    two_link = load_robot(robot_config('two_link'), resource_folder('urdf'))
    move = ((0.1, 0.0, 0.1),)
    (note,) = build_planner(OnlineConfig(move=move), two_link, H, home_of(two_link)).notes
    assert '2 joints move' in note
    assert not build_planner(
        OnlineConfig(move=move, keep='position'), two_link, H, home_of(two_link)
    ).notes
    with pytest.raises(ConfigError, match=r'planner\.keep: pose, but 2 joints move .* position'):
        build_planner(OnlineConfig(move=move, keep='pose'), two_link, H, home_of(two_link))


def test_where_the_orientation_cannot_be_kept_it_is_told() -> None:
    robot = load_robot(robot_config('irb120'), resource_folder('urdf'))
    far, start = ((0.25, 0.0, 0.0),), home_of(robot)
    with pytest.raises(GoalError, match=r'let the tips turn: planner\.keep=position'):
        build_planner(OfflineConfig(move=far, keep='pose'), robot, H, start)
    free = build_planner(OfflineConfig(move=far, keep='position'), robot, H, start)
    told = build_planner(OfflineConfig(move=far), robot, H, start)
    assert set(told.notes) - set(free.notes)
    assert 'the tips may turn on the way' in told.notes[-1]
    assert told.duration == free.duration
