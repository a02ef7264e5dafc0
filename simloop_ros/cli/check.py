"""``simloop check``: is this model fit for control?"""

from __future__ import annotations

import argparse

from ..core.resources import resource_folder
from ..robot.check import check_robot
from ..robot.config import RobotConfig


def call(options: argparse.Namespace) -> int:
    """Print the problems of a model; 1 if it is unfit."""
    config = RobotConfig(
        urdf=options.urdf,
        tips=tuple(options.tips),
        lock=tuple(options.lock),
        packages=tuple(options.packages),
    )
    problems = check_robot(config, resource_folder('urdf'))
    for problem in sorted(problems, key=lambda problem: not problem.fatal):
        kind = 'unfit' if problem.fatal else 'hint '
        print(f'{kind}  {problem.where}: {problem.what}; {problem.remedy}')
    unfit = sum(problem.fatal for problem in problems)
    print(f'{options.urdf}: {f"unfit, {unfit} to correct" if unfit else "fit for control"}')
    return 1 if unfit else 0
