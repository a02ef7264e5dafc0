"""The arguments of every command. Nothing is imported here that takes long, for ``--help`` and
the completion of a shell.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable

from . import completers
from .driver_arguments import add_connect, add_driver_options, add_payload, add_standin
from .identify_arguments import add_excite, add_identify
from .log_arguments import add_replay
from .move_arguments import add_move
from .path_argument import path_argument, port_argument
from .teach_arguments import add_teach_arguments


def _scenario(
    parser: ArgumentParser,
    metavar: str = 'DIR',
    out: str = 'folder for log, summary and figures [the next of runs/NAME-0001, ...]',
    *,
    optional: bool = False,
) -> None:
    """Add the arguments for the scenario, its values, and the destination of results, if any.

    :param optional: the scenario may be left out, or be a run.
    """
    completers.attach(
        parser.add_argument(
            'scenario',
            metavar='SCENARIO',
            nargs='?' if optional else None,
            help='a name of simloop list, or a YAML file'
            + (', or the folder or MCAP file of a run' if optional else ''),
        ),
        completers.shown if optional else completers.scenarios,
    )
    completers.attach(
        parser.add_argument(
            '--set',
            dest='settings',
            metavar='KEY=VALUE',
            action='append',
            default=[],
            help='change a value of the scenario, for instance period=0.0005 (more than once); '
            'simloop keys lists all',
        ),
        completers.settings,
    )
    if out:
        parser.add_argument('--out', metavar=metavar, type=path_argument, help=out)
    parser.add_argument('--seed', metavar='N', help='seed of the random generator')


def _calibrate(parser: ArgumentParser) -> None:
    from ..calibration.config import ALARMS_PER_HOUR, DURATION

    _scenario(parser, 'FILE', 'the calibration [runs/NAME_calibration.yaml]')
    rate = f'rate that the thresholds are for [{ALARMS_PER_HOUR:g}]'
    parser.add_argument(
        '--false-alarms-per-hour', metavar='X', type=float, default=ALARMS_PER_HOUR, help=rate
    )
    drive = f'free motion to drive [{DURATION:g} s]'
    parser.add_argument('--duration', metavar='S', type=float, default=DURATION, help=drive)


def _goals(parser: ArgumentParser) -> None:
    parser.add_argument(
        '--goals',
        metavar='FILE',
        type=path_argument,
        help='goals as a YAML list, as runs write them',
    )


def _run(parser: ArgumentParser) -> None:
    _scenario(parser)
    _goals(parser)


def _view(parser: ArgumentParser) -> None:
    _scenario(parser, out='', optional=True)
    parser.add_argument(
        '--graph', action='store_true', help='show a ROS graph that runs, by its topics'
    )
    parser.add_argument(
        '--namespace', metavar='NS', default='', help='with --graph, the one of the graph'
    )
    parser.add_argument(
        '--port', metavar='N', type=port_argument, help='of the page [8080, or the next free one]'
    )
    parser.add_argument(
        '--host',
        metavar='H',
        default='127.0.0.1',
        help='address to listen at; for any but this machine the page asks for a token '
        '[%(default)s]',
    )
    parser.add_argument(
        '--no-browser', action='store_true', help='print the address, and open no browser'
    )
    parser.add_argument(
        '--html',
        metavar='FILE',
        type=path_argument,
        help='write a recorded run as one page that opens without a server',
    )


def _launch(parser: ArgumentParser) -> None:
    from ..ros.launch.options import (
        PRIORITY,
        ROBOTSTUDIO,
        TEACH,
        VIEW,
        read_priority,
    )

    _scenario(parser)
    _goals(parser)
    parser.add_argument('--composed', action='store_true', help='all nodes in one process')
    parser.add_argument(
        '--realtime', action='store_true', help='at a steady rate, instead of in lockstep'
    )
    parser.add_argument('--namespace', metavar='NS', default='', help='of all nodes and topics')
    plant = 'physics engine of the plant, or none for the driver of a real robot'
    completers.attach(
        parser.add_argument('--plant', metavar='ENGINE', default='', help=plant),
        completers.engines,
    )
    parser.add_argument(
        '--priority',
        metavar='N',
        type=read_priority,
        help=f'with --realtime, SCHED_FIFO priority of the nodes ({PRIORITY}); 0 for none',
    )
    add_driver_options(parser)
    for name, text in ROBOTSTUDIO.items():
        option = f'--{name.replace("_", "-")}'
        metavar = 'T' if name.endswith('time') else 'HOST:PORT'
        parser.add_argument(option, metavar=metavar, default='', help=text)
    parser.add_argument('--teach', metavar='FILE', default='', help=TEACH)
    trace = 'with --realtime, write when each process was not scheduled, for bench lateness'
    parser.add_argument('--trace', metavar='FILE', type=path_argument, help=trace)
    parser.add_argument(
        '--no-record', action='store_true', help='without the recorder: it goes on until Ctrl-C'
    )
    stay = 'it goes on until Ctrl-C, for simloop move'
    parser.add_argument('--endless', action='store_true', help=stay)
    parser.add_argument('--view', action='store_true', help=VIEW)
    parser.add_argument('--no-figures', action='store_true', help='results without figures')


def _plot(parser: ArgumentParser) -> None:
    completers.attach(
        parser.add_argument('folder', metavar='DIR', type=path_argument, help='folder of a run'),
        completers.runs,
    )
    parser.add_argument('--all', action='store_true', help='every graph that the log has data for')


def _check(parser: ArgumentParser) -> None:
    completers.attach(
        parser.add_argument(
            'robot', metavar='ROBOT', help='a URDF or xacro file, a shipped robot, or a robot file'
        ),
        completers.robots,
    )
    parser.add_argument('--tips', nargs='*', metavar='LINK', help='tip links to use')
    parser.add_argument('--lock', nargs='*', metavar='JOINT', help='joints to hold')
    parser.add_argument('--packages', nargs='*', metavar='DIR', help='mesh packages')
    parser.add_argument(
        '--home', metavar='POSTURE', help="of the SRDF file, by name, or '{JOINT: VALUE, ...}'"
    )
    parser.add_argument(
        '--srdf',
        metavar='FILE',
        type=path_argument,
        help='SRDF file, if it is not beside the URDF',
    )


def _keys(parser: ArgumentParser) -> None:
    completers.attach(
        parser.add_argument(
            'pattern',
            metavar='PATTERN',
            nargs='?',
            default='',
            help='a part of a name, or a pattern with * and ?; every key where none is given',
        ),
        completers.keys,
    )


def _schema(parser: ArgumentParser) -> None:
    parser.add_argument(
        'kind',
        choices=('scenario', 'robot', 'driver', 'task'),
        nargs='?',
        default='scenario',
        help='[%(default)s]',
    )


def _completion(parser: ArgumentParser) -> None:
    parser.add_argument('shell', choices=('bash', 'zsh', 'fish'), help='the shell in use')


def _bench(parser: ArgumentParser) -> None:
    completers.attach(
        parser.add_argument(
            'name',
            metavar='NAME',
            nargs='?',
            default='loop',
            help='a name of benchmarks/README.md',
        ),
        completers.benches,
    )
    parser.add_argument('--quick', action='store_true', help='a short one')
    parser.add_argument(
        '--json', metavar='FILE', type=path_argument, help='write the figures there'
    )
    parser.add_argument(
        '--trace',
        metavar='FILE',
        type=path_argument,
        action='append',
        default=[],
        help='lateness: replay what simloop launch --trace wrote, too (more than once)',
    )
    conditions = 'collision: robots that change after their calibration'
    parser.add_argument('--conditions', action='store_true', help=conditions)
    for option, metavar, text in (
        ('--robot', 'NAME', 'collision --conditions: only this robot'),
        ('--only', 'CONDITION', 'collision --conditions: only this condition'),
    ):
        parser.add_argument(option, metavar=metavar, default='', help=text)


def _robotstudio(parser: ArgumentParser) -> None:
    from ..robotstudio.config import POSITIONS, LinkConfig

    defaults = LinkConfig()
    source = 'folder of a run, or a CSV file: time [s] and joint names, then numbers [rad]'
    completers.attach(
        parser.add_argument('source', metavar='RUN_OR_CSV', type=path_argument, help=source),
        completers.runs,
    )
    parser.add_argument('--host', default=defaults.host, help=f'of the server [{defaults.host}]')
    parser.add_argument('--port', metavar='P', default=str(defaults.port), help='[%(default)s]')
    parser.add_argument(
        '--every',
        metavar='T',
        default=str(defaults.move_time),
        help='move time from target to target [s] [%(default)s]',
    )
    parser.add_argument(
        '--approach',
        metavar='T',
        default=str(defaults.approach_time),
        help='time of the first move, from wherever the robot is [s] [%(default)s]',
    )
    parser.add_argument(
        '--timeout',
        metavar='T',
        type=float,
        default=defaults.answer_timeout,
        help='longest wait for an answer after the move time [s] [%(default)s]',
    )
    parser.add_argument(
        '--column',
        choices=POSITIONS,
        default=POSITIONS[0],
        help='which positions of a run [%(default)s]',
    )
    parser.add_argument(
        '--robot',
        metavar='ROBOT',
        default='',
        help='name of a robot, or a URDF or xacro file, for the limits [that of the run]',
    )
    parser.add_argument(
        '--joints',
        metavar='NAMES',
        default='',
        help="six joints in the order of the controller's axes, with commas [all of the robot]",
    )
    parser.add_argument('--dry-run', action='store_true', help='print the packets, send nothing')


ARGUMENTS: dict[str, Callable[[ArgumentParser], None]] = {
    'list': lambda _: None,
    'run': _run,
    'view': _view,
    'launch': _launch,
    'move': add_move,
    'connect': add_connect,
    'standin': add_standin,
    'payload': add_payload,
    'teach': add_teach_arguments,
    'plot': _plot,
    'check': _check,
    'keys': _keys,
    'calibrate': _calibrate,
    'identify': add_identify,
    'excite': add_excite,
    'replay': add_replay,
    'robotstudio': _robotstudio,
    'schema': _schema,
    'completion': _completion,
    'bench': _bench,
}
"""Command -> what adds its arguments."""
