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

    :param period: length of a step [s].
    :ivar filled: number of steps that were filled.
    """

    def __init__(self, period: float, *, realtime: bool):
        self._period = period
        self._realtime = realtime
        self._step = 0
        self._last_stamp = 0
        self._positions: deque[Array] = deque(maxlen=2)
        self.filled = 0

    def steps(self, stamp: int, observation: Observation) -> list[Observation]:
        """Return the observations that are due, with their times: filled ones, then the present.

        :param stamp: of the present one [ns].
        :param observation: the present one; its time is not known yet.
        """
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
        """Return an observation as that of the next step."""
        self._step += 1
        return msgspec.structs.replace(observation, time=self._step * self._period)


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
