"""The curves of a log, thinned for drawing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
import numpy as np

from ..core.values import Array
from ..record.log import LogRows
from ..record.metrics import DIFFERENCES, difference
from .thin import Envelope


class Series(msgspec.Struct, frozen=True):
    """The curves of the figures.

    :ivar time: [s], shape ``(points,)``.
    :ivar units: of each joint's position, ``rad`` or ``m``.
    :ivar curves: each column of the log and each of ``DIFFERENCES``, shape ``(points, n)``. The
        differences are thinned on their own: the extreme of a difference is not the difference
        of two extremes.
    """

    time: Array
    joint_names: tuple[str, ...]
    units: tuple[str, ...]
    curves: Mapping[str, Array]


def series_of(
    log: LogRows,
    period: float,
    joint_names: Sequence[str],
    units: Sequence[str],
    points: int = 4000,
) -> Series:
    """Read a log once and keep at most ``points`` points of each curve, extremes included.

    :param period: length ``h`` of one step [s]; row ``k`` is drawn at ``(k + 1) h``.
    """
    envelope = Envelope(log.rows, points)
    with np.errstate(invalid='ignore', over='ignore'):
        for block in log.chunks():
            differences = [difference(block, *pair) for pair in DIFFERENCES.values()]
            envelope.add(np.concatenate((block, np.stack(differences, axis=1)), axis=1))
    names = (*log.columns, *DIFFERENCES)
    values = envelope.values((len(names), log.n))
    return Series(
        time=np.asarray((envelope.index + 1) * period, np.float64),
        joint_names=tuple(joint_names),
        units=tuple(units),
        curves={name: values[:, i] for i, name in enumerate(names)},
    )
