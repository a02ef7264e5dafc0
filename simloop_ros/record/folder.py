"""The folder of a run: results are either whole or not there."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

from ..core.errors import ConfigError
from ..scenario.scenario import Graph

LOG, HANDS_LOG, SUMMARY = 'log.mcap', 'hands.mcap', 'summary.json'
"""Names of the log, of the log of two hands, and of the summary."""
RAW_LOG, RAW_HANDS = 'log.raw', 'hands.raw'
"""Names of the logs while a run goes on."""


def make_folder(folder: Path) -> None:
    """Make an output folder and check that it can be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / '.writable'
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise ConfigError(f'{folder}: cannot be written: {error.strerror}') from error


def clean_folder(folder: Path) -> None:
    """Make an output folder without the results of an earlier run."""
    make_folder(folder)
    figures = (f'{graph}.png' for graph in get_args(Graph))
    for name in (LOG, HANDS_LOG, SUMMARY, *figures):
        (folder / name).unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write a file that is either whole or not there."""
    partial = path.with_name(path.name + '.part')
    try:
        partial.write_text(text)
        partial.replace(path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise ConfigError(f'{path}: cannot be written: {error.strerror}') from error
