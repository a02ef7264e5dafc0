"""Random goals at random moments: is every one answered, are the limits kept, is none lost?

    python benchmarks/random_goals.py              # 1000 goals, then the same list in a graph
    python benchmarks/random_goals.py --quick      # 60 goals, in process only

The robot is the IRB 120. A goal comes 1 to 200 steps after the one before, so most come while the
robot moves. Every fourth is bad: out of reach, out of range, NaN, an unknown joint, too fast, into
the robot itself. Velocity, acceleration and jerk are differences of the setpoints. Status 1 if a
goal was not answered or got lost, if a limit was broken, or if the graph has another digest.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
import json
import os
from pathlib import Path
import subprocess
import sys
import tempfile
import time

import msgspec
import numpy as np

from simloop_ros.core.values import NO_INPUTS, Array, JointState
from simloop_ros.goals.config import GoalLimits
from simloop_ros.goals.goal import (
    AnyGoal,
    CancelCommand,
    JogGoal,
    JointsGoal,
    NamedGoal,
    PauseCommand,
    PoseGoal,
    ResumeCommand,
    TrajectoryGoal,
    TrajectoryPoint,
)
from simloop_ros.goals.goal_planner import GoalPlanner
from simloop_ros.goals.goal_status import ENDS
from simloop_ros.goals.joint_motion import PLANNED_SHARE
from simloop_ros.goals.motion_generator import MotionGenerator
from simloop_ros.planning.offline import Stay
from simloop_ros.robot.fit_robot import load_fit_robot
from simloop_ros.robot.model import RobotModel
from simloop_ros.scenario.loading import load_scenario

SCENARIO, HOLD = 'irb120_rectangle', ('planner.kind=hold', 'graphs=[]')
H = 0.005
LIMITS = GoalLimits()
GOALS, QUICK = 1000, 60
MOST_STEPS = 200
"""Between two goals."""
BAD = 0.25
ROUNDING = 1e-3
"""Share of a limit that differences of positions, divided by ``H^3``, may be off."""
SOON = 2
"""Periods in which a goal changes a setpoint, unless the old and the new motion are the same for
longer because both are at a limit of jerk or acceleration: then nothing sooner is allowed."""
FULL = 0.999 * PLANNED_SHARE
"""Share of a limit from which on a motion is at what it is planned with."""
UNCHANGED = 1e-9
"""Difference of two setpoints that is none: the same goal again changes nothing [rad]."""
NOT_IN_FILES = ('nan', 'lone_nan')


def random_goals(model: RobotModel, count: int, seed: int) -> list[tuple[int, str, AnyGoal]]:
    """Return goals with the steps to wait before each, and their kinds."""
    rng = np.random.default_rng(seed)
    goals: list[tuple[int, str, AnyGoal]] = []
    at = 0
    for _ in range(count):
        wait = int(rng.integers(1, MOST_STEPS))
        at += wait
        makers = _bad(rng) if rng.uniform() < BAD else _good(model, rng)
        kind = str(rng.choice(sorted(makers)))
        goals.append((wait, kind, msgspec.structs.replace(makers[kind], at=at * H)))
    return goals


def _good(model: RobotModel, rng: np.random.Generator) -> dict[str, AnyGoal]:
    q = rng.uniform(0.5 * model.lower, 0.5 * model.upper).tolist()
    place = tuple(rng.uniform((0.2, -0.3, 0.25), (0.45, 0.3, 0.6)).tolist())
    near = model.home + rng.uniform(-0.3, 0.3, model.n)
    joints = dict(zip(model.joint_names, q, strict=True))
    points = tuple(
        TrajectoryPoint(
            time=time, positions=tuple((model.home + share * (near - model.home)).tolist())
        )
        for time, share in ((1.5, 0.5), (3.0, 1.0))
    )
    return {
        'joints': JointsGoal(positions=dict(list(joints.items())[: int(rng.integers(1, 7))])),
        'pose': PoseGoal(position=place),
        'straight': PoseGoal(position=place, straight=True),
        'trajectory': TrajectoryGoal(joints=model.joint_names, points=points),
        'points': TrajectoryGoal(
            joints=model.joint_names, points=(TrajectoryPoint(positions=tuple(near.tolist())),)
        ),
        'jog': JogGoal(linear=tuple(rng.uniform(-0.15, 0.15, 3).tolist())),
        'jog_joints': JogGoal(joints={'joint_1': float(rng.uniform(-1.0, 1.0))}),
        'home': NamedGoal(name='home'),
        'pause': PauseCommand(),
        'resume': ResumeCommand(),
        'cancel': CancelCommand(),
    }


def _bad(rng: np.random.Generator) -> dict[str, AnyGoal]:
    far = tuple((rng.choice((-1.0, 1.0)) * rng.uniform(0.8, 3.0, 3)).tolist())
    fast = (TrajectoryPoint(time=0.05, positions=(float(rng.uniform(1.0, 2.0)),)),)
    return {
        'out_of_reach': PoseGoal(position=far),
        'far_straight': PoseGoal(position=far, straight=True),
        'out_of_range': JointsGoal(positions={'joint_1': float(rng.uniform(4.0, 9.0))}),
        'unknown_joint': JointsGoal(positions={'elbow': 0.1}),
        'unknown_pose': NamedGoal(name='nowhere'),
        'nan': JointsGoal(positions={'joint_1': float('nan')}),
        'lone_nan': PoseGoal(position=(float('nan'), 0.0, 0.4)),
        'too_fast': TrajectoryGoal(joints=('joint_1',), points=fast),
        'into_itself': JointsGoal(positions={'joint_2': 1.9, 'joint_3': 1.2, 'joint_5': 2.0}),
    }


@dataclass
class Found:
    """What became of the goals.

    :ivar rows: every setpoint [rad], shape ``(n,)`` each.
    :ivar reactions: periods from an accepted goal to the first setpoint that it changed, without
        the commands.
    :ivar bound: those of them that a limit put off.
    :ivar planning: time of each answer [s].
    """

    rows: list[Array] = field(default_factory=list)
    given: Counter[str] = field(default_factory=Counter)
    accepted: Counter[str] = field(default_factory=Counter)
    reasons: dict[str, str] = field(default_factory=dict)
    reactions: list[int] = field(default_factory=list)
    bound: list[int] = field(default_factory=list)
    planning: list[float] = field(default_factory=list)
    unanswered: int = 0
    lost: int = 0


def give(model: RobotModel, goals: list[tuple[int, str, AnyGoal]]) -> Found:
    """Give the goals to a planner, and wait until it rests."""
    generator = MotionGenerator(model, LIMITS, H, model.home)
    planner = GoalPlanner(Stay(JointState(model.home, np.zeros(model.n))), generator)
    found = Found(rows=[model.home] * 3)
    states: dict[int, str] = {}
    read, last = 0, ''

    def step(count: int) -> None:
        nonlocal read
        for _ in range(count):
            found.rows.append(planner.step(planner.expected, NO_INPUTS).position)
            for change in planner.changes(read):
                read = change.number + 1
                states[change.id] = change.state

    for wait, kind, goal in goals:
        step(wait)
        before = planner.snapshot()
        begin = time.perf_counter()
        reply = planner.submit(goal)
        found.planning.append(time.perf_counter() - begin)
        found.given[kind] += 1
        found.unanswered += reply.id == 0
        if reply.accepted:
            found.accepted[kind] += 1
            # A command may have to wait for the rest, and a further jog only puts off the end.
            goes_on = kind.startswith('jog') and last.startswith('jog')
            if not goes_on and kind not in ('pause', 'resume', 'cancel'):
                _note_reaction(found, planner, before)
            last = kind
        else:
            found.reasons.setdefault(kind, reply.reason)
    while not planner.at_end:
        step(1)
    found.lost = sum(state not in (*ENDS, 'paused') for state in states.values())
    return found


def _note_reaction(found: Found, planner: GoalPlanner, before: object) -> None:
    """Note after how many steps a setpoint is another than without the goal, if one is."""
    after = planner.snapshot()
    ways = []
    for snapshot in (before, after):
        planner.restore(snapshot)
        ways.append([planner.step(planner.expected, NO_INPUTS).position for _ in range(20)])
    planner.restore(after)
    apart = np.abs(np.subtract(*ways)) > UNCHANGED
    differing = np.flatnonzero(apart.any(axis=1))
    if not len(differing):
        return
    same = int(differing[0])
    joint = int(np.flatnonzero(apart[same])[0])
    found.reactions.append(same + 1)
    if same + 1 > SOON and _at_limit([*found.rows[-2:], *ways[1][:same]], joint):
        found.bound.append(same + 1)


def _at_limit(way: list[Array], joint: int) -> bool:
    """Return whether a joint moves with the largest jerk or acceleration, all the way."""
    position = np.array(way)[:, joint]
    acceleration = np.abs(np.diff(position, 2) / H**2)[1:]
    jerk = np.abs(np.diff(position, 3) / H**3)
    full = (jerk >= FULL * LIMITS.jerk) | (acceleration >= FULL * LIMITS.acceleration)
    return bool(full.all())


def report(model: RobotModel, found: Found) -> bool:
    """Print the table; return whether everything is as it should be."""
    v = np.diff(np.array(found.rows), axis=0) / H
    a, j = np.diff(v, axis=0) / H, np.diff(v, 2, axis=0) / H**2
    limits = np.minimum(LIMITS.velocity_share * model.velocity_limit, LIMITS.velocity)
    shares = {
        'velocity': float((np.abs(v) / limits).max()),
        'acceleration': float(np.abs(a).max() / LIMITS.acceleration),
        'jerk': float(np.abs(j).max() / LIMITS.jerk),
    }
    print(f'{"goal":14} {"given":>6} {"taken":>6}  first refusal')
    for kind, count in sorted(found.given.items()):
        reason = found.reasons.get(kind, '')[:90]
        print(f'{kind:14} {count:6} {found.accepted[kind]:6}  {reason}')
    total, taken = sum(found.given.values()), sum(found.accepted.values())
    print(f'{total} goals, {taken} taken, {total - taken} refused, {len(found.rows)} steps')
    print(f'not answered {found.unanswered}, lost {found.lost}')
    for name, share in shares.items():
        print(f'largest {name:12} {100.0 * share:6.2f} % of its limit')
    reactions, planning = np.array(found.reactions), 1e3 * np.array(found.planning)
    late = int((reactions > SOON).sum()) - len(found.bound)
    print(
        f'reaction [periods] median {np.median(reactions):g}, largest {reactions.max()}; '
        f'{late} of {len(reactions)} later than {SOON}'
    )
    print(f'beside these, the same as before at the limit of jerk or acceleration: {found.bound}')
    print(f'answer [ms] median {np.median(planning):.1f}, 95 % {np.quantile(planning, 0.95):.1f}')
    kept = all(share <= 1.0 + ROUNDING for share in shares.values())
    return kept and not found.unanswered and not found.lost and not late


def digests(goals: list[tuple[int, str, AnyGoal]], folder: Path) -> dict[str, str]:
    """Return the digest of a run with the goals, in process and as a lockstep graph."""
    listed = [goal for _, kind, goal in goals if kind not in NOT_IN_FILES]
    file = folder / 'goals.yaml'
    file.write_bytes(msgspec.json.encode(listed))  # which is YAML, too
    settings = [word for setting in (*HOLD, f'period={H}') for word in ('--set', setting)]
    found = {}
    for name, command in (('in process', ['run']), ('graph', ['launch', '--composed'])):
        out = folder / name
        more = ['--no-figures'] if name == 'graph' else []
        subprocess.run(
            [
                *(sys.executable, '-m', 'simloop_ros.cli.main', command[0], SCENARIO),
                *(*command[1:], *settings, '--goals', str(file), '--out', str(out), *more),
            ],
            env={**os.environ, 'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST'},
            check=False,
            capture_output=True,
        )
        found[name] = json.loads((out / 'summary.json').read_text())['digest']
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what was found; 1 if something is not as it should be."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--quick', action='store_true', help=f'{QUICK} goals, no graph')
    parser.add_argument('--no-graph', action='store_true', help='in process only')
    parser.add_argument('--goals', metavar='N', type=int, default=GOALS, help=f'[{GOALS}]')
    parser.add_argument('--seed', metavar='N', type=int, default=1, help='[1]')
    options = parser.parse_args(arguments)
    model = load_fit_robot(load_scenario(SCENARIO).robot)
    goals = random_goals(model, QUICK if options.quick else options.goals, options.seed)
    fine = report(model, give(model, goals))
    if not (options.quick or options.no_graph):
        with tempfile.TemporaryDirectory() as folder:
            found = digests(goals, Path(folder))
        for name, digest in found.items():
            print(f'digest {name:12} {digest}')
        fine = fine and len(set(found.values())) == 1
    print('fine' if fine else 'NOT FINE')
    return 0 if fine else 1


if __name__ == '__main__':
    raise SystemExit(main())
