"""Twin against robot: how much of the measured torque a model explains, joint by joint."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from ..collision.explanation import Explanation
from ..core.values import Array, Flags
from ..identification.config import CUTOFF
from ..identification.low_pass import FilterForm
from ..identification.motion import Stretch
from ..identification.validation import compare
from ..logs.recording import Signal
from ..logs.segments import Segment
from ..robot.model import RobotModel

BREAK = 2.5
"""Times that two rows may be further apart than usual before there is a break between them."""


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
    form: FilterForm = 'causal',
) -> Curves:
    """Return measured and explained torques, as ``simloop identify`` compares them.

    Both pass the same low-pass filter, so that neither lags.

    :param form: ``zero_phase`` looks ahead, which nothing that runs live can; only to compare
        with.
    """
    stretches = [_stretch(segment, signal) for segment in segments]
    found = compare(model, {'model': explanation}, stretches, CUTOFF, form)
    breaks = np.flatnonzero(np.diff(found.time) > BREAK * np.median(np.diff(found.time))) + 1
    return Curves(
        np.insert(found.time, breaks, found.time[breaks - 1]),
        np.insert(found.measured, breaks, np.nan, axis=0),
        np.insert(found.expected['model'], breaks, np.nan, axis=0),
    )


def _stretch(segment: Segment, signal: Signal) -> Stretch:
    """Return a segment with its torques; a command acts in the period before its row."""
    recording = segment.recording
    torque = recording.torque(signal)
    assert torque is not None
    if signal == 'measured':
        return Stretch(segment.start, segment.period, recording.position, torque)
    return Stretch(segment.start, segment.period, recording.position[:-1], torque[1:])


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
