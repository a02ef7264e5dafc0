"""Timing on a noisy machine: everything side by side, the best of several rounds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
import gc
import time


def best_of(
    candidates: Mapping[str, Callable[[], int]],
    rounds: int,
    progress: Callable[[], None] = lambda: None,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, float]:
    """Return the least cost of each candidate, in seconds per step.

    In every round each candidate runs once, so all of them meet the same machine.

    :param candidates: functions that take some steps and return how many.
    :param progress: called after each run of a candidate.
    :param clock: what is measured [s]: ``time.thread_time`` for the time of the processor alone.
    """
    costs = dict.fromkeys(candidates, float('inf'))
    for _ in range(rounds):
        for name, candidate in candidates.items():
            gc.collect()
            gc.disable()
            try:
                begin = clock()
                steps = candidate()
                elapsed = clock() - begin
            finally:
                gc.enable()
            costs[name] = min(costs[name], elapsed / steps)
            progress()
    return costs
