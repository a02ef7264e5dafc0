"""Planning in the loop: undisturbed it is the off-line motion, held it waits."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from simloop_ros.core.values import NO_INPUTS, JointState
from simloop_ros.planning.build import build_planner
from simloop_ros.planning.config import ForcedMotionConfig, OfflineConfig, OnlineConfig
from simloop_ros.planning.forced_simulation import ForcedSimulation
from simloop_ros.planning.offline import OfflinePlanner
from simloop_ros.planning.online import OnlinePlanner
from simloop_ros.planning.rehearsal import rehearse
from simloop_ros.robot.model import RobotModel

Forced = Callable[..., ForcedSimulation]
AtHome = Callable[[RobotModel], JointState]

H = 0.005
MOVES = {'sphere': [[0, 0, 0.4]], 'yumi': [[0, 0.3, 0], [0, -0.3, 0]]}
LEASH = 100.0 * H**2  # rad
AT_GOAL = 1e-9  # m: the tips' own correction converges to rounding
ROUNDING = 1e-12  # rad, rad/s
FIRST_STEP = 0.2 * LEASH  # rad: from rest, 0.5 m/s^2 moves no joint of these arms by 20 h^2
STOPPING = 40  # steps until a planner that is pulled back stands still


class Follower:
    """A robot that is where it should be, or where it is held."""

    def __init__(self, planner: OnlinePlanner, start: JointState):
        self.planner = planner
        self.state = start

    def follow(self) -> np.ndarray:
        desired = self.planner.step(self.state, NO_INPUTS).position
        self.state = JointState(desired, (desired - self.state.position) / H)
        return desired


@pytest.fixture(params=list(MOVES))
def robot(request: pytest.FixtureRequest) -> RobotModel:
    return request.getfixturevalue(request.param)


@pytest.fixture
def simulation(robot: RobotModel, forced: Forced) -> ForcedSimulation:
    return forced(robot, MOVES[robot.name], H)


def assert_arrives(
    robot: RobotModel, simulation: ForcedSimulation, follower: Follower, time: float = 4.0
) -> None:
    for _ in range(round(time / H)):
        follower.follow()
    tips = robot.tip_positions(follower.state.position)
    np.testing.assert_allclose(tips, simulation.goals, rtol=0.0, atol=AT_GOAL)
    assert np.abs(follower.state.velocity).max() < ROUNDING / H


def test_undisturbed_it_is_the_list(
    simulation: ForcedSimulation, robot: RobotModel, at_home: AtHome
) -> None:
    """Bitwise: the same simulation, whether beforehand or on the way."""
    start = at_home(robot)
    positions = rehearse(simulation, start).positions
    follower = Follower(OnlinePlanner(simulation, start, LEASH), start)
    np.testing.assert_array_equal([follower.follow() for _ in positions], positions)


def test_within_the_leash_nothing_changes(
    simulation: ForcedSimulation, robot: RobotModel, at_home: AtHome
) -> None:
    """Also where every joint is apart and the distance of all together is beyond the leash."""
    start = at_home(robot)
    rng = np.random.default_rng(1)
    disturbed, straight = (OnlinePlanner(simulation, start, LEASH) for _ in range(2))
    position = start.position
    for _ in range(400):
        apart = rng.uniform(0.9, 0.99, robot.n) * rng.choice([-1.0, 1.0], robot.n) * LEASH
        control = JointState(position + apart, rng.normal(size=robot.n))
        position = straight.step(JointState(position, start.velocity), NO_INPUTS).position
        again = disturbed.step(control, NO_INPUTS).position
        np.testing.assert_array_equal(again, position)


def test_held_it_waits_within_the_leash_and_then_arrives(
    simulation: ForcedSimulation, robot: RobotModel, at_home: AtHome
) -> None:
    """It stops by its own last step beyond the leash; the force, ``M (q_d - q)/h^2``, stays."""
    follower = Follower(OnlinePlanner(simulation, at_home(robot), LEASH), at_home(robot))
    for _ in range(150):
        follower.follow()
    held = JointState(follower.state.position, np.zeros(robot.n))
    for step in range(200):
        desired = follower.planner.step(held, NO_INPUTS).position
        apart = np.abs(desired - held.position)
        velocity = np.abs(follower.planner.snapshot().joints.velocity)
        assert np.all(apart <= LEASH + H * velocity + ROUNDING)
        if step >= STOPPING:
            assert apart.max() <= LEASH + FIRST_STEP
    follower.state = held
    assert_arrives(robot, simulation, follower)


def test_displaced_it_starts_again_from_there(
    simulation: ForcedSimulation, robot: RobotModel, at_home: AtHome
) -> None:
    follower = Follower(OnlinePlanner(simulation, at_home(robot), LEASH), at_home(robot))
    for _ in range(150):
        follower.follow()
    rng = np.random.default_rng(3)
    thrown = follower.state.position + 20.0 * LEASH * rng.uniform(-1.0, 1.0, robot.n)
    thrown = np.clip(thrown, robot.lower, robot.upper)
    follower.state = JointState(thrown, np.zeros(robot.n))
    desired = follower.planner.step(follower.state, NO_INPUTS).position
    velocity = np.abs(follower.planner.snapshot().joints.velocity)
    assert np.all(np.abs(desired - thrown) <= LEASH + H * velocity + ROUNDING)
    assert np.all(velocity <= robot.velocity_limit + ROUNDING)
    assert_arrives(robot, simulation, follower)


@pytest.mark.parametrize('speed', [0.05, 0.0, -0.05])
def test_goes_on_no_faster_than_the_robot_and_never_backwards(
    sphere: RobotModel, forced: Forced, at_home: AtHome, speed: float
) -> None:
    """A sphere that is dragged along at ``speed`` while the plan would be at 0.25 m/s."""
    acceleration = 0.5
    simulation = forced(sphere, [[0, 0, 1]], H, acceleration=acceleration)
    follower = Follower(OnlinePlanner(simulation, at_home(sphere), LEASH), at_home(sphere))
    for _ in range(150):
        follower.follow()
    assert follower.planner.snapshot().joints.velocity[0] == pytest.approx(0.25)
    position, beyond = follower.state.position, 0
    for _ in range(100):
        position = position + H * speed
        apart = follower.planner.snapshot().joints.position - position
        follower.planner.step(JointState(position, np.array([speed])), NO_INPUTS)
        if abs(apart[0]) > LEASH:
            beyond += 1
            velocity = follower.planner.snapshot().joints.velocity[0]
            # One step of the profile comes after the synchronisation.
            assert -ROUNDING <= velocity <= max(0.0, speed) + acceleration * H + ROUNDING
    assert beyond > 50


def test_a_held_robot_makes_the_motion_later_not_wrong(
    sphere: RobotModel, forced: Forced, at_home: AtHome
) -> None:
    """Held from the start for a second, it arrives a second later than it would have."""
    simulation = forced(sphere, [[0, 0, 0.4]], H)
    start = at_home(sphere)
    duration = rehearse(simulation, start).duration
    follower = Follower(OnlinePlanner(simulation, start, LEASH), start)
    for _ in range(round(1.0 / H)):
        follower.planner.step(start, NO_INPUTS)
    steps = 0
    while np.linalg.norm(follower.state.position - simulation.goals[0, 2]) > AT_GOAL:
        follower.follow()
        steps += 1
        assert steps * H < 2.0 * duration
    # The leash is what it is ahead when let go.
    assert steps * H == pytest.approx(duration, abs=0.1)


@pytest.mark.parametrize('profile', ['constant_acceleration', 'jerk_limited'])
def test_memory_goes_back(
    robot: RobotModel, forced: Forced, at_home: AtHome, profile: str
) -> None:
    """Bitwise the straight run, with a robot that is nowhere near."""
    rng = np.random.default_rng(4)
    planner = OnlinePlanner(
        forced(robot, MOVES[robot.name], H, profile=profile), at_home(robot), LEASH
    )
    controls = [
        JointState(robot.home + rng.normal(scale=LEASH, size=robot.n), rng.normal(size=robot.n))
        for _ in range(60)
    ]
    for control in controls[:30]:
        planner.step(control, NO_INPUTS)
    memory = planner.snapshot()
    first = [planner.step(control, NO_INPUTS).position for control in controls[30:]]
    planner.restore(memory)
    np.testing.assert_array_equal(
        [planner.step(control, NO_INPUTS).position for control in controls[30:]], first
    )


def test_offline_hands_out_its_list_and_stays_at_the_end(
    at_home: AtHome, sphere: RobotModel
) -> None:
    positions = np.arange(12.0).reshape(4, 3)
    planner = OfflinePlanner(positions, H)
    anywhere = at_home(sphere)
    planner.step(anywhere, NO_INPUTS)
    second = planner.snapshot()
    planner.restore(OfflinePlanner(positions, H).snapshot())
    handed_out = [planner.step(anywhere, NO_INPUTS).position for _ in range(6)]
    np.testing.assert_array_equal(handed_out, positions[[0, 1, 2, 3, 3, 3]])
    planner.restore(second)
    np.testing.assert_array_equal(planner.step(anywhere, NO_INPUTS).position, positions[1])


def test_both_kinds_are_built_for_the_same_motion(yumi: RobotModel, at_home: AtHome) -> None:
    start = at_home(yumi)
    move = tuple(tuple(map(float, row)) for row in MOVES['yumi'])
    online, offline = (
        build_planner(kind(move=move), yumi, H, start) for kind in (OnlineConfig, OfflineConfig)
    )
    assert isinstance(online.planner, OnlinePlanner)
    assert isinstance(offline.planner, OfflinePlanner)
    assert online.duration == offline.duration
    follower = Follower(online.planner, start)
    for _ in range(100):
        np.testing.assert_array_equal(
            follower.follow(), offline.planner.step(start, NO_INPUTS).position
        )


def test_restarted_anywhere_it_arrives_at_the_same_goal(
    robot: RobotModel, simulation: ForcedSimulation, at_home: AtHome
) -> None:
    planner = OnlinePlanner(simulation, at_home(robot), LEASH)
    follower = Follower(planner, at_home(robot))
    for _ in range(60):
        follower.follow()
    rest = JointState(0.5 * (robot.home + follower.state.position), np.zeros(robot.n))
    assert planner.restart(rest)
    follower.state = rest
    first = follower.follow()
    assert np.abs(first - rest.position).max() < FIRST_STEP
    assert_arrives(robot, simulation, follower)


def test_a_list_leads_from_one_place_only() -> None:
    planner = OfflinePlanner(np.zeros((3, 1)), H)
    assert not planner.restart(JointState(np.ones(1), np.zeros(1)))
    np.testing.assert_array_equal(planner.expected.position, 0.0)


@pytest.mark.parametrize('kind', [OnlineConfig, OfflineConfig])
def test_planned_anew_it_goes_to_the_same_goal(
    yumi: RobotModel, kind: type[ForcedMotionConfig]
) -> None:
    config = kind(move=((0.0, 0.1, 0.0), (0.0, -0.1, 0.0)))
    start = JointState(yumi.home, np.zeros(yumi.n))
    first = build_planner(config, yumi, H, start)
    follower = Follower(first.planner, start)
    for _ in range(60):
        follower.follow()
    rest = JointState(follower.state.position, np.zeros(yumi.n))
    again = build_planner(config, yumi, H, rest, goals=first.goals)
    follower = Follower(again.planner, rest)
    for _ in range(600):
        follower.follow()
    tips = yumi.tip_positions(follower.state.position)
    np.testing.assert_allclose(tips, first.goals, rtol=0.0, atol=AT_GOAL)


def test_a_list_expects_the_robot_where_it_was_sent_last(
    at_home: AtHome, sphere: RobotModel
) -> None:
    """Before the first step at its first entry, and after the last one at rest there."""
    positions = np.array([[0.0], [0.1], [0.3]])
    planner = OfflinePlanner(positions, H)
    assert planner.expected.position == positions[0]
    for _ in range(5):
        setpoint = planner.step(at_home(sphere), NO_INPUTS)
        np.testing.assert_array_equal(planner.expected.position, setpoint.position)
        np.testing.assert_array_equal(planner.expected.velocity, setpoint.velocity)
