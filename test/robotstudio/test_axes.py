"""What a robot may be told, with the numbers of the IRB 120's data sheet."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from simloop_ros.core.errors import ConfigError, UnknownNameError, UnsafeCommandError
from simloop_ros.robot.config import RobotConfig
from simloop_ros.robot.loading import load_robot
from simloop_ros.robot.model import RobotModel
from simloop_ros.robotstudio.axes import Axes, find_axes
from simloop_ros.robotstudio.packet import RESOLUTION, Target

SIX = ('a1', 'a2', 'e1', 'a3', 'a4', 'a5')
ZERO = Target((0.0,) * 6, 1.0)


def turned(axis: int, degrees: float) -> np.ndarray:
    position = np.zeros(6)
    position[axis] = np.radians(degrees)
    return position


def test_radians_become_degrees(axes: Axes) -> None:
    position = np.array([np.pi / 2, -np.pi / 4, 1.0, 0.0, -1e-9, 6.0])
    target = axes.target(position, 1.0, ZERO)
    assert target == Target((90.0, -45.0, 57.296, 0.0, 0.0, 343.775), 1.0)


@pytest.mark.parametrize(('axis', 'degrees'), [(0, 165.001), (2, 70.1), (2, -110.1), (5, 401.0)])
def test_beyond_a_range(axes: Axes, axis: int, degrees: float) -> None:
    with pytest.raises(UnsafeCommandError, match=f'joint_{axis + 1}: {degrees:g} deg given; its '):
        axes.target(turned(axis, degrees), 10.0, ZERO)


@pytest.mark.parametrize('value', [np.nan, np.inf])
def test_not_finite(axes: Axes, value: float) -> None:
    with pytest.raises(UnsafeCommandError, match=r'joint_4: .* not a finite number') as caught:
        axes.target(turned(3, value), 10.0, ZERO)
    assert (caught.value.kind, caught.value.joint) == ('not_finite', 'joint_4')


def test_rounding_never_leads_beyond_a_range(axes: Axes) -> None:
    """1.22173 rad are 69.99997 deg: rounded they would be 70.000."""
    upper, lower = axes.upper.copy(), axes.lower.copy()
    upper[2], lower[2] = np.degrees(1.22173), np.degrees(-1.91986)
    tight = Axes(axes.names, axes.index, lower, upper, axes.velocity_limit)
    for end in (upper[2], lower[2]):
        angle = tight.target(turned(2, end), 10.0, ZERO).angles[2]
        assert lower[2] <= angle <= upper[2]
        assert abs(angle - end) <= RESOLUTION


def test_a_move_at_the_velocity_limit_passes_and_a_faster_one_does_not(axes: Axes) -> None:
    assert axes.target(turned(1, 100.0), 0.4, ZERO).time == 0.4  # 250 deg/s
    with pytest.raises(UnsafeCommandError, match=r'joint_2: 0.39 s .* 250 deg/s it takes 0.4 s'):
        axes.target(turned(1, 100.0), 0.39, ZERO)
    # Each joint by its own limit: 320 deg/s.
    assert axes.target(turned(3, 100.0), 0.32, ZERO).time == 0.32


def test_from_an_unknown_place_each_joint_may_have_to_cross_its_range(axes: Axes) -> None:
    """The slowest is joint 6: 800 deg at 420 deg/s."""
    assert axes.target(np.zeros(6), 1.91, None)
    with pytest.raises(UnsafeCommandError, match=r'joint_6: 1.9 s to cross its range') as caught:
        axes.target(np.zeros(6), 1.9, None)
    assert caught.value.kind == 'velocity_limit'


def test_a_reachable_target_takes_longer_where_it_must(axes: Axes) -> None:
    assert axes.reachable_target(turned(1, 100.0), 0.5, ZERO).time == 0.5
    assert axes.reachable_target(turned(1, 101.0), 0.3, ZERO).time == 0.41  # 0.404 s


def test_six_joints_of_a_model_in_any_order(lwr: RobotModel) -> None:
    names = tuple(f'lwr_{joint}_joint' for joint in reversed(SIX))
    axes = find_axes(lwr, names)
    assert axes.names == names
    assert [lwr.joint_names[i] for i in axes.index] == list(names)
    np.testing.assert_allclose(np.radians(axes.lower), lwr.lower[list(axes.index)])
    np.testing.assert_allclose(np.radians(axes.velocity_limit)[-1], 1.91986)  # lwr_a1_joint


@pytest.mark.parametrize('names', [(), ('lwr_a1_joint',) * 6, ('lwr_a1_joint',)])
def test_not_six_joints(lwr: RobotModel, names: tuple[str, ...]) -> None:
    with pytest.raises(ConfigError, match='a packet has 6: name 6 different ones in the order'):
        find_axes(lwr, names)


def test_a_joint_that_is_not_there(lwr: RobotModel) -> None:
    with pytest.raises(UnknownNameError, match='did you mean lwr_a1_joint'):
        find_axes(lwr, ('lwr_a1_jint',))


def test_a_sliding_joint_has_no_angle(arm: Callable[..., Path]) -> None:
    model = load_robot(RobotConfig(urdf=str(arm('prismatic'))))
    with pytest.raises(ConfigError, match='joint j6: slides'):
        find_axes(model)


def test_a_joint_without_ends_goes_as_far_as_a_packet_can_say(arm: Callable[..., Path]) -> None:
    axes = find_axes(load_robot(RobotConfig(urdf=str(arm('continuous')))))
    assert (axes.lower[5], axes.upper[5]) == (-999.999, 999.999)
