"""Free motion: smooth, within every limit, clear of itself, with stops and reversals."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.calibration.free_motion import TIP_SPEED, FreeMotion, Move, random_motion
from simloop_ros.planning.self_collision import SelfCollision
from simloop_ros.robot.fit_robot import load_fit_robot
from simloop_ros.scenario.robot_files import robot_config

H, DURATION = 0.005, 60.0


@pytest.fixture(scope='module', params=['sphere', 'two_link', 'yumi'])
def moving(request):
    """A robot and its positions, speeds and accelerations."""
    model = load_fit_robot(robot_config(request.param))
    motion = random_motion(model, DURATION, np.random.default_rng(0))
    q = motion.positions(H, 0, round(motion.duration / H))
    v = np.diff(q, axis=0, prepend=model.home[None]) / H
    return model, q, v, np.diff(v, axis=0, prepend=0.0 * v[:1]) / H


def test_it_stays_within_every_limit(moving):
    model, q, v, a = moving
    assert len(q) * H >= DURATION
    assert np.all(q >= model.lower)
    assert np.all(q <= model.upper)
    two_moves = 2.0  # that overlap may add up
    assert np.all(np.abs(v) <= two_moves * model.velocity_limit)
    data = model.pin_model.createData()
    efforts = [pin.rnea(model.pin_model, data, *row) for row in zip(q[::7], v[::7], a[::7])]  # noqa: B905
    assert np.all(np.abs(efforts) <= model.effort_limit)
    tips = np.array([model.tip_positions(row) for row in q[::5]])
    speeds = np.linalg.norm(np.diff(tips, axis=0), axis=2) / (5.0 * H)
    assert speeds.max() <= two_moves * TIP_SPEED


def test_it_does_not_touch_itself(moving):
    model, q, _, _ = moving
    check = SelfCollision(model, model.home)
    touching = [row for row in q[::40] if check.first(row)]
    assert not touching


def test_it_stops_and_turns(moving):
    """Every joint reverses, also while others go on, and all of them rest now and then."""
    _, _, v, _ = moving
    moves = np.abs(v) > 1e-3
    assert np.all((np.diff(np.sign(np.where(moves, v, 0.0)), axis=0) != 0).sum(axis=0) >= 4)
    rest = ~moves.any(axis=1)
    assert 0.01 < rest.mean() < 0.9


def test_it_is_smooth(moving):
    """No jolt: accelerations between two steps differ by little of their range."""
    _, _, _, a = moving
    assert np.all(np.abs(np.diff(a, axis=0)).max(axis=0) <= 0.2 * np.ptp(a, axis=0))


def test_the_same_seed_is_the_same_motion():
    model = load_fit_robot(robot_config('two_link'))
    one, same, other = (
        random_motion(model, 20.0, np.random.default_rng(seed)).positions(H, 100, 900)
        for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(one, same)
    assert np.abs(one - other).max() > 0.01


def test_positions_are_those_at_the_ends_of_steps():
    """A move of a second is half done after half of it, and done at its end."""
    motion = FreeMotion(np.ones(2), (Move(0.0, 1.0, np.array([2.0, -4.0])),), 1.0)
    np.testing.assert_allclose(motion.positions(0.5, 0, 3), [[2, -1], [3, -3], [3, -3]])
    np.testing.assert_array_equal(motion.positions(0.5, 1, 1), motion.positions(0.5, 0, 2)[1:])
