"""External inputs of the next step, from the results of the last one."""

from __future__ import annotations

from contextlib import suppress
from typing import ClassVar

import pinocchio as pin

from ..collision.detector import CollisionDetector, Detection
from ..collision.load import Load
from ..collision.measured_torque import MeasuredTorque
from ..collision.observation import Observation
from ..collision.wrist_torque import WristTorque
from ..core.errors import ConfigError
from ..core.state import Remembering
from ..core.values import (
    NANO,
    NO_INPUTS,
    Array,
    Command,
    ExternalInputs,
    PlantReport,
    Rollback,
    Setpoint,
)
from ..robot.carried_payload import CarriedPayload, later_payloads
from ..robot.config import Payload
from ..robot.model import RobotModel


class Sensing(Remembering):
    """No monitor and no sensors: no external inputs.

    :ivar inputs: of the next step.
    """

    _remembered: ClassVar[tuple[str, ...]] = ('inputs',)
    inputs: ExternalInputs = NO_INPUTS

    @property
    def pin_models(self) -> tuple[pin.Model, ...]:
        """Return the Pinocchio models that it computes with."""
        return ()

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
    :param measured: makes the torques of the joints' sensors the signal; the commands are without.
    """

    _remembered = ('inputs', 'detector', '_wrist_torque')

    def __init__(
        self,
        detector: CollisionDetector,
        *,
        by_truth: bool = False,
        wrenches: Array | None = None,
        wrist_torque: WristTorque | None = None,
        measured: MeasuredTorque | None = None,
    ):
        self.detector = detector
        self._measured = measured
        self._by_truth = by_truth
        self._wrist_torque = wrist_torque
        self.inputs = NO_INPUTS if wrenches is None else ExternalInputs(wrenches=wrenches)

    @property
    def pin_models(self) -> tuple[pin.Model, ...]:
        """Return the models of the monitor."""
        return self.detector.monitor.pin_models

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
        if self._measured is not None and plant.torque is not None:
            observation = self._measured.explain(observation, plant.torque)
        if self._wrist_torque is not None and wrenches is not None:
            observation = self._wrist_torque.explain(observation, wrenches)
        detection = self.detector.step(observation)
        torque = plant.external if self._by_truth else detection.reading.torque
        self.inputs = ExternalInputs(detection.contact, detection.kind, torque, wrenches)
        return detection


class CarryingSensing(Sensing):
    """Sensing of a robot that picks something up: all blocks know it from the next step on.

    :param model: of all blocks but the plant, which is changed in place.
    """

    _remembered = ('inputs', '_sensing', '_carried')

    def __init__(self, sensing: Sensing, model: RobotModel):
        self._sensing = sensing
        self._carried = CarriedPayload(model, later_payloads(model))
        self._carried.include(*sensing.pin_models)
        self.inputs = sensing.inputs

    def step(
        self,
        time: float,
        setpoint: Setpoint,
        command: Command,
        measured: Array,
        rollback: Rollback,
        plant: PlantReport,
    ) -> Detection | None:
        """Update inputs and payload, and return the detection."""
        detection = self._sensing.step(time, setpoint, command, measured, rollback, plant)
        self.inputs = self._sensing.inputs
        now = round(time * NANO)
        if detection is not None and detection.load is not None:
            self._take(now, detection.load)
        self._carried.at(now)
        return detection

    def _take(self, now: int, load: Load) -> None:
        """Take over a load that the monitor recognised at a time [ns]; not here."""


class TakingSensing(CarryingSensing):
    """Sensing of a robot whose control takes over the loads that the monitor recognises.

    The monitor has what it recognised in its own explanation; here control gets the same mass and
    centre, as if it had been told of a payload. One that the robot cannot bear is not taken over.

    :param model: of control and planner, which is changed in place.
    """

    def __init__(self, sensing: Sensing, model: RobotModel):
        self._sensing = sensing
        self._carried = CarriedPayload(model)
        self.inputs = sensing.inputs

    def _take(self, now: int, load: Load) -> None:
        """Let control know the load from a time on [ns]."""
        with suppress(ConfigError):
            self._carried.tell(now, Payload(mass=load.mass, tip=load.tip, centre=load.centre))
