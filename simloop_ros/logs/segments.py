"""Uneven stamps to a uniform period: gaps stay gaps, and nothing is taken from later on.

A resampled value at ``t`` lies on the straight line between the last sample at or before ``t``
and the next one: at most one sample of look-ahead, which a live system has as one sample of
delay. Nothing else is smoothed here.
"""

from __future__ import annotations

from itertools import pairwise

import msgspec
import numpy as np

from ..core.errors import LogError
from ..core.values import Array, Flags
from .recording import RobotRecording

GAP = 5.5
"""Multiple of the period that two samples may be apart without being a gap: up to four that are
lost between them are bridged by the straight line."""
LEAST_ROWS = 8
"""Samples of the shortest segment: a shorter one is left out."""
MOST_BACKWARD = 0.01
"""Share of stamps that may go back before a log is refused."""


class Stamps(msgspec.Struct, frozen=True):
    """What the stamps of a recording are like.

    :ivar period: median time between two samples [s].
    :ivar jitter: standard deviation of the time between two samples, without gaps [s].
    :ivar worst: longest time between two samples that is no gap [s].
    :ivar gaps: number of times longer than ``GAP`` periods.
    :ivar missing: sum of those [s].
    :ivar duplicates: number of samples with the stamp of the one before; left out.
    :ivar backward: number of samples before an earlier one; left out.
    """

    period: float
    jitter: float
    worst: float
    gaps: int
    missing: float
    duplicates: int
    backward: int

    @property
    def even(self) -> bool:
        """Return whether the samples are as they come from a clock, to a thousandth."""
        return self.worst <= 1.001 * self.period and self.jitter <= 1e-3 * self.period

    def line(self) -> str:
        """Return this in words."""
        words = [
            f'{1.0 / self.period:.4g} Hz (median), stamps jitter by {1e3 * self.jitter:.3g} ms '
            f'rms, at most {1e3 * self.worst:.3g} ms apart'
        ]
        if self.gaps:
            words.append(f'{self.gaps} gaps with {self.missing:.3g} s in all')
        if self.duplicates:
            words.append(f'{self.duplicates} samples twice, left out')
        if self.backward:
            words.append(f'{self.backward} stamps back in time, left out')
        return '; '.join(words)


class Segment(msgspec.Struct, frozen=True):
    """A part of a recording without gaps, at a uniform period.

    :ivar period: [s].
    :ivar recording: with time ``start + k period`` from the start of the log [s].
    """

    period: float
    recording: RobotRecording

    @property
    def start(self) -> float:
        """Return the time of its first sample [s]."""
        return float(self.recording.time[0])


def examine_stamps(time: Array, source: str) -> Stamps:
    """Return what stamps are like.

    :param time: as recorded [s], shape ``(rows,)``.
    :raises LogError: they cannot be used: all equal, too few, or often back in time.
    """
    if time.size < LEAST_ROWS:
        raise LogError(f'{source}: {time.size} samples; at least {LEAST_ROWS} are needed')
    steps = np.diff(time)
    if not steps.any():
        raise LogError(
            f'{source}: all {time.size} stamps are equal: the log has none; give the rate of the '
            'samples in a mapping (rate: ...), or stamps: received for a bag'
        )
    kept = time[_growing(time)]
    duplicates = int((steps == 0.0).sum())
    backward = time.size - kept.size - duplicates
    if backward > MOST_BACKWARD * time.size:
        first = int(np.argmax(steps < 0.0))
        raise LogError(
            f'{source}: {backward} of {time.size} stamps go back in time, the first after '
            f'{time[first]:g} s: two logs in one file, or rows out of order; sort or split them'
        )
    steps = np.diff(kept)
    period = float(np.median(steps))
    close = steps[steps <= GAP * period]
    return Stamps(
        period=period,
        jitter=float(close.std()),
        worst=float(close.max()),
        gaps=int((steps > GAP * period).sum()),
        missing=float(steps[steps > GAP * period].sum()),
        duplicates=duplicates,
        backward=backward,
    )


def uniform_segments(
    recording: RobotRecording, period: float | None = None
) -> tuple[Segment, ...]:
    """Return the parts of a recording between its gaps, at a uniform period.

    Samples that are as even as a clock's are taken as they are.

    :param period: [s]; the median of the recording's where none is given.
    :raises LogError: the stamps cannot be used, or no part is long enough.
    """
    stamps = examine_stamps(recording.time, recording.source)
    h = stamps.period if period is None else period
    clean = recording.picked(_growing(recording.time))
    ends = np.flatnonzero(np.diff(clean.time) > GAP * max(stamps.period, h)) + 1
    found = []
    for first, end in pairwise([0, *ends.tolist(), clean.rows]):
        part = clean.picked(slice(first, end))
        if part.rows >= LEAST_ROWS and part.duration >= LEAST_ROWS * h:
            found.append(Segment(h, _resampled(part, h, even=period is None and stamps.even)))
    if not found:
        raise LogError(
            f'{recording.source}: no {LEAST_ROWS} samples without a gap of more than {GAP:g} '
            f'periods of {h:g} s between them: {stamps.line()}'
        )
    return tuple(found)


def _growing(time: Array) -> Flags:
    """Return which stamps are later than all before them."""
    before = np.concatenate(([-np.inf], np.maximum.accumulate(time)[:-1]))
    later: Flags = time > before
    return later


def _resampled(part: RobotRecording, h: float, *, even: bool) -> RobotRecording:
    count = int(np.floor(part.duration / h * (1.0 + 1e-12))) + 1
    time = part.time[0] + h * np.arange(part.rows if even else count)
    if even:
        return msgspec.structs.replace(part, time=time)

    def line(values: Array | None) -> Array | None:
        if values is None:
            return None
        return np.column_stack([np.interp(time, part.time, column) for column in values.T])

    position = line(part.position)
    assert position is not None
    return msgspec.structs.replace(
        part,
        time=time,
        position=position,
        velocity=line(part.velocity),
        effort=line(part.effort),
        command=line(part.command),
    )
