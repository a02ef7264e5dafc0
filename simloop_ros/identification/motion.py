"""Motion and torque of a log, ready for a regression: the same filters for both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from ..core.errors import ConfigError
from ..core.values import Array
from .low_pass import FilterForm, Indices, Kernel, hann_kernel, low_pass

CUTOFF_SHARE = 0.2
"""Largest part of the sampling rate that the cut-off may be."""
SMOOTHING_WIDTH = 0.018
"""Width of the filter before the derivatives [s]: it passes 40 Hz."""
REGRESSOR_RATE = 200.0
"""Rate at which the regressor is computed before its low-pass filter [1/s]."""
ROWS_PER_CYCLE = 4.0
"""Rows of the regression in a period of the cut-off frequency."""
STENCIL = 2
"""Samples on either side that a derivative needs."""
FIRST_DERIVATIVE = np.array([1.0, -8.0, 0.0, 8.0, -1.0]) / 12.0
SECOND_DERIVATIVE = np.array([-1.0, 16.0, -30.0, 16.0, -1.0]) / 12.0
"""Weights of five samples: errors of fourth order in the period."""
CHUNK = 256
"""Rows whose unfiltered regressors are in memory at once."""
LEAST_ROWS = 20
"""Rows of a log below which there is nothing to learn from."""


@dataclass(frozen=True)
class Stretch:
    """A part of a log without gaps, equally spaced in time.

    :ivar start: time of the first sample [s].
    :ivar period: time between two samples [s].
    :ivar position: measured [rad], shape ``(samples, n)``.
    :ivar torque: measured, or commanded [N m], shape ``(samples, n)``.
    """

    start: float
    period: float
    position: Array
    torque: Array

    @property
    def duration(self) -> float:
        """Return the time from the first to the last sample [s]."""
        return (len(self.position) - 1) * self.period

    def between(self, first: float, last: float) -> Stretch:
        """Return the samples from a time on and before another [s]."""
        time = self.start + self.period * np.arange(len(self.position))
        kept = np.flatnonzero((time >= first) & (time < last))
        begin, end = (kept[0], kept[-1] + 1) if kept.size else (0, 0)
        return Stretch(
            float(time[begin]) if kept.size else first,
            self.period,
            self.position[begin:end],
            self.torque[begin:end],
        )


@dataclass(frozen=True)
class Track:
    """A stretch before its low-pass filter, and the rows at which that one is evaluated.

    :ivar time: of the rows [s], shape ``(rows,)``.
    :ivar position: smoothed [rad], shape ``(samples, n)``; ``velocity`` [rad/s], ``acceleration``
        [rad/s^2] and ``torque`` [N m] likewise.
    :ivar rows: indices of samples, shape ``(rows,)``.
    """

    time: Array
    position: Array
    velocity: Array
    acceleration: Array
    torque: Array
    kernel: Kernel
    rows: Indices

    def filtered(self, values: Array) -> Array:
        """Return the values at the rows after the low-pass filter.

        :param values: at every sample, shape ``(samples, ...)``.
        """
        return self.kernel.apply(values, self.rows)

    def filtered_regressor(self, pin_model: pin.Model) -> Array:
        """Return the filtered regressor of the joint torques, shape ``(rows, n, 10 n)``.

        Torque and regressor go through the same filter ``L``, so that ``L tau = (L Y) phi`` holds
        whatever its phase is. (Pinocchio returns the regressor of a single joint as a vector.)
        """
        data = pin_model.createData()
        n = pin_model.nv
        parts = [np.zeros((0, n, 10 * n))]
        for first in range(0, len(self.rows), CHUNK):
            rows = self.rows[first : first + CHUNK]
            begin = rows[0] - self.kernel.behind
            columns = np.array(
                [
                    pin.computeJointTorqueRegressor(
                        pin_model, data, self.position[i], self.velocity[i], self.acceleration[i]
                    )
                    for i in range(begin, rows[-1] + self.kernel.ahead + 1)
                ]
            ).reshape(-1, n, 10 * n)
            parts.append(self.kernel.apply(columns, rows - begin))
        return np.concatenate(parts)


def usable_cutoff(period: float, cutoff: float) -> float:
    """Return the cut-off frequency [Hz], lower where the log has too few samples for it."""
    return min(cutoff, CUTOFF_SHARE / period)


def track(stretch: Stretch, cutoff: float, form: FilterForm) -> Track:
    """Return a stretch with its derivatives, prepared for the low-pass filter.

    Positions and torques are smoothed by the same symmetric filter, derivatives are differences
    over five samples, and all that is thinned out to about ``REGRESSOR_RATE``.
    """
    h = stretch.period
    smooth = hann_kernel(h, SMOOTHING_WIDTH)
    stride = max(1, int(1.0 / (REGRESSOR_RATE * h)))
    edge = STENCIL + smooth.ahead
    middle: Indices = np.arange(edge, len(stretch.position) - edge, stride, dtype=np.intp)
    shifts = range(-STENCIL, STENCIL + 1)
    q = np.stack([smooth.apply(stretch.position, middle + shift) for shift in shifts])
    kernel = low_pass(stride * h, usable_cutoff(h, cutoff), form)
    spacing = max(1, round(1.0 / (ROWS_PER_CYCLE * usable_cutoff(h, cutoff) * stride * h)))
    rows: Indices = np.arange(kernel.behind, len(middle) - kernel.ahead, spacing, dtype=np.intp)
    return Track(
        time=stretch.start + h * middle[rows].astype(float),
        position=q[STENCIL],
        velocity=np.tensordot(FIRST_DERIVATIVE, q, 1) / h,
        acceleration=np.tensordot(SECOND_DERIVATIVE, q, 1) / h**2,
        torque=smooth.apply(stretch.torque, middle),
        kernel=kernel,
        rows=rows,
    )


def tracks(stretches: Sequence[Stretch], cutoff: float, form: FilterForm) -> list[Track]:
    """Return the stretches that are long enough for the filters.

    :raises ConfigError: all together have next to nothing.
    """
    found = list(_long_enough(stretches, cutoff, form))
    rows = sum(len(each.rows) for each in found)
    if rows < LEAST_ROWS:
        duration = sum(stretch.duration for stretch in stretches)
        raise ConfigError(
            f'the log is too short: {duration:.3g} s give {rows} rows after the filters, at least '
            f'{LEAST_ROWS} are needed; record more, or take a larger part with --fit-on'
        )
    return found


def _long_enough(stretches: Sequence[Stretch], cutoff: float, form: FilterForm) -> Iterator[Track]:
    for stretch in stretches:
        made = track(stretch, cutoff, form)
        if made.rows.size:
            yield made
