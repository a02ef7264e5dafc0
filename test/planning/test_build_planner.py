"""From a configuration to a planner: what is refused, and how noise is allowed for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from simloop_ros.core.errors import ConfigError, GoalError
from simloop_ros.core.values import NO_INPUTS, JointState
from simloop_ros.planning.build import build_planner
from simloop_ros.planning.config import (
    ForcedMotionConfig,
    GuidingConfig,
    OfflineConfig,
    OnlineConfig,
)
from simloop_ros.planning.hand_guiding import HandGuiding
from simloop_ros.robot.model import RobotModel

AtHome = Callable[[RobotModel], JointState]

H = 0.005


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
