"""The arguments of commands for the driver of a robot, or a graph that is up."""

from __future__ import annotations

from argparse import ArgumentParser

from . import completers


def _driver(parser: ArgumentParser, robot: str, *, needed: bool) -> None:
    """Add the arguments for a driver, its values, and its robot."""
    completers.attach(
        parser.add_argument(
            'driver', metavar='NAME', help='a driver of config/drivers, or a YAML file like them'
        ),
        completers.drivers,
    )
    completers.attach(
        parser.add_argument(
            '--robot',
            metavar='ROBOT',
            required=needed,
            help=f'{robot}: a URDF or xacro file, a shipped robot, or a robot file',
        ),
        completers.robots,
    )
    parser.add_argument(
        '--set',
        dest='settings',
        metavar='KEY=VALUE',
        action='append',
        default=[],
        help='change a value of the driver file, for instance rate=200 (more than once)',
    )
    parser.add_argument('--namespace', metavar='NS', default='', help='of all topics')


def add_standin(parser: ArgumentParser) -> None:
    """Add the arguments of ``simloop standin``."""
    from ..core.config_types import field_docs
    from ..drivers.config import FaultConfig

    _driver(parser, 'the robot behind it', needed=True)
    faults = ', '.join(field_docs(FaultConfig))
    parser.add_argument(
        '--fault',
        dest='faults',
        metavar='FAULT=VALUE',
        action='append',
        default=[],
        help=f'what it does wrong (more than once): {faults}',
    )


def add_connect(parser: ArgumentParser) -> None:
    """Add the arguments of ``simloop connect``."""
    _driver(parser, 'the model to compare it with', needed=False)
    parser.add_argument(
        '--seconds',
        metavar='S',
        type=float,
        default=5.0,
        help='how long to listen, from the first joint state on [%(default)s]',
    )
    parser.add_argument('--json', action='store_true', help='print the findings as JSON')


def add_payload(parser: ArgumentParser) -> None:
    """Add the arguments of ``simloop payload``."""
    parser.add_argument('--mass', metavar='KG', type=float, required=True, help='0 for nothing')
    parser.add_argument('--tip', metavar='LINK', default='', help='[the first tip]')
    parser.add_argument(
        '--centre',
        metavar='M',
        type=float,
        nargs=3,
        default=(0.0, 0.0, 0.0),
        help='of its mass, in the frame of the tip',
    )
    parser.add_argument(
        '--inertia',
        metavar='I',
        type=float,
        nargs=6,
        default=(0.0,) * 6,
        help='about its centre: xx xy xz yy yz zz [kg m^2]',
    )
    parser.add_argument('--namespace', metavar='NS', default='', help='of the graph')


def add_driver_options(parser: ArgumentParser) -> None:
    """Add the options of ``simloop launch`` for a robot behind a driver."""
    from ..ros.launch.options import (
        DRIVER,
        DRIVER_OUTPUT,
        DRIVER_OUTPUTS,
        DRIVER_SETTING,
        GRAVITY_HANDLED,
        ROBOT_TOPICS,
    )

    completers.attach(
        parser.add_argument('--driver', metavar='NAME', default='', help=DRIVER),
        completers.drivers,
    )
    parser.add_argument(
        '--driver-set',
        dest='driver_settings',
        metavar='KEY=VALUE',
        action='append',
        default=[],
        help=f'{DRIVER_SETTING} (more than once)',
    )
    for name, text in ROBOT_TOPICS.items():
        option = f'--{name.replace("_", "-")}'
        parser.add_argument(option, metavar='TOPIC', default='', help=text)
    parser.add_argument('--driver-output', choices=DRIVER_OUTPUTS, default='', help=DRIVER_OUTPUT)
    parser.add_argument('--gravity-handled', action='store_true', help=GRAVITY_HANDLED)
