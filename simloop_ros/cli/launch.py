"""``simloop launch``: a scenario as a ROS graph, without the ROS ``launch`` package."""

from __future__ import annotations

import argparse
import sys

from ..record.run_folder import RunFolder
from ..ros.launch.graph import require_ros, run_graph
from ..ros.launch.node_parameters import (
    NO_PLANT,
    PRIORITY,
    ROBOT_TOPICS,
    ROBOTSTUDIO,
    WiringOptions,
    plant_settings,
    read_priority,
)
from ..ros.launch.supervisor import INTERRUPTED
from ..ros.launch.wiring import wire
from ..scenario.contradictions import refuse_graphs
from ..scenario.loading import load_scenario
from .run import add_scenario_arguments, results_place, scenario_settings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_scenario_arguments(parser)
    parser.add_argument('--composed', action='store_true', help='all nodes in one process')
    parser.add_argument(
        '--realtime', action='store_true', help='at a steady rate, instead of in lockstep'
    )
    parser.add_argument('--namespace', metavar='NS', default='', help='of all nodes and topics')
    parser.add_argument(
        '--plant',
        metavar='ENGINE',
        default='',
        help='physics engine of the plant, or none for the driver of a real robot',
    )
    parser.add_argument(
        '--priority',
        metavar='N',
        type=read_priority,
        default=PRIORITY,
        help=f'with --realtime, SCHED_FIFO priority of the nodes ({PRIORITY}); 0 for none',
    )
    for name, text in ROBOT_TOPICS.items():
        option = f'--{name.replace("_", "-")}'
        parser.add_argument(option, metavar='TOPIC', default='', help=text)
    for name, text in ROBOTSTUDIO.items():
        option = f'--{name.replace("_", "-")}'
        metavar = 'T' if name.endswith('time') else 'HOST:PORT'
        parser.add_argument(option, metavar=metavar, default='', help=text)
    parser.add_argument('--no-record', action='store_true', help='without the recorder')
    parser.add_argument('--no-figures', action='store_true', help='results without figures')


def call(options: argparse.Namespace) -> int:
    """Run a scenario as a graph; the status is that of ``simloop run``."""
    require_ros()
    settings = [*scenario_settings(options), *plant_settings(options.plant)]
    scenario = load_scenario(options.scenario, settings)
    place, numbered = results_place(options, scenario)
    nodes = wire(
        scenario,
        WiringOptions(
            realtime=options.realtime,
            simulated=options.plant != NO_PLANT,
            namespace=options.namespace,
            out='' if options.no_record else str(place),
            numbered=numbered,
            figures=not options.no_figures,
            priority=options.priority,
            **{name: getattr(options, name) for name in (*ROBOT_TOPICS, *ROBOTSTUDIO)},
        ),
    )
    if not options.no_record:
        if not options.no_figures:
            refuse_graphs(scenario)
        RunFolder(place, numbered=numbered).discard()  # refused here, or claimed by the recorder

    def report(line: str) -> None:
        print(f'simloop: {line}', file=sys.stderr)

    if sys.stderr.isatty():
        report(f'starting {", ".join(node.executable for node in nodes)}')
    status = run_graph(nodes, composed=options.composed, report=report)
    if status == INTERRUPTED:
        report('stopped by a signal')
    return status
