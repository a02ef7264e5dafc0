"""``simloop run``: a scenario in process, with its table, log and figures."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
import signal
import sys
import time

from rich.console import Console

from ..assembly.assemble import assemble
from ..assembly.run import run
from ..record.verdict import EXIT_STATUS
from ..report.page import draw_run, print_run
from ..report.progress import progress_bar
from ..scenario.loading import load_scenario


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_scenario_arguments(parser)


def add_scenario_arguments(
    parser: argparse.ArgumentParser,
    metavar: str = 'DIR',
    out: str = 'folder for log, summary and figures [runs/NAME]',
) -> None:
    """Add the arguments for the scenario, its values, and the destination of results."""
    parser.add_argument('scenario', metavar='SCENARIO', help='a name of simloop list, or a file')
    parser.add_argument(
        '--set',
        dest='settings',
        metavar='KEY=VALUE',
        action='append',
        default=[],
        help='change a value of the scenario, for instance period=0.0005 (more than once)',
    )
    parser.add_argument('--out', metavar=metavar, type=Path, help=out)
    parser.add_argument('--seed', metavar='N', help='seed of the random generator')


def scenario_settings(options: argparse.Namespace) -> list[str]:
    """Return the settings that the arguments have."""
    seed = [] if options.seed is None else [f'seed={options.seed}']
    return [*options.settings, *seed]


def call(options: argparse.Namespace) -> int:
    """Run a scenario; the exit status is that of its status, see ``EXIT_STATUS``."""
    scenario = load_scenario(options.scenario, scenario_settings(options))
    folder = options.out or Path('runs') / scenario.name
    assembly = assemble(scenario)
    console = Console(stderr=True)
    for note in assembly.facts.notes:
        console.print(f'note: {note}', highlight=False)
    with _stop_on_signal() as stopped, progress_bar(console) as progress:
        task = progress.add_task(scenario.name, total=assembly.facts.steps, factor='')
        begin = time.perf_counter()

        def proceed(steps: int) -> bool:
            elapsed = max(time.perf_counter() - begin, 1e-9)
            factor = steps * scenario.period / elapsed
            progress.update(task, completed=steps, factor=f'{factor:.1f} x real time')
            return not stopped

        def writing(share: float) -> None:
            progress.update(task, description='writing log', total=1.0, completed=share, factor='')

        summary = run(assembly, folder, time.perf_counter, proceed, writing)
    print_run(summary, folder, draw_run(folder))
    if summary['status'] == 'diverged':
        message = next(e['message'] for e in summary['events'] if e['kind'] == 'divergence')
        print(f'simloop: {message}; the log so far is kept', file=sys.stderr)
    if summary['status'] == 'interrupted':
        print(f'simloop: stopped after {summary["steps"]} steps', file=sys.stderr)
    return EXIT_STATUS[summary['status']]


@contextmanager
def _stop_on_signal() -> Iterator[list[int]]:
    """Collect SIGINT and SIGTERM, for the run to end itself; a second one ends it at once."""
    received: list[int] = []

    def note(number: int, _: object) -> None:
        if received:
            raise KeyboardInterrupt
        received.append(number)

    handlers = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield received
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
