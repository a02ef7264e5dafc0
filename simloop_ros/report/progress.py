"""Progress of what takes longer, on a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

REFRESH_RATE = 2.0
"""How often a bar is drawn [1/s]: each time takes 1 ms of the process whose loop it shows."""


def progress_bar(console: Console) -> Progress:
    """Return a bar whose tasks have a field ``factor``; without a terminal it shows nothing."""
    return Progress(
        TextColumn('{task.description}'),
        BarColumn(),
        TextColumn('{task.percentage:3.0f} %'),
        TextColumn('{task.fields[factor]}'),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        refresh_per_second=REFRESH_RATE,
        disable=not console.is_terminal,
    )


class RunProgress:
    """The bar of a run, from now on until ``stop``."""

    def __init__(self, name: str):
        self._bar = progress_bar(Console(stderr=True))
        self._task = self._bar.add_task(name, total=None, factor='')
        self._bar.start()

    def show(self, steps: int, total: int, real_time_factor: float) -> None:
        """Show the number of steps that are done, of all."""
        factor = f'{real_time_factor:.2f} x real time'
        self._bar.update(self._task, completed=steps, total=total, factor=factor)

    def stop(self) -> None:
        """Hide the bar."""
        self._bar.stop()


@contextmanager
def working(text: str) -> Iterator[None]:
    """Show on a terminal what is being done, where it is not known how long it takes."""
    console = Console(stderr=True)
    columns = (TextColumn('{task.description}'), BarColumn(), TimeElapsedColumn())
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        bar.add_task(text, total=None)
        yield
