"""``simloop view``: a robot in the browser."""

from __future__ import annotations

import argparse
from importlib.util import find_spec
import signal
import sys
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
        raise MissingDependencyError("simloop view needs viser: pip install 'viser>=1.1'")
    from ..view.page.page import Page
    from ..view.page.server import serve

    load = Load(options.scenario, tuple(scenario_settings(options)))
    received: list[int] = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _: received.append(number))
    source = LiveSource(load, time.perf_counter)
    try:
        server, address = serve(options.host, options.port)
        print(f'{address}   (Ctrl-C ends it)', flush=True)
        source.send(Play())
        page = Page(server, source, scenario_names())
        if not options.no_browser:
            webbrowser.open(address)
        page.run(time.monotonic, time.sleep, lambda: not received)
        server.stop()
    finally:
        source.close()
    print('ended', file=sys.stderr)
    return 0
