"""From a configuration to a planner of any kind, that of two hands among them."""

from __future__ import annotations

from dataclasses import dataclass

from ..bimanual.config import BimanualConfig
from ..bimanual.plan import BimanualPlan, plan_bimanual
from ..bimanual.planner import BimanualPlanner
from ..core.values import Array, JointState
from ..planning.build import NOISE_MARGIN, PlannedMotion, build_planner
from ..planning.config import PlannerConfig
from ..robot.model import RobotModel

REACH = 1.0
"""Way of a tip per turn of a joint that no arm on a table exceeds by much [m]."""


@dataclass(frozen=True)
class Motion(PlannedMotion):
    """A planner of any kind and its motion.

    :ivar plan: of two hands.
    """

    plan: BimanualPlan | None = None


def build_motion(
    config: PlannerConfig,
    model: RobotModel,
    period: float,
    start: JointState,
    noise: float = 0.0,
    compliance: float | None = None,
    goals: Array | None = None,
    bimanual: BimanualConfig | None = None,
) -> Motion:
    """Return the planner for a motion from ``start``, as ``build_planner`` and of every kind.

    :param goals: not of two hands, whose tasks begin at home.
    :param bimanual: what two arms do with an object; not needed for any other kind.
    :raises GoalError: the motion is refused.
    """
    if config.kind != 'bimanual':
        built = build_planner(config, model, period, start, noise, compliance, goals)
        return Motion(built.planner, built.duration, built.goals, built.course)
    tasks = BimanualConfig() if bimanual is None else bimanual
    plan = plan_bimanual(tasks, model, period, start)
    slack = period**2 if compliance is None else compliance
    leash = tasks.leash * slack + NOISE_MARGIN * noise * REACH
    planner = BimanualPlanner(plan, tasks, model, period, leash)
    return Motion(planner, period * plan.last, plan=plan)
