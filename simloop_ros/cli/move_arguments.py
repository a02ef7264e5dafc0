"""The arguments of ``simloop move``. Nothing is imported here that takes long."""

from __future__ import annotations

from argparse import ArgumentParser


def add_move(parser: ArgumentParser) -> None:
    """Add the goal, and where the graph is."""
    parser.add_argument('name', metavar='POSE', nargs='?', help='home, or a pose of the SRDF file')
    parser.add_argument(
        '--joints', metavar='JOINT=VALUE', nargs='+', default=[], help='positions [rad or m]'
    )
    parser.add_argument('--pose', metavar=('X', 'Y', 'Z'), nargs=3, type=float, help='[m]')
    parser.add_argument(
        '--rpy', metavar=('R', 'P', 'Y'), nargs=3, type=float, help='[rad]; kept where not given'
    )
    parser.add_argument('--straight', action='store_true', help='the tip goes straight')
    parser.add_argument(
        '--jog',
        metavar='V',
        nargs='+',
        type=float,
        help='velocity of the tip: 3 numbers [m/s], and 3 more [rad/s]',
    )
    parser.add_argument('--seconds', metavar='S', type=float, default=1.0, help='of --jog [1]')
    parser.add_argument('--time', metavar='S', type=float, help='of --joints [the shortest]')
    parser.add_argument('--tip', metavar='TIP', default='', help='where the robot has several')
    for command in ('cancel', 'pause', 'resume'):
        parser.add_argument(f'--{command}', action='store_true', help=f'{command} the motion')
    parser.add_argument('--namespace', metavar='NS', default='', help='of the graph')
    parser.add_argument(
        '--timeout', metavar='S', type=float, default=120.0, help='longest wait [120 s]'
    )
