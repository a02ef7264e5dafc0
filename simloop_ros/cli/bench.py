"""``simloop bench``: the benchmarks, ratios side by side."""

from __future__ import annotations

import argparse


def add_parser(subparsers: argparse._SubParsersAction) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser('bench', help='benchmarks')
    parser.set_defaults(call=lambda _: 0)
