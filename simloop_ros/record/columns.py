"""The columns of the logs, and their places in the record of a step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any

import numpy as np

from ..core.values import Array
from ..loop.step_record import StepRecord
from .hands_log import correction_row, object_row

SOURCES = {
    'desired_position': 'setpoint.position',
    'desired_velocity': 'command.velocity',
    'effort': 'command.effort',
    'measured_position': 'measured',
    'position': 'rollback.state.position',
    'velocity': 'rollback.state.velocity',
    'rollback_effort': 'rollback.effort',
    'true_position': 'plant.truth.position',
    'external_torque': 'monitor.reading.torque',
    'true_external_torque': 'plant.external',
}
"""Column -> its place in a ``StepRecord``."""
GUIDED_COLUMNS = tuple(SOURCES)
"""Of a robot that is guided: also the external torque [N m], estimated and true."""
COLUMNS = GUIDED_COLUMNS[:8]
"""q_d [rad], v_c [rad/s], tau [N m], q_r [rad], control q and v, tau' [N m], the plant's truth."""
TRUE_POSITION = COLUMNS.index('true_position')

Row = Callable[[StepRecord], tuple[Array, ...]]


def row_reader(columns: tuple[str, ...]) -> Row:
    """Return a reader of the joint columns of a record, each of shape ``(n,)``."""
    read: Any = attrgetter(*(SOURCES[column] for column in columns))
    return read


def stacked(records: Sequence[StepRecord], columns: tuple[str, ...] = COLUMNS) -> Array:
    """Return the columns of joints of some steps, shape ``(steps, columns, n)``."""
    row = row_reader(columns)
    return np.array([row(record) for record in records])


def columns_of(records: Sequence[StepRecord]) -> dict[str, Array]:
    """Return the columns of the log by name, each of shape ``(steps, n)``.

    ``external_torque`` only where a monitor estimates it.
    """
    monitored = bool(records) and records[0].monitor is not None
    names = GUIDED_COLUMNS if monitored else COLUMNS
    return dict(zip(names, stacked(records, names).swapaxes(0, 1), strict=True))


def hands_row(record: StepRecord) -> tuple[Array, ...]:
    """Return ``HANDS_COLUMNS`` of a record, each of shape ``(6,)``."""
    plant, planner = record.plant, record.planner
    assert plant.wrenches is not None, 'two hands need sensors'
    assert plant.true_wrenches is not None
    assert planner is not None
    return (
        *plant.wrenches,
        *correction_row(planner.correction),
        *plant.true_wrenches,
        *object_row(plant.object),
    )
