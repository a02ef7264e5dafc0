"""Invalid torques are counted, and bounded."""

from __future__ import annotations

import numpy as np
import pytest

from simloop_ros.core.errors import MessageError
from simloop_ros.guiding.torque_validation import (
    TorqueFaults,
    TorqueValidator,
    TorqueValidatorSnapshot,
)

LIMIT = np.array([10.0, np.inf])
H = 0.01
VALIDATOR = TorqueValidator(LIMIT, stuck_time=0.1, period=H)


def feed(
    torques: list[np.ndarray], moving: bool = True
) -> tuple[list[np.ndarray], TorqueValidatorSnapshot]:
    state, used = VALIDATOR.initial(), []
    for torque in torques:
        now, state = VALIDATOR.validate(state, torque, moving)
        used.append(now)
    return used, state


def test_a_good_torque_is_taken_as_it_is() -> None:
    torque = np.array([9.0, -300.0])
    used, state = feed([torque])
    assert used[0].tobytes() == torque.tobytes()
    assert state.faults == TorqueFaults()


@pytest.mark.parametrize('bad', [np.nan, np.inf, -np.inf])
def test_a_number_that_is_not_finite_is_no_touch(bad: float) -> None:
    used, state = feed([np.array([1.0, 2.0]), np.array([5.0, bad])])
    assert not used[1].any()
    assert state.faults == TorqueFaults(not_finite=1)


def test_a_spike_is_cut_to_the_effort_limit() -> None:
    used, state = feed([np.array([-1e9, 1e9])])
    np.testing.assert_array_equal(used[0], [-10.0, 1e9])
    assert state.faults == TorqueFaults(bounded=1)


def test_a_stuck_sensor_fades_out_without_a_jump() -> None:
    torque = np.array([4.0, 0.0])
    used, state = feed([torque.copy() for _ in range(200)])
    course = np.array(used)[:, 0]
    assert (course[:11] == 4.0).all()
    assert (np.diff(course) <= 0.0).all()
    assert np.abs(np.diff(course)).max() <= 4.0 * H / 0.1
    assert course[-1] < 1e-6
    assert state.faults.stuck == 189
    now, state = VALIDATOR.validate(state, np.array([3.0, 0.0]), True)
    assert now[0] == 3.0


def test_zero_for_ever_is_not_stuck() -> None:
    assert feed([np.zeros(2)] * 100)[1].faults == TorqueFaults()


def test_a_constant_push_on_a_robot_at_rest_is_not_stuck() -> None:
    assert feed([np.ones(2)] * 100, moving=False)[1].faults == TorqueFaults()


def test_a_wrong_number_of_torques_is_refused() -> None:
    with pytest.raises(MessageError, match='2 numbers'):
        VALIDATOR.validate(VALIDATOR.initial(), np.zeros(3), True)
