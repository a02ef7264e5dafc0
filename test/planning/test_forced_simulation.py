"""The planner's simulation: the tips go where they should, the joints do what is natural."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from math import exp

import msgspec
import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.core.values import JointState
from simloop_ros.planning.config import OnlineConfig
from simloop_ros.planning.forced_simulation import ForcedMotion, ForcedSimulation
from simloop_ros.robot.model import RobotModel

Forced = Callable[..., ForcedSimulation]
AtHome = Callable[[RobotModel], JointState]

OUTWARD = [[0.0, 0.3, 0.0], [0.0, -0.3, 0.0]]
AT_GOAL = 1e-9  # m: Newton's method has converged to rounding, times the arm's length
AT_REST = 1e-9  # rad/s, below what an hour would show
SIDEWAYS = 0.5  # m/s^2: tip acceleration across its way that turning joints cause in these motions
DIFFERENCES = 1e-6  # rad: step of the central differences of tip positions
KKT = 1e-7  # rad/s: those differences leave 1e-10 of Jacobian, times speeds, times conditioning
ROUNDING = 1e-12  # rad, rad/s: of joint positions and speeds near one
DAMPED = 1e-6  # relative: S, and the tips' way back after a finite step, add energy below this


def run(simulation: ForcedSimulation, start: JointState, time: float) -> list[ForcedMotion]:
    motions = [simulation.start(start)]
    for _ in range(round(time / simulation.period)):
        motions.append(simulation.step(motions[-1]))
    return motions


def tip_jacobian(robot: RobotModel, q: np.ndarray) -> np.ndarray:
    """Return the Jacobian of the tip positions by differences, shape ``(3 tips, n)``."""
    columns = []
    for unit in DIFFERENCES * np.eye(robot.n):
        ahead, behind = robot.tip_positions(q + unit), robot.tip_positions(q - unit)
        columns.append((ahead - behind).ravel() / (2.0 * DIFFERENCES))
    return np.array(columns).T


def mass_matrix(robot: RobotModel, q: np.ndarray) -> np.ndarray:
    """Return M, column by column: the efforts of unit accelerations."""
    data, rest = robot.pin_model.createData(), np.zeros(robot.n)
    weight = pin.rnea(robot.pin_model, data, q, rest, rest).copy()
    columns = [pin.rnea(robot.pin_model, data, q, rest, a) - weight for a in np.eye(robot.n)]
    return np.array(columns).T


def energy(mass: np.ndarray, v: np.ndarray) -> float:
    return 0.5 * float(v @ mass @ v)


def assert_within_limits(robot: RobotModel, motions: list[ForcedMotion]) -> None:
    q = np.array([motion.joints.position for motion in motions])
    v = np.array([motion.joints.velocity for motion in motions])
    assert np.all(q >= robot.lower - ROUNDING)
    assert np.all(q <= robot.upper + ROUNDING)
    assert np.all(np.abs(v) <= robot.velocity_limit + ROUNDING)


@pytest.mark.parametrize('period', [0.02, 0.005])
@pytest.mark.parametrize('profile', ['constant_acceleration', 'jerk_limited'])
@pytest.mark.parametrize(
    ('name', 'move'), [('sphere', [[0, 0, 1]]), ('two_link', [[-0.4, 0, 0.5]]), ('yumi', OUTWARD)]
)
def test_tips_go_straight_and_stop_at_their_goals(
    request: pytest.FixtureRequest,
    forced: Forced,
    at_home: AtHome,
    name: str,
    move: list[list[float]],
    profile: str,
    period: float,
) -> None:
    """Off the straight line by what a step's turn of the joints does: with the step squared."""
    robot = request.getfixturevalue(name)
    motions = run(forced(robot, move, period, profile=profile), at_home(robot), 5.5)
    tips = np.array([robot.tip_positions(motion.joints.position) for motion in motions])
    way = np.array(move, dtype=float)
    direction = way / np.linalg.norm(way, axis=1, keepdims=True)
    gone = tips - tips[0]
    along = np.sum(gone * direction, axis=2)
    aside = np.linalg.norm(gone - along[:, :, None] * direction, axis=2)
    assert aside.max() <= SIDEWAYS * period**2
    assert np.all(along <= np.linalg.norm(way, axis=1) + SIDEWAYS * period**2)
    assert np.abs(gone[-1] - way).max() <= AT_GOAL
    assert np.abs(motions[-1].joints.velocity).max() <= AT_REST
    assert_within_limits(robot, motions)


@pytest.mark.parametrize('name', ['two_link', 'yumi'])
def test_velocity_is_the_nearest_in_kinetic_energy(
    request: pytest.FixtureRequest, name: str
) -> None:
    """Minimise ``(v+ - u)^T M (v+ - u)`` with ``J v+ = x'_d``, by its own KKT system."""
    robot: RobotModel = request.getfixturevalue(name)
    rng = np.random.default_rng(5)
    config, h = OnlineConfig(), 0.005
    for _ in range(10):
        q = robot.home + rng.normal(scale=0.05, size=robot.n)
        q = np.clip(q, robot.lower + 0.1, robot.upper - 0.1)
        v = rng.normal(scale=0.05, size=robot.n)
        J, M = tip_jacobian(robot, q), mass_matrix(robot, q)
        tips = robot.tip_positions(q)
        # Within reach: two_link cannot leave its plane.
        goals = tips + (J @ rng.normal(scale=0.2, size=robot.n)).reshape(-1, 3)
        simulation = ForcedSimulation(robot, config, h, goals)
        motion = simulation.start(JointState(q, v))
        after = simulation.step(motion)
        way = goals - tips
        length = np.linalg.norm(way, axis=1)
        np.testing.assert_allclose([t.remaining for t in motion.travels], length, atol=ROUNDING)
        speeds = np.array([travel.speed for travel in after.travels])
        wanted = (way / length[:, None] * speeds[:, None]).ravel()
        u = exp(-h / config.damping_time) * v
        kkt = np.block([[M, J.T], [J, np.zeros((len(J), len(J)))]])
        # Least squares: a direction in which a tip cannot move makes the system singular.
        solution = np.linalg.lstsq(kkt, np.concatenate((M @ u, wanted)), rcond=1e-9)[0]
        np.testing.assert_allclose(after.joints.velocity, solution[: robot.n], rtol=0.0, atol=KKT)
        np.testing.assert_allclose(
            after.joints.position, q + h * after.joints.velocity, rtol=0.0, atol=ROUNDING
        )


def test_a_held_joint_is_one_more_constraint(planar: Callable[[float], RobotModel]) -> None:
    """The others are the nearest in kinetic energy with the shoulder at its bound.

    The bound is the speed of the exponential approach to its end, ``(upper - q)/range_time``.
    """
    end, h, speed = 0.3, 0.005, 0.3
    robot, config = planar(end), OnlineConfig(acceleration=speed / h, max_velocity=1.0)
    q, rest = np.array([end - 1e-3, 0.8, 0.8]), np.zeros(3)
    J, M = tip_jacobian(robot, q), mass_matrix(robot, q)
    way = np.array([[-0.3, 0.1, 0.0]])
    simulation = ForcedSimulation(robot, config, h, robot.tip_positions(q) + way)
    after = simulation.step(simulation.start(JointState(q, rest))).joints.velocity
    wanted = speed * way[0] / np.linalg.norm(way)
    rows = np.vstack((J, [1.0, 0.0, 0.0]))
    kkt = np.block([[M, rows.T], [rows, np.zeros((4, 4))]])
    bound = 1e-3 / config.range_time
    right = np.concatenate((rest, wanted, [bound]))
    solution = np.linalg.lstsq(kkt, right, rcond=1e-9)[0]
    np.testing.assert_allclose(after, solution[:3], rtol=0.0, atol=KKT)
    assert after[0] == pytest.approx(bound, abs=KKT)
    free = np.linalg.lstsq(kkt[:6, :6], right[:6], rcond=1e-9)[0]
    assert free[0] > 2.0 * bound


def test_keeps_the_speed_that_the_tips_have_towards_their_goals(
    sphere: RobotModel, forced: Forced
) -> None:
    for velocity, kept in ((0.2, 0.2), (-0.2, 0.0)):
        start = JointState(sphere.home, np.array([velocity]))
        (travel,) = forced(sphere, [[0, 0, 1]]).start(start).travels
        assert travel.speed == pytest.approx(kept, abs=ROUNDING)


def test_free_motion_dies_with_the_damping_time(yumi: RobotModel, forced: Forced) -> None:
    """The tips stay; kinetic energy falls by ``exp(-2 h/T)`` or more in every step."""
    h, damping_time = 0.002, 0.05
    simulation = forced(yumi, [[0, 0, 0], [0, 0, 0]], h, damping_time=damping_time)
    rng = np.random.default_rng(2)
    null_space = np.linalg.svd(tip_jacobian(yumi, yumi.home))[2][6:]
    v = 0.3 * null_space.T @ rng.normal(size=len(null_space))
    motions = run(simulation, JointState(yumi.home, v), 20 * damping_time)
    worth_looking = 1e-6  # of the energy at the start; below it the tips' rounding shows
    first = energy(mass_matrix(yumi, yumi.home), v)
    for before, after in pairwise(motions):
        mass = mass_matrix(yumi, before.joints.position)
        old, new = (energy(mass, motion.joints.velocity) for motion in (before, after))
        if old > worth_looking * first:
            assert new <= exp(-2.0 * h / damping_time) * old + DAMPED * first
    assert energy(mass, motions[-1].joints.velocity) <= worth_looking * first
    tips = yumi.tip_positions(motions[-1].joints.position)
    np.testing.assert_allclose(tips, yumi.tip_positions(yumi.home), rtol=0.0, atol=AT_GOAL)


@pytest.mark.parametrize('seed', range(8))
def test_no_joint_leaves_its_range_or_exceeds_its_speed(
    yumi: RobotModel, forced: Forced, at_home: AtHome, seed: int
) -> None:
    """Whatever is asked for: goals anywhere around, too far and too fast."""
    rng = np.random.default_rng(seed)
    move = rng.normal(scale=0.5, size=(2, 3)).tolist()
    simulation = forced(yumi, move, 0.01, max_velocity=3.0, acceleration=20.0)
    assert_within_limits(yumi, run(simulation, at_home(yumi), 1.0))


def test_a_joint_at_its_end_leaves_the_way_to_the_others(
    planar: Callable[[float], RobotModel], forced: Forced, at_home: AtHome
) -> None:
    """The same motion turns the shoulder further, where it may."""
    end, move = 0.3, [[-0.5, 0.0, 0.0]]
    free, bounded = planar(2.5), planar(end)
    goal = free.tip_positions(free.home) + np.array(move)
    turned = [motion.joints.position[0] for motion in run(forced(free, move), at_home(free), 4.0)]
    assert max(turned) > end + 0.05
    motions = run(forced(bounded, move), at_home(bounded), 4.0)
    assert_within_limits(bounded, motions)
    last = motions[-1].joints
    np.testing.assert_allclose(bounded.tip_positions(last.position), goal, rtol=0.0, atol=AT_GOAL)
    assert np.abs(last.velocity).max() <= AT_REST


def test_the_end_of_a_range_is_approached_exponentially(
    sphere: RobotModel, forced: Forced, at_home: AtHome
) -> None:
    """Pushed beyond its end, ``upper - q`` falls by no more than ``h/range_time`` per step."""
    h, range_time = 0.01, 0.2
    simulation = forced(sphere, [[0, 0, 3]], h, max_velocity=2.0, range_time=range_time)
    motions = run(simulation, at_home(sphere), 6.0)
    gap = sphere.upper[0] - np.array([motion.joints.position[0] for motion in motions])
    assert np.all(gap >= 0.0)
    assert gap[-1] < 1e-3
    assert np.all(gap[1:] >= (1.0 - h / range_time) * gap[:-1] - ROUNDING)
    np.testing.assert_allclose(gap[-10:] / gap[-11:-1], 1.0 - h / range_time, rtol=1e-6)


def test_a_step_leaves_its_motion_as_it_was(
    yumi: RobotModel, forced: Forced, at_home: AtHome
) -> None:
    """All state is in the value: the same step twice gives the same, whatever came between."""
    simulation = forced(yumi, OUTWARD)
    motions = run(simulation, at_home(yumi), 0.5)
    again = simulation.step(motions[50])
    assert again.travels == motions[51].travels
    np.testing.assert_array_equal(again.joints.position, motions[51].joints.position)
    np.testing.assert_array_equal(again.joints.velocity, motions[51].joints.velocity)


def test_a_turned_tip_comes_back_to_the_orientation_that_it_keeps(yumi: RobotModel) -> None:
    """Rounding of a step, and whatever else turned it, is gone in the next one."""
    h, goals = 0.005, yumi.tip_positions(yumi.home)
    simulation = ForcedSimulation(yumi, OnlineConfig(), h, goals, keep_rotations=True)
    start = simulation.start(JointState(yumi.home, np.zeros(yumi.n)))
    turned = JointState(yumi.home + 1e-3, np.zeros(yumi.n))
    motion = msgspec.structs.replace(start, joints=turned)
    before = simulation.turned(motion)
    after = simulation.turned(simulation.step(motion))
    assert before.min() > 1e-4
    assert after.max() < 1e-2 * before.min()  # of second order in the angle
