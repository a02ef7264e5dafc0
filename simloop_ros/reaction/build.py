"""From configurations to a reflex."""

from __future__ import annotations

from collections.abc import Callable

from ..collision.config import MonitorConfig
from ..guiding.config import AdmittanceConfig
from ..guiding.guidance import Guidance
from ..model import RobotModel
from ..planning.motion_planner import MotionPlanner
from ..values import Array
from .config import ReactionConfig
from .reacting import Reacting
from .reflex import Reflex


def build_reflex(
    planner: MotionPlanner,
    model: RobotModel,
    period: float,
    monitor: MonitorConfig,
    config: ReactionConfig,
    admittance: AdmittanceConfig,
    *,
    compliance: float | None,
    replan: Callable[[Array], MotionPlanner],
) -> Reflex:
    """Return the reflex around a planner.

    :param monitor: says which reaction follows which contact.
    :param admittance: with which the robot gives way: always, or in ``comply``.
    :param compliance: of the control law [s^2]; that of deadbeat control where none is given.
    :param replan: returns a planner to the same goal from a position [rad] at rest.
    """
    reacting = Reacting(
        planner,
        model,
        period,
        config=config,
        compliance=compliance,
        admittance=admittance,
        replan=replan,
    )
    after = monitor.resume_after
    return Reflex(
        reacting,
        monitor.reaction,
        monitor.reaction if monitor.push is None else monitor.push,
        None if after is None else round(after / period),
        Guidance(model, admittance, period) if admittance.guides else None,
    )
