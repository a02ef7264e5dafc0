"""The columns of the log: their order is part of the file, and each holds what its name says."""

from __future__ import annotations

import numpy as np

from simloop_ros.collision.detector import Detection
from simloop_ros.collision.observation import Reading
from simloop_ros.core.values import Command, JointState, PlantReport, Rollback, Setpoint
from simloop_ros.loop.step_record import StepRecord
from simloop_ros.record.columns import COLUMNS, GUIDED_COLUMNS, columns_of, stacked

ORDER = (
    'desired_position',
    'desired_velocity',
    'effort',
    'measured_position',
    'position',
    'velocity',
    'rollback_effort',
    'true_position',
)
"""Of every log that was ever written: digests and readers of raw logs depend on it."""
GUIDED = ('external_torque', 'true_external_torque')
VALUES = {name: np.array([float(i), i + 0.5]) for i, name in enumerate((*ORDER, *GUIDED))}


def record() -> StepRecord:
    """Return a step in which every array is another one; those without a column are negative."""
    of, none = VALUES, np.full(2, -1.0)
    return StepRecord(
        0,
        Setpoint(of['desired_position'], none),
        Command(of['desired_velocity'], none, of['effort'], False),
        of['measured_position'],
        Rollback(JointState(of['position'], of['velocity']), of['rollback_effort']),
        PlantReport(JointState(of['true_position'], none), of['true_external_torque']),
        None,
        Detection(False, 'none', Reading(none, of['external_torque'], 'free', 1.0)),
    )


def test_the_order_is_that_of_every_log() -> None:
    assert COLUMNS == ORDER
    assert tuple(VALUES) == GUIDED_COLUMNS


def test_each_column_holds_its_own_quantity() -> None:
    np.testing.assert_array_equal(stacked([record()])[0], [VALUES[name] for name in ORDER])
    found = columns_of([record(), record()])
    assert found.keys() == VALUES.keys()
    for name, values in found.items():
        np.testing.assert_array_equal(values, [VALUES[name]] * 2, err_msg=name)
