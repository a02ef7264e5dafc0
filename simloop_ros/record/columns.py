"""The columns of the logs, and their places in the record of a step."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ..core.values import Array
from ..loop.step_record import StepRecord
from .hands_log import correction_row, object_row

COLUMNS = (
    'desired_position',
    'desired_velocity',
    'effort',
    'measured_position',
    'position',
    'velocity',
    'rollback_effort',
    'true_position',
)
"""q_d [rad], v_c [rad/s], tau [N m], q_r [rad], control q and v, tau' [N m], the plant's truth."""
GUIDED_COLUMNS = (*COLUMNS, 'external_torque', 'true_external_torque')
"""Of a robot that is guided: also the external torque [N m], as estimated and as it is."""
ESTIMATED_COLUMNS = (*COLUMNS, 'external_torque')
"""Of a real robot that is guided: the true torque is not known."""
DESIRED_POSITION, EFFORT, MEASURED_POSITION, TRUE_POSITION = map(
    COLUMNS.index, ('desired_position', 'effort', 'measured_position', 'true_position')
)
"""Places of those columns that others read."""

Row = Callable[[StepRecord], tuple[Array, ...]]


def joint_row(record: StepRecord) -> tuple[Array, ...]:
    """Return ``COLUMNS`` of a record, each of shape ``(n,)``."""
    command, rollback = record.command, record.rollback
    state = rollback.state
    return (
        record.setpoint.position,
        command.velocity,
        command.effort,
        record.measured,
        state.position,
        state.velocity,
        rollback.effort,
        record.plant.truth.position,
    )


def estimated_row(record: StepRecord) -> tuple[Array, ...]:
    """Return ``ESTIMATED_COLUMNS`` of a record, each of shape ``(n,)``."""
    assert record.monitor is not None
    return *joint_row(record), record.monitor.reading.torque


def guided_row(record: StepRecord) -> tuple[Array, ...]:
    """Return ``GUIDED_COLUMNS`` of a record, each of shape ``(n,)``."""
    return *estimated_row(record), record.plant.external


def row_reader(columns: tuple[str, ...]) -> Row:
    """Return what reads ``COLUMNS``, or those of a guided robot, from a record."""
    readers: dict[tuple[str, ...], Row] = {
        COLUMNS: joint_row,
        ESTIMATED_COLUMNS: estimated_row,
        GUIDED_COLUMNS: guided_row,
    }
    return readers[columns]


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
