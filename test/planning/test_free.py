"""Motions around the known world: no contact, no dice, and reasons where there is none."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
import subprocess
import sys
import time

import msgspec
import numpy as np
import pytest

from simloop_ros.assembly.assemble import assemble
from simloop_ros.assembly.run import run
from simloop_ros.core.errors import ConfigError, GoalError, MissingDependencyError
from simloop_ros.core.values import JointState
from simloop_ros.planning.cartesian_limits import efforts_along
from simloop_ros.planning.config import FreeConfig
from simloop_ros.planning.free import FreePlan, plan_free
from simloop_ros.planning.free_search import points_along, search_way
from simloop_ros.planning.free_smoothing import smooth_legs
from simloop_ros.plants.config import PlantConfig, in_world
from simloop_ros.plants.mujoco_plant import MujocoPlant
from simloop_ros.robot.fit_robot import load_fit_robot
from simloop_ros.robot.model import RobotModel
from simloop_ros.scenario.loading import load_scenario
from simloop_ros.world.clearance import Clearance
from simloop_ros.world.config import BoxBody, CylinderBody, SphereBody, WorldConfig

pytest.importorskip('ompl')
pytest.importorskip('toppra')

H = 0.005
FINER = 10  # than the checks of the planner
ROUNDING = 1e-9
AROUND = load_scenario('irb120_around')
CROSSING = load_scenario('yumi_two_arms')
POST = AROUND.world.bodies[0]


@pytest.fixture(scope='module')
def irb120() -> RobotModel:
    return load_fit_robot(AROUND.robot)


def planned(
    model: RobotModel,
    world: WorldConfig = AROUND.world,
    seed: int = 0,
    goals: np.ndarray | None = None,
    **config: object,
) -> FreePlan:
    given = msgspec.convert({'kind': 'free', 'move': [[0, 0.3, 0]], **config}, FreeConfig)
    start = JointState(model.home, np.zeros(model.n))
    return plan_free(given, model, world, H, start, seed, goals)


def penetration(model: RobotModel, world: WorldConfig) -> Callable[[np.ndarray], float]:
    """Return how deep a moving link is in a body of the world at most [m], by MuJoCo."""
    mujoco = pytest.importorskip('mujoco')
    obstacles = in_world(PlantConfig(engine='mujoco'), world).obstacles
    plant = MujocoPlant(model, H, 1, obstacles)
    mj, data = plant.mj_model, mujoco.MjData(plant.mj_model)
    index = [mj.joint(name).qposadr[0] for name in model.joint_names]

    def deepest(q: np.ndarray) -> float:
        data.qpos[index] = q
        mujoco.mj_kinematics(mj, data)
        mujoco.mj_collision(mj, data)
        return max((-contact.dist for contact in data.contact), default=0.0)

    return deepest


# What it shall do


@pytest.mark.parametrize('seed', range(4))
def test_the_tip_goes_around_to_its_goal(irb120: RobotModel, seed: int) -> None:
    q = planned(irb120, seed=seed).positions
    goal = irb120.frame_poses(irb120.home, irb120.tips)[0]
    end = irb120.frame_poses(q[-1], irb120.tips)[0]
    assert end.translation - goal.translation == pytest.approx([0, 0.3, 0], abs=1e-8)
    assert end.rotation == pytest.approx(goal.rotation, abs=1e-8)
    assert np.all((irb120.lower <= q) & (q <= irb120.upper))


def test_a_goal_of_joints_is_met_and_the_others_stay(irb120: RobotModel) -> None:
    plan = planned(irb120, move=[], joints={'joint_1': 0.6, 'joint_4': 0.2})
    wanted = irb120.home.copy()
    wanted[[0, 3]] = 0.6, 0.2
    assert plan.positions[-1] == pytest.approx(wanted, abs=ROUNDING)


def test_the_tip_may_turn_to_an_orientation(irb120: RobotModel) -> None:
    plan = planned(irb120, move=[[0.1, 0, 0.1]], orientations=[[np.pi, 0, 1.0]])
    rotation = irb120.frame_poses(plan.positions[-1], irb120.tips)[0].rotation
    c, s = np.cos(1.0), np.sin(1.0)
    assert rotation == pytest.approx(np.array([[c, s, 0], [s, -c, 0], [0, 0, -1]]), abs=1e-8)


def test_goals_that_are_given_again_replace_the_displacement(irb120: RobotModel) -> None:
    goals = irb120.tip_positions(irb120.home) + np.array([0, 0.3, 0.1])
    plan = planned(irb120, goals=goals)
    assert irb120.tip_positions(plan.positions[-1]) == pytest.approx(goals, abs=1e-8)


def test_a_robot_that_is_there_stays(irb120: RobotModel) -> None:
    assert planned(irb120, move=[[0, 0, 0]]).positions.tolist() == [irb120.home.tolist()]


def test_without_a_body_in_the_way_it_goes_straight_in_joint_space(irb120: RobotModel) -> None:
    assert len(planned(irb120, WorldConfig()).corners) == 2


def test_both_arms_cross_without_touching() -> None:
    model = load_fit_robot(CROSSING.robot)
    q = planned(model, CROSSING.world, move=CROSSING.planner.move).positions
    clearance = Clearance(model, CROSSING.world)
    assert min(clearance.smallest(row).distance for row in q) > 0.0
    moved = model.tip_positions(q[-1]) - model.tip_positions(model.home)
    assert moved == pytest.approx(np.array(CROSSING.planner.move), abs=1e-8)


@pytest.mark.parametrize('seed', range(3))
def test_it_stays_within_the_limits_of_speed_and_effort(irb120: RobotModel, seed: int) -> None:
    q = np.vstack((irb120.home, planned(irb120, seed=seed, limit_share=0.3).positions))
    assert np.all(np.abs(np.diff(q, axis=0)) / H <= irb120.velocity_limit)
    assert np.all(np.abs(efforts_along(irb120, H, q)) <= irb120.effort_limit)


def test_a_smaller_share_of_the_limits_makes_it_slower(irb120: RobotModel) -> None:
    fast, slow = (planned(irb120, limit_share=share).positions for share in (0.8, 0.2))
    assert len(slow) > 1.3 * len(fast)


# What it must not do


def random_problem(rng: np.random.Generator, model: RobotModel) -> tuple[WorldConfig, dict]:
    """Return bodies around the robot, and a goal of joints that is free."""
    while True:
        bodies = []
        for i in range(4):
            position = rng.uniform((-0.6, -0.6, 0.1), (0.6, 0.6, 0.8))
            size = rng.uniform(0.05, 0.25, 3).tolist()
            place = {'name': f'body {i}', 'position': tuple(position.tolist())}
            kind = i % 3
            if kind == 0:
                bodies.append(BoxBody(size=tuple(size), rpy=(0.3, 0.2, 1.0), **place))
            elif kind == 1:
                bodies.append(SphereBody(radius=0.5 * size[0], **place))
            else:
                bodies.append(CylinderBody(radius=0.5 * size[0], height=size[1], **place))
        world = WorldConfig(bodies=tuple(bodies))
        clearance = Clearance(model, world, 0.01)
        goal = rng.uniform(model.lower, model.upper)
        goal[-1] = model.home[-1]
        if clearance.free(model.home) and clearance.free(goal):
            return world, dict(zip(model.joint_names, goal.tolist(), strict=True))


@pytest.mark.parametrize('seed', range(15))
def test_no_random_plan_touches_anything(irb120: RobotModel, seed: int) -> None:
    """By another engine, between the checks of the planner, too."""
    world, joints = random_problem(np.random.default_rng(seed), irb120)
    q = planned(irb120, world, seed, move=[], joints=joints).positions
    deepest, own = penetration(irb120, world), Clearance(irb120, WorldConfig())
    fine = points_along(np.vstack((irb120.home, q)), FreeConfig().resolution / FINER)
    assert len(fine) > len(q)
    assert max(map(deepest, fine)) <= 0.0
    assert all(own.smallest(row).distance > 0.0 for row in fine)


def test_the_clearance_is_kept_where_it_is_checked(irb120: RobotModel) -> None:
    config = FreeConfig(clearance=0.04)
    clearance = Clearance(irb120, AROUND.world, config.clearance)
    goal = irb120.home.copy()
    goal[0] = -goal[0]
    way = search_way(config, irb120, clearance, irb120.home, goal[None], 3)
    (knots,) = smooth_legs(clearance, way.corners, config.resolution)
    assert way.complete
    assert all(clearance.free(q) for q in knots)
    assert np.linalg.norm(np.diff(knots, axis=0), axis=1).max() <= 1.01 * config.resolution


# The same seed


def test_the_same_seed_gives_the_same_motion_and_another_another(irb120: RobotModel) -> None:
    first = planned(irb120, seed=1).positions.tobytes()
    assert planned(irb120, seed=2).positions.tobytes() != first
    assert planned(irb120, seed=1).positions.tobytes() == first


HASH = """
import hashlib
from simloop_ros.assembly.assemble import assemble
from simloop_ros.scenario.loading import load_scenario
planner = assemble(load_scenario('irb120_around', ['seed=4'])).motion.base
print(hashlib.sha256(planner._positions.tobytes()).hexdigest())
"""


def test_every_process_plans_the_same_motion() -> None:
    found = {
        subprocess.run(
            [sys.executable, '-c', HASH], capture_output=True, text=True, check=True
        ).stdout
        for _ in range(2)
    }
    assert len(found) == 1


def test_a_run_has_the_same_digest_again(tmp_path: Path) -> None:
    summaries = []
    for name in ('one', 'two'):
        folder = tmp_path / name
        folder.mkdir()
        summaries.append(run(assemble(AROUND), folder, time.perf_counter))
    assert summaries[0]['digest'] == summaries[1]['digest']
    assert [each['status'] for each in summaries] == ['reached', 'reached']
    assert not [event for event in summaries[0]['events'] if event['kind'] == 'contact']


@pytest.mark.parametrize('engine', ['mujoco', 'pybullet'])
def test_the_straight_motion_hits_the_post_in_the_plant(tmp_path: Path, engine: str) -> None:
    pytest.importorskip(engine)
    straight = load_scenario(
        'irb120_around', ['planner.kind=offline', f'plant.engine={engine}', 'graphs=[]']
    )
    summary = run(assemble(straight), tmp_path, time.perf_counter)
    assert [event['obstacle'] for event in summary['events'] if event['kind'] == 'contact']


# What is refused


def box(position: tuple[float, float, float], size: tuple[float, float, float]) -> WorldConfig:
    return WorldConfig(bodies=(BoxBody(name='box', position=position, size=size),))


OTHER_WALL = BoxBody(name='other wall', position=(-0.75, 0.16, 0.5), size=(1.2, 0.02, 2.0))
ROOF = BoxBody(name='roof', position=(0, 0, 0.8), size=(2, 2, 0.1))
CAGE = WorldConfig(
    bodies=(
        BoxBody(name='wall', position=(0.75, 0.16, 0.5), size=(1.2, 0.02, 2.0)),
        OTHER_WALL,
        ROOF,
    )
)


@pytest.mark.parametrize(
    ('world', 'settings', 'reason'),
    [
        (
            box((0.3, -0.15, 0.35), (0.05, 0.05, 0.05)),
            {},
            r'^start in collision: link_\d is [\d.]+ mm inside box; ',
        ),
        (
            AROUND.world,
            {'clearance': 0.3},
            r'^start in collision: link_\d is [\d.]+ mm from post, and planner.clearance asks '
            'for 300 mm; ',
        ),
        (
            box((0.3, 0.15, 0.35), (0.05, 0.05, 0.05)),
            {},
            r'^goal in collision, in the best of \d+ postures: link_\d is [\d.]+ mm inside box; ',
        ),
        (
            box((0.3, 0.15, 0.35), (0.05, 0.05, 0.05)),
            {'move': [], 'joints': {'joint_1': 0.4636}},
            r'^goal in collision: link_\d is [\d.]+ mm inside box; ',
        ),
        (AROUND.world, {'move': [[2, 0, 0]]}, r'^goal out of reach: tool0 .* by [\d.]+ m'),
        (
            AROUND.world,
            {'move': [], 'joints': {'joint_1': 9}},
            r'^goal out of reach: joint_1 at 9 rad, its range is -2\.88 to 2\.88 rad',
        ),
        (
            CAGE,
            {'growths': 3, 'move': [], 'joints': {'joint_1': 1.5}},
            r'^no way found in 3 growths of the search: it came within [\d.]+ rad of the goal '
            r'in joint space, and straight on from there link_\d is .* inside (other )?wall; ',
        ),
    ],
)
def test_a_refusal_says_what_is_in_the_way(
    irb120: RobotModel, world: WorldConfig, settings: dict[str, object], reason: str
) -> None:
    with pytest.raises(GoalError, match=reason) as raised:
        planned(irb120, world, **settings)
    assert '\n' not in str(raised.value)


@pytest.mark.parametrize(
    ('settings', 'reason'),
    [
        ({'move': []}, 'planner.move has 0 rows'),
        ({'move': [[0, 0, 0], [0, 0, 0]]}, 'planner.move has 2 rows'),
        ({'joints': {'joint_1': 0.1}}, 'two goals'),
        ({'orientations': [[0, 0, 0], [0, 0, 0]]}, 'planner.orientations has 2 rows'),
        ({'move': [], 'joints': {'joint1': 0.1}}, 'did you mean joint_'),
    ],
)
def test_a_goal_that_is_none_is_refused(
    irb120: RobotModel, settings: dict[str, object], reason: str
) -> None:
    with pytest.raises(ConfigError, match=reason):
        planned(irb120, **settings)


def test_without_ompl_the_user_is_told(
    irb120: RobotModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, 'ompl', None)
    with pytest.raises(MissingDependencyError, match=r'needs ompl: pip install .*\[free\]'):
        planned(irb120)
