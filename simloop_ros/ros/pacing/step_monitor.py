"""The collision detector, fed with the messages of each step."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...collision.detector import CollisionDetector, Detection
from ...collision.observation import Observation
from ...collision.wrist_torque import WristTorque
from ...core.values import Array, JointState
from ..messages.joint_state import DecodedJointState
from .gap_filler import GapFiller


class StepMonitor:
    """Observes the steps of the loop; keeps the largest differences for the diagnostics.

    :param n: number of joints.
    :param wrist_torque: torque of the wrist sensors' wrenches, which is no collision.
    :ivar detector: the collision detector.
    """

    def __init__(
        self,
        detector: CollisionDetector,
        gaps: GapFiller,
        n: int,
        wrist_torque: WristTorque | None,
    ):
        self.detector = detector
        self._gaps = gaps
        self._wrist_torque = wrist_torque
        self._torque: Array = np.zeros(n)
        self._difference: Array = np.zeros(n)

    def reset(self) -> None:
        """Forget contact, filters and largest differences; not the bias of the wrist sensors.

        Meanwhile the hands may hold something.
        """
        self.detector.reset()
        self._torque = np.zeros_like(self._torque)
        self._difference = np.zeros_like(self._difference)

    def observe(
        self,
        command: DecodedJointState,
        measured: DecodedJointState,
        state: DecodedJointState,
        wrenches: Array | None,
    ) -> Detection:
        """Take a step; return what the detector concludes.

        :param command: of the step.
        :param measured: joint state at its end.
        :param state: control state at its end.
        :param wrenches: readings of the wrist sensors [N, N m], shape ``(hands, 6)``, if any.
        """
        observation = Observation(
            0.0,  # not known before gaps are filled
            command.position,
            command.effort,
            measured.position,
            JointState(state.position, state.velocity),
            state.effort,
        )
        if self._wrist_torque is not None and wrenches is not None:
            observation = self._wrist_torque.explain(observation, wrenches)
        *gap, present = self._gaps.steps(measured.stamp, observation)
        for each in gap:
            self.detector.step(each)
        detection = self.detector.step(present)
        difference = state.position - command.position
        np.maximum(self._torque, np.abs(detection.reading.torque), out=self._torque)
        np.maximum(self._difference, np.abs(difference), out=self._difference)
        return detection

    def report(self) -> dict[str, Any]:
        """Return details for the diagnostics."""
        monitor = self.detector.monitor
        return {
            'monitor': monitor.kind,
            'largest external torque [N m]': f'{self._torque.max():.6g}',
            'largest position difference [rad]': f'{self._difference.max():.6g}',
            'interpolated steps': self._gaps.filled,
            'rejected samples': monitor.rejected,
        }
