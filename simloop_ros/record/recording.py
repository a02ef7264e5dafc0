"""A recorded joint motion: of a finished run, or of a CSV file."""

from __future__ import annotations

from collections.abc import Sequence
import csv
import json
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from ..core.errors import ConfigError
from ..core.values import Array
from ..robot.config import RobotConfig
from .folder import LOG, SUMMARY
from .mcap import McapReader


class Recording(msgspec.Struct, frozen=True):
    """Joint positions over time.

    :ivar source: file or folder, for messages.
    :ivar time: [s], shape ``(rows,)``, growing.
    :ivar position: [rad], shape ``(rows, n)``.
    """

    source: str
    joint_names: tuple[str, ...]
    time: Array
    position: Array

    def columns(self, names: Sequence[str]) -> Array:
        """Return the positions of some joints [rad], shape ``(rows, names)``.

        :raises ConfigError: a joint is missing.
        """
        missing = [name for name in names if name not in self.joint_names]
        if missing:
            raise ConfigError(
                f'{self.source}: joint {missing[0]!r} is missing; there are '
                f'{", ".join(self.joint_names)}'
            )
        return self.position[:, [self.joint_names.index(name) for name in names]]


def read_recording(path: Path, column: str) -> Recording:
    """Read the folder of a run, its log, or a CSV file.

    :param column: which positions of a log.
    :raises ConfigError: it is none of these.
    """
    if is_csv(path):
        return _read_csv(path)
    if path.is_dir() and not (path / LOG).is_file():
        raise ConfigError(f'{path}: not the folder of a run: no {LOG}')
    if not path.exists():
        raise ConfigError(f'{path}: not there; name the folder of a run, or a CSV file')
    log = McapReader(path / LOG if path.is_dir() else path)
    if not log.rows:
        raise ConfigError(f'{path}: the log has no steps')
    place = log.columns.index(column)
    blocks = [(time, rows[:, place]) for time, rows in log.blocks()]
    time, position = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
    return Recording(str(path), log.joint_names, time, position)


def is_csv(path: Path) -> bool:
    """Return whether a file has the name of a CSV file."""
    return path.suffix.lower() == '.csv'


def recorded_robot(path: Path) -> RobotConfig:
    """Return the robot of a run.

    :raises ConfigError: it is not known.
    """
    try:
        settings = recorded_summary(path)['settings']
        return msgspec.convert(settings['robot'], RobotConfig)
    except (ConfigError, KeyError, TypeError, msgspec.MsgspecError) as error:
        raise ConfigError(
            f'{path}: the robot is not known, because there is no {SUMMARY} of a run: add --robot'
        ) from error


def recorded_summary(path: Path) -> dict[str, Any]:
    """Return the summary of a run, given as its folder or its log.

    :raises ConfigError: there is none.
    """
    file = (path if path.is_dir() else path.parent) / SUMMARY
    try:
        summary: dict[str, Any] = json.loads(file.read_text())
    except (OSError, ValueError) as error:
        raise ConfigError(f'{path}: there is no {SUMMARY} of a run') from error
    return summary


def _read_csv(path: Path) -> Recording:
    """Read ``time`` [s] and a column per joint [rad], with their names in the first line."""
    try:
        with path.open(newline='', encoding='utf-8-sig') as file:
            head, *lines = list(csv.reader(file)) or [[]]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise ConfigError(f'{path}: cannot be read: {reason}') from error
    names = tuple(name.strip() for name in head)
    if names[:1] != ('time',) or len(set(names)) != len(names) or len(names) < 2:
        raise ConfigError(
            f'{path}: the first line has to be time and the names of the joints, each once, '
            'with commas between them'
        )
    rows = [
        _csv_row(f'{path}, line {i}', line, len(names)) for i, line in enumerate(lines, 2) if line
    ]
    if not rows:
        raise ConfigError(f'{path}: no line of numbers')
    table = np.array(rows)
    if (np.diff(table[:, 0]) <= 0.0).any():
        i = int(np.argmax(np.diff(table[:, 0]) <= 0.0))
        raise ConfigError(f'{path}: time does not grow after {table[i, 0]:g} s')
    return Recording(str(path), names[1:], table[:, 0], table[:, 1:])


def _csv_row(where: str, line: Sequence[str], width: int) -> list[float]:
    try:
        row = [float(text) for text in line]
    except ValueError as error:
        raise ConfigError(f'{where}: not a number: {error}') from error
    if len(row) != width or not np.isfinite(row).all():
        raise ConfigError(f'{where}: {width} finite numbers are needed, got {", ".join(line)}')
    return row
