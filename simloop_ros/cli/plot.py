"""``simloop plot``: the figures of a run, again from its log."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..report.page import draw_run


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument('folder', metavar='DIR', type=Path, help='folder of a run')
    parser.add_argument('--all', action='store_true', help='every graph that the log has data for')


def call(options: argparse.Namespace) -> int:
    """Draw the figures of a run."""
    for path in draw_run(options.folder, every_graph=options.all):
        print(path)
    return 0
