"""From a name and a calibration to a monitor."""

from __future__ import annotations

from ..core.errors import UnknownNameError
from ..robot.model import RobotModel
from .calibration import Calibration
from .collision_monitor import CollisionMonitor
from .differences import ForceDifference, PositionDifference
from .disturbance_observer import DisturbanceObserver
from .momentum_observer import MomentumObserver

PLAIN: dict[str, type[CollisionMonitor]] = {
    kind.kind: kind for kind in (PositionDifference, ForceDifference, MomentumObserver)
}
"""Monitors that need thresholds only, by name."""
KINDS = (*PLAIN, DisturbanceObserver.kind)


def build_monitor(
    kind: str, model: RobotModel, period: float, calibration: Calibration | None = None
) -> CollisionMonitor:
    """Return a monitor; without a calibration it has no thresholds and never detects a contact.

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
    if kind == DisturbanceObserver.kind:
        return DisturbanceObserver(model, period, limits, explanation)
    return PLAIN[kind](model, period, limits)
