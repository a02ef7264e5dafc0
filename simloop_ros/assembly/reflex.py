"""From configurations to a reflex."""

from __future__ import annotations

from collections.abc import Callable

from ..collision.calibration import load_calibration
from ..collision.config import MonitorConfig
from ..collision.detector import find_calibration
from ..core.values import Array
from ..guiding.config import AdmittanceConfig
from ..guiding.guidance import Guidance
from ..planning.planner import Planner
from ..reaction.config import ReactionConfig
from ..reaction.reacting import Reacting
from ..reaction.reflex import Reflex
from ..robot.model import RobotModel


def build_reflex(
    planner: Planner,
    model: RobotModel,
    period: float,
    monitor: MonitorConfig,
    config: ReactionConfig,
    admittance: AdmittanceConfig,
    *,
    compliance: float | None,
    replan: Callable[[Array], Planner],
) -> Reflex:
    """Return the reflex around a planner.

    :param monitor: says which reaction follows which contact.
    :param admittance: with which the robot gives way: always, or in ``comply``.
    :param compliance: of the control law [s^2]; that of deadbeat control where none is given.
    :param replan: returns a planner to the same goal from a position [rad] at rest.
    :raises ConfigError: the dead zone is left to a calibration, and there is none that fits.
    """
    error = None
    if admittance.dead_zone is None and monitor.calibration:
        path = find_calibration(monitor.calibration, period)
        error = load_calibration(path, model, period).torque_error(monitor.kind)
    reacting = Reacting(
        planner,
        model,
        period,
        config=config,
        compliance=compliance,
        admittance=admittance,
        torque_error=error,
        replan=replan,
    )
    after = monitor.resume_after
    return Reflex(
        reacting,
        monitor.reaction,
        monitor.reaction if monitor.push is None else monitor.push,
        None if after is None else round(after / period),
        Guidance(model, admittance, period, error) if admittance.guides else None,
    )
