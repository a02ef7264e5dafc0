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

from ..core.values import Array
from .recording import RobotRecording

JITTER = 0.05
"""Part of a period that stamps may jitter by (rms) and still be those of the samples."""
FEWEST = 200
"""Steps with enough motion that a clock is told from."""
WHOLE = 0.2
"""Part of a period that a time may be off a whole multiple of it."""
STEADY = 0.95
"""Share of the times that have to be whole multiples."""
LEAST_WAYS = 0.05
"""Share of the smallest ways from sample to sample that the resolution of positions is told by."""
RESOLUTIONS = 3.0
"""Resolutions of the positions that the joints have to move in a period to tell the time."""
LONGEST = 3.5
"""Multiple of a period up to which the motion tells the time: after that the stamps do."""
LATENCY_MEMORY = 200.0
"""Steps over which the latency of the reader is averaged."""
DRIFT = 6.0
"""Periods that a sample may be away from the mean latency before stamps count again: a reader is
late for some periods now and then, and catches up."""
ROUNDING = 1e-9
"""Way of a joint that may be rounding [rad]."""


def on_sender_clock(recording: RobotRecording) -> RobotRecording:
    """Return a recording with the times of its samples, if the motion tells them.

    Rows that are a sample again are left out. A note says what was found.
    """
    time = recording.time
    steps = np.diff(time)
    if len(steps) < FEWEST or (steps < 0.0).any():
        return recording
    middle = float(np.median(steps[steps > 0.0])) if (steps > 0.0).any() else 0.0
    near = steps[steps <= LONGEST * middle]
    if not near.size or near.std() <= JITTER * middle:
        return recording
    told = _told_times(recording, middle)
    short = np.isfinite(told) & (steps <= LONGEST * middle)
    period = _period(told[short], middle)
    if period is None:
        return recording
    ticks = _ticks(steps, np.where(short, told, np.nan) / period, steps / period)
    fresh = np.concatenate(([True], ticks > 0))
    count = np.concatenate(([0.0], np.cumsum(ticks)))
    period = float(np.polyfit(count, time, 1)[0])  # the one constant that the whole log gives
    clock = time[0] + period * count
    note = (
        f'the stamps jitter by {1e3 * float(near.std()):.2g} ms, but the motion shows samples '
        f'every {1e3 * period:.4g} ms: the log was polled; {int((ticks == 0).sum())} rows are a '
        f'sample again and left out, {int(np.maximum(ticks - 1, 0).sum())} samples are missing; '
        'times are those of the samples (clock: recorded in a mapping keeps the stamps)'
    )
    kept = msgspec.structs.replace(recording, time=clock).picked(fresh)
    return msgspec.structs.replace(kept, notes=(*recording.notes, note))


def _told_times(recording: RobotRecording, middle: float) -> Array:
    """Return the time from each sample to the next by the motion [s]; NaN where it is too slow.

    :param middle: about the time between two samples [s].
    """
    q = recording.position
    way = np.diff(q, axis=0)
    v = recording.velocity
    if v is None:
        return np.full(len(way), np.nan)
    mean = 0.5 * (v[1:] + v[:-1])
    moved = np.where(np.abs(way) > ROUNDING, np.abs(way), np.nan)
    known = moved[:, np.isfinite(moved).any(axis=0)]
    if not known.size:
        return np.full(len(way), np.nan)
    resolution = float(np.median(np.nanquantile(known, LEAST_WAYS, axis=0)))
    square = np.square(mean).sum(axis=1)
    fast = np.sqrt(square) * middle >= RESOLUTIONS * resolution
    told: Array = np.where(fast, (way * mean).sum(axis=1) / np.where(fast, square, 1.0), np.nan)
    return told


def _period(told: Array, middle: float) -> float | None:
    """Return the period that times are whole multiples of [s]; ``None`` if there is none."""
    single = told[np.abs(told - middle) < 0.5 * middle]
    if len(told) < FEWEST or not single.size:
        return None
    period = float(np.median(single))
    off = np.abs(told / period - np.rint(told / period))
    return period if float(np.mean(off < WHOLE)) >= STEADY else None


def _ticks(steps: Array, told: Array, stamped: Array) -> Array:
    """Return the whole number of periods from each sample to the next.

    :param told: by the motion, NaN where it does not tell; in periods.
    :param stamped: by the stamps, in periods.
    """
    ticks = np.empty(len(steps))
    behind, mean = 0.0, 0.0  # of the stamps after the samples, in periods
    for k in range(len(steps)):
        expected = behind + stamped[k] - mean
        tick = np.rint(told[k]) if np.isfinite(told[k]) else np.rint(expected)
        if abs(behind + stamped[k] - tick - mean) > DRIFT:
            tick = np.rint(expected)
        ticks[k] = max(tick, 0.0)
        behind += stamped[k] - ticks[k]
        mean += (behind - mean) / min(k + 1.0, LATENCY_MEMORY)
    return ticks
