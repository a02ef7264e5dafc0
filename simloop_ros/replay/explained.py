"""Twin against robot: how much of the measured torque a model explains, joint by joint."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
from scipy import signal as filters

from ..collision.explanation import Explainer, Explanation
from ..core.values import Array, Flags
from ..logs.recording import Signal
from ..logs.segments import Segment
from ..robot.model import RobotModel
from .observing import filtered_motion

BANDWIDTH = 50.0
"""Of the causal low-pass filter that both torques pass [rad/s]: 8 Hz, that of a push."""
NYQUIST_SHARE = 0.5
"""Part of the Nyquist frequency that the filter has at most, for slow logs."""
ORDER = 3
SETTLING = 8.0
"""Time that is left out after the start of a segment, in time constants of the filter."""


class Curves(msgspec.Struct, frozen=True):
    """Torques of a recording, low-pass filtered; NaN between two segments.

    :ivar time: [s], shape ``(rows,)``.
    :ivar measured: [N m], shape ``(rows, n)``.
    :ivar explained: [N m], shape ``(rows, n)``.
    """

    time: Array
    measured: Array
    explained: Array

    @property
    def residual(self) -> Array:
        """Return what is not explained [N m], shape ``(rows, n)``."""
        return self.measured - self.explained


class JointFit(msgspec.Struct, frozen=True):
    """How well the torque of a joint is explained.

    :ivar rms: of the measured torque [N m].
    :ivar spread: standard deviation of the measured torque [N m].
    :ivar error_rms: of what is not explained [N m].
    :ivar explained: share of the variance, ``1 - (error rms / spread)^2``; below zero where the
        mean would explain more.
    """

    joint: str
    rms: float
    spread: float
    error_rms: float
    explained: float


def torque_curves(
    segments: Sequence[Segment],
    model: RobotModel,
    explanation: Explanation,
    signal: Signal,
    *,
    zero_phase: bool = False,
) -> Curves:
    """Return measured and explained torques.

    Both pass the same low-pass filter, so that neither lags. The acceleration is the second
    difference of the positions; the velocity, of friction and Coriolis forces, comes from a
    causal filter.

    :param zero_phase: filter forwards and backwards, which nothing that runs live can; only to
        compare with.
    """
    explainer = Explainer(model, explanation)
    gap = np.full((1, model.n), np.nan)
    times, measured, explained = [], [], []
    for segment in segments:
        h, recording = segment.period, segment.recording
        torque = recording.torque(signal)
        assert torque is not None
        q = recording.position
        v = filtered_motion(q, h)[:, 1]
        a = (q[2:] - 2.0 * q[1:-1] + q[:-2]) / h**2
        needed = np.array(
            [explainer.torque(*each) for each in zip(q[1:-1], v[1:-1], a, strict=True)]
        )
        # A command acts in the period before its row.
        given = torque[2:] if signal == 'command' else torque[1:-1]
        bandwidth = min(BANDWIDTH, NYQUIST_SHARE * np.pi / h)
        settled = min(len(needed), int(np.ceil(SETTLING / (bandwidth * h))))
        both = [_low_pass(x, h, bandwidth, zero_phase)[settled:] for x in (given, needed)]
        times += [recording.time[1:-1][settled:], recording.time[-1:]]
        measured += [both[0], gap]
        explained += [both[1], gap]
    return Curves(np.concatenate(times), np.concatenate(measured), np.concatenate(explained))


def _low_pass(values: Array, period: float, bandwidth: float, zero_phase: bool) -> Array:
    """Return filtered values; the filter starts settled at the first one."""
    sections = filters.butter(ORDER, bandwidth * period / np.pi, output='sos')
    if zero_phase:
        both: Array = filters.sosfiltfilt(sections, values, axis=0)
        return both
    start = filters.sosfilt_zi(sections)[:, :, None] * values[0]
    found: Array = filters.sosfilt(sections, values, axis=0, zi=start)[0]
    return found


def joint_fits(curves: Curves, joints: Sequence[str], rows: Flags) -> tuple[JointFit, ...]:
    """Return how well each joint's torque is explained in some rows.

    :param rows: shape ``(rows,)``.
    """
    kept = rows & np.isfinite(curves.measured).all(axis=1)
    measured, residual = curves.measured[kept], curves.residual[kept]
    found = []
    for i, joint in enumerate(joints):
        spread = float(measured[:, i].std())
        error = float(np.sqrt(np.mean(residual[:, i] ** 2)))
        share = 1.0 - (error / spread) ** 2 if spread > 0.0 else float(error == 0.0)
        rms = float(np.sqrt(np.mean(measured[:, i] ** 2)))
        found.append(JointFit(joint, rms, spread, error, share))
    return tuple(found)
