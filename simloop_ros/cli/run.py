"""``simloop run``: a scenario in process, with its table, log and figures."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
import json
from pathlib import Path
import signal
import sys
import time
from typing import Any

from rich.console import Console

from ..assembly.assemble import Assembly, assemble
from ..assembly.run import run_into
from ..core.errors import ConfigError
from ..core.files import load_yaml, read_text
from ..record.run_folder import RunFolder
from ..record.verdict import EXIT_STATUS
from ..report.progress import progress_bar, working
from ..report.results import finish_run
from ..scenario.loading import load_scenario
from ..scenario.scenario import Scenario


def scenario_settings(options: argparse.Namespace) -> list[str]:
    """Return the settings that the arguments have."""
    seed = [] if options.seed is None else [f'seed={options.seed}']
    return [*options.settings, *_goals(getattr(options, 'goals', None)), *seed]


def _goals(path: Path | None) -> list[str]:
    """Return the setting for the goals of a file."""
    if path is None:
        return []
    goals = load_yaml(read_text(path))
    if not isinstance(goals, list):
        raise ConfigError(f'--goals {path}: a list is needed, with an entry for each goal')
    return [f'goals={json.dumps(goals)}']


def results_place(options: argparse.Namespace, scenario: Scenario) -> tuple[Path, bool]:
    """Return where the results shall be, and whether each run there gets a number."""
    return options.out or Path('runs') / scenario.name, options.out is None


def call(options: argparse.Namespace) -> int:
    """Run a scenario; the exit status is that of its status, see ``EXIT_STATUS``."""
    scenario = load_scenario(options.scenario, scenario_settings(options))
    place, numbered = results_place(options, scenario)
    with RunFolder(place, numbered=numbered) as folder:
        with working(f'preparing {scenario.name}'):
            assembly = assemble(scenario)
        for note in assembly.facts.notes:
            print(f'note: {note}', file=sys.stderr)
        with _Signals() as signals:
            summary = _run(assembly, folder, lambda: not signals.received)
            late = bool(signals.received) and summary['status'] != 'interrupted'
            finish_run(folder, summary, draw=not late, drawing=signals.raising)
    return _status(summary, folder, late or signals.raised)


def _run(assembly: Assembly, folder: RunFolder, goes_on: Callable[[], bool]) -> dict[str, Any]:
    """Run with a bar that shows the progress."""
    scenario, steps = assembly.facts.scenario, assembly.facts.steps
    with progress_bar(Console(stderr=True)) as progress:
        task = progress.add_task(scenario.name, total=steps, factor='')
        begin = time.perf_counter()

        def proceed(steps: int) -> bool:
            elapsed = max(time.perf_counter() - begin, 1e-9)
            factor = steps * scenario.period / elapsed
            progress.update(task, completed=steps, factor=f'{factor:.1f} x real time')
            return goes_on()

        def writing(share: float) -> None:
            progress.update(task, description='writing log', total=1.0, completed=share, factor='')

        return run_into(folder, assembly, time.perf_counter, proceed, writing)


def _status(summary: dict[str, Any], folder: RunFolder, without_figures: bool) -> int:
    """Return the exit status of a run, and print the reason if it is not 0."""
    if folder.failure:
        raise folder.error()
    if summary['status'] == 'diverged':
        message = next(e['message'] for e in summary['events'] if e['kind'] == 'divergence')
        print(f'simloop: {message}; the log so far is kept', file=sys.stderr)
    if summary['status'] == 'interrupted':
        print(f'simloop: stopped after {summary["steps"]} steps', file=sys.stderr)
    if without_figures:
        raise KeyboardInterrupt(
            f'interrupted: the log is complete, "simloop plot {folder.place}" draws the figures'
        )
    return EXIT_STATUS[summary['status']]


class _Signals:
    """Notes SIGINT and SIGTERM, for the run to end itself; a second one ends it at once.

    :ivar received: numbers of the signals that came.
    :ivar raised: whether one came while figures were drawn.
    """

    def __init__(self) -> None:
        self.received: list[int] = []
        self.raised = False
        self._raising = False

    def __enter__(self) -> _Signals:
        numbers = (signal.SIGINT, signal.SIGTERM)
        self._handlers = {number: signal.signal(number, self._take) for number in numbers}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._handlers.items():
            signal.signal(number, handler)

    def _take(self, number: int, _: object) -> None:
        again = bool(self.received)
        self.received.append(number)
        self.raised = self._raising
        if again or self._raising:
            raise KeyboardInterrupt

    @contextmanager
    def raising(self) -> Iterator[None]:
        """Raise ``KeyboardInterrupt`` at the first signal already."""
        self._raising = True
        try:
            with working('drawing figures'):
                yield
        finally:
            self._raising = False
