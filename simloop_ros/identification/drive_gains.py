"""Gains of drives that report a current: torque per current, by the weight of the description."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..core.values import Array, Flags
from ..robot.model import RobotModel
from .friction_terms import basic_terms
from .motion import Stretch, tracks
from .regression import Rows, known_parameters
from .uncertainty import covariance

SMOOTHING = 0.02
"""Smoothing of dry friction, which is not what is asked for here [rad/s]."""
TOLD = 0.2
"""Largest relative standard error of a gain that is believed."""


@dataclass(frozen=True)
class DriveGains:
    """What the reported torques, or currents, have to be multiplied by.

    :ivar gains: shape ``(n,)``; 1 where the log does not tell.
    :ivar errors: relative standard errors, shape ``(n,)``.
    :ivar told: which joints have a gain, shape ``(n,)``.
    """

    gains: Array
    errors: Array
    told: Flags

    def applied(self, stretches: Sequence[Stretch]) -> tuple[Stretch, ...]:
        """Return the logs with torques in place of what was reported."""
        return tuple(replace(each, torque=each.torque * self.gains) for each in stretches)


def estimate_gains(model: RobotModel, stretches: Sequence[Stretch], cutoff: float) -> DriveGains:
    """Estimate the gain of each drive, as if the description were right about the masses.

    Motion alone tells torques up to a factor; the masses of the description give it. Per joint, by
    least squares, with ``k`` the gain and ``i`` what the drive reports::

        L i = (1/k) L tau'(q, v, a) + rotor, friction and offset

    :raises ConfigError: there is too little data.
    """
    rows = Rows.of(model, tracks(stretches, cutoff, 'causal'))
    expected = rows.regressor @ known_parameters(model)
    terms = basic_terms(SMOOTHING)
    gains, errors = np.ones(model.n), np.full(model.n, np.inf)
    for joint in range(model.n):
        columns = [expected[:, joint], *(rows.column(joint, term) for term in terms)]
        design = np.column_stack(columns)
        scale = np.maximum(np.linalg.norm(design, axis=0), np.finfo(float).tiny)
        reported = rows.torque[:, joint]
        x = np.linalg.lstsq(design / scale, reported, rcond=None)[0] / scale
        left = (reported - design @ x)[:, None]
        variance = covariance(rows, design[:, None, :], left, np.ones(1))[0, 0]
        if x[0] != 0.0:
            gains[joint] = 1.0 / x[0]
            errors[joint] = np.sqrt(max(variance, 0.0)) / abs(x[0])
    told = (errors < TOLD) & (gains > 0.0)
    return DriveGains(np.where(told, gains, 1.0), errors, told)
