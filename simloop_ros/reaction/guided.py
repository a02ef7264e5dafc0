"""A planner around a planner: the robot yields to external torques, 001 (2)."""

from __future__ import annotations

from typing import Any

import msgspec

from ..core.values import ExternalInputs, JointState, PlannerReport, Setpoint
from ..guiding.guidance import Guidance, GuidanceSnapshot
from ..planning.planner import Planner


class GuidedSnapshot(msgspec.Struct, frozen=True):
    """Snapshots of the planner and of the guidance."""

    planner: Any
    guidance: GuidanceSnapshot


class Guided(Planner):
    """The setpoints of a planner plus the deflection ``e`` of 001 (2).

    The planner gets the control state without ``e``. A setpoint with an effort is passed on as it
    is.
    """

    def __init__(self, planner: Planner, guidance: Guidance):
        self.planner = planner
        self.guidance = guidance

    def snapshot(self) -> GuidedSnapshot:
        """Return all that the next step depends on."""
        return GuidedSnapshot(self.planner.snapshot(), self.guidance.snapshot())

    def restore(self, snapshot: GuidedSnapshot) -> None:
        """Go back to an earlier snapshot."""
        self.planner.restore(snapshot.planner)
        self.guidance.restore(snapshot.guidance)

    @property
    def expected(self) -> JointState:
        """Return the expected state without deflection."""
        return self.planner.expected

    @property
    def report(self) -> PlannerReport | None:
        """Return the planner's report."""
        return self.planner.report

    def step(self, control: JointState, inputs: ExternalInputs) -> Setpoint:
        """Return the setpoint of the next step."""
        setpoint = self.planner.step(self.undeflected(control), inputs)
        if setpoint.effort is not None:
            return setpoint
        deflected = self.guidance.step(setpoint.position, inputs.torque)
        velocity = setpoint.velocity + deflected.velocity
        return Setpoint(deflected.position, velocity, restart=setpoint.restart)

    def undeflected(self, control: JointState) -> JointState:
        """Return the control state without the deflection."""
        e = self.guidance.deflection
        return JointState(control.position - e.position, control.velocity - e.velocity)
