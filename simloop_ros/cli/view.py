"""``simloop view``: a robot in the browser."""

from __future__ import annotations

import argparse
from importlib.util import find_spec
import signal
import time
import webbrowser

from ..core.errors import MissingDependencyError
from ..scenario.shipped import scenario_names
from ..view.actions import Load, Play
from ..view.live.live_source import LiveSource
from .run import scenario_settings


def call(options: argparse.Namespace) -> int:
    """Serve the page until Ctrl-C."""
    if find_spec('viser') is None:
        raise MissingDependencyError("simloop view needs viser: pip install 'simloop_ros[view]'")
    from ..view.page.page import Page
    from ..view.page.server import serve

    load = Load(options.scenario, tuple(scenario_settings(options)))
    served = serve(options.host, options.port)
    received: list[int] = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _: received.append(number))
    try:
        source = LiveSource(load, time.perf_counter)
        try:
            page = Page(served.server, source, scenario_names())
            source.send(Play())
            print(f'{served.address}   (Ctrl-C ends it)', flush=True)
            if not options.no_browser:
                webbrowser.open(served.address)
            page.run(time.monotonic, time.sleep, lambda: not received)
        finally:
            source.close()
    finally:
        served.stop()
    return 0
