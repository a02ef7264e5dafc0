"""Steps that were not observed are filled, those of a long gap are not."""

from __future__ import annotations

import numpy as np

from simloop_ros.collision.observation import Observation
from simloop_ros.core.values import JointState
from simloop_ros.ros.messages.stamps import stamp_of
from simloop_ros.ros.pacing.step_monitor import MAX_GAP, GapFiller

H = 0.01  # s
PERIOD = stamp_of(1, H)
EPOCH = 1_700_000_000 * 10**9
ACCELERATION = 3.0  # rad per step^2


def position(step: int) -> np.ndarray:
    """Return a motion with one acceleration."""
    return np.array([0.5 * ACCELERATION * step * (step + 1), 2.0 * step])


def seen(step: int) -> Observation:
    q = position(step)
    state = JointState(q + 0.001, np.full(2, float(step)))
    return Observation(0.0, q, np.full(2, 7.0), q, state, np.zeros(2))


def observe(filler: GapFiller, *steps: int) -> list[list[Observation]]:
    return [filler.steps(EPOCH + step * PERIOD, seen(step)) for step in steps]


def times(rows: list[list[Observation]]) -> list[int]:
    return [round(each.time / H) for row in rows for each in row]


def test_without_a_gap_nothing_is_filled() -> None:
    for realtime in (False, True):
        filler = GapFiller(H, realtime=realtime)
        rows = observe(filler, 1, 2, 3)
        assert times(rows) == [1, 2, 3]
        assert filler.filled == 0
        np.testing.assert_array_equal(rows[2][0].measured, position(3))


def test_a_gap_is_filled_with_one_acceleration_under_the_command_that_was_kept() -> None:
    filler = GapFiller(H, realtime=True)
    rows = observe(filler, 1, 2, 6, 7)
    assert times(rows) == [1, 2, 3, 4, 5, 6, 7]
    assert filler.filled == 3
    for step, each in zip((3, 4, 5, 6), rows[2], strict=True):
        np.testing.assert_allclose(each.measured, position(step), atol=1e-12)
        np.testing.assert_array_equal(each.desired, position(6))
        np.testing.assert_array_equal(each.effort, np.full(2, 7.0))
    np.testing.assert_array_equal(rows[2][0].state.position, rows[2][0].measured)
    np.testing.assert_array_equal(rows[2][0].state.velocity, np.full(2, 6.0))
    np.testing.assert_array_equal(rows[2][-1].state.position, position(6) + 0.001)


def test_positions_that_were_filled_count_for_the_next_gap() -> None:
    filler = GapFiller(H, realtime=True)
    rows = observe(filler, 1, 2, 4, 6)
    assert times(rows) == [1, 2, 3, 4, 5, 6]
    np.testing.assert_allclose(rows[3][0].measured, position(5), atol=1e-12)


def test_the_longest_gap_is_filled_and_a_longer_one_is_a_jump_of_the_time() -> None:
    filler = GapFiller(H, realtime=True)
    rows = observe(filler, 1, 2, 2 + MAX_GAP)
    assert times(rows) == list(range(1, 3 + MAX_GAP))
    filler = GapFiller(H, realtime=True)
    rows = observe(filler, 1, 2, 3 + MAX_GAP, 4 + MAX_GAP)
    assert filler.filled == 0
    assert times(rows) == [1, 2, 3 + MAX_GAP, 4 + MAX_GAP]


def test_a_gap_after_a_single_sample_or_back_in_time_is_not_filled() -> None:
    for steps in ((1, 3), (5, 6, 4)):
        filler = GapFiller(H, realtime=True)
        rows = observe(filler, *steps)
        assert filler.filled == 0
        assert times(rows)[-1] - times(rows)[-2] == 1 + MAX_GAP


def test_in_lockstep_stamps_do_not_matter() -> None:
    filler = GapFiller(H, realtime=False)
    assert times(observe(filler, 1, 2, 6, 99)) == [1, 2, 3, 4]
