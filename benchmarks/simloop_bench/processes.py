"""Graphs and other programs that are measured, apart from whatever else runs on this machine."""

from __future__ import annotations

from collections.abc import Sequence
import json
import os
from pathlib import Path
import sys
from typing import Any

from simloop_ros.core.errors import SimloopError
from simloop_ros.record.verdict import EXIT_STATUS
from simloop_ros.ros.launch.graph import run_graph
from simloop_ros.ros.launch.supervisor import Program, supervise
from simloop_ros.ros.launch.wiring import WiringOptions, wire
from simloop_ros.scenario.loading import load_scenario

DOMAINS = 100
"""ROS domains to choose from; higher ones meet the ports that Linux gives to others."""
LINES = 10
"""Last lines of what the programs printed that an error shows."""


def environment() -> dict[str, str]:
    """Return what is added to the environment: a domain of our own, on this machine only."""
    domain = os.environ.get('ROS_DOMAIN_ID') or str(1 + os.getpid() % DOMAINS)
    return {'ROS_DOMAIN_ID': domain, 'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST'}


def module(name: str, *arguments: str, output: Path, ends_all: bool = False) -> Program:
    """Return the program that is a module, for instance ``simloop_bench.ping_pong``.

    :param output: file to which everything that it prints is added.
    """
    return Program(
        name=name.rpartition('.')[2],
        command=(sys.executable, '-m', name, *arguments),
        environment=environment() | {'PYTHONPATH': os.pathsep.join(sys.path)},
        ends_all=ends_all,
        output=str(output),
    )


def run_programs(programs: Sequence[Program], output: Path) -> None:
    """Run programs until they are done.

    :raises SimloopError: one of them failed.
    """
    reports: list[str] = []
    if supervise(programs, report=reports.append):
        raise _failure(reports, output)


def run_scenario(
    name: str,
    settings: Sequence[str],
    folder: Path,
    *,
    composed: bool,
    realtime: bool = False,
    beside: Sequence[Program] = (),
) -> dict[str, Any]:
    """Return the summary of a scenario that ran as a graph, with the recorder.

    :param folder: for the results.
    :param beside: programs that run as long as the graph.
    :raises SimloopError: the graph failed.
    """
    nodes = wire(
        load_scenario(name, list(settings)),
        WiringOptions(realtime=realtime, out=str(folder), figures=False),
    )
    output, reports = folder.with_name(f'{folder.name}.txt'), list[str]()
    folder.parent.mkdir(parents=True, exist_ok=True)
    status = run_graph(
        nodes,
        composed=composed,
        report=reports.append,
        beside=beside,
        environment=environment(),
        output=str(output),
    )
    results = folder / 'summary.json'
    summary: dict[str, Any] = json.loads(results.read_text()) if results.exists() else {}
    if status != EXIT_STATUS.get(summary.get('status', '')):
        raise _failure(reports, output)
    if summary['status'] in ('interrupted', 'diverged'):
        raise SimloopError(f'{name} did not come to its end: {summary["status"]}')
    return summary


def _failure(reports: Sequence[str], output: Path) -> SimloopError:
    printed = output.read_text(errors='replace').splitlines() if output.exists() else []
    return SimloopError('\n'.join((*reports, *printed[-LINES:])))
