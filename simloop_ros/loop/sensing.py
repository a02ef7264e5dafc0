"""External inputs of the next step, from the results of the last one."""

from __future__ import annotations

import msgspec

from ..collision.detector import CollisionDetector, Detection, DetectorSnapshot
from ..collision.observation import Observation
from ..collision.wrist_torque import WristTorque, WristTorqueSnapshot
from ..core.values import (
    NO_INPUTS,
    Array,
    Command,
    ExternalInputs,
    PlantReport,
    Rollback,
    Setpoint,
)


class SensingSnapshot(msgspec.Struct, frozen=True):
    """All that the next step depends on.

    :ivar inputs: of the next step.
    :ivar tare: readings of free hands; ``None`` where they are not used.
    """

    inputs: ExternalInputs
    detector: DetectorSnapshot | None = None
    tare: WristTorqueSnapshot | None = None


class Sensing:
    """No monitor and no sensors: no external inputs.

    :ivar inputs: of the next step.
    """

    inputs: ExternalInputs = NO_INPUTS

    def snapshot(self) -> SensingSnapshot:
        """Return all that the next step depends on."""
        return SensingSnapshot(self.inputs)

    def restore(self, snapshot: SensingSnapshot) -> None:
        """Go back to an earlier snapshot."""
        self.inputs = snapshot.inputs

    def step(
        self,
        time: float,  # noqa: ARG002
        setpoint: Setpoint,  # noqa: ARG002
        command: Command,  # noqa: ARG002
        measured: Array,  # noqa: ARG002
        rollback: Rollback,  # noqa: ARG002
        plant: PlantReport,  # noqa: ARG002
    ) -> Detection | None:
        """Update the inputs, and return the detection of the step that ends at ``time`` [s]."""
        return None


class MonitoredSensing(Sensing):
    """The inputs that a collision monitor and wrist sensors give.

    :param by_truth: whether the inputs have the true external torque, not the estimated one.
    :param wrenches: readings of the wrist sensors before the first step; ``None`` without sensors.
    :param wrist_torque: turns them into joint torques, which are no collision.
    """

    def __init__(
        self,
        detector: CollisionDetector,
        *,
        by_truth: bool = False,
        wrenches: Array | None = None,
        wrist_torque: WristTorque | None = None,
    ):
        self.detector = detector
        self._by_truth = by_truth
        self._wrist_torque = wrist_torque
        self.inputs = NO_INPUTS if wrenches is None else ExternalInputs(wrenches=wrenches)

    def snapshot(self) -> SensingSnapshot:
        """Return all that the next step depends on."""
        tare = None if self._wrist_torque is None else self._wrist_torque.snapshot()
        return SensingSnapshot(self.inputs, self.detector.snapshot(), tare)

    def restore(self, snapshot: SensingSnapshot) -> None:
        """Go back to an earlier snapshot."""
        self.inputs = snapshot.inputs
        if snapshot.detector is not None:
            self.detector.restore(snapshot.detector)
        if self._wrist_torque is not None and snapshot.tare is not None:
            self._wrist_torque.restore(snapshot.tare)

    def step(
        self,
        time: float,
        setpoint: Setpoint,
        command: Command,
        measured: Array,
        rollback: Rollback,
        plant: PlantReport,
    ) -> Detection:
        """Update monitor and inputs, and return the detection."""
        observation = Observation(
            time, setpoint.position, command.effort, measured, rollback.state, rollback.effort
        )
        wrenches = plant.wrenches
        if self._wrist_torque is not None and wrenches is not None:
            observation = self._wrist_torque.explain(observation, wrenches)
        detection = self.detector.step(observation)
        torque = plant.external if self._by_truth else detection.reading.torque
        self.inputs = ExternalInputs(detection.contact, detection.kind, torque, wrenches)
        return detection
