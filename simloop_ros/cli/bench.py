"""``simloop bench``: the benchmarks of the source tree."""

from __future__ import annotations

import argparse
from pathlib import Path
import sys

from ..core.errors import ConfigError, SimloopError

FOLDER = Path(__file__).resolve().parents[2] / 'benchmarks'


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

    chosen = (options.robot, options.only) if options.conditions else None
    if chosen is None and (options.robot or options.only):
        raise ConfigError('bench: --robot and --only choose among those of --conditions; add it')
    return int(bench(options.name, options.quick, options.json, options.trace, chosen))
