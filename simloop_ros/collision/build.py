"""From a name and a calibration to a monitor."""

from __future__ import annotations

import numpy as np

from ..core.errors import ConfigError, UnknownNameError
from ..robot.model import RobotModel
from .adaptive_observer import AdaptiveObserver
from .calibration import Calibration
from .collision_monitor import CollisionMonitor
from .config import DriftConfig, PayloadMode
from .differences import ForceDifference, PositionDifference
from .disturbance_observer import DisturbanceObserver
from .momentum_observer import MomentumObserver

PLAIN: dict[str, type[CollisionMonitor]] = {
    kind.kind: kind for kind in (PositionDifference, ForceDifference, MomentumObserver)
}
"""Monitors that need thresholds only, by name."""
KINDS = (*PLAIN, DisturbanceObserver.kind)


def build_monitor(
    kind: str,
    model: RobotModel,
    period: float,
    calibration: Calibration | None = None,
    drift: DriftConfig | None = None,
    payload: PayloadMode = 'none',
) -> CollisionMonitor:
    """Return a monitor; without a calibration it has no thresholds and never detects a contact.

    :param drift: what may have changed since the calibration, for one that adapts.
    :param payload: what follows where a contact turns out to be a load, if it adapts.
    :raises ConfigError: there is no such kind, or the calibration is for something else.
    """
    if kind not in KINDS:
        raise UnknownNameError('monitor', kind, KINDS)
    limits = None
    explanation = None
    if calibration is not None:
        calibration.check_fits(model, period, 'calibration')
        limits = calibration.limits(kind)
        explanation = calibration.explanation
    if drift is not None and (calibration is None or kind != DisturbanceObserver.kind):
        raise ConfigError(
            f'monitor.adapt: only {DisturbanceObserver.kind} with a calibration adapts; choose '
            'monitor.kind and monitor.calibration so, or leave it out'
        )
    if drift is not None and calibration is not None and limits and explanation:
        return AdaptiveObserver(
            model,
            period,
            limits,
            explanation,
            np.array(calibration.noise[kind][0]),
            np.array(calibration.roughness) if calibration.roughness else None,
            drift,
            payload,
        )
    if kind == DisturbanceObserver.kind:
        return DisturbanceObserver(model, period, limits, explanation)
    return PLAIN[kind](model, period, limits)
