"""``simloop launch``: a scenario as a ROS graph, without the ROS ``launch`` package."""

from __future__ import annotations

import argparse
from pathlib import Path
import sys

from ..record.folder import make_folder
from ..ros.launch.graph import require_ros, run_graph
from ..ros.launch.options import NO_PLANT, ROBOT_TOPICS, ROBOTSTUDIO, WiringOptions, plant_settings
from ..ros.launch.wiring import wire
from ..scenario.contradictions import refuse_graphs
from ..scenario.loading import load_scenario
from .run import scenario_settings


def call(options: argparse.Namespace) -> int:
    """Run a scenario as a graph; the status is that of ``simloop run``."""
    require_ros()
    settings = [*scenario_settings(options), *plant_settings(options.plant)]
    scenario = load_scenario(options.scenario, settings)
    folder = options.out or Path('runs') / scenario.name
    nodes = wire(
        scenario,
        WiringOptions(
            realtime=options.realtime,
            simulated=options.plant != NO_PLANT,
            namespace=options.namespace,
            out='' if options.no_record else str(folder),
            figures=not options.no_figures,
            priority=options.priority,
            **{name: getattr(options, name) for name in (*ROBOT_TOPICS, *ROBOTSTUDIO)},
        ),
    )
    if not options.no_record:
        if not options.no_figures:
            refuse_graphs(scenario)
        make_folder(folder)
    return run_graph(
        nodes,
        composed=options.composed,
        report=lambda line: print(f'simloop: {line}', file=sys.stderr),
    )
