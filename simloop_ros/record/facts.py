"""The facts of a run that do not change from step to step."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import msgspec

from ..bimanual.plan import BimanualPlan
from ..core.values import Array
from ..goals.goal_list import GoalForecast
from ..guiding.tip_masses import TipMasses
from ..planning.tip_path import TipCourse
from ..robot.model import RobotModel
from ..scenario.scenario import Scenario
from .columns import COLUMNS, ESTIMATED_COLUMNS, GUIDED_COLUMNS


class DrivenRun(msgspec.Struct, frozen=True):
    """What is known of the driver of a run.

    :ivar takes: what its commands are.
    :ivar lag: from a command to its effect, as its file declares it [s].
    :ivar gravity_handled: whether the robot adds gravity itself.
    """

    takes: Literal['effort', 'position']
    lag: float = 0.0
    gravity_handled: bool = False


@dataclass(frozen=True)
class RunFacts:
    """Scenario and model of a run, and what follows from them.

    :ivar engine: the physics engine in use.
    :ivar rollback: the kind of rollback in use.
    :ivar planned: how long the planned motion takes [s]; ``None`` if it has no end of its own.
    :ivar goals: of the tips [m], shape ``(tips, 3)``; ``None`` where there are none.
    :ivar notes: differences from the scenario, one line each.
    :ivar course: of the tip along a Cartesian path, over time.
    :ivar forecast: what becomes of the goals that are given while it runs, if there are any.
    :ivar driven: what is known of the driver of a real robot.
    """

    scenario: Scenario
    model: RobotModel
    engine: str
    rollback: str
    steps: int
    goals: Array | None
    planned: float | None = None
    notes: tuple[str, ...] = ()
    simulated: bool = True
    course: TipCourse | None = None
    plan: BimanualPlan | None = None
    forecast: GoalForecast | None = None
    driven: DrivenRun | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the columns of the log; the true torques of a real robot are not known."""
        admittance = self.scenario.admittance
        if not admittance.guides:
            return COLUMNS
        if self.simulated:
            return GUIDED_COLUMNS
        return COLUMNS if admittance.source == 'driver' else ESTIMATED_COLUMNS

    @cached_property
    def tip_masses(self) -> TipMasses | None:
        """Return the effective masses; ``None`` if the robot is not guided."""
        admittance = self.scenario.admittance
        return TipMasses(self.model, admittance) if self.columns is GUIDED_COLUMNS else None
