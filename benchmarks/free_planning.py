"""Time of collision checks and of plans: ``python benchmarks/free_planning.py [PROBLEMS]``.

Random worlds of boxes, spheres and cylinders around a robot, and random free goals of its joints
that are not straight ahead in joint space. One process, no other load; medians.
"""

from __future__ import annotations

import sys
import time

import numpy as np

from simloop_ros.core.errors import GoalError
from simloop_ros.core.values import Array, JointState
from simloop_ros.planning.config import FreeConfig
from simloop_ros.planning.free import plan_free
from simloop_ros.planning.free_search import way_is_free
from simloop_ros.robot.fit_robot import load_fit_robot
from simloop_ros.robot.model import RobotModel
from simloop_ros.scenario.robot_files import robot_config
from simloop_ros.world.clearance import Clearance
from simloop_ros.world.config import AnyBody, BoxBody, CylinderBody, SphereBody, WorldConfig

PERIOD = 0.002
BODIES = 6
CHECKS = 5000
ROBOTS = ('irb120', 'yumi')


def random_world(rng: np.random.Generator) -> WorldConfig:
    """Return bodies in front of a robot and beside it."""
    bodies: list[AnyBody] = []
    for i in range(BODIES):
        x, y, z = rng.uniform((-0.6, -0.6, 0.0), (0.6, 0.6, 0.8)).tolist()
        a, b, c = rng.uniform(0.05, 0.25, 3).tolist()
        if i % 3 == 0:
            bodies.append(BoxBody(name=f'box {i}', position=(x, y, z), size=(a, b, c)))
        elif i % 3 == 1:
            bodies.append(SphereBody(name=f'ball {i}', position=(x, y, z), radius=0.5 * a))
        else:
            bodies.append(
                CylinderBody(name=f'rod {i}', position=(x, y, z), radius=0.5 * a, height=b)
            )
    return WorldConfig(bodies=tuple(bodies))


def posture(model: RobotModel, rng: np.random.Generator) -> Array:
    """Return random joints [rad], shape ``(n,)``, within half a turn."""
    return rng.uniform(np.maximum(model.lower, -np.pi), np.minimum(model.upper, np.pi))


def problem(model: RobotModel, rng: np.random.Generator) -> tuple[WorldConfig, Array]:
    """Return a world and a goal that the straight way does not reach."""
    config = FreeConfig()
    while True:
        world = random_world(rng)
        clearance = Clearance(model, world, config.clearance)
        goal = posture(model, rng)
        ends = np.array((model.home, goal))
        if not all(map(clearance.free, ends)):
            continue
        if not way_is_free(clearance, ends, config.resolution):
            return world, goal


def check_time(model: RobotModel, rng: np.random.Generator) -> float:
    """Return the mean time of a collision check [us], on ways of a search."""
    clearance = Clearance(model, random_world(rng), FreeConfig().clearance)
    postures = [0.5 * (posture(model, rng) + model.home) for _ in range(CHECKS)]
    begin = time.perf_counter()
    for q in postures:
        clearance.free(q)
    return 1e6 * (time.perf_counter() - begin) / CHECKS


def main() -> None:
    """Print a line for each robot."""
    problems = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    for name in ROBOTS:
        model, rng = load_fit_robot(robot_config(name)), np.random.default_rng(21)
        check = float(np.median([check_time(model, rng) for _ in range(9)]))
        times, solved = [], 0
        for seed in range(problems + 1):
            world, goal = problem(model, rng)
            config = FreeConfig(joints=dict(zip(model.joint_names, goal.tolist(), strict=True)))
            start = JointState(model.home, np.zeros(model.n))
            begin = time.perf_counter()
            try:
                plan_free(config, model, world, PERIOD, start, seed)
                found = True
            except GoalError as error:
                found = False
                print(f'{name}, problem {seed}: {error}', file=sys.stderr)
            if seed > 0:  # the first one imports what it needs
                times.append(1e3 * (time.perf_counter() - begin))
                solved += found
        print(
            f'{name}: {check:.1f} us per check; {solved} of {problems} solved, '
            f'{np.median(times):.0f} ms median, {np.percentile(times, 95):.0f} ms 95 %'
        )


if __name__ == '__main__':
    main()
