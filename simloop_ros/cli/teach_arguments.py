"""The arguments of ``simloop teach``."""

from __future__ import annotations

from argparse import ArgumentParser

from . import completers
from .path_argument import path_argument


def add_teach_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``simloop teach``."""
    from ..teaching.config import TeachConfig

    defaults = TeachConfig()
    source = 'folder or log of a run in which a hand led the robot, or a CSV file'
    completers.attach(
        parser.add_argument('run', metavar='RUN', nargs='?', type=path_argument, help=source),
        completers.runs,
    )
    out = f'file for the task [{defaults.out}; with --correct, the corrected one]'
    parser.add_argument('--out', metavar='FILE', type=path_argument, help=out)
    poses = 'keep the poses at which the robot rested, instead of the whole path'
    parser.add_argument('--poses', action='store_true', help=poses)
    rest = f'with --poses, how long it has to rest [{defaults.rest:g} s]'
    parser.add_argument('--rest', metavar='S', type=float, default=defaults.rest, help=rest)
    keep = 'keep the poses at these times [s], with commas'
    parser.add_argument('--keep', metavar='T,T', default='', help=keep)
    tolerance = f'largest distance from what was led [{defaults.tolerance:g} m]'
    parser.add_argument(
        '--tolerance', metavar='M', type=float, default=defaults.tolerance, help=tolerance
    )
    correct = 'task that was played in the run: take over the poses to which a hand pushed it'
    parser.add_argument('--correct', metavar='TASK', default='', help=correct)
    completers.attach(
        parser.add_argument(
            '--robot',
            metavar='ROBOT',
            default='',
            help='of a CSV file: a URDF or xacro file, a shipped robot, or a robot file',
        ),
        completers.robots,
    )
    live = 'teach a running graph, started with --teach, by keys in the terminal'
    parser.add_argument('--live', action='store_true', help=live)
    parser.add_argument(
        '--namespace', metavar='NS', default='', help='with --live, that of the graph'
    )
