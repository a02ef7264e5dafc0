"""The arguments of commands that read logs of robots."""

from __future__ import annotations

from argparse import ArgumentParser

from . import completers
from .path_argument import path_argument


def add_log_options(parser: ArgumentParser) -> None:
    """Add the options that say how a log is read."""
    completers.attach(
        parser.add_argument(
            '--robot',
            metavar='ROBOT',
            required=True,
            help='a URDF or xacro file, a shipped robot, a robot file, or a robot of '
            'example-robot-data, as panda',
        ),
        completers.robots,
    )
    parser.add_argument(
        '--map', metavar='FILE', type=path_argument, help='what is what in the log (docs/logs.md)'
    )


def add_replay(parser: ArgumentParser) -> None:
    """Add the arguments of ``simloop replay``."""
    log = 'a bag (.db3, .mcap, or its folder), the folder of a run, a CSV, text or numpy file'
    parser.add_argument('log', metavar='LOG', type=path_argument, help=log)
    add_log_options(parser)
    parser.add_argument(
        '--identified',
        metavar='FILE',
        type=path_argument,
        help='file or folder of simloop identify, or a file of simloop calibrate',
    )
    parser.add_argument(
        '--inject', metavar='FILE', type=path_argument, help='contacts to inject (docs/logs.md)'
    )
    parser.add_argument(
        '--signal',
        choices=('measured', 'command'),
        help='which torques of the log [the measured ones, where it has them]',
    )
    parser.add_argument(
        '--calibrate-on',
        metavar='A:B',
        default='0:0.5',
        help='part of the log that thresholds come from; the rest is judged [%(default)s]',
    )
    parser.add_argument(
        '--monitor',
        metavar='KIND',
        action='append',
        default=[],
        help='which monitor (more than once) [disturbance_observer and momentum_observer]',
    )
    from ..calibration.config import ALARMS_PER_HOUR

    rate = f'rate that the thresholds are for [{ALARMS_PER_HOUR:g}]'
    parser.add_argument(
        '--false-alarms-per-hour', metavar='X', type=float, default=ALARMS_PER_HOUR, help=rate
    )
    out = 'folder for summary, page and figures [runs/replay]'
    parser.add_argument('--out', metavar='DIR', type=path_argument, help=out)
    parser.add_argument('--json', metavar='FILE', type=path_argument, help='the summary, too')
    parser.add_argument('--no-figures', action='store_true', help='results without figures')
