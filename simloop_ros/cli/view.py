"""``simloop view``: a robot in the browser."""

from __future__ import annotations

import argparse
from importlib.util import find_spec
from pathlib import Path
import signal
import sys
import threading
import time
import webbrowser

from ..core.errors import ConfigError, MissingDependencyError
from ..record.folder import make_folder
from ..report.progress import working
from ..ros.launch.graph import require_ros
from ..ros.node.parent import follow_launcher
from ..scenario.shipped import scenario_names
from ..view.actions import LoadScenario, Play
from ..view.live.live_source import LiveSource
from ..view.recorded.recorded_source import RecordedSource
from ..view.source import Source
from .run import scenario_settings

LOG_SUFFIX = '.mcap'


def call(options: argparse.Namespace) -> int:
    """Serve the page until Ctrl-C, or write a page that needs no server."""
    _refuse(options)
    if find_spec('viser') is None:
        raise MissingDependencyError("simloop view needs viser: pip install 'simloop_ros[view]'")
    if options.html:
        return _write(options)
    from ..view.page.page import Page
    from ..view.page.server import serve

    served = serve(options.host, options.port)
    received: list[int] = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _: received.append(number))
    try:
        source = _graph(options.namespace, received) if options.graph else _source(options)
        try:
            if received:
                return 0
            page = Page(served.server, source, () if options.graph else scenario_names())
            print(f'{served.address}   (Ctrl-C ends it)', flush=True)
            if not options.no_browser:
                webbrowser.open(served.address)
            page.run(time.monotonic, threading.Event().wait, lambda: not received)
        finally:
            source.close()
    finally:
        served.stop()
    return 0


def _source(options: argparse.Namespace) -> Source:
    """Return what is to be shown: a scenario that runs, or a recorded run; it plays."""
    settings = tuple(scenario_settings(options))
    source: Source
    if not _is_recorded(options.scenario):
        source = LiveSource(LoadScenario(options.scenario, settings), time.perf_counter)
    elif settings:
        raise ConfigError(f'{options.scenario}: has run already; --set and --seed are for others')
    else:
        source = RecordedSource(Path(options.scenario), time.perf_counter)
    source.send(Play())
    return source


def _is_recorded(name: str) -> bool:
    """Return whether a name is that of a recorded run: a folder or a log."""
    path = Path(name)
    return name not in scenario_names() and (path.is_dir() or path.suffix == LOG_SUFFIX)


def _write(options: argparse.Namespace) -> int:
    """Write a page of a recorded run."""
    from ..view.page.export import write_page
    from ..view.page.server import serve

    if not _is_recorded(options.scenario):
        raise ConfigError(
            f'--html: of a recorded run; {options.scenario} is none: "simloop run '
            f'{options.scenario}" makes one'
        )
    if options.html.is_dir():
        raise ConfigError(f'{options.html}: is a folder; name a file')
    make_folder(options.html.parent)
    source = RecordedSource(Path(options.scenario), time.perf_counter)
    served = serve(port=0)
    try:
        with working(f'writing {options.html}'):
            written = write_page(served.server, source, options.html)
    finally:
        served.stop()
    print(
        f'{written.path}: {written.size / 1e6:.1f} MB, {written.duration:g} s of the run at '
        f'{written.rate:.3g} frames per second'
    )
    return 0


def _refuse(options: argparse.Namespace) -> None:
    """Raise ConfigError for options that contradict each other."""
    if options.html and (options.graph or not options.scenario):
        raise ConfigError('--html: name the folder or the log of a recorded run')
    if options.graph and (options.scenario or options.settings or options.seed):
        raise ConfigError('--graph: it shows what runs; leave SCENARIO, --set and --seed out')
    if not options.graph and not options.scenario:
        raise ConfigError('name a scenario (simloop list has them) or a run, or add --graph')
    if options.namespace and not options.graph:
        raise ConfigError('--namespace: of which graph? add --graph')


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
