"""``simloop launch``: a scenario as a ROS graph, without the ROS ``launch`` package."""

from __future__ import annotations

import argparse
from importlib.util import find_spec
from pathlib import Path
import sys
import tempfile

from ..errors import MissingDependencyError
from ..loop.run import make_folder
from ..loop.scenario import load_scenario
from ..ros.supervisor import Program, supervise
from ..ros.wiring import NodeSpec, WiringOptions, parameter_file, wire
from .run import add_scenario_arguments, scenario_settings

GRACE = 10.0
"""Time that a node has to end [s]; all but a recorder with a long log need far less than 2 s."""


def add_parser(subparsers: argparse._SubParsersAction) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser('launch', help='run a scenario as a ROS 2 graph')
    add_scenario_arguments(parser)
    parser.add_argument('--composed', action='store_true', help='all nodes in one process')
    parser.add_argument(
        '--realtime', action='store_true', help='at a steady rate, instead of in lockstep'
    )
    parser.add_argument('--namespace', metavar='NS', default='', help='of all nodes and topics')
    parser.add_argument(
        '--plant',
        metavar='ENGINE',
        help='physics engine of the plant, or none for the driver of a real robot',
    )
    parser.add_argument('--no-record', action='store_true', help='without the recorder')
    parser.add_argument('--no-figures', action='store_true', help='results without figures')
    parser.set_defaults(call=launch)


def launch(options: argparse.Namespace) -> int:
    """Run a scenario as a graph; the status is that of ``simloop run``."""
    if find_spec('rclpy') is None:
        raise MissingDependencyError(
            'ROS 2 is not installed: source a ROS distribution, or pip install simloop_ros[ros]'
        )
    settings = scenario_settings(options)
    if options.plant and options.plant != 'none':
        settings.append(f'plant.engine={options.plant}')
    scenario = load_scenario(options.scenario, settings)
    folder = options.out or Path('runs') / scenario.name
    if not options.no_record:
        make_folder(folder)
    nodes = wire(
        scenario,
        WiringOptions(
            realtime=options.realtime,
            simulated=options.plant != 'none',
            namespace=options.namespace,
            out='' if options.no_record else str(folder),
            figures=not options.no_figures,
        ),
    )
    with tempfile.TemporaryDirectory(prefix='simloop_') as temporary:
        parameters = Path(temporary) / 'parameters.yaml'
        parameters.write_text(parameter_file(nodes))
        return supervise(
            programs(nodes, parameters, composed=options.composed),
            grace=GRACE,
            report=lambda line: print(f'simloop: {line}', file=sys.stderr),
        )


def programs(
    nodes: tuple[NodeSpec, ...], parameters: Path, *, composed: bool
) -> tuple[Program, ...]:
    """Return the processes of a graph: one per node, or one for all.

    :param parameters: file with the parameters of all nodes.
    """
    groups = [nodes] if composed else [(node,) for node in nodes]
    return tuple(
        Program(
            name='composed' if composed else group[0].executable,
            command=(
                sys.executable,
                '-m',
                f'simloop_ros.nodes.{"composed" if composed else group[0].executable}',
                *((node.executable for node in group) if composed else ()),
                '--ros-args',
                '--params-file',
                str(parameters),
                *(('-r', f'__ns:={group[0].namespace}') if group[0].namespace else ()),
                *(part for old, new in group[0].remappings for part in ('-r', f'{old}:={new}')),
            ),
            ends_all=any(node.ends_graph for node in group),
        )
        for group in groups
    )
