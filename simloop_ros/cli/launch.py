"""``simloop launch``: a scenario as a ROS graph, without the ROS ``launch`` package."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
import sys
import tempfile

from ..core.errors import ConfigError
from ..drivers.loading import load_driver
from ..record.folder import make_folder, write_text
from ..record.run_folder import RunFolder
from ..ros.launch.driven import driven_options, driver_settings, measuring, refuse_rate
from ..ros.launch.graph import require_ros, run_graph
from ..ros.launch.options import (
    NO_PLANT,
    PRIORITY,
    ROBOT_TOPICS,
    ROBOTSTUDIO,
    WiringOptions,
    plant_settings,
)
from ..ros.launch.supervisor import INTERRUPTED, Program
from ..ros.launch.view import page_command
from ..ros.launch.wiring import wire
from ..ros.pacing.pause_log import join_pauses
from ..scenario.contradictions import refuse_graphs
from ..scenario.loading import load_scenario
from ..scenario.scenario import Scenario
from .run import results_place, scenario_settings

LONGEST_ENDLESS = 1e5
"""Duration of a run without an end [s]: more than a day."""


def call(options: argparse.Namespace) -> int:
    """Run a scenario as a graph; the status is that of ``simloop run``."""
    if options.trace is None:
        return _launch(options, '')
    make_folder(options.trace.absolute().parent)
    with tempfile.TemporaryDirectory(prefix='simloop_') as folder:
        status = _launch(options, folder)
        write_text(options.trace, json.dumps(join_pauses(Path(folder))) + '\n')
    return status


def _refuse(options: argparse.Namespace) -> None:
    """Raise ConfigError for options that would have no effect."""
    if options.driver and options.plant not in ('', NO_PLANT):
        raise ConfigError('--driver: it takes the place of the plant; leave --plant out')
    if options.driver_settings and not options.driver:
        raise ConfigError('--driver-set: of which driver? add --driver')
    if options.priority is not None and not (options.realtime or options.driver):
        raise ConfigError('--priority: in lockstep nothing is late: add --realtime')
    if options.no_record and options.out is not None:
        raise ConfigError('--out: nothing is written with --no-record; leave one of them out')


def planned(options: argparse.Namespace, trace: str = '') -> tuple[Scenario, WiringOptions]:
    """Return the scenario that the arguments ask for, and how it shall run."""
    _refuse(options)
    settings = [*scenario_settings(options), *plant_settings(options.plant)]
    settings += [f'duration={LONGEST_ENDLESS}'] if options.endless else []
    driver = None
    if options.driver:
        driver = load_driver(options.driver, options.driver_settings)
        settings += driver_settings(driver, settings)
    scenario = load_scenario(options.scenario, settings)
    place, numbered = results_place(options, scenario)
    wiring = WiringOptions(
        realtime=options.realtime,
        simulated=options.plant != NO_PLANT,
        namespace=options.namespace,
        out='' if options.no_record else str(place),
        numbered=numbered,
        figures=not options.no_figures,
        endless=options.endless,
        priority=PRIORITY if options.priority is None else options.priority,
        driver_output=options.driver_output,
        gravity_handled=options.gravity_handled,
        teach=options.teach,
        trace=trace,
        **{name: getattr(options, name) for name in (*ROBOT_TOPICS, *ROBOTSTUDIO)},
    )
    if driver is not None:
        refuse_rate(driver, scenario)
        scenario = measuring(driver, scenario)
        wiring = driven_options(wiring, driver)
    return scenario, wiring


def _launch(options: argparse.Namespace, trace: str) -> int:
    require_ros()
    scenario, wiring = planned(options, trace)
    nodes = wire(scenario, wiring)
    place, numbered = results_place(options, scenario)
    if not options.no_record:
        if not options.no_figures:
            refuse_graphs(scenario)
        RunFolder(place, numbered=numbered).discard()  # refused here, or claimed by the recorder

    def report(line: str) -> None:
        print(f'simloop: {line}', file=sys.stderr)

    if sys.stderr.isatty():
        report(f'starting {", ".join(node.executable for node in nodes)}')
    page = Program(name='view', command=page_command(options.namespace), optional=True)
    beside = [page] if options.view else []
    status = run_graph(nodes, composed=options.composed, report=report, beside=beside)
    if status == INTERRUPTED:
        report('stopped by a signal')
    return status
