"""Periodic calls by a clock that the test moves."""

from __future__ import annotations

from simloop_ros.ros.pacing.schedule import Schedule

MS = 1_000_000  # [ns]


class Moved:
    """A clock, and when each call was made [ms]."""

    def __init__(self) -> None:
        self.now = 0
        self.calls: list[tuple[str, int]] = []
        self.schedule = Schedule(lambda: self.now)

    def call(self, name: str) -> None:
        self.calls.append((name, self.now // MS))

    def go_to(self, *times: int) -> None:
        for time in times:
            self.now = time * MS
            self.schedule.run()


def test_each_call_keeps_its_period_and_the_earliest_comes_first() -> None:
    moved = Moved()
    moved.schedule.every(0.005, lambda: moved.call('slow'))
    moved.schedule.every(0.002, lambda: moved.call('fast'))
    moved.go_to(*range(11))
    assert [time for name, time in moved.calls if name == 'fast'] == [2, 4, 6, 8, 10]
    assert [time for name, time in moved.calls if name == 'slow'] == [5, 10]
    moved.go_to(15)
    assert moved.calls[-2:] == [('fast', 15), ('slow', 15)]  # due at 12 and at 15


def test_missed_calls_are_made_once_and_the_phase_stays() -> None:
    moved = Moved()
    moved.schedule.every(0.002, lambda: moved.call('fast'))
    moved.go_to(7, 8, 9, 10)
    assert moved.calls == [('fast', 7), ('fast', 8), ('fast', 10)]


def test_the_loop_waits_until_the_next_call_and_no_longer() -> None:
    moved = Moved()
    assert moved.schedule.wait(0.05) == 0.05
    end = moved.schedule.every(0.002, lambda: None)
    assert moved.schedule.wait(0.05) == 0.002
    assert moved.schedule.wait(0.001) == 0.001
    moved.now = 3 * MS
    assert moved.schedule.wait(0.05) == 0.0
    end()
    moved.schedule.run()
    assert moved.schedule.wait(0.05) == 0.05


def test_a_call_may_end_another_one_and_begin_one() -> None:
    moved = Moved()
    schedule = moved.schedule

    def first() -> None:
        moved.call('first')
        end_second()
        schedule.every(0.001, lambda: moved.call('third'))

    end_first = schedule.every(0.002, first)
    end_second = schedule.every(0.002, lambda: moved.call('second'))
    moved.go_to(2)
    end_first()
    end_first()  # again, without harm
    moved.go_to(3, 4)
    assert moved.calls == [('first', 2), ('third', 3), ('third', 4)]
