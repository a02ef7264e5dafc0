"""What a run is, beside its records."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ..bimanual.plan import BimanualPlan
from ..core.values import Array
from ..guiding.tip_masses import TipMasses
from ..planning.tip_path import TipCourse
from ..robot.model import RobotModel
from ..scenario.scenario import Scenario
from .columns import COLUMNS, GUIDED_COLUMNS


@dataclass(frozen=True)
class RunFacts:
    """What a run is, beside its log.

    :ivar engine: the physics engine that is really used.
    :ivar rollback: the kind of rollback that is really used.
    :ivar steps: how many steps the run has.
    :ivar goals: of the tips [m], shape ``(tips, 3)``; ``None`` where there are none.
    :ivar notes: what differs from what was asked for, one line each.
    :ivar simulated: whether the robot is.
    :ivar course: where a tip shall be at any time, of a Cartesian path.
    :ivar plan: of two hands.
    """

    scenario: Scenario
    model: RobotModel
    engine: str
    rollback: str
    steps: int
    goals: Array | None
    notes: tuple[str, ...] = ()
    simulated: bool = True
    course: TipCourse | None = None
    plan: BimanualPlan | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the columns of the log; a real robot does not tell the true torques."""
        guided = self.scenario.admittance.guides and self.simulated
        return GUIDED_COLUMNS if guided else COLUMNS

    @cached_property
    def tip_masses(self) -> TipMasses | None:
        """Return what tells the effective masses; none of a robot that is not guided."""
        admittance = self.scenario.admittance
        return TipMasses(self.model, admittance) if self.columns is GUIDED_COLUMNS else None
