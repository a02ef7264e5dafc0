"""``simloop plot``: the figures of a run, again from its log."""

from __future__ import annotations

import argparse

from ..assembly.recover import complete_logs
from ..report.page import draw_run
from ..report.progress import working


def call(options: argparse.Namespace) -> int:
    """Draw the figures of a run."""
    with working(f'drawing {options.folder}'):
        complete_logs(options.folder)
        paths = draw_run(options.folder, every_graph=options.all)
    for path in paths:
        print(path)
    if not paths:
        print('no figures: the scenario of this run names none; --all draws every graph')
    return 0
