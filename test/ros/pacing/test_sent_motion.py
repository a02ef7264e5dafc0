"""What setpoints ask for at a moment."""

from __future__ import annotations

import numpy as np
import pytest

from simloop_ros.core.values import Setpoint
from simloop_ros.ros.messages.stamps import stamp_of
from simloop_ros.ros.pacing.sent_motion import SentMotion

H = 0.01
SPEED = 2.0


def position(time: float) -> Setpoint:
    """Return the setpoint of a motion at a constant speed, desired at a time [s]."""
    return Setpoint(np.array([SPEED * time]), np.array([SPEED]))


def sent(steps: int) -> SentMotion:
    motion = SentMotion(H)
    for step in range(steps):
        motion.note(stamp_of(step, H), position((step + 1) * H))
    return motion


def desired(motion: SentMotion, stamp: int) -> float:
    state = motion.at(stamp)
    assert state is not None
    return float(state.position[0])


def test_a_setpoint_is_of_the_end_of_its_step() -> None:
    motion = sent(20)
    assert motion.end == stamp_of(20, H)
    assert desired(motion, stamp_of(7, H)) == pytest.approx(SPEED * 7 * H)


def test_between_steps_the_motion_goes_on_at_its_speed() -> None:
    motion = sent(20)
    for share in (-0.4, 0.3, 0.49):
        stamp = stamp_of(7, H) + round(share * stamp_of(1, H))
        assert desired(motion, stamp) == pytest.approx(SPEED * (7 + share) * H)


def test_what_was_sent_again_for_another_motion_counts() -> None:
    motion = sent(20)
    for step in range(5, 12):
        motion.note(stamp_of(step, H), Setpoint(np.array([-1.0]), np.zeros(1)))
    assert desired(motion, stamp_of(8, H)) == -1.0
    assert desired(motion, stamp_of(5, H)) == pytest.approx(SPEED * 5 * H)


def test_what_is_only_expected_or_no_position_is_left_out() -> None:
    motion = sent(3)
    one = np.ones(1)
    for setpoint in (
        Setpoint(one, one, predicted=True),
        Setpoint(one, one, effort=one),
        Setpoint(one, one, follows=True),
    ):
        motion.note(stamp_of(3, H), setpoint)
    assert motion.end == stamp_of(3, H)


def test_before_the_first_setpoint_nothing_is_known() -> None:
    assert SentMotion(H).at(0) is None
    assert SentMotion(H).end is None
    assert sent(3).at(0) is None
