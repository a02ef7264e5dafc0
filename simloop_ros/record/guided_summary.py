"""The summary of a guided robot, from its log."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core.values import Array
from ..guiding.tip_masses import TipMasses
from .columns import GUIDED_COLUMNS, TRUE_POSITION
from .log import LogReader

EXTERNAL, TRUE_EXTERNAL = (
    GUIDED_COLUMNS.index(name) for name in ('external_torque', 'true_external_torque')
)


def guided_summary(log: LogReader, masses: TipMasses) -> dict[str, Any]:
    """Return the additional keys of a guided robot.

    ``guiding_energy`` [J] is 001's, positive from the operator into the robot: the sum over all
    steps and joints of the true external torque, its mean over the step, times the true
    displacement in the step::

        E = sum_k sum_j tau_jk (q_jk - q_jk-1)

    ``external_torque_error_rms`` [N m]: estimated minus true external torque, over all steps and
    joints. ``effective_mass`` [kg]: of each tip along ``admittance.mass_direction``, after the
    first and the last step.
    """
    energy, squares, count = 0.0, 0.0, 0
    before: Array | None = None
    for block in log.chunks():
        position, torque = block[:, TRUE_POSITION], block[:, TRUE_EXTERNAL]
        start = position[:1] if before is None else before[None]
        before = position[-1]
        # Sums of numpy, not of BLAS, whose last bit depends on how many threads it has.
        energy += float((torque * np.diff(position, axis=0, prepend=start)).sum())
        error = block[:, EXTERNAL] - torque
        squares += float(np.square(error).sum())
        count += error.size
    return {
        'guiding_energy': energy,
        'external_torque_error_rms': math.sqrt(squares / count) if count else 0.0,
        'effective_mass': _ends(log, masses),
    }


def _ends(log: LogReader, masses: TipMasses) -> dict[str, dict[str, float]]:
    """Return the effective mass of each tip [kg] after the first and the last step."""
    if not log.rows:
        return {}
    rows = np.concatenate((log.read(0, 1), log.read(log.rows - 1)))[:, TRUE_POSITION]
    begin, end = masses.along(rows).tolist()
    return {tip: {'begin': begin[i], 'end': end[i]} for i, tip in enumerate(masses.tips)}
