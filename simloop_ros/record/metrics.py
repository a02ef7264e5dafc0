"""The numbers that sum up a run, from one pass over its log."""

from __future__ import annotations

from collections.abc import Mapping
import hashlib
import math

import msgspec
import numpy as np

from ..core.values import Array
from .columns import COLUMNS, EFFORT
from .log import LogRows

DIFFERENCES: Mapping[str, tuple[str, str]] = {
    'force_difference': ('effort', 'rollback_effort'),
    'path_difference': ('measured_position', 'desired_position'),
    'velocity_difference': ('velocity', 'desired_velocity'),
}
"""Difference -> the column, and what is taken from it: 000, section 6.2."""


class Metrics(msgspec.Struct, frozen=True):
    """Tracking errors, and how well the control simulation explains the motion.

    ``rms`` is over all steps and joints, ``max`` is the largest absolute value; a log without rows
    gives zeros. Joints in rad and in m go into one number, as they are.

    :ivar path_error_rms: measured minus desired position [rad], with ``path_error_max``.
    :ivar true_path_error_rms: true minus desired position [rad], with ``true_path_error_max``.
    :ivar force_difference_rms: tau - tau' [N m], with ``force_difference_max``.
    :ivar force_difference_end: tau - tau' of each joint in the last step [N m], shape ``(n,)``.
    :ivar velocity_difference_rms: v - v_c [rad/s].
    :ivar effort_max: largest effort of each joint [N m], shape ``(n,)``.
    :ivar digest: SHA-256 over the float64 bytes of all rows, in hex.
    """

    path_error_rms: float
    path_error_max: float
    true_path_error_rms: float
    true_path_error_max: float
    force_difference_rms: float
    force_difference_max: float
    force_difference_end: tuple[float, ...]
    velocity_difference_rms: float
    effort_max: tuple[float, ...]
    digest: str


class _Spread:
    """Running rms and absolute maximum; a NaN anywhere shows in both."""

    def __init__(self) -> None:
        self._squares = 0.0
        self._count = 0
        self.max = 0.0

    def add(self, values: Array) -> None:
        flat = values.ravel()
        # Not flat @ flat: its last bit depends on how many threads BLAS has.
        self._squares += float(np.square(flat).sum())
        self._count += flat.size
        self.max = float(np.maximum(self.max, np.abs(flat).max()))

    @property
    def rms(self) -> float:
        return math.sqrt(self._squares / self._count) if self._count else 0.0


def difference(block: Array, minuend: str, subtrahend: str) -> Array:
    """Return one column minus another, shape ``(rows, n)``, of a block ``(rows, columns, n)``."""
    return block[:, COLUMNS.index(minuend)] - block[:, COLUMNS.index(subtrahend)]


def compute_metrics(log: LogRows, beside: LogRows | None = None) -> Metrics:
    """Read the log once, block by block, and return its metrics.

    :param beside: another log of the same run, for the digest.
    """
    path, true_path, force, velocity = (_Spread() for _ in range(4))
    force_end = np.zeros(log.n)
    effort_max = np.zeros(log.n)
    digest = hashlib.sha256()
    # A run that diverged holds inf and NaN, and so do its metrics, without a warning.
    with np.errstate(invalid='ignore', over='ignore'):
        for block in log.chunks():
            path.add(difference(block, *DIFFERENCES['path_difference']))
            true_path.add(difference(block, 'true_position', 'desired_position'))
            force_difference = difference(block, *DIFFERENCES['force_difference'])
            force.add(force_difference)
            force_end = force_difference[-1]
            velocity.add(difference(block, *DIFFERENCES['velocity_difference']))
            effort = np.abs(block[:, EFFORT])
            effort_max = np.maximum(effort_max, effort.max(axis=0))
            digest.update(np.ascontiguousarray(block).data)
    for block in beside.chunks() if beside is not None else ():
        digest.update(np.ascontiguousarray(block).data)
    return Metrics(
        path_error_rms=path.rms,
        path_error_max=path.max,
        true_path_error_rms=true_path.rms,
        true_path_error_max=true_path.max,
        force_difference_rms=force.rms,
        force_difference_max=force.max,
        force_difference_end=tuple(force_end.tolist()),
        velocity_difference_rms=velocity.rms,
        effort_max=tuple(effort_max.tolist()),
        digest=digest.hexdigest(),
    )
