"""From a configuration to a control law."""

from __future__ import annotations

from ..model import RobotModel
from .config import ControlConfig
from .joint_laws import EffortLaw, PdGravity, Pid
from .laws import AccelerationLaw, ComputedTorque, Deadbeat
from .tuning import pd_gains, pid_gains


def build_law(
    config: ControlConfig, model: RobotModel, period: float
) -> AccelerationLaw | EffortLaw:
    """Return the law that a configuration names, tuned by the rules of ``tuning``."""
    tuning = config.natural_frequency, config.damping_ratio
    if config.law == 'computed_torque':
        return ComputedTorque(period, *tuning)
    if config.law == 'pd_gravity':
        return PdGravity(model, period, pd_gains(model, period, *tuning))
    if config.law == 'pid':
        return Pid(model, period, pid_gains(model, period, *tuning))
    return Deadbeat(period)
