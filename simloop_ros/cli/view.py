"""``simloop view``: a robot in the browser."""

from __future__ import annotations

import argparse
from importlib.util import find_spec
import signal
import sys
import time
import webbrowser

from ..core.errors import ConfigError, MissingDependencyError
from ..ros.launch.graph import require_ros
from ..ros.node.parent import follow_launcher
from ..scenario.shipped import scenario_names
from ..view.actions import Load, Play
from ..view.live.live_source import LiveSource
from ..view.source import Source
from .run import scenario_settings


def call(options: argparse.Namespace) -> int:
    """Serve the page until Ctrl-C."""
    _refuse(options)
    if find_spec('viser') is None:
        raise MissingDependencyError("simloop view needs viser: pip install 'simloop_ros[view]'")
    from ..view.page.page import Page
    from ..view.page.server import serve

    load = None if options.graph else Load(options.scenario, tuple(scenario_settings(options)))
    served = serve(options.host, options.port)
    received: list[int] = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _: received.append(number))
    try:
        source = _graph(options.namespace, received) if load is None else _live(load)
        try:
            if received:
                return 0
            page = Page(served.server, source, () if load is None else scenario_names())
            print(f'{served.address}   (Ctrl-C ends it)', flush=True)
            if not options.no_browser:
                webbrowser.open(served.address)
            page.run(time.monotonic, time.sleep, lambda: not received)
        finally:
            source.close()
    finally:
        served.stop()
    return 0


def _refuse(options: argparse.Namespace) -> None:
    """Raise ConfigError for options that contradict each other."""
    if options.graph and (options.scenario or options.settings or options.seed):
        raise ConfigError('--graph: it shows what runs; leave SCENARIO, --set and --seed out')
    if not options.graph and not options.scenario:
        raise ConfigError('name a scenario (simloop list has them), or add --graph')
    if options.namespace and not options.graph:
        raise ConfigError('--namespace: of which graph? add --graph')


def _live(load: Load) -> Source:
    source = LiveSource(load, time.perf_counter)
    source.send(Play())
    return source


def _graph(namespace: str, received: list[int]) -> Source:
    """Return the graph that runs, or the next one; whoever started this process may end it."""
    require_ros()
    from ..view.graph.graph_source import GraphSource

    if follow_launcher():
        received.append(signal.SIGINT)
    source = GraphSource(namespace, time.monotonic)
    try:
        source.wait(lambda line: print(f'simloop: {line}', file=sys.stderr), lambda: not received)
    except BaseException:
        source.close()
        raise
    return source
