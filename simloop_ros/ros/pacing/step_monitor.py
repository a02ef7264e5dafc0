"""The collision detector, fed with the messages of each step."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
import pinocchio as pin

from ...collision.adaptive_observer import AdaptiveObserver
from ...collision.detector import CollisionDetector, Detection
from ...collision.gaps import filled
from ...collision.measured_torque import MeasuredTorque
from ...collision.observation import Observation
from ...collision.wrist_torque import WristTorque
from ...core.errors import SimloopError
from ...core.values import Array, JointState
from ...robot.model import RobotModel
from ..messages.effort_command import STOPPED, UNKNOWN_EFFORT, AppliedEffort, applied_effort
from ..messages.effort_command import TOPIC as COMMANDS
from ..messages.joint_state import DecodedJointState
from ..messages.stamps import stamp_of, step_of
from .effort_log import EffortLog

MAX_GAP = 100
"""Real time: largest gap that is filled [steps]; after a longer one the detector sees a jump of
the time, and starts again."""


MEMORY = 0.1
"""Weight of a step in the mean torque that is unexplained."""


class GapFiller:
    """Numbers observations; in real time it fills the steps whose messages were lost.

    Positions are interpolated. Where the robot tells what it applied, those are the efforts, also
    where another message of the step got lost (``EffortLog``). Else nobody here knows them, and
    nothing can be learnt: they are those that leave unexplained what was unexplained before, so
    that an external torque neither grows nor fades.

    :ivar efforts: of the steps so far.
    """

    def __init__(self, model: RobotModel, period: float, *, realtime: bool):
        self._pin_model = model.pin_model
        self._data = model.pin_model.createData()
        self._period = period
        self._realtime = realtime
        self._step = 0
        self._last_stamp = 0
        self._last: Observation | None = None
        self._before: Array | None = None
        self._unexplained: Array = np.zeros(model.n)
        self.efforts = EffortLog(period)
        self.filled = 0

    def steps(
        self,
        stamp: int,
        observation: Observation,
        lag: int = 0,
        applied: AppliedEffort = UNKNOWN_EFFORT,
    ) -> list[Observation]:
        """Return the observations due at a stamp [ns], with their times: filled ones first.

        :param lag: steps since the one that the observation's effort was commanded for.
        :param applied: what the robot applied up to then.
        """
        found = [observation]
        if self._realtime:
            found = self._fill(stamp, observation, lag, applied)
        return [self._timed(each) for each in found]

    def _fill(
        self, stamp: int, now: Observation, lag: int, applied: AppliedEffort
    ) -> list[Observation]:
        last, before = self._last, self._before
        first = self._last_stamp
        steps = 1 if last is None else step_of(stamp - first, self._period)
        self._last_stamp, self._last = stamp, now
        if last is None or before is None or not 1 <= steps <= MAX_GAP:
            self._before = None if last is None or steps != 1 else last.measured
            self._step += 0 if steps == 1 else MAX_GAP
            return [now]
        self.efforts.tell(stamp, applied)
        found, previous = [], last
        offset = last.desired - last.measured
        passed = filled(before, last.measured, now.measured, steps) if steps > 1 else ()
        for i, position in enumerate(passed, 1):
            velocity = last.state.velocity + i / steps * (now.state.velocity - last.state.velocity)
            state = JointState(position, velocity)
            explained = self._explained(previous.state, velocity)
            told = self.efforts.at(first + stamp_of(i - 1, self._period))
            effort = explained - self._unexplained if told is None else told
            previous = Observation(0.0, position + offset, effort, position, state, explained)
            found.append(previous)
        self.filled += len(found)
        if lag and not applied.steps:
            effort = self._explained(previous.state, now.state.velocity) - self._unexplained
            now = msgspec.structs.replace(now, effort=effort)
        elif steps == 1:
            unexplained = self._explained(last.state, now.state.velocity) - now.effort
            self._unexplained = self._unexplained + MEMORY * (unexplained - self._unexplained)
        self._before = previous.measured
        return [*found, now]

    def _explained(self, state: JointState, velocity: Array) -> Array:
        """Return the effort that brings a state to a velocity in one step [N m]."""
        acceleration = (velocity - state.velocity) / self._period
        effort: Array = pin.rnea(
            self._pin_model, self._data, state.position, state.velocity, acceleration
        )
        return effort

    def _timed(self, observation: Observation) -> Observation:
        self._step += 1
        return msgspec.structs.replace(observation, time=self._step * self._period)


class StepMonitor:
    """Observes the steps of the loop; keeps the largest differences for the diagnostics.

    :param n: number of joints.
    :param period: length of a step [s].
    :param wrist_torque: torque of the wrist sensors' wrenches, which is no collision.
    :param measured: makes what the joints measured the signal; the commands are without.
    """

    def __init__(
        self,
        detector: CollisionDetector,
        gaps: GapFiller,
        n: int,
        period: float,
        wrist_torque: WristTorque | None,
        measured: MeasuredTorque | None = None,
    ):
        self.detector = detector
        self._gaps = gaps
        self._wrist_torque = wrist_torque
        self._measured = measured
        self._period = period
        self._torque: Array = np.zeros(n)
        self._difference: Array = np.zeros(n)

    def reset(self) -> None:
        """Forget contact, filters and largest differences; not the bias of the wrist sensors."""
        self.detector.reset()  # meanwhile the hands may hold something
        self._torque = np.zeros_like(self._torque)
        self._difference = np.zeros_like(self._difference)

    def hear(self, topic: str, message: DecodedJointState) -> None:
        """Note the effort of a command or a joint state, even if the rest of its step is lost.

        Only needed in real time, and not where the joints measure: what they felt in a step whose
        joint state is lost nobody knows.
        """
        if self._measured is not None:
            return
        efforts = self._gaps.efforts
        if topic == 'joint_states':
            efforts.tell(message.stamp, applied_effort(message))
        elif topic == COMMANDS and message.frame_id != STOPPED:
            efforts.command(message.stamp, message.effort)

    def observe(
        self,
        command: DecodedJointState,
        measured: DecodedJointState,
        state: DecodedJointState,
        wrenches: Array | None,
        torque: Array | None = None,
    ) -> Detection:
        """Take a step: its command, and joint and control state at its end; return the detection.

        A joint state that tells the effort which was applied counts more than the command, which
        may have come too late.

        :param wrenches: readings of the wrist sensors [N, N m], shape ``(hands, 6)``, if any.
        :param torque: that the joints measured in the step, shape ``(n,)``, if it is the signal.
        """
        applied = applied_effort(measured)
        observation = Observation(
            0.0,  # not known before gaps are filled
            command.position,
            applied.effort if applied.steps else command.effort,
            measured.position,
            JointState(state.position, state.velocity),
            state.effort,
        )
        if self._measured is not None and torque is not None:
            observation = self._measured.explain(observation, torque)
            applied = AppliedEffort(observation.effort, 1)  # no command that came late
        if self._wrist_torque is not None and wrenches is not None:
            observation = self._wrist_torque.explain(observation, wrenches)
        lag = step_of(measured.stamp - command.stamp, self._period) - 1
        *gap, present = self._gaps.steps(measured.stamp, observation, lag, applied)
        before = [self.detector.step(each) for each in gap]
        detection = self.detector.step(present)
        told = {  # once, so it may be in a step that was filled
            key: value
            for each in before
            for key, value in (('hit', each.hit), ('load', each.load))
            if value is not None
        }
        if told:
            detection = msgspec.structs.replace(detection, **told)
        difference = state.position - command.position
        np.maximum(self._torque, np.abs(detection.reading.torque), out=self._torque)
        np.maximum(self._difference, np.abs(difference), out=self._difference)
        return detection

    def take_payload(self) -> str:
        """Take over the load that is proposed; return what it is.

        :raises SimloopError: there is none.
        """
        monitor = self.detector.monitor
        load = monitor.accept() if isinstance(monitor, AdaptiveObserver) else None
        if load is None:
            raise SimloopError('no load is proposed: that takes monitor.payload=ask and a contact')
        return f'{load.mass:.3g} kg at {load.tip} are taken over'

    @property
    def doubt(self) -> str:
        """Return why the monitor is not to be trusted, and what to do; empty where it is."""
        doubt = self.detector.monitor.doubt
        return f'not to be trusted: {doubt}; calibrate again' if doubt else ''

    def report(self) -> dict[str, Any]:
        """Return details for the diagnostics."""
        monitor = self.detector.monitor
        return {
            'monitor': monitor.kind,
            'largest external torque [N m]': f'{self._torque.max():.6g}',
            'largest position difference [rad]': f'{self._difference.max():.6g}',
            'interpolated steps': self._gaps.filled,
            'rejected samples': monitor.rejected,
            **self._adaptation(),
        }

    def _adaptation(self) -> dict[str, str]:
        """Return what a monitor that adapts knows of itself."""
        monitor = self.detector.monitor
        if not isinstance(monitor, AdaptiveObserver):
            return {}
        load, words = monitor.recognised, 'none'
        if load is not None:
            words = 'taken over' if load.taken else 'proposed: call take_payload to take it over'
            words = f'{load.mass:.3g} kg at {load.tip}, {words}'
        return {'trusted': monitor.doubt or 'yes', 'load': words}
