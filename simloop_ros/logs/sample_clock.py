"""The clock of the sender: when samples were taken, where stamps tell when they were read.

A program that polls a robot reads some samples twice and misses others, and its stamps tell when
it read. With the velocity ``v``, the motion itself tells the time between two samples::

    d = (q_k - q_k-1)^T v / (v^T v)

If nearly all ``d`` are whole multiples of one period, the samples come from a steady clock, and
that is the better stamp. Apart from the period, nothing is taken from later samples.
"""

from __future__ import annotations

import msgspec
import numpy as np

from ..core.values import Array, Flags
from .recording import RobotRecording

JITTER = 0.05
"""Part of a period that stamps may jitter by (rms) and still be those of the samples."""
FEWEST = 200
"""Steps with enough motion that a clock is told from."""
WHOLE = 0.2
"""Part of a period that a time may be off a whole multiple of it."""
STEADY = 0.95
"""Share of the times that have to be whole multiples."""
AGREEMENT = 0.3
"""Part of the way in a period that the ways of all joints may be off together."""
LEAST_SPEED = 1e-3
"""Speed of all joints below which nothing is told [rad/s]."""
FEWEST_TWICE = 3
"""Samples that have to be there twice while the robot moves, where the stamps are even."""
LONGEST = 3.5
"""Multiple of a period up to which the motion tells the time: after that the stamps do."""
LATENCY_MEMORY = 200.0
"""Steps over which the latency of the reader is averaged."""
DRIFT = 6.0
"""Periods that a sample may be away from the mean latency before stamps count again: a reader is
late for some periods now and then, and catches up."""


def on_sender_clock(recording: RobotRecording) -> RobotRecording:
    """Return a recording with the times of its samples, if the motion tells them.

    Rows that are a sample again are left out. A note says what was found.
    """
    time = recording.time
    steps = np.diff(time)
    if len(steps) < FEWEST or (steps < 0.0).any():
        return recording
    middle = float(np.median(steps[steps > 0.0])) if (steps > 0.0).any() else 0.0
    short = steps <= LONGEST * middle
    if recording.velocity is None or not short.any():
        return recording
    mean = 0.5 * (recording.velocity[1:] + recording.velocity[:-1])
    speed = np.linalg.norm(mean, axis=1)
    again = _same_rows(recording) & (speed > LEAST_SPEED)
    jitter = float(steps[short].std())
    twice = int((again & (speed > np.median(speed))).sum())
    if jitter <= JITTER * middle and twice < FEWEST_TWICE:
        return recording
    way = np.diff(recording.position, axis=0)
    told = (way * mean).sum(axis=1) / np.maximum(speed, LEAST_SPEED) ** 2
    period = _period(told, speed, short, middle)
    if period is None:
        return recording
    # Told only where all joints agree: not at rest, nor where positions are too coarse.
    off = np.linalg.norm(way - np.rint(told / period)[:, None] * period * mean, axis=1)
    short &= off < AGREEMENT * period * speed
    ticks = _ticks(np.where(short, told, np.nan) / period, steps / period, again)
    fresh = np.concatenate(([True], ticks > 0))
    count = np.concatenate(([0.0], np.cumsum(ticks)))
    period = float(np.polyfit(count, time, 1)[0])  # the one constant that the whole log gives
    clock = time[0] + period * count
    note = (
        f'stamps come every {1e3 * middle:.4g} ms and jitter by {1e3 * jitter:.2g} ms, but the '
        f'motion shows samples every {1e3 * period:.4g} ms: they were polled; '
        f'{int((ticks == 0).sum())} rows are a sample again and left out, '
        f'{int(np.maximum(ticks - 1, 0).sum())} samples are missing; times are those of the '
        'samples (clock: recorded in a mapping keeps the stamps)'
    )
    kept = msgspec.structs.replace(recording, time=clock).picked(fresh)
    return msgspec.structs.replace(kept, notes=(*recording.notes, note))


def _period(told: Array, speed: Array, short: Flags, middle: float) -> float | None:
    """Return the period that times are whole multiples of [s]; ``None`` if there is none.

    :param told: times by the motion [s].
    :param speed: of all joints [rad/s]; the faster half counts.
    :param middle: about the time between two samples [s].
    """
    fast = told[short & (speed > np.median(speed))]
    single = fast[np.abs(fast - middle) < 0.5 * middle]
    if len(fast) < FEWEST or not single.size:
        return None
    period = float(np.median(single))
    off = np.abs(fast / period - np.rint(fast / period))
    return period if float(np.mean(off < WHOLE)) >= STEADY else None


def _same_rows(recording: RobotRecording) -> Flags:
    """Return which rows have all numbers of the row before, shape ``(rows - 1,)``."""
    same = np.ones(recording.rows - 1, bool)
    for values in (recording.position, recording.velocity, recording.effort, recording.command):
        if values is not None:
            same &= (values[1:] == values[:-1]).all(axis=1)
    return same


def _ticks(told: Array, stamped: Array, again: Flags) -> Array:
    """Return the whole number of periods from each sample to the next.

    :param told: by the motion, NaN where it does not tell; in periods.
    :param stamped: by the stamps, in periods.
    :param again: where all numbers are those of the row before.
    """
    ticks = np.empty(len(told))
    behind, mean = 0.0, 0.0  # of the stamps after the samples, in periods
    for k in range(len(told)):
        expected = behind + stamped[k] - mean
        if np.isfinite(told[k]):
            tick = np.rint(told[k])
        else:
            tick = 0.0 if again[k] else max(np.rint(expected), 1.0)
        if abs(expected - tick) > DRIFT:
            tick = np.rint(expected)
        ticks[k] = max(tick, 0.0)
        behind += stamped[k] - ticks[k]
        mean += (behind - mean) / min(k + 1.0, LATENCY_MEMORY)
    return ticks
