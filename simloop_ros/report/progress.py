"""Progress of a run, with its real-time factor, on a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn


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
        disable=not console.is_terminal,
    )
