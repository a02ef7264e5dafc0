"""The arguments of ``simloop identify`` and ``simloop excite``."""

from __future__ import annotations

from argparse import ArgumentParser

from . import completers
from .path_argument import path_argument


def add_identify(parser: ArgumentParser) -> None:
    """Add the arguments of ``simloop identify``."""
    from ..identification.config import CUTOFF, FIT_ON

    parser.add_argument(
        'logs',
        metavar='LOG',
        nargs='+',
        type=path_argument,
        help='bag, run, table or numpy file with joint positions and torques',
    )
    add_robot(parser, required=True)
    parser.add_argument(
        '--map', metavar='FILE', type=path_argument, help='how to read the log, see docs/logs.md'
    )
    parser.add_argument(
        '--out', metavar='DIR', type=path_argument, required=True, help='folder for the results'
    )
    parser.add_argument(
        '--json', metavar='FILE', type=path_argument, help='write the main figures there, too'
    )
    parser.add_argument(
        '--payload-on',
        metavar='LINK',
        default='',
        help='identify only what this link carries, in addition to the robot as it is described',
    )
    parser.add_argument(
        '--unloaded',
        metavar='LOG',
        action='append',
        default=[],
        type=path_argument,
        help='log of the same robot without that payload (more than once)',
    )
    parser.add_argument(
        '--fit-on',
        metavar='A:B',
        default=FIT_ON,
        help='share of each log that is fitted; the rest is judged [%(default)s]',
    )
    parser.add_argument(
        '--signal',
        choices=('measured', 'command'),
        help='torques that the robot measured or was sent [measured, if the log has them]',
    )
    parser.add_argument(
        '--drive-gains',
        action='store_true',
        help='estimate a factor of the torques of each joint by the masses of the description, '
        'for currents whose gains are not known (drive_gains of 1 in the mapping)',
    )
    cutoff = f'cut-off frequency of the filter of torques and regressor [{CUTOFF:g} Hz]'
    parser.add_argument('--cutoff', metavar='HZ', type=float, default=CUTOFF, help=cutoff)


def add_excite(parser: ArgumentParser) -> None:
    """Add the arguments of ``simloop excite``."""
    from ..identification.config import EXCITE_DURATION, EXCITE_SPEED

    completers.attach(
        parser.add_argument(
            'scenario',
            metavar='SCENARIO',
            nargs='?',
            default='',
            help='whose robot it is for: a name of simloop list, or a YAML file; or --robot',
        ),
        completers.scenarios,
    )
    add_robot(parser, required=False)
    parser.add_argument(
        '--out', metavar='FILE', type=path_argument, required=True, help='scenario to write'
    )
    parser.add_argument(
        '--duration', metavar='S', type=float, default=EXCITE_DURATION, help='[%(default)s s]'
    )
    share = 'share of the limits of velocity that is used [%(default)s]'
    parser.add_argument('--speed', metavar='X', type=float, default=EXCITE_SPEED, help=share)
    parser.add_argument('--seed', metavar='N', type=int, default=0, help='[%(default)s]')
    parser.add_argument(
        '--json', metavar='FILE', type=path_argument, help='write the figures there, too'
    )


def add_robot(parser: ArgumentParser, *, required: bool) -> None:
    """Add the argument for a robot."""
    completers.attach(
        parser.add_argument(
            '--robot',
            metavar='ROBOT',
            required=required,
            default='',
            help='URDF, xacro or robot file, a shipped robot, or one of example-robot-data',
        ),
        completers.robots,
    )
