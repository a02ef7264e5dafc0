"""``simloop plot``: the figures of a run, again from its log."""

from __future__ import annotations

import argparse

from ..report.page import draw_run


def call(options: argparse.Namespace) -> int:
    """Draw the figures of a run."""
    for path in draw_run(options.folder, every_graph=options.all):
        print(path)
    return 0
