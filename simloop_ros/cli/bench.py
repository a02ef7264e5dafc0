"""``simloop bench``: the benchmarks of the source tree."""

from __future__ import annotations

import argparse
from pathlib import Path
import sys

from ..core.errors import SimloopError

FOLDER = Path(__file__).resolve().parents[2] / 'benchmarks'


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        'name', metavar='NAME', nargs='?', default='loop', help='a name of benchmarks/README.md'
    )
    parser.add_argument('--quick', action='store_true', help='a short one')
    parser.add_argument('--json', metavar='FILE', type=Path, help='write the figures there')


def call(options: argparse.Namespace) -> int:
    """Run a benchmark and print its table."""
    if not (FOLDER / 'simloop_bench').is_dir():
        raise SimloopError(
            'bench: the benchmarks are not part of the installed package; clone the repository '
            'and run "pip install --editable ." or "make run" in it'
        )
    if str(FOLDER) not in sys.path:
        sys.path.insert(0, str(FOLDER))
    from simloop_bench.command import bench

    return int(bench(options.name, options.quick, options.json))
