"""How long after a command a real robot does it, from what a run has logged."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import numpy as np
import pinocchio as pin

from ..core.values import Array
from ..maths.lag import FEWEST, Lag, find_lag
from ..robot.model import RobotModel
from .columns import DESIRED_POSITION, EFFORT, MEASURED_POSITION
from .facts import DrivenRun
from .log import LogRows

LONGEST = 0.15
"""Lag that is looked for [s]; at least ``FEWEST_PERIODS``."""
FEWEST_PERIODS = 8
MARGIN = 0.5
"""Time before the first motion that is used [s]."""
DURATION, MOST_ROWS = 10.0, 200_000
"""Time of motion that is used [s], and rows in which it has to begin."""
MOVING = 1e-3
"""Speed of a setpoint from which on it moves [rad/s]."""
SMOOTHED = 0.08
"""Width of the filter of efforts and motion [s]; at least ``SMOOTHED_PERIODS``."""
SMOOTHED_PERIODS = 4
SLIPPING = 0.01
"""Speed at which dry friction has most of its size [rad/s]."""
POSITION_FLOOR, EFFORT_FLOOR = 1e-6, 1e-3
"""Errors that no measurement is below [rad], [N m]."""
DOUBT = 2.0
"""Standard errors within which a lag is not called wrong."""
MOST_FILLED = 0.2
"""Share of periods without a row from which on nothing is said."""


class CommandLag(msgspec.Struct, frozen=True):
    """How long commands take, and what the driver file says [s].

    :ivar error: standard error of ``lag``.
    """

    lag: float
    error: float
    declared: float
    period: float

    @property
    def words(self) -> str:
        """Return what is to be corrected in the driver file; empty if nothing is."""
        if self.lag <= self.declared + self.period + DOUBT * self.error:
            return ''
        return (
            f'commands take effect after {1e3 * self.lag:.3g} ms (standard error '
            f'{1e3 * self.error:.2g} ms), and the driver file says {1e3 * self.declared:.3g} ms: '
            f'write lag: {self.lag:.3f} into it'
        )


def measure_lag(
    model: RobotModel, log: LogRows, row_steps: Array, period: float, driven: DrivenRun
) -> CommandLag | None:
    """Return the lag of a run's first motion; none if it cannot be seen in it.

    :param row_steps: periods from the end of the row before to that of each, shape ``(rows,)``.
    """
    rows = _uniform(log, row_steps, period)
    if rows is None:
        return None
    desired, effort, measured = rows
    if driven.takes == 'position':
        found = position_lag(desired, measured, period)
    else:
        handled = driven.gravity_handled
        found = effort_lag(model, effort, measured, period, gravity_handled=handled)
    if found is None:
        return None
    return CommandLag(period * found.lag, period * found.error, driven.lag, period)


def position_lag(desired: Array, measured: Array, period: float) -> Lag | None:
    """Return by how many periods a robot is later than the positions that it is sent::

        q_d(t) = q(t + L) + c

    with a constant ``c``: a servo sags.

    :param desired: for the end of each row [rad], shape ``(m, n)``.
    :param measured: at the end of each row [rad], shape ``(m, n)``.
    """

    def explaining(times: Array) -> Array:
        position = _between(measured, times)
        return np.stack((position, np.ones_like(position)), axis=2)

    return find_lag(desired, explaining, POSITION_FLOOR, _longest(period))


def effort_lag(
    model: RobotModel, effort: Array, measured: Array, period: float, *, gravity_handled: bool
) -> Lag | None:
    """Return by how many periods a robot's motion is later than the efforts that it is sent::

        u(t) = b_1 (M a + C v)(t + L) + b_2 g + b_3 v + b_4 tanh(v / v_0) + b_5

    joint by joint: masses and friction may be wrong. Both sides pass the same filter without a
    phase. An effort acts for the period after its stamp, so its time is in the middle of that; a
    simulated robot whose integrator has the new velocity for the whole step is half a period
    early.

    :param effort: with gravity, of each row [N m], shape ``(m, n)``.
    :param measured: at the end of each row [rad], shape ``(m, n)``.
    """
    half = max(1, round(0.5 * max(SMOOTHED, SMOOTHED_PERIODS * period) / period))
    if len(measured) < 2 * half + FEWEST:
        return None
    now, ahead, behind = measured[1:-1], measured[2:], measured[:-2]
    q = _smooth(now, half)
    v = _smooth(ahead - behind, half) / (2.0 * period)
    a = _smooth(ahead - 2.0 * now + behind, half) / period**2
    data, still = model.pin_model.createData(), np.zeros(model.n)
    gravity = np.array([pin.rnea(model.pin_model, data, x, still, still) for x in q])
    total = np.array(
        [pin.rnea(model.pin_model, data, *each) for each in zip(q, v, a, strict=True)]
    )
    drive = _smooth(effort[1:-1], half)
    if gravity_handled:
        drive = drive - gravity
    parts = (total - gravity, gravity, v, np.tanh(v / SLIPPING), np.ones_like(v))
    stacked = np.stack(parts, axis=2)
    # The row's effort is at the middle of its period, the motion at its end.
    return find_lag(
        drive, lambda times: _between(stacked, times - 0.5), EFFORT_FLOOR, _longest(period)
    )


def _longest(period: float) -> float:
    return max(float(FEWEST_PERIODS), LONGEST / period)


def _smooth(values: Array, half: int) -> Array:
    """Return values behind a Hann window of ``2 half + 1`` samples, where all of them are."""
    weights = np.hanning(2 * half + 3)[1:-1]
    weights /= weights.sum()
    return np.stack([np.convolve(each, weights, 'valid') for each in values.T], axis=1)


def _between(values: Array, times: Array) -> Array:
    """Return values between samples, shape ``(len(times), ...)``; times in samples."""
    times = np.clip(times, 0.0, len(values) - 1.0)
    left = np.minimum(times.astype(np.intp), len(values) - 2)
    share = (times - left).reshape(-1, *(1,) * (values.ndim - 1))
    blended: Array = (1.0 - share) * values[left] + share * values[left + 1]
    return blended


def _uniform(log: LogRows, row_steps: Array, period: float) -> tuple[Array, ...] | None:
    """Return setpoints, efforts and positions of the first motion, one row per period.

    In periods without a row the last command stands, and positions are interpolated. None where
    nothing moves, or too many rows are missing.
    """
    blocks = [block[:, (DESIRED_POSITION, EFFORT, MEASURED_POSITION)] for block in _beginning(log)]
    if not blocks:
        return None
    columns = np.concatenate(blocks)
    step = np.abs(np.diff(columns[:, 0], axis=0)).max(axis=1, initial=0.0)
    moving = np.flatnonzero(step > MOVING * period)
    if not moving.size:
        return None
    first = max(0, int(moving[0]) - round(MARGIN / period))
    rows = columns[first : first + round(DURATION / period)]
    ends = np.cumsum(row_steps[first : first + len(rows)])
    times = np.arange(ends[0], ends[-1] + 1.0)
    if len(times) > (1.0 + MOST_FILLED) * len(rows):
        return None
    last = np.searchsorted(ends, times, side='right') - 1
    measured = np.stack([np.interp(times, ends, q) for q in rows[:, 2].T], axis=1)
    return rows[last, 0], rows[last, 1], measured


def _beginning(log: LogRows) -> Iterator[Array]:
    """Yield blocks of a log up to ``MOST_ROWS``."""
    read = 0
    for block in log.chunks():
        yield block
        read += len(block)
        if read >= MOST_ROWS:
            return
