"""The motion planner as a node: control states in, desired positions out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from diagnostic_msgs.msg import DiagnosticStatus
import msgspec
import numpy as np
from rclpy.task import Future
from std_msgs.msg import Header
from std_srvs.srv import Trigger

from ..assembly.run import load_fit_robot
from ..bimanual.config import BimanualConfig
from ..collision.config import MonitorConfig
from ..core.config_types import NonNegative, Positive
from ..core.errors import ConfigError, SimloopError
from ..core.values import NO_INPUTS, Array, JointState, Setpoint
from ..guiding.config import AdmittanceConfig, compliance, live_parameters
from ..planning.config import PlannerConfig
from ..reaction.config import ReactionConfig
from ..robot.model import RobotConfig
from ..ros.messages.joint_state import DecodedJointState
from ..ros.messages.notice import TOPIC as COLLISION
from ..ros.messages.notice import Notice
from ..ros.messages.notice import from_message as notice_from_message
from ..ros.messages.safety_status import CONTROL, TOPIC, from_message
from ..ros.messages.setpoint import FIELDS, send_setpoint
from ..ros.messages.stamps import step_of
from ..ros.node.block_node import BlockNode, Report
from ..ros.node.process import main_of
from ..ros.pacing.input_buffer import InputBuffer
from ..ros.pacing.motion_guide import MotionGuide
from ..ros.transport.qos import EVENTS, LATCHED_READER, STREAM_DEPTH
from ..safety.config import SafetyConfig

NAME = 'motion_planner'
TORQUES = {
    'none': 'external_torque',
    'observer': 'external_torque',
    'truth': 'true_external_torque',
    'driver': 'measured_external_torque',
}
"""Topic of the torque from outside, by the source of the admittance."""
MOST_AHEAD = 1000
"""Lockstep: steps beyond what was sent that may be asked for."""


class TrackingConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How well the robot is known to follow.

    :ivar noise: standard deviation of a measured position [rad].
    :ivar compliance: position error that the control law leaves per acceleration that the model
        does not explain [s^2]; that of deadbeat control where none is given.
    """

    noise: NonNegative = 0.0
    compliance: Positive | None = None


class MotionPlannerNode(BlockNode):
    """Answers each ``control_state`` with the next desired position.

    The motion begins at the first control state, unless the robot was stopped before. In real
    time the planner runs some steps ahead, see ``RealtimePlanner``. In lockstep a motion that was
    planned beforehand, which does not depend on the robot, is sent ahead as far as the control
    simulation asks. After a stop the planner stays where the robot is until its service ``start``
    is called, and then plans the way from there to the goal that it had before.

    Where a monitor watches, each answer waits for what it says of the step before; the reaction to
    a contact goes on until the service ``start`` is called. Where the robot gives way, each answer
    waits for the torque from outside. In real time nobody waits: the last word counts.
    """

    SECTIONS = {
        'robot': RobotConfig,
        'planner': PlannerConfig,
        'tracking': TrackingConfig,
        'monitor': MonitorConfig,
        'reaction': ReactionConfig,
        'admittance': AdmittanceConfig,
        'bimanual': BimanualConfig,
        'safety': SafetyConfig,
    }
    FEELS: ClassVar[str] = ''
    """Topic of what is felt instead of a torque from outside, which a subclass subscribes to."""
    AHEAD: ClassVar[bool] = True
    """Whether in real time the planner runs ahead of the robot; else one answer per state."""
    SILENCE: ClassVar[str] = ''
    """What follows if nothing felt comes any more, where there is no running ahead."""
    LIVE = frozenset(
        {'monitor.reaction', 'monitor.push', 'safety.timeout', *live_parameters('admittance')}
    )

    def build(self) -> None:
        """Load the robot and plan from its home, if that is where the motion will begin."""
        self._model = load_fit_robot(self.config(RobotConfig, 'robot'))
        tracking = self.config(TrackingConfig, 'tracking')
        self._guide = MotionGuide(
            self._model,
            self.graph.period,
            self.config(PlannerConfig, 'planner'),
            self.config(MonitorConfig, 'monitor'),
            self.config(ReactionConfig, 'reaction'),
            self.config(AdmittanceConfig, 'admittance'),
            self.config(BimanualConfig, 'bimanual'),
            tracking.noise,
            tracking.compliance,
        )
        names = self._model.joint_names
        self._desired = self.publish_joints('desired_joint_states', names, FIELDS)
        self._pending: DecodedJointState | None = None
        self._open_feelers()
        self.subscription(DiagnosticStatus, TOPIC, self._on_safety, LATCHED_READER)
        self.add_services()
        self._silent = ''
        self._stops: int | None = None
        self._stopped = False
        self._holding = False
        self._hold: Array | None = None
        self._answered = -1
        self._stamp = -1
        self._listening = False
        self._recorded = False
        self._planning: Future[Any] | None = None
        if self.graph.realtime:
            self.subscription(Header, 'recorded', self._on_recorded, EVENTS)
        if not self.graph.realtime:
            self._guide.plan(self._model.home)
        if self._sends_ahead:
            self.resend.sources['desired_joint_states'] = self._send_from
        else:
            self._listen()

    def _open_feelers(self) -> None:
        """Listen to those who tell what the robot feels."""
        watched = self.config(MonitorConfig, 'monitor').watches
        admittance = self.config(AdmittanceConfig, 'admittance')
        self._feels = watched or admittance.guides or bool(self.FEELS)
        torques = '' if self.FEELS else TORQUES[admittance.source]
        self._felt = self.FEELS or torques
        topics = (*((COLLISION,) if watched else ()), *((self._felt,) if self._feels else ()))
        self._feelings = InputBuffer(topics, realtime=self.graph.realtime, longest=self._longest)
        if watched:
            self.subscribe_arrays(COLLISION, notice_from_message, self._on_collision)
        if self._feels and torques:
            self.subscribe_joints(
                torques,
                self._model.joint_names,
                ('effort',),
                lambda message: self._on_word(torques, message.stamp, message.effort),
                1 if self.graph.realtime else STREAM_DEPTH,
            )

    @property
    def _longest(self) -> int:
        """Return how long a torque counts, in real time [ns]."""
        return self.stamp(self.config(SafetyConfig, 'safety').timeout)

    @property
    def _sends_ahead(self) -> bool:
        if self.graph.realtime or self._feels or self._holding:
            return False
        return self._guide.planner.open_loop

    def _listen(self) -> None:
        """Subscribe to the control states, which the answers depend on from now on."""
        self._listening = True
        self.subscribe_joints(
            'control_state',
            self._model.joint_names,
            ('position', 'velocity'),
            self._on_state_now if self.graph.realtime else self._on_state,
            1 if self.graph.realtime else STREAM_DEPTH,
        )

    def begin(self) -> None:
        """Send the beginning of a motion that was planned beforehand."""
        if self._sends_ahead and self._answered < 0:
            self._send_from(0)

    def add_services(self) -> None:
        """Create the services."""
        self.service(Trigger, 'start', self._serve_start)

    def missing(self) -> Iterable[tuple[str, int]]:
        """Return the control state that the next answer needs, or what was felt then."""
        if not self._listening:
            return ()
        stamp, pending = self.stamp(self._answered + 1), self._pending
        if pending is None or pending.stamp != stamp:
            return (('control_state', stamp),)
        return [(topic, stamp) for topic in self._feelings.lacking(stamp)]

    def check_live(self, config: msgspec.Struct) -> None:
        """Refuse an admittance of joints that the robot does not have."""
        if isinstance(config, AdmittanceConfig):
            compliance(config, self._model.joint_names, torque_error=np.zeros(self._model.n))
            now = self.config(AdmittanceConfig, 'admittance')
            if config.dead_zone is None and now.dead_zone is not None:
                raise ConfigError(
                    'admittance.dead_zone: it is taken from the calibration only if it was left '
                    'out from the beginning'
                )

    def apply_live(self) -> None:
        """Take over how the robot reacts and gives way, and how long a torque counts."""
        self._feelings.longest = self._longest
        self._guide.configure(
            self.config(MonitorConfig, 'monitor'), self.config(AdmittanceConfig, 'admittance')
        )

    def _send_from(self, stamp: int) -> None:
        """Send some steps of the motion from a stamp [ns] on; those that were sent, once more."""
        first = self._step_of(stamp)
        if first > self._answered + MOST_AHEAD:
            return
        last = first + self.graph.ahead
        for again in range(first, min(last, self._answered + 1)):
            self._desired.send_again(self.stamp(again))
        rest = JointState(self._model.home, np.zeros(self._model.n))
        while self._answered < last - 1:
            self._answered += 1
            wanted = self._guide.wanted(rest, NO_INPUTS)
            self.send(self.stamp(self._answered), wanted)

    def _step_of(self, stamp: int) -> int:
        return step_of(stamp, self.graph.period)

    def _on_state(self, message: DecodedJointState) -> None:
        """Answer the control state that is due, in lockstep."""
        step = self._step_of(message.stamp)
        if self._holding:
            self._answered = step - 1 if self._hold is None else self._answered
        elif step == 0 and self._answered < 0 and (message.position != self._guide.start).any():
            self._guide.plan(message.position)
        if step == self._answered + 1:
            if self._feelings.lacking(message.stamp):
                self._pending = message
                return
            self._answered = step
            if self._holding and (self._stopped or self._hold is None):
                self._hold = message.position
            state = JointState(message.position, message.velocity)
            self.send(message.stamp, self._next(message.stamp, state))
            self._feelings.forget_until(message.stamp)

    def _on_collision(self, stamp: int, notice: Notice) -> None:
        self._on_word(COLLISION, stamp, notice)

    def _on_word(self, topic: str, stamp: int, word: Any) -> None:
        """Take what is known of a step; an answer may wait for it."""
        if self.graph.realtime or self._step_of(stamp) > self._answered:
            self._feelings.add(topic, stamp, word)
        pending = self._pending
        if pending is not None and pending.stamp == stamp:
            self._pending = None
            self._on_state(pending)

    def _on_state_now(self, message: DecodedJointState) -> None:
        """Answer in real time; not after a stop: then control holds the robot by itself."""
        if self._holding:
            self._stamp, self._hold = message.stamp, message.position
            return
        if message.stamp <= self._stamp:
            return
        self._stamp = message.stamp
        if self._guide.start is None:
            if self._stops is not None and (self._recorded or not self.graph.window):
                self._plan_first(message.position)
            return
        self._answer_now(message.stamp, JointState(message.position, message.velocity))

    def send(self, stamp: int, wanted: Setpoint) -> None:
        """Send what is wanted of the step that begins at a stamp [ns]."""
        send_setpoint(self._desired, stamp, wanted)

    def _answer_now(self, stamp: int, state: JointState) -> None:
        """Send what is new of the plan, in real time.

        :param stamp: of the control state [ns].
        """
        if not self.AHEAD:
            self.send(stamp, self._next(stamp, state))
            self._note_silence()
            return
        for point in self._guide.points(stamp, state, self._feelings.at(stamp)):
            self.send(point.stamp, point.wanted)

    def _note_silence(self) -> None:
        silent = self._feelings.silent
        if silent != self._silent:
            self._silent = silent
            self._publish_diagnostics()
            text = f'{self._felt}: {self.SILENCE if silent else "comes again"}'
            self.get_logger().warning(text)

    def _plan_first(self, position: Array) -> None:
        """Plan beside the loop from where the robot rests; the state after that is answered."""
        if self._planning is None:
            self._planning = self.beside(lambda: self._guide.motion_from(position))
            self._planned_from = position
        elif self._planning.done():
            motion: Any = self._planning.result()
            self._guide.take(motion, self._planned_from)

    def _on_recorded(self, _: Header) -> None:
        self._recorded = True

    def _next(self, stamp: int, state: JointState) -> Setpoint:
        """Return what is wanted of the step that begins in a control state.

        :param stamp: of the state [ns].
        """
        if self._hold is not None:
            return Setpoint(self._hold, np.zeros_like(self._hold))
        return self._guide.wanted(state, self._feelings.at(stamp))

    def _on_safety(self, message: DiagnosticStatus) -> None:
        """Give the motion up when the robot was stopped, even if that went by unseen."""
        status = from_message(message)
        if not status or status.source == 'plant':
            return
        from_control = status.source == CONTROL
        unseen = from_control and status.stops != (self._stops or 0)
        if from_control:
            self._stops, self._stopped = status.stops, bool(status.stopped)
        if status.stopped or unseen:
            self._holding = True
            self._hold = None
            self._desired.forget()
            self.resend.sources['desired_joint_states'] = self._send_again
            if not self._listening:
                self._listen()
        elif from_control:
            self._hold = None  # the next state tells where the robot is, and which step is due

    def _send_again(self, stamp: int) -> None:
        """Send an answer again; while the robot is held, learn from the request what is due."""
        if not self._desired.send_again(stamp) and self._holding:
            self._answered = self._step_of(stamp) - 1

    async def _serve_start(self, _: Any) -> str:
        if self._guide.reaction and not self._holding:
            if not self._guide.resume():
                raise SimloopError('the robot is not at rest yet: it is stopped, try again')
            return 'going on to the goal'
        if self._stops is None:
            raise SimloopError('control has not said whether the robot may move: try again')
        if not self._holding:
            raise SimloopError('the motion is under way already')
        if self._stopped:
            raise SimloopError('the robot is stopped: release it first (control_simulation/stop)')
        if self._hold is None:
            raise SimloopError('no control state has come since the release: try again')
        start = self._hold
        if self.graph.realtime:
            motion: Any = await self.beside(lambda: self._guide.motion_from(start))
            if self._stopped or self._hold is None:
                raise SimloopError('the robot was stopped in the meantime')
            self._guide.take(motion, start)
        else:
            self._guide.plan(start)
        self._holding = False
        self._hold = None
        return 'planned the way to the goal'

    def report(self) -> Report:
        """Return whether the motion goes on."""
        values = {
            'kind': self.config(PlannerConfig, 'planner').kind,
            'answers': self._answered + 1,
        }
        reaction = self._guide.reaction
        if self._holding:
            return Report(DiagnosticStatus.WARN, 'stopped: waits for the service start', values)
        if reaction:
            doing = f'collision: {reaction.active}, {reaction.state}; waits for the service start'
            return Report(DiagnosticStatus.WARN, doing, values)
        return Report(DiagnosticStatus.OK, 'planning', values)


main = main_of(MotionPlannerNode, NAME)

if __name__ == '__main__':
    raise SystemExit(main())
