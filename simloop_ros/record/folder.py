"""The names of a run's files, and files that are either whole or not there."""

from __future__ import annotations

import errno
from itertools import count
from pathlib import Path
from uuid import uuid4

from ..core.errors import ConfigError, StorageError

LOG, HANDS_LOG, SUMMARY = 'log.mcap', 'hands.mcap', 'summary.json'
"""Names of the log, of the log of two hands, and of the summary."""
GOALS = 'goals.yaml'
"""Name of the goals that a robot was given over topics."""
NOTHING = 'nothing can be created there'
"""Why a folder cannot be written that is there, as ``/proc``."""
RAW_LOG, RAW_HANDS = 'log.raw', 'hands.raw'
RAW_LIVE, RAW_STAMPS = 'live.raw', 'stamps.raw'
"""Names of the logs while a run goes on; the last two of a graph."""


def make_folder(folder: Path) -> None:
    """Make an output folder and check that it can be written."""
    probe = folder / f'.writable-{uuid4().hex[:8]}'
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe.touch()
        probe.unlink()
    except OSError as error:
        why = NOTHING if error.errno == errno.ENOENT else error.strerror
        raise ConfigError(f'{folder}: cannot be written: {why}; name another folder') from error


def write_text(path: Path, text: str) -> None:
    """Write a file that is either whole or not there, whoever else writes it at the same time.

    :raises StorageError: it cannot be written.
    """
    partial = path.with_name(f'.{path.name}.{uuid4().hex[:8]}.part')
    try:
        partial.write_text(text)
        partial.replace(path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise StorageError(f'{path}: cannot be written: {error.strerror}') from error


def write_keeping(path: Path, text: str) -> Path | None:
    """Write a file; one of this name is kept as ``NAME-0001`` or the next number.

    :return: where the earlier one is; none if there was none, or it was the same.
    :raises StorageError: it cannot be written.
    """
    earlier = None
    try:
        if path.exists() and path.read_bytes() != text.encode():
            numbered = (path.with_name(f'{path.stem}-{i:04d}{path.suffix}') for i in count(1))
            earlier = next(other for other in numbered if not other.exists())
            path.replace(earlier)
    except OSError as error:
        raise StorageError(f'{path}: cannot be written: {error.strerror}') from error
    write_text(path, text)
    return earlier
