"""``simloop plot``: the figures of a run, again from its log."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..report.page import draw_run


def add_parser(subparsers: argparse._SubParsersAction) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser('plot', help='figures again from a log')
    parser.add_argument('folder', metavar='DIR', type=Path, help='folder of a run')
    parser.add_argument(
        '--all',
        action='store_true',
        help='every graph that the log has data for',
    )
    parser.set_defaults(call=plot)


def plot(options: argparse.Namespace) -> int:
    """Draw the figures of a run."""
    for path in draw_run(options.folder, every_graph=options.all):
        print(path)
    return 0
