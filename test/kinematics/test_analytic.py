"""Analytic inverse kinematics: exact, complete, nearest; and what it says when there is none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
import itertools
import math
from pathlib import Path
import re
from typing import Any

import numpy as np
import pinocchio as pin
import pytest

from simloop_bench.kinematics_search import count_within, search_all
from simloop_ros.core.errors import ConfigError, UnreachableError
from simloop_ros.kinematics.analytic import AnalyticInverse
from simloop_ros.kinematics.inverse import inverse_kinematics
from simloop_ros.kinematics.solver import LARGEST_LEAP
from simloop_ros.robot.model import RobotModel
from simloop_ros.robot.urdf import UNBOUNDED

ASKED = 1e-9  # [m and rad]
ROUND_OFF = 1e-12
STRETCHED = -math.atan2(0.302, 0.070)
"""Joint 3 with the wrist centre farthest away: 002 (7)."""
DOWN = np.diag([-1.0, 1.0, -1.0])
"""The tool points down."""


@pytest.fixture(scope='module')
def solver(irb120: RobotModel) -> AnalyticInverse:
    found = inverse_kinematics(irb120, 'tool0')
    assert isinstance(found, AnalyticInverse)
    return found


def pose_of(model: RobotModel, q: np.ndarray, tip: str = 'tool0') -> pin.SE3:
    return model.frame_poses(q, [tip])[0]


def away(model: RobotModel, q: np.ndarray, pose: pin.SE3, tip: str = 'tool0') -> float:
    """Return how far the tip is from a pose [m and rad]."""
    return float(np.abs(pin.log6(pose_of(model, q, tip).actInv(pose)).vector).max())


def singular_postures(model: RobotModel, rng: np.random.Generator) -> list[np.ndarray]:
    """Return postures at and near all three singularities, at all distances, and at limits."""
    postures = []
    for distance in (0.0, 1e-15, 1e-12, 1e-10, 2e-10, 1e-9, 1e-8, 1e-6, 1e-4):
        for _ in range(3):
            q = rng.uniform(0.9 * model.lower, 0.9 * model.upper)
            wrist, elbow, shoulder, end = (q.copy() for _ in range(4))
            wrist[4] = distance
            elbow[2] = STRETCHED + distance
            shoulder[1:3] = distance, STRETCHED
            end[int(rng.integers(6))] = 0.0
            end = np.where(rng.random(6) < 0.5, model.upper, end)
            postures += [wrist, elbow, shoulder, end]
    return postures


def test_every_branch_gives_the_pose(
    solver: AnalyticInverse, irb120: RobotModel, rng: np.random.Generator
) -> None:
    random = rng.uniform(irb120.lower, irb120.upper, (300, 6))
    postures = np.array([*random, *singular_postures(irb120, rng)])
    poses = [pose_of(irb120, q) for q in postures]
    found = solver.branches(poses, irb120.home)
    assert found.shape == (len(postures), 8, 6)
    assert not np.isnan(found[:, :, 0]).all(axis=1).any()
    for pose, branches in zip(poses, found, strict=True):
        for q in branches[~np.isnan(branches[:, 0])]:
            assert away(irb120, q, pose) <= ASKED
            assert np.all((q >= irb120.lower) & (q <= irb120.upper))


def test_the_posture_itself_is_among_its_solutions(
    solver: AnalyticInverse, irb120: RobotModel, rng: np.random.Generator
) -> None:
    for q in rng.uniform(irb120.lower, irb120.upper, (50, 6)):
        pose = pose_of(irb120, q)
        if pose.translation[2] > 0.3:
            np.testing.assert_allclose(solver.nearest(pose, q), q, atol=ASKED)
            assert np.abs(solver.all(pose) - q).max(axis=1).min() <= ASKED


def test_a_blind_search_finds_as_many_solutions(
    solver: AnalyticInverse, irb120: RobotModel, rng: np.random.Generator
) -> None:
    counts = set()
    for q in rng.uniform(irb120.lower, irb120.upper, (12, 6)):
        pose = pose_of(irb120, q)
        if pose.translation[2] < 0.3:
            continue
        found = solver.all(pose)
        searched = search_all(solver.chain, pose.homogeneous, rng.uniform(-np.pi, np.pi, (200, 6)))
        assert count_within(searched, irb120.lower, irb120.upper) == len(found)
        counts.add(len(found))
    assert len(counts) > 2


def test_first_three_joints_are_those_of_002(irb120: RobotModel, rng: np.random.Generator) -> None:
    """(1) and (3) to (10) as they are printed; (5) goes with (8), and (6) with (9)."""
    d1, a2, a3, d4 = 0.290, 0.270, 0.070, 0.302
    r2, beta = math.hypot(a3, d4), math.atan(a3 / d4)
    free = np.full(irb120.n, 50.0)
    wide = replace(irb120, lower=-free, upper=free)
    unlimited = inverse_kinematics(wide, 'tool0')
    assert isinstance(unlimited, AnalyticInverse)
    for q in rng.uniform(irb120.lower, irb120.upper, (20, 6)):
        x, y, z = pose_of(irb120, q, 'link_5').translation
        r = math.hypot(x, y)
        r1, phi = math.hypot(r, z - d1), math.atan2(z - d1, r)
        psi = math.acos((a2**2 + r1**2 - r2**2) / (2.0 * a2 * r1))
        gamma = math.acos((r1**2 + r2**2 - a2**2) / (2.0 * r1 * r2))
        branches = unlimited.branches([pose_of(irb120, q)], irb120.home)[0]
        for one, other in itertools.product((1.0, -1.0), repeat=2):
            theta_2 = 0.5 * math.pi - phi - one * psi
            theta_3 = beta + (other * gamma - phi) - theta_2
            printed = np.array([math.atan2(y, x), theta_2, theta_3])
            distance = np.abs(np.exp(1j * branches[:, :3]) - np.exp(1j * printed)).max(axis=1)
            assert (distance.min() < 1e-6) == (one == other)


@pytest.mark.parametrize('seed', range(6))
def test_odd_arms(odd_arm: Callable[..., RobotModel], seed: int, rng: np.random.Generator) -> None:
    """Tilted, with offsets, signs, a bent wrist, joints without ends and one beside the chain."""
    model = odd_arm(seed)
    odd = inverse_kinematics(model, 'tool')
    assert odd.kind == 'analytic'
    chain = list(odd.chain.joints)
    beside = model.joint_names.index('finger')
    low, high = np.maximum(model.lower, -20.0), np.minimum(model.upper, 20.0)
    for q in rng.uniform(low, high, (15, model.n)):
        pose = pose_of(model, q, 'tool')
        found = odd.nearest(pose, q)
        np.testing.assert_allclose(found, q, atol=ASKED)
        assert found[beside] == q[beside]
        for solution in odd.all(pose):
            assert away(model, solution, pose, 'tool') <= ASKED
            assert solution[beside] == model.home[beside]
    pose = pose_of(model, q, 'tool')
    searched = search_all(odd.chain, pose.homogeneous, rng.uniform(-np.pi, np.pi, (300, 6)))
    ends = np.where(np.arange(6) % 2, math.pi, model.upper[chain])  # one turn of 4 and 6
    starts = np.where(np.arange(6) % 2, -math.pi, model.lower[chain])
    ends[1], starts[1] = model.upper[chain[1]], model.lower[chain[1]]
    assert count_within(searched, starts, ends) == len(odd.all(pose))


def test_nearest_is_the_nearest_of_all(
    solver: AnalyticInverse, irb120: RobotModel, rng: np.random.Generator
) -> None:
    postures = rng.uniform(irb120.lower, irb120.upper, (60, 6))
    poses = [pose_of(irb120, q) for q in postures]
    present = rng.uniform(irb120.lower, irb120.upper, (60, 6))
    many = solver.nearest_each(poses, present)
    for pose, near, one_of_many in zip(poses, present, many, strict=True):
        if pose.translation[2] > 0.3:
            found = solver.nearest(pose, near)
            everything = solver.all(pose)
            least = np.linalg.norm(everything - near, axis=1).min()
            assert np.linalg.norm(found - near) == pytest.approx(least, abs=ASKED)
            np.testing.assert_allclose(one_of_many, found, atol=ROUND_OFF)


@pytest.mark.parametrize('far', [10.0, 1e3, 1e6])
def test_nearest_of_all_to_joints_beyond_the_limits(
    solver: AnalyticInverse, irb120: RobotModel, rng: np.random.Generator, far: float
) -> None:
    """Which branch it is depends on how far away they are: the limit does not stand for them."""
    for q in rng.uniform(0.5 * irb120.lower, 0.5 * irb120.upper, (20, 6)):
        pose, near = pose_of(irb120, q), far * rng.choice([-1.0, 1.0], 6)
        found = solver.nearest_each([pose], near)[0]
        assert away(irb120, found, pose) <= ASKED
        least = np.linalg.norm(solver.all(pose) - near, axis=1).min()
        assert np.linalg.norm(found - near) == pytest.approx(least, abs=ASKED)
        np.testing.assert_allclose(solver.nearest(pose, near), found, atol=ROUND_OFF)


@pytest.mark.parametrize('far', [1e9, 1e17, 1e300])
def test_the_pose_is_met_however_far_away_the_joints_were(
    solver: AnalyticInverse, irb120: RobotModel, far: float
) -> None:
    pose = pose_of(irb120, irb120.home)
    for sign in (-1.0, 1.0):
        near = np.full(6, sign * far)
        found = solver.nearest(pose, near)
        assert away(irb120, found, pose) <= ROUND_OFF
        np.testing.assert_allclose(found, solver.nearest(pose, np.full(6, sign * UNBOUNDED)))
        np.testing.assert_allclose(solver.nearest_each([pose], near)[0], found, atol=ROUND_OFF)
        np.testing.assert_allclose(solver.along([pose], near)[0], found, atol=ROUND_OFF)


def test_joint_without_ends_far_away_is_refused(odd_arm: Callable[..., RobotModel]) -> None:
    model = odd_arm(1)
    solver = inverse_kinematics(model, 'tool')
    pose, near = pose_of(model, model.home, 'tool'), model.home.copy()
    near[model.joint_names.index('finger')] = 1e9  # it does not move the tip, and stays
    assert np.array_equal(solver.nearest(pose, near)[near == 1e9], [1e9])
    near[model.joint_names.index('j6')] = -1e9
    for call in (
        lambda: solver.nearest(pose, near),
        lambda: solver.nearest_each([pose, pose], np.array([model.home, near])),
        lambda: solver.along([pose], near),
    ):
        with pytest.raises(ConfigError, match=r'j6 near 1e\+09 rad: .* subtract whole turns'):
            call()


def test_joint_6_has_two_turns_and_more(solver: AnalyticInverse, irb120: RobotModel) -> None:
    """Its range is +-400 degrees: 30 degrees are also -330 and 390."""
    q = irb120.home.copy()
    q[5] = math.radians(30.0)
    pose = pose_of(irb120, q)
    for degrees in (-330.0, 30.0, 390.0):
        near = q.copy()
        near[5] = math.radians(degrees + 5.0)
        assert solver.nearest(pose, near)[5] == pytest.approx(math.radians(degrees))
    turns = np.degrees(solver.all(pose)[:, 5])
    assert sorted(turns) == pytest.approx([-330.0, 30.0, 390.0])


@pytest.mark.parametrize('near_4', [-2.5, 0.3, 2.0])
@pytest.mark.parametrize('near_6', [-6.5, 0.2, 6.0])
def test_wrist_singularity_shares_between_joints_4_and_6(
    solver: AnalyticInverse, irb120: RobotModel, near_4: float, near_6: float
) -> None:
    """002 (20): only the sum is determined. No other sharing is nearer to the present joints."""
    q = np.array([0.4, 0.3, 0.2, 0.7, 0.0, 0.5])
    near = np.array([0.4, 0.3, 0.2, near_4, 0.0, near_6])
    pose = pose_of(irb120, q)
    found = solver.nearest(pose, near)
    assert away(irb120, found, pose) <= ASKED
    first = np.linspace(irb120.lower[3], irb120.upper[3], 20001)
    costs = [
        (first - near_4) ** 2 + (last - near_6) ** 2
        for turn in range(-3, 4)
        for last in [1.2 + 2.0 * math.pi * turn - first]
    ]
    lasts = [1.2 + 2.0 * math.pi * turn - first for turn in range(-3, 4)]
    allowed = [(last >= irb120.lower[5]) & (last <= irb120.upper[5]) for last in lasts]
    least = min(cost[fits].min(initial=np.inf) for cost, fits in zip(costs, allowed, strict=True))
    cost = (found[3] - near_4) ** 2 + (found[5] - near_6) ** 2
    assert cost <= least + ROUND_OFF
    assert cost == pytest.approx(least, abs=1e-5)  # fineness of the scan


def test_wrist_folded_back_determines_the_difference(
    odd_arm: Callable[..., RobotModel], rng: np.random.Generator
) -> None:
    """002 (21): axes 4 and 6 in line, but against each other."""
    model = odd_arm(2)
    odd = inverse_kinematics(model, 'tool')
    assert isinstance(odd, AnalyticInverse)
    i4, i5, i6 = (odd.chain.joints[i] for i in (3, 4, 5))
    q = rng.uniform(-1.0, 1.0, model.n)
    q[i5] = math.remainder(math.pi - odd.arm.bend, 2.0 * math.pi)
    assert model.lower[i5] < q[i5] < model.upper[i5]
    pose = pose_of(model, q, 'tool')
    near = q.copy()
    near[[i4, i6]] += 0.4, 0.2
    found = odd.nearest(pose, near)
    assert away(model, found, pose, 'tool') <= ASKED
    np.testing.assert_allclose(found[[i4, i6]], q[[i4, i6]] + 0.3, atol=1e-6)


def test_shoulder_singularity_leaves_joint_1_where_it_was(
    solver: AnalyticInverse, irb120: RobotModel
) -> None:
    q = np.array([0.5, 0.0, STRETCHED, 0.4, 0.9, 0.1])
    pose = pose_of(irb120, q)
    for turn in (-1.0, 0.5, 2.0):
        near = q.copy()
        near[0] = turn
        found = solver.nearest(pose, near)
        assert away(irb120, found, pose) <= ASKED
        assert found[0] == pytest.approx(turn, abs=ROUND_OFF)


def test_shoulder_singularity_moves_joint_1_where_the_wrist_must(
    solver: AnalyticInverse, irb120: RobotModel
) -> None:
    """With joint 1 far from where it was, joint 5 would have to bend by more than it can."""
    bend, fore = math.radians(120.0), math.hypot(0.070, 0.302)
    q = np.array([2.8, 0.0, STRETCHED + bend, 0.0, 0.1, 0.0])
    q[1] = -math.atan2(math.sin(bend) * fore, 0.27 + math.cos(bend) * fore)
    pose = pose_of(irb120, q)
    stuck = 0
    for turn in np.linspace(-2.8, 2.8, 15):
        near = q.copy()
        near[0] = turn
        found = solver.nearest(pose, near)
        assert away(irb120, found, pose) <= ASKED
        stuck += abs(found[0] - turn) > 1e-6
        one = solver.nearest_each([pose], near)[0]
        assert away(irb120, one, pose) <= ASKED
    assert 0 < stuck < 15


def test_along_a_line_is_continuous_and_exact(solver: AnalyticInverse, irb120: RobotModel) -> None:
    places = np.linspace([0.35, -0.2, 0.3], [0.35, 0.2, 0.4], 200)
    poses = [pin.SE3(DOWN, place) for place in places]
    course = solver.along(poses, irb120.home)
    assert course.shape == (200, 6)
    assert max(away(irb120, q, p) for q, p in zip(course, poses, strict=True)) <= ASKED
    steps = np.abs(np.diff(course, axis=0))
    assert steps.max() < 0.02
    # The course does not depend on how finely it is asked for.
    np.testing.assert_allclose(solver.along(poses[::7], irb120.home), course[::7], atol=ASKED)
    matrices = np.array([pose.homogeneous for pose in poses])
    np.testing.assert_array_equal(solver.along(matrices, irb120.home), course)


def test_along_goes_straight_through_the_wrist_singularity(
    solver: AnalyticInverse, irb120: RobotModel
) -> None:
    """Joint 5 changes its sign; joints 4 and 6 do not flip."""
    start = np.array([0.3, 0.2, 0.1, 0.4, -0.3, 0.5])
    bends = np.linspace(-0.3, 0.3, 61)
    assert 0.0 in bends.round(12)
    postures = [np.array([*start[:4], bend, start[5]]) for bend in bends]
    course = solver.along([pose_of(irb120, q) for q in postures], start)
    np.testing.assert_allclose(course, postures, atol=1e-6)


def test_along_keeps_the_elbow(irb120: RobotModel, solver: AnalyticInverse) -> None:
    """Poses of an elbow that changes over: the course stretches out, and bends back again.

    Pose by pose, the nearest solution would change over as well.
    """
    bends = np.linspace(0.2, -0.2, 41)
    postures = [np.array([0.2, 0.8, STRETCHED + bend, 0.3, 0.6, 0.1]) for bend in bends]
    poses = [pose_of(irb120, q) for q in postures]
    course = solver.along(poses, postures[0])
    assert max(away(irb120, q, p) for q, p in zip(course, poses, strict=True)) <= ASKED
    np.testing.assert_allclose(course[:, 2] - STRETCHED, np.abs(bends), atol=1e-6)
    followed = [postures[0]]
    for pose in poses:
        followed.append(solver.nearest(pose, followed[-1]))
    np.testing.assert_allclose(followed[1:], postures, atol=1e-6)


def test_along_refuses_a_leap(solver: AnalyticInverse, irb120: RobotModel) -> None:
    """Beside the wrist singularity, joint 4 would have to flip between two poses."""
    q = np.array([0.3, 0.2, 0.1, 0.0, 0.1, 0.0])
    flip = np.array([0.3, 0.2, 0.1, 1.6, 0.1, 0.0])
    poses = [pose_of(irb120, q), pose_of(irb120, q), pose_of(irb120, flip)]
    with pytest.raises(UnreachableError, match=r'pose 2: joint_[46] would leap') as caught:
        solver.along(poses, q)
    assert (caught.value.kind, caught.value.index) == ('leap', 2)
    assert LARGEST_LEAP < 1.6


def test_along_names_the_pose_that_is_out_of_reach(
    solver: AnalyticInverse, irb120: RobotModel
) -> None:
    poses = [pin.SE3(DOWN, np.array([x, 0.0, 0.3])) for x in (0.40, 0.50, 0.60)]
    with pytest.raises(UnreachableError, match='pose 2: tool0 is out of reach by') as caught:
        solver.along(poses, irb120.home)
    assert caught.value.index == 2
    assert caught.value.kind == 'out_of_reach'


def test_out_of_reach_says_by_how_much(solver: AnalyticInverse, irb120: RobotModel) -> None:
    """Straight ahead at the height of the shoulder: the arm and 0.072 m, and not a metre more."""
    reach = 0.270 + math.hypot(0.070, 0.302) + 0.072
    forward = pose_of(irb120, np.zeros(6)).rotation
    at_the_end = pin.SE3(forward, np.array([reach, 0.0, 0.29]))
    assert away(irb120, solver.nearest(at_the_end, irb120.home), at_the_end) <= ASKED
    beyond = pin.SE3(forward, np.array([reach + 0.123, 0.0, 0.29]))
    with pytest.raises(UnreachableError, match=r'out of reach by 0\.123 m') as caught:
        solver.nearest(beyond, irb120.home)
    assert caught.value.missing == pytest.approx(0.123)
    assert solver.all(beyond).shape == (0, 6)
    assert np.isnan(solver.nearest_each([beyond], irb120.home)).all()


def test_too_near_is_out_of_reach(solver: AnalyticInverse, irb120: RobotModel) -> None:
    """The wrist centre in the shoulder: the links differ by 0.04 m."""
    pose = pin.SE3(DOWN, np.array([0.0, 0.0, 0.29 - 0.072]))
    with pytest.raises(UnreachableError, match=r'out of reach by 0\.04001 m'):
        solver.nearest(pose, irb120.home)


@pytest.mark.parametrize(
    ('joint', 'value'), [(0, 3.0), (1, 2.0), (2, 1.35), (4, 2.2)], ids=lambda value: str(value)
)
def test_limit_is_named(
    solver: AnalyticInverse, irb120: RobotModel, joint: int, value: float
) -> None:
    q = np.array([0.1, -0.2, 0.3, 0.2, 0.4, 0.3])
    q[joint] = value
    with pytest.raises(UnreachableError, match='only beyond the limit of') as caught:
        solver.nearest(pose_of(irb120, q), irb120.home)
    assert caught.value.kind == 'joint_limit'
    assert caught.value.joints
    assert f'{caught.value.joints[0]} (by ' in str(caught.value)
    assert solver.all(pose_of(irb120, q)).shape == (0, 6)


def test_pose_inside_the_base(solver: AnalyticInverse, irb120: RobotModel) -> None:
    pose = pin.SE3(DOWN, np.array([0.0, 0.0, 0.1]))
    for call in (
        lambda: solver.nearest(pose, irb120.home),
        lambda: solver.all(pose),
        lambda: solver.along([pose], irb120.home),
    ):
        with pytest.raises(UnreachableError, match='would be inside base_link') as caught:
            call()
        assert caught.value.kind == 'inside_base'


BAD_ROTATIONS = {
    'stretched': np.diag([1.0, 1.0, 1.001]),
    'mirrored': np.diag([1.0, 1.0, -1.0]),
    'sheared': np.array([[1.0, 0.01, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
    'zero': np.zeros((3, 3)),
    'huge': np.array([[1e308, -1e308, 0.0], [1e308, 1e308, 0.0], [0.0, 0.0, 1.0]]),
}


@pytest.mark.parametrize('name', BAD_ROTATIONS)
def test_not_a_rotation(solver: AnalyticInverse, irb120: RobotModel, name: str) -> None:
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = BAD_ROTATIONS[name], [0.4, 0.0, 0.4]
    pose = pin.SE3.Identity()
    pose.rotation, pose.translation = matrix[:3, :3], matrix[:3, 3]
    for call in (
        lambda: solver.nearest(pose, irb120.home),
        lambda: solver.all(pose),
        lambda: solver.branches(matrix[None], irb120.home),
        lambda: solver.along(matrix[None], irb120.home),
    ):
        with pytest.raises(UnreachableError, match='is not a rotation') as caught:
            call()
        assert caught.value.kind == 'not_a_rotation'


@pytest.mark.parametrize(
    ('row', 'column', 'value'),
    itertools.product((0, 2), (1, 3), (np.nan, np.inf)),
)
def test_not_finite(
    solver: AnalyticInverse, irb120: RobotModel, row: int, column: int, value: float
) -> None:
    matrix = pose_of(irb120, irb120.home).homogeneous
    matrix[row, column] = value
    good = pose_of(irb120, irb120.home).homogeneous
    pose = pin.SE3.Identity()
    pose.rotation, pose.translation = matrix[:3, :3], matrix[:3, 3]
    with pytest.raises(UnreachableError, match='not finite') as caught:
        solver.nearest(pose, irb120.home)
    assert caught.value.kind == 'not_finite'
    with pytest.raises(UnreachableError, match=r'pose 1: .* not finite'):
        solver.branches(np.array([good, matrix]), irb120.home)


def test_bad_joints_and_shapes(solver: AnalyticInverse, irb120: RobotModel) -> None:
    pose = pose_of(irb120, irb120.home)
    with pytest.raises(ConfigError, match=r'joints of shape \(5,\): irb120 has 6'):
        solver.nearest(pose, np.zeros(5))
    with pytest.raises(ConfigError, match='not finite'):
        solver.along([pose], np.full(6, np.nan))
    for many in (np.zeros(5), np.zeros((2, 6))):
        with pytest.raises(ConfigError, match=r'\(6,\) or \(1, 6\) is needed'):
            solver.nearest_each([pose], many)
    with pytest.raises(ConfigError, match='not finite'):
        solver.nearest_each([pose], np.full(6, np.inf))
    with pytest.raises(ConfigError, match=r'\(k, 4, 4\) is needed'):
        solver.branches(np.eye(4), irb120.home)


@pytest.mark.parametrize('kind', [list, np.int64, np.float32])
def test_joints_of_other_types(solver: AnalyticInverse, irb120: RobotModel, kind: Any) -> None:
    pose = pose_of(irb120, irb120.home)
    near: Any = [0] * 6 if kind is list else np.zeros(6, kind)
    expected = solver.nearest(pose, np.zeros(6))
    for found in (
        solver.nearest(pose, near),
        solver.nearest_each([pose], near)[0],
        solver.along([pose], near)[0],
    ):
        assert found.dtype == np.float64
        np.testing.assert_allclose(found, expected, atol=ROUND_OFF)


def test_matrix_is_as_good_as_a_pose(solver: AnalyticInverse, irb120: RobotModel) -> None:
    pose, home = pose_of(irb120, irb120.home), irb120.home
    matrix = pose.homogeneous
    assert np.array_equal(solver.nearest(matrix, home), solver.nearest(pose, home))
    assert np.array_equal(solver.all(matrix), solver.all(pose))
    expected = solver.along([pose, pose], home)
    for poses in ([matrix, matrix], [pose, matrix], (matrix, pose), np.array([matrix, matrix])):
        assert np.array_equal(solver.along(poses, home), expected)
        assert np.array_equal(solver.nearest_each(poses, home), expected)


BAD_FORMS: dict[str, tuple[Any, str]] = {
    'None': (None, 'NoneType for the pose of tool0: an SE3 or an array'),
    'a position': (
        np.zeros(3),
        r'array of shape \(3,\) for the pose of tool0: an SE3 or an array',
    ),
    'without the last row': (np.eye(4)[:3], r'array of shape \(3, 4\) for the pose of tool0'),
    'words': (np.full((4, 4), 'a'), 'not an array of numbers'),
    'transposed': (
        np.array([[1.0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0.4, 0, 0.5, 1]]),
        'the last row of the pose of tool0 is 0.4 0 0.5 1: 0 0 0 1 is needed',
    ),
}


@pytest.mark.parametrize('name', BAD_FORMS)
def test_what_is_no_pose(solver: AnalyticInverse, irb120: RobotModel, name: str) -> None:
    bad, message = BAD_FORMS[name]
    good = pose_of(irb120, irb120.home)
    for call in (lambda: solver.nearest(bad, irb120.home), lambda: solver.all(bad)):
        with pytest.raises(ConfigError, match=message):
            call()
    for many in (solver.along, solver.nearest_each, solver.branches):
        with pytest.raises(ConfigError, match=f'pose 1: .*{message}'):
            many([good, bad], irb120.home)


def test_one_pose_is_not_several(solver: AnalyticInverse, irb120: RobotModel) -> None:
    pose = pose_of(irb120, irb120.home)
    for many in (solver.along, solver.nearest_each, solver.branches):
        for given, message in (
            (pose, 'SE3 where several poses of tool0 are needed: give a list'),
            (None, 'NoneType where several poses of tool0 are needed: give a list'),
            (pose.homogeneous, r'\(k, 4, 4\) is needed'),
        ):
            with pytest.raises(ConfigError, match=message):
                many(given, irb120.home)


@pytest.mark.parametrize('far', [1e12, 1e100, 1e308])
def test_very_far_away_is_out_of_reach(
    solver: AnalyticInverse, irb120: RobotModel, far: float
) -> None:
    matrix = pose_of(irb120, irb120.home).homogeneous
    matrix[:3, 3] = -far, far, far
    for call in (
        lambda: solver.nearest(matrix, irb120.home),
        lambda: solver.along([matrix], irb120.home),
    ):
        with pytest.raises(UnreachableError, match='out of reach') as caught:
            call()
        assert caught.value.kind == 'out_of_reach'
        assert math.isfinite(caught.value.missing)
    assert len(solver.all(matrix)) == 0
    assert np.isnan(solver.nearest_each([matrix], irb120.home)).all()
    assert matrix[0, 3] == -far


def test_tip_that_is_no_name(irb120: RobotModel) -> None:
    tip: Any = None
    with pytest.raises(ConfigError, match=r"unknown tip 'None': .*tool0"):
        inverse_kinematics(irb120, tip)


def test_no_poses_at_all(solver: AnalyticInverse, irb120: RobotModel) -> None:
    assert solver.along([], irb120.home).shape == (0, 6)
    assert solver.branches([], irb120.home).shape == (0, 8, 6)


def test_example_of_the_page_runs() -> None:
    page = Path(__file__).parents[2] / 'docs' / 'kinematics.md'
    (code,) = re.findall(r'```python\n(.*?)```', page.read_text(), re.DOTALL)
    names: dict[str, Any] = {}
    exec(code, names)
    assert names['solver'].kind == 'analytic'
    assert names['every'].shape == (3, 6)
    assert names['course'].shape == (100, 6)
    assert away(names['robot'], names['q'], names['pose']) <= ASKED
    moved = names['tip'].tip_velocity(names['q'], names['v'])
    np.testing.assert_allclose(moved, [0.1, 0.0, 0.0, 0.0, 0.0, 0.0], atol=ASKED)
