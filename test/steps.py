"""Short words for what many tests do in every step."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from simloop_ros.core.values import Array, Setpoint
from simloop_ros.loop.step_record import StepRecord
from simloop_ros.record.columns import COLUMNS, row_reader
from simloop_ros.record.log import LogWriter


def at(position: Array, restart: bool = False) -> Setpoint:
    """Return the setpoint at a position [rad], shape ``(n,)``, at rest."""
    return Setpoint(position, np.zeros_like(position), restart=restart)


def sending(effort: Array) -> Setpoint:
    """Return the setpoint that sends an effort [N m], shape ``(n,)``."""
    return Setpoint(np.zeros_like(effort), np.zeros_like(effort), effort)


def into(log: LogWriter, columns: tuple[str, ...] = COLUMNS) -> Callable[[StepRecord], None]:
    """Return what writes the record of each step into a raw log."""
    row = row_reader(columns)
    return lambda record: log.append(row(record))
