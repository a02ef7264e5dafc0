"""The record of one step: the only input of log, events, metrics and viewers."""

from __future__ import annotations

import msgspec

from ..collision.detector import Detection
from ..core.values import Array, Command, PlannerReport, PlantReport, Rollback, Setpoint


class StepRecord(msgspec.Struct, frozen=True, gc=False):
    """One step of the loop, as its blocks contribute to it.

    :ivar index: of the step, from 0; it ends at ``(index + 1) h``.
    :ivar measured: joint positions after the step [rad], shape ``(n,)``.
    :ivar plant: its report beside the measurement.
    :ivar planner: its report beside the setpoint, if it has any.
    :ivar monitor: detection of the collision monitor; ``None`` without monitor.
    """

    index: int
    setpoint: Setpoint
    command: Command
    measured: Array
    rollback: Rollback
    plant: PlantReport
    planner: PlannerReport | None = None
    monitor: Detection | None = None
