"""Rows are complete, in order, and nothing is lost or doubled, whatever the order of arrival."""

from __future__ import annotations

import random
from typing import Any

import pytest

from simloop_ros.ros.messages.stamps import stamp_of
from simloop_ros.ros.pacing.rows import MAX_INCOMPLETE_ROWS, RowJoiner

PERIOD = 0.001
STEPS = 50
EARLY, LATE, STATE, LASTING = 'command', 'measured', 'state', 'correction'


def joiner(*, realtime: bool = False, window: int = 1000) -> RowJoiner:
    return RowJoiner(STATE, (EARLY,), (LATE,), PERIOD, window=window, realtime=realtime)


def messages(steps: int = STEPS) -> list[tuple[str, int, str]]:
    """Return all messages of a run; the content tells the step."""
    return [
        part
        for k in range(steps)
        for part in (
            (EARLY, stamp_of(k, PERIOD), f'{EARLY} {k}'),
            (LATE, stamp_of(k + 1, PERIOD), f'{LATE} {k}'),
            (STATE, stamp_of(k + 1, PERIOD), f'{STATE} {k}'),
        )
    ]


def expected(steps: int = STEPS) -> list[tuple[str, ...]]:
    return [(f'{EARLY} {k}', f'{LATE} {k}', f'{STATE} {k}') for k in range(steps)]


@pytest.mark.parametrize('seed', range(5))
def test_any_order_gives_the_same_rows(seed: int) -> None:
    rows = joiner()
    found = []
    mixed = messages() + messages()[::3]  # some of them twice
    random.Random(seed).shuffle(mixed)
    for topic, stamp, content in mixed:
        rows.add(topic, stamp, content)
        found += rows.complete()
    assert found == expected()
    assert (rows.rows, rows.dropped) == (STEPS, 0)


def test_what_is_lost_is_missing_and_a_gap_once_later_ones_are_there() -> None:
    rows = joiner()
    lost = (LATE, stamp_of(1, PERIOD))
    for topic, stamp, content in messages(3):
        if (topic, stamp) != lost:
            rows.add(topic, stamp, content)
    assert list(rows.complete()) == []
    assert list(rows.missing()) == [lost]
    assert list(rows.gaps()) == [lost]
    rows.add(*lost, f'{LATE} 0')
    assert list(rows.complete()) == expected(3)
    assert list(rows.gaps()) == []
    assert {topic for topic, _ in rows.missing()} == {EARLY, LATE, STATE}


def test_nothing_is_a_gap_before_later_ones_of_its_topic_came() -> None:
    rows = joiner()
    rows.add(EARLY, 0, '')
    assert list(rows.gaps()) == []
    assert list(rows.missing()) == [
        (LATE, stamp_of(1, PERIOD)),
        (STATE, stamp_of(1, PERIOD)),
    ]


def test_a_full_window_still_takes_what_the_next_row_needs() -> None:
    window = 5
    rows = joiner(window=window)
    for topic, stamp, content in messages()[1:]:
        rows.add(topic, stamp, content)
    assert list(rows.complete()) == []
    rows.add(*messages()[0])
    assert list(rows.complete()) == expected(window)


def test_in_real_time_the_states_tell_the_steps() -> None:
    """Stamps are what they are; the row between two states has the command of the first."""
    rows = joiner(realtime=True)
    stamps = [17, 2_000_123, 3_999_000]
    rows.add(EARLY, stamps[0], 'before the first state is known')
    for number, stamp in enumerate(stamps):
        rows.add(STATE, stamp, f'state {number}')
        rows.add(LATE, stamp, f'measured {number}')
        rows.add(EARLY, stamp, f'command {number}')
    assert list(rows.complete()) == [
        ('command 0', 'measured 1', 'state 1'),
        ('command 1', 'measured 2', 'state 2'),
    ]
    assert list(rows.missing()) == []


def test_in_real_time_a_row_that_stays_incomplete_is_left_out() -> None:
    rows = joiner(realtime=True)
    found = []
    lost = 3
    total = MAX_INCOMPLETE_ROWS + 10
    for k in range(total):
        rows.add(STATE, k + 1, f'{STATE} {k - 1}')
        rows.add(LATE, k + 1, f'{LATE} {k - 1}')
        if k != lost:
            rows.add(EARLY, k + 1, f'{EARLY} {k}')
        found += rows.complete()
    assert found == [row for k, row in enumerate(expected(total - 1)) if k != lost]
    assert rows.dropped == 1


def test_in_real_time_a_row_is_not_waited_for_once_later_ones_of_its_topic_came() -> None:
    """Before control takes over there are states without commands: no reason to lag behind."""
    rows = joiner(realtime=True)
    for stamp in range(1, 11):
        rows.add(STATE, stamp, f'state {stamp}')
        rows.add(LATE, stamp, f'measured {stamp}')
        assert list(rows.complete()) == []
    rows.add(EARLY, 10, 'command 10')
    rows.add(LATE, 11, 'measured 11')
    rows.add(STATE, 11, 'state 11')
    assert list(rows.complete()) == [('command 10', 'measured 11', 'state 11')]
    assert rows.dropped == 9


SILENT = 20  # step from which nothing lasting is told


def lasting_rows(*, realtime: bool, lost: tuple[int, ...] = ()) -> tuple[list[Any], RowJoiner]:
    """Return rows with a topic that falls silent, or of which some words get lost."""
    early, late = (EARLY, LASTING), (LATE,)
    rows = RowJoiner(
        STATE, early, late, PERIOD, window=1000, realtime=realtime, lasting=(LASTING,)
    )
    found: list[Any] = []
    rows.add(STATE, 0, 'before')
    for k in range(3 * MAX_INCOMPLETE_ROWS):
        for topic, stamp, content in messages(k + 1)[-3:]:
            rows.add(topic, stamp, content)
        if k < SILENT and k not in lost:
            rows.add(LASTING, stamp_of(k, PERIOD), f'{LASTING} {k}')
        found += rows.complete()
    return found, rows


def test_in_real_time_the_last_word_of_who_is_silent_counts() -> None:
    found, rows = lasting_rows(realtime=True, lost=(7, 8))
    told = [int(row[1].split()[1]) for row in found]
    assert [row[0] for row in found] == [f'{EARLY} {k}' for k in range(len(found))]
    assert told == [*range(7), 6, 6, *range(9, SILENT), *[SILENT - 1] * (len(found) - SILENT)]
    assert len(found) > 2 * MAX_INCOMPLETE_ROWS
    assert rows.dropped == 0


def test_rows_far_apart_are_not_waited_for() -> None:
    """A robot that is late itself publishes a state every 100 periods, and someone is silent."""
    rows = RowJoiner(
        STATE, (EARLY,), (LATE,), PERIOD, window=1000, realtime=True, lasting=(EARLY,)
    )
    found: list[Any] = []
    rows.add(STATE, 0, 'before')
    rows.add(EARLY, 0, 'the last')
    for stamp in range(0, 10_000, 100):
        rows.add(STATE, stamp_of(stamp, PERIOD), stamp)
        rows.add(LATE, stamp_of(stamp, PERIOD), stamp)
        found += rows.complete()
    assert found == [('the last', stamp, stamp) for stamp in range(100, 9900, 100)]


def test_who_never_spoke_has_no_last_word() -> None:
    found, rows = lasting_rows(realtime=True, lost=tuple(range(SILENT)))
    assert found == []
    assert rows.dropped > MAX_INCOMPLETE_ROWS


def test_in_lockstep_every_word_counts() -> None:
    found, rows = lasting_rows(realtime=False, lost=(7,))
    assert len(found) == 7
    assert (LASTING, stamp_of(7, PERIOD)) in rows.missing()
