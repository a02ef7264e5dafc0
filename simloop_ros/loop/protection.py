"""What the watch sees after a step has its consequence in the next one."""

from __future__ import annotations

import msgspec

from ..collision.detector import CollisionDetector, Detection, DetectorSnapshot
from ..collision.observation import Observation
from ..collision.wrist_torque import WristTorque, WristTorqueSnapshot
from ..core.values import NO_INPUTS, Array, ExternalInputs, JointState, Setpoint
from ..reaction.reflex import Reflex, ReflexSnapshot


class ProtectionSnapshot(msgspec.Struct, frozen=True):
    """All that the next step depends on.

    :ivar felt: what was felt after the last step.
    :ivar tare: what free hands read; none if nobody asks.
    """

    watch: DetectorSnapshot
    reflex: ReflexSnapshot
    felt: ExternalInputs
    tare: WristTorqueSnapshot | None = None


class Protection:
    """A watch, and a reflex around the planner.

    :param by_truth: whether the robot feels the true torque from outside, not the estimated one.
    :param wrenches: what the wrist sensors read before the first step; none without sensors.
    :param wrist_torque: what they read as torques, which are no collision; none if nobody watches.
    :ivar felt: what was felt after the last step.
    """

    def __init__(
        self,
        watch: CollisionDetector,
        reflex: Reflex,
        *,
        by_truth: bool = False,
        wrenches: Array | None = None,
        wrist_torque: WristTorque | None = None,
    ):
        self.watch = watch
        self.reflex = reflex
        self._by_truth = by_truth
        self._wrist_torque = wrist_torque
        self.felt = NO_INPUTS if wrenches is None else ExternalInputs(wrenches=wrenches)

    def snapshot(self) -> ProtectionSnapshot:
        """Return all that the next step depends on."""
        tare = None if self._wrist_torque is None else self._wrist_torque.snapshot()
        return ProtectionSnapshot(self.watch.snapshot(), self.reflex.snapshot(), self.felt, tare)

    def restore(self, snapshot: ProtectionSnapshot) -> None:
        """Go back to an earlier snapshot."""
        self.watch.restore(snapshot.watch)
        self.reflex.restore(snapshot.reflex)
        self.felt = snapshot.felt
        if self._wrist_torque is not None and snapshot.tare is not None:
            self._wrist_torque.restore(snapshot.tare)

    @property
    def guides(self) -> bool:
        """Return whether the robot gives way to all torque from outside."""
        return self.reflex.guidance is not None

    def step(self, control: JointState) -> Setpoint:
        """Return what is wanted in the next step.

        :param control: the control state.
        """
        return self.reflex.step(control, self.felt)

    def look(
        self, observation: Observation, external: Array, wrenches: Array | None = None
    ) -> Detection:
        """Return what the watch says of a step.

        :param external: true torque from outside [N m], shape ``(n,)``.
        :param wrenches: what the wrist sensors read; none without sensors.
        """
        if self._wrist_torque is not None and wrenches is not None:
            observation = self._wrist_torque.explain(observation, wrenches)
        alarm = self.watch.step(observation)
        torque = external if self._by_truth else alarm.reading.torque
        self.felt = ExternalInputs(alarm.contact, alarm.kind, torque, wrenches)
        return alarm
