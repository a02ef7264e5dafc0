"""From a configuration to a control law."""

from __future__ import annotations

from math import sqrt

from ..core.config_types import is_class_name
from ..core.custom import build_custom
from ..core.errors import ConfigError
from ..robot.model import RobotModel
from .config import ControlConfig
from .joint_laws import EffortLaw, PdGravity, Pid
from .laws import AccelerationLaw, ComputedTorque, Deadbeat, Law
from .tuning import nominal_bandwidth, pd_gains, pid_gains


def build_law(
    config: ControlConfig, model: RobotModel, period: float
) -> AccelerationLaw | EffortLaw:
    """Return the law that a configuration names, tuned by the rules of ``tuning``.

    :raises ConfigError: no robot could be stable under it at this period.
    """
    if config.law is not None and is_class_name(config.law):
        law = build_custom('control.law', config.law, Law, config.parameters, model, period)
        if not isinstance(law, (AccelerationLaw, EffortLaw)):
            raise ConfigError(
                f'control.law: {config.law} has to derive from simloop_ros.AccelerationLaw or '
                'simloop_ros.EffortLaw'
            )
        return law
    tuning = config.natural_frequency, config.damping_ratio
    if config.law not in (None, 'deadbeat'):
        _refuse_unstable(period, *tuning)
    if config.law == 'computed_torque':
        return ComputedTorque(period, *tuning)
    if config.law == 'pd_gravity':
        return PdGravity(model, period, pd_gains(model, period, *tuning))
    if config.law == 'pid':
        return Pid(model, period, pid_gains(model, period, *tuning))
    return Deadbeat(period)


def _refuse_unstable(period: float, w: float, ratio: float) -> None:
    """Refuse gains under which a single joint without model error would be unstable.

    ``2 h K_v + h^2 K_p < 4``, see ``tuning``, with ``K_v = 2 r w`` and ``K_p = w^2``.
    """
    limit = 2.0 * (sqrt(ratio**2 + 1.0) - ratio)
    if w * period >= limit:
        raise ConfigError(
            f'control.natural_frequency: {w:g} rad/s with a damping ratio of {ratio:g} and a '
            f'period of {period:g} s; it must be below {limit / period:.3g} rad/s, and '
            f'{nominal_bandwidth(period):.3g} rad/s tolerate a late measurement'
        )
