"""What is known of one step: the only thing that log, events, metrics and viewers read."""

from __future__ import annotations

import msgspec

from ..collision.detector import Detection
from ..core.values import Array, Command, PlannerReport, PlantReport, Rollback, Setpoint


class StepRecord(msgspec.Struct, frozen=True, gc=False):
    """One step of the loop, as its blocks contribute to it.

    :ivar index: of the step, from 0; it ends at ``(index + 1) h``.
    :ivar setpoint: of the planner.
    :ivar command: of the control simulation.
    :ivar measured: joint positions after the step [rad], shape ``(n,)``.
    :ivar rollback: of the control simulation.
    :ivar plant: what the plant reports beside the measurement.
    :ivar planner: what the planner reports beside the setpoint; most have nothing to report.
    :ivar monitor: what the collision monitor detects; ``None`` where there is none.
    """

    index: int
    setpoint: Setpoint
    command: Command
    measured: Array
    rollback: Rollback
    plant: PlantReport
    planner: PlannerReport | None = None
    monitor: Detection | None = None
