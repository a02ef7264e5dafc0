"""From a recorded motion to targets: the way stays the same, only thinner."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from simloop_ros.core.errors import ConfigError, UnsafeCommandError
from simloop_ros.record.recording import Recording, read_recording
from simloop_ros.robotstudio.axes import Axes
from simloop_ros.robotstudio.packet import RESOLUTION
from simloop_ros.robotstudio.targets import MOST_TARGETS, plan_targets

H = 0.001
SWING = np.radians([30.0, -20.0, 10.0, 40.0, 50.0, 60.0])


def recording(axes: Axes, duration: float) -> Recording:
    """Return a swing of all joints: amplitude times ``sin t``, with one more joint in front."""
    time = H * np.arange(1, round(duration / H) + 1)
    position = np.sin(time)[:, None] * SWING
    gripper = np.full((len(time), 1), 99.0)
    return Recording('swing', ('gripper', *axes.names), time, np.hstack((gripper, position)))


@pytest.mark.parametrize(('every', 'count'), [(0.1, 21), (0.07, 30), (0.5, 5), (3.0, 2)])
def test_targets_lie_on_the_motion(axes: Axes, every: float, count: int) -> None:
    targets = plan_targets(recording(axes, 2.001), axes, every, 5.0)
    assert [target.time for target in targets] == [5.0] + [every] * (count - 1)
    for i, target in enumerate(targets):
        t = min(H + i * every, 2.001)
        wanted = np.degrees(np.sin(t) * SWING)
        # Between samples the way is straight: at most h^2/8 of the curvature beside it.
        assert np.abs(np.array(target.angles) - wanted).max() <= RESOLUTION / 2 + 60 * H**2 / 8


def test_a_motion_of_one_sample_is_its_approach(axes: Axes) -> None:
    (target,) = plan_targets(recording(axes, H), axes, 0.5, 5.0)
    assert target.time == 5.0


def test_the_end_is_not_sent_twice(axes: Axes) -> None:
    """2.1 / 0.3 is a little more than 7 in floating point."""
    way = Recording('way', axes.names, np.array([0.0, 2.1]), np.array([np.zeros(6), 0.1 * SWING]))
    assert len(plan_targets(way, axes, 0.3, 5.0)) == 8


@pytest.mark.parametrize('end', [0.5 * MOST_TARGETS, 1e12, 1e308])
def test_a_motion_that_is_too_long(axes: Axes, end: float) -> None:
    """Its targets would not fit the memory."""
    way = Recording('way.csv', axes.names, np.array([-0.5, end]), np.zeros((2, 6)))
    with pytest.raises(ConfigError, match=r'^way.csv: .* s with --every 0.5 s are .* longer'):
        plan_targets(way, axes, 0.5, 5.0)


def test_the_longest_motion(axes: Axes) -> None:
    end = 0.5 * (MOST_TARGETS - 1)
    way = Recording('way.csv', axes.names, np.array([0.0, end]), np.zeros((2, 6)))
    assert len(plan_targets(way, axes, 0.5, 5.0)) == MOST_TARGETS


def test_a_motion_that_is_too_fast_says_where(axes: Axes) -> None:
    """Half a turn within one sample, in the middle of the motion."""
    fast = recording(axes, 2.0)
    fast.position[1000:, 1] = np.radians(-150.0)
    with pytest.raises(
        UnsafeCommandError, match=r'target 11 of 21, at 1.001 s: joint joint_1: 0.1'
    ):
        plan_targets(fast, axes, 0.1, 5.0)


def test_a_motion_out_of_range_says_where(axes: Axes) -> None:
    far = recording(axes, 2.0)
    far.position[-1, 3] = np.radians(75.0)
    with pytest.raises(UnsafeCommandError, match=r'target 5 of 5, at 2 s: joint joint_3: 75 deg'):
        plan_targets(far, axes, 0.5, 5.0)


@pytest.mark.parametrize(('every', 'approach'), [(0.005, 5.0), (1e-12, 5.0), (0.5, 120.0)])
def test_times_that_fit_no_packet(axes: Axes, every: float, approach: float) -> None:
    with pytest.raises(ConfigError, match='do not fit 4 characters'):
        plan_targets(recording(axes, 2.0), axes, every, approach)


def test_a_joint_that_was_not_recorded(axes: Axes) -> None:
    short = Recording('short', axes.names[:5], np.array([1.0]), np.zeros((1, 5)))
    with pytest.raises(ConfigError, match="short: joint 'joint_6' is missing; there are joint_1,"):
        plan_targets(short, axes, 0.5, 5.0)


@pytest.mark.parametrize('name', ['way.csv', 'WAY.CSV'])
def test_a_csv_file(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text('\ufefftime, j1,j2\n0,1.5,-2\n\n0.5,1e-3,0\n')  # as spreadsheets begin it
    way = read_recording(path, 'true_position')
    assert way.joint_names == ('j1', 'j2')
    np.testing.assert_array_equal(way.time, [0.0, 0.5])
    np.testing.assert_array_equal(way.columns(['j2', 'j1']), [[-2.0, 1.5], [0.0, 1e-3]])


@pytest.mark.parametrize(
    ('text', 'reason'),
    [
        ('', 'the first line has to be time'),
        ('j1,j2\n0,1\n', 'the first line has to be time'),
        ('time\n0\n', 'the first line has to be time'),
        ('time,j1,j1\n0,1,1\n', 'each once'),
        ('time,j1\n', 'no line of numbers'),
        ('time,j1\n0,one\n', 'line 2: not a number'),
        ('time,j1\n0,1\n1,nan\n', 'line 3: 2 finite numbers are needed, got 1, nan'),
        ('time,j1\n0,1,2\n', 'line 2: 2 finite numbers'),
        ('time,j1\n0,1\n0,2\n', 'time does not grow after 0 s'),
        ('time,j1\n"0,1\n' + 'x' * 140_000, 'cannot be read'),
    ],
)
def test_a_csv_file_that_is_none(tmp_path: Path, text: str, reason: str) -> None:
    path = tmp_path / 'way.csv'
    path.write_text(text)
    with pytest.raises(ConfigError, match=reason) as caught:
        read_recording(path, 'true_position')
    assert str(caught.value).startswith(str(path))


def test_a_csv_file_of_bytes(tmp_path: Path) -> None:
    (tmp_path / 'way.csv').write_bytes(b'time,\xff\n')
    for name in ('way.csv', 'none.csv'):
        with pytest.raises(ConfigError, match='cannot be read'):
            read_recording(tmp_path / name, 'true_position')
