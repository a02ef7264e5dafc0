"""The collision detector, fed with the messages of each step."""

from __future__ import annotations

from collections import deque
from typing import Any

import msgspec
import numpy as np

from ...collision.detector import CollisionDetector, Detection
from ...collision.gaps import filled
from ...collision.observation import Observation
from ...collision.wrist_torque import WristTorque
from ...core.values import Array, JointState
from ..messages.joint_state import DecodedJointState
from ..messages.stamps import step_of

MAX_GAP = 10
"""Real time: largest gap that is filled [steps]; after a longer one the detector sees a jump of
the time, and starts again."""


class GapFiller:
    """Numbers observations; in real time it fills the steps whose messages were lost.

    The robot kept its command in those steps; their positions are interpolated.
    """

    def __init__(self, period: float, *, realtime: bool):
        self._period = period
        self._realtime = realtime
        self._step = 0
        self._last_stamp = 0
        self._positions: deque[Array] = deque(maxlen=2)
        self.filled = 0

    def steps(self, stamp: int, observation: Observation) -> list[Observation]:
        """Return the observations due at a stamp [ns], with their times: filled ones first."""
        gap = self._fill(stamp, observation) if self._realtime else []
        return [self._timed(each) for each in (*gap, observation)]

    def _fill(self, stamp: int, now: Observation) -> list[Observation]:
        positions, gap = self._positions, []
        steps = step_of(stamp - self._last_stamp, self._period) if positions else 1
        self._last_stamp = stamp
        if len(positions) == 2 and 1 < steps <= MAX_GAP:
            before, last = positions
            for position in filled(before, last, now.measured, steps):
                state = JointState(position, now.state.velocity)
                gap.append(msgspec.structs.replace(now, measured=position, state=state))
                positions.append(position)
            self.filled += len(gap)
        elif steps != 1:
            positions.clear()
            self._step += MAX_GAP
        positions.append(now.measured)
        return gap

    def _timed(self, observation: Observation) -> Observation:
        self._step += 1
        return msgspec.structs.replace(observation, time=self._step * self._period)


class StepMonitor:
    """Observes the steps of the loop; keeps the largest differences for the diagnostics.

    :param n: number of joints.
    :param wrist_torque: torque of the wrist sensors' wrenches, which is no collision.
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
        """Forget contact, filters and largest differences; not the bias of the wrist sensors."""
        self.detector.reset()  # meanwhile the hands may hold something
        self._torque = np.zeros_like(self._torque)
        self._difference = np.zeros_like(self._difference)

    def observe(
        self,
        command: DecodedJointState,
        measured: DecodedJointState,
        state: DecodedJointState,
        wrenches: Array | None,
    ) -> Detection:
        """Take a step: its command, and joint and control state at its end; return the detection.

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
