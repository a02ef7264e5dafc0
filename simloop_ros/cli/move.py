"""``simloop move``: a goal for the robot of a graph that is up."""

from __future__ import annotations

import argparse
import math
import sys

from ..core.errors import ConfigError
from ..goals.goal import (
    AnyGoal,
    CancelCommand,
    JogGoal,
    NamedGoal,
    PauseCommand,
    PoseGoal,
    ResumeCommand,
    TrajectoryGoal,
    TrajectoryPoint,
)
from ..ros.launch.graph import require_ros


def call(options: argparse.Namespace) -> int:
    """Give a goal and wait for its end; 0 if it was reached."""
    goal = read_goal(options)
    require_ros()
    from ..ros.driver.goal_client import give_goal

    def report(line: str) -> None:
        print(line, file=sys.stderr, flush=True)

    seconds = options.seconds if isinstance(goal, JogGoal) else 0.0
    reached = give_goal(goal, options.namespace, options.timeout, report, seconds)
    return 0 if reached else 1


def read_goal(options: argparse.Namespace) -> AnyGoal:
    """Return the goal that the arguments ask for.

    :raises ConfigError: there is none, or more than one, or a number is not finite.
    """
    numbers = [*(options.pose or ()), *(options.rpy or ()), *(options.jog or ())]
    numbers += [options.seconds, options.timeout, options.time or 0.0]
    if not all(map(math.isfinite, numbers)):
        raise ConfigError('a number is not finite; give numbers only')
    if options.timeout <= 0.0 or options.seconds <= 0.0:
        raise ConfigError('--timeout and --seconds: a time above 0 is needed')
    tip = options.tip or None
    found: list[AnyGoal] = []
    if options.name is not None:
        found.append(NamedGoal(name=options.name))
    if options.joints:
        found.append(_joints(options.joints, options.time))
    if options.pose is not None:
        rpy = None if options.rpy is None else tuple(options.rpy)
        found.append(
            PoseGoal(position=tuple(options.pose), rpy=rpy, tip=tip, straight=options.straight)
        )
    if options.jog is not None:
        if len(options.jog) not in (3, 6):
            raise ConfigError(f'--jog: {len(options.jog)} numbers given; 3 or 6 are needed')
        linear, angular = tuple(options.jog[:3]), tuple(options.jog[3:]) or (0.0, 0.0, 0.0)
        found.append(JogGoal(linear=linear, angular=angular, tip=tip))
    commands = (
        (options.cancel, CancelCommand()),
        (options.pause, PauseCommand()),
        (options.resume, ResumeCommand()),
    )
    found += [command for asked, command in commands if asked]
    if len(found) != 1:
        what = 'more than one goal' if found else 'no goal'
        raise ConfigError(f'{what} given; give one, for instance home (see simloop move --help)')
    if (options.rpy is not None or options.straight) and options.pose is None:
        raise ConfigError('--rpy, --straight: only with --pose')
    return found[0]


def _joints(given: list[str], time: float | None) -> TrajectoryGoal:
    positions: dict[str, float] = {}
    for text in given:
        name, _, value = text.partition('=')
        try:
            positions[name] = float(value)
        except ValueError:
            raise ConfigError(
                f'--joints {text}: not of the form JOINT=VALUE, for instance joint_1=0.5'
            ) from None
        if not math.isfinite(positions[name]):
            raise ConfigError(f'--joints {text}: not a finite number')
    if time is not None and time <= 0.0:
        raise ConfigError(f'--time {time:g}: a time above 0 is needed')
    point = TrajectoryPoint(positions=tuple(positions.values()), time=time)
    return TrajectoryGoal(joints=tuple(positions), points=(point,))
