"""HeardRows of steps from topics that come in any order."""

from __future__ import annotations

import numpy as np
import pytest

from simloop_ros.view.graph.heard_steps import EPOCH, PATIENCE, HeardSteps

H = 10**6  # period [ns]


def value(number: float) -> np.ndarray:
    return np.array([number])


def test_a_row_has_what_belongs_to_its_step() -> None:
    """The command of step ``k`` begins at ``k h``; what answers the joint state ends there."""
    steps = HeardSteps(1)
    for k in range(3):
        steps.effort.add(k * H, value(10.0 + k))
        steps.desired.add(k * H, value(20.0 + k))
        steps.measure((k + 1) * H, value(30.0 + k))
        steps.rollback.add((k + 1) * H, value(40.0 + k))
        steps.estimated.add((k + 1) * H, value(50.0 + k))
        steps.margin.add((k + 1) * H, value(0.25))
    rows = steps.take_rows()
    assert rows.times == pytest.approx([0.001, 0.002, 0.003])
    wanted = [[20.0 + k, 30.0 + k, 10.0 + k, 40.0 + k, np.nan, 50.0 + k] for k in range(3)]
    np.testing.assert_array_equal(rows.trace[:, :, 0], wanted)
    np.testing.assert_array_equal(rows.scalars, [[0.75]] * 3)
    assert len(steps.take_rows().times) == 0


def test_a_step_waits_for_its_control_state_but_not_for_ever() -> None:
    steps = HeardSteps(1)
    steps.measure(H, value(1.0))
    assert len(steps.take_rows().times) == 0
    steps.rollback.add(H, value(2.0))
    assert len(steps.take_rows().times) == 1
    for k in range(2, PATIENCE + 10):
        steps.measure(k * H, value(1.0))
    assert len(steps.take_rows().times) == 8


def test_time_begins_at_zero_or_where_a_wall_clock_was_first_heard() -> None:
    simulated, real = HeardSteps(1), HeardSteps(1)
    simulated.measure(5 * H, value(0.0))
    assert simulated.time == 0.005
    real.measure(20 * EPOCH, value(0.0))
    assert real.time == 0.0
    real.measure(20 * EPOCH + H, value(0.0))
    assert real.time == 0.001


def test_old_and_repeated_joint_states_are_left_out() -> None:
    steps = HeardSteps(1)
    assert steps.measure(2 * H, value(1.0))
    assert not steps.measure(2 * H, value(2.0))
    assert not steps.measure(H, value(3.0))
    assert steps.joints == pytest.approx([1.0])
