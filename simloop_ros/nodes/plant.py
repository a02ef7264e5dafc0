"""The plant as a node: efforts in, joint states out; a robot's driver takes its place."""

from __future__ import annotations

from collections.abc import Iterable
import time
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import WrenchStamped
import msgspec
import numpy as np
from rosgraph_msgs.msg import Clock
from std_msgs.msg import Header, String
from std_srvs.srv import SetBool, Trigger
from visualization_msgs.msg import MarkerArray

from ..assembly.run import LONGEST_RUN, build_simulated_robot, load_fit_robot
from ..core.config_types import Seed
from ..core.errors import ConfigError, MessageError, SimloopError, UnsafeCommandError
from ..core.values import Array, JointState
from ..plants.config import PlantConfig
from ..record.hands_log import AXES, object_row, wrench_rows
from ..robot.model import RobotConfig
from ..ros.launch.view import with_mesh_addresses
from ..ros.messages.contacts import to_message as contacts_to_message
from ..ros.messages.joint_state import DecodedJointState
from ..ros.messages.markers import (
    MARKER_PERIOD,
    MarkerSet,
    hand_markers,
    object_markers,
    plant_markers,
)
from ..ros.messages.safety_status import CONTROL, TOPIC, SafetyStatus, from_message, to_message
from ..ros.messages.stamps import NANO, join, split, step_of
from ..ros.messages.wrists import OBJECT, TRUE_WRENCHES, WRENCHES, hand_axes
from ..ros.node.block_node import BlockNode, Report
from ..ros.node.config import PublishConfig
from ..ros.node.process import main_of
from ..ros.pacing.durations import Durations
from ..ros.pacing.position_stream import PositionStream, StreamConfig
from ..ros.pacing.pushing_hand import Hand
from ..ros.transport.channels import JointPublisher
from ..ros.transport.qos import EVENTS, LATCHED, LATCHED_READER, STREAM_DEPTH
from ..safety.brake import Brake
from ..safety.config import SafetyConfig
from ..safety.gate import CommandGate

NAME = 'plant'
CLOCK_PERIOD = 0.01
"""Simulated time between two messages on ``/clock`` [s]."""
MOST_AT_ONCE = 100
"""Real time: steps that are caught up with; a process that slept longer goes on from there."""
LARGEST_EFFORT = 'largest effort [share of limit]'
"""Diagnostics: of what motors and brakes applied so far, without the hand that pushes."""


class RandomConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Where randomness comes from.

    :ivar seed: of the random generator of the encoders.
    """

    seed: Seed = 0


class PlantNode(BlockNode):
    """000, algorithm 3, over topics, with brakes.

    Lockstep: the ``effort_command`` whose stamp is due is applied for one period. Real time: the
    last one is applied, at the plant's own rate. A command that the gate refuses, a second
    publisher, a stop of the control simulation and its silence engage the brakes; its release
    opens them.

    With a ``stream`` the plant is the surrogate of a real robot that takes positions only. It
    begins where that one is, tells it every period where to be, and brakes when it does not
    follow.
    """

    SECTIONS = {
        'robot': RobotConfig,
        'plant': PlantConfig,
        'safety': SafetyConfig,
        'publish': PublishConfig,
        'random': RandomConfig,
        'stream': StreamConfig,
    }
    LIVE = frozenset({'safety.timeout'})

    def build(self) -> None:
        """Create the simulated robot, at rest at its home."""
        self._model = model = load_fit_robot(self.config(RobotConfig, 'robot'))
        config, safety = self.config(PlantConfig, 'plant'), self.config(SafetyConfig, 'safety')
        period, realtime = self.graph.period, self.graph.realtime
        seed = self.config(RandomConfig, 'random').seed
        built = build_simulated_robot(config, model, period, seed, safety)
        for note in built.notes:
            self.get_logger().warning(note)
        self._plant, self._engine = built.plant, built.engine
        self.gives_back(self._plant.close)
        self.apply_live()
        self._brake = Brake(model, period, safety)
        self._hand = Hand(model, period)
        self._braked, self._stops = '', 0
        self._step, self._due = 0, self.stamp(0)
        self._allowed = 0 if self.graph.window else LONGEST_RUN
        self._pending: Array | None = None
        self._paused = False
        self._effort: Array | None = None
        self._commanded = False
        self._largest: Array = np.zeros(model.n)
        self._silent = self._late = self._missed = self._tick = 0
        self._interval = Durations()
        stream = self.config(StreamConfig, 'stream')
        if stream.used and not realtime:
            raise ConfigError('stream: a real robot does not wait: add realtime')
        self._stream = PositionStream(self, model, stream) if stream.used else None
        self._begins = self._stream is None
        self._open_channels(model.joint_names, obstacles=bool(config.obstacles))
        self._commands = self.subscribe_joints(
            'effort_command',
            model.joint_names,
            ('effort',),
            self._command_now if realtime else self._command,
            1 if realtime else STREAM_DEPTH,
            self._engage,
        )

    def apply_live(self) -> None:
        """Take over how old a command may be."""
        model, safety = self._model, self.config(SafetyConfig, 'safety')
        self._gate = CommandGate(model.joint_names, model.effort_limit, self.graph.period, safety)

    def _open_channels(self, names: tuple[str, ...], *, obstacles: bool) -> None:
        publish = self.config(PublishConfig, 'publish')
        self._joint_states = self.publish_joints('joint_states', names, ('position',))
        self._truth = (
            self.publish_joints('true_joint_states', names, ('position', 'velocity'))
            if publish.truth
            else None
        )
        self._torque = (
            self.publish_joints('true_external_torque', names, ('effort',))
            if publish.torque
            else None
        )
        self._contacts = self.publish_arrays('contacts') if obstacles else None
        self._wrists = self._true_wrists = self._object = None
        if self._plant.wrenches() is not None:
            axes = hand_axes(self._model.tips)
            self._wrists = self.publish_joints(WRENCHES, axes, ('effort',))
            if publish.hands:
                self._true_wrists = self.publish_joints(TRUE_WRENCHES, axes, ('effort',))
                self._object = self.publish_joints(OBJECT, AXES, ('position', 'velocity'))
        self._sim_clock = (
            self.publisher(Clock, '/clock', EVENTS)
            if publish.clock and not self.graph.realtime
            else None
        )
        self._clock_steps = max(1, round(CLOCK_PERIOD / self.graph.period))
        self._description = (
            self.publisher(String, 'robot_description', LATCHED) if publish.description else None
        )
        self._markers = self.publisher(MarkerArray, 'markers', EVENTS)
        self._shown = MarkerSet()
        self._safety = self.publisher(DiagnosticStatus, TOPIC, LATCHED)
        self.subscription(DiagnosticStatus, TOPIC, self._on_safety, LATCHED_READER)
        self.subscription(Header, 'recorded', self._on_recorded, EVENTS)
        self.subscription(WrenchStamped, 'external_wrench', self._on_wrench, EVENTS)
        self.service(Trigger, 'reset', self._serve_reset)
        self.service(SetBool, 'pause', self._serve_pause)
        self.service(Trigger, 'step', self._serve_step)

    def begin(self) -> None:
        """Say what robot it is and where it is."""
        if self._description:
            self._description.publish(String(data=with_mesh_addresses(self._model.urdf)))
        self._announce()
        self.every(MARKER_PERIOD, self._publish_markers)
        if self.graph.realtime:
            self._begun = time.monotonic_ns() - self.stamp(self._step)
            self._first_stamp = self.get_clock().now().nanoseconds - self.stamp(self._step)
            self.every(self.graph.period, self._tick_now)
        elif self._step == 0:
            self._publish(0)

    def missing(self) -> Iterable[tuple[str, int]]:
        """Return the command that is due; while the plant is paused, nothing."""
        if self._paused or self._pending is not None:
            return ()
        return (('effort_command', self._due),)

    # Lockstep

    def _command(self, message: DecodedJointState) -> None:
        if message.stamp == self._due and self._pending is None and self._passes(message, 0.0):
            self._pending = message.effort
            self._go_on()

    def _go_on(self) -> None:
        """Take the step that is due, unless the plant is paused or ahead of the recorder."""
        if self._pending is None or self._paused:
            return
        if self._step < self._allowed:
            effort, self._pending = self._pending, None
            self._take_step(effort)
            self._due = self.stamp(self._step)
            self._publish(self._due)
            if self._sim_clock and not self._step % self._clock_steps:
                clock = Clock()
                clock.clock.sec, clock.clock.nanosec = split(self._due)
                self._sim_clock.publish(clock)

    def _on_recorded(self, message: Header) -> None:
        """Let the plant go on as far as the recorder's window reaches."""
        step = step_of(join(message.stamp), self.graph.period)
        if self.active and step <= self._step:  # nobody has recorded what is still to come
            self._allowed = max(self._allowed, step + self.graph.window)
            self._go_on()

    # Real time

    def _command_now(self, message: DecodedJointState) -> None:
        if self._passes(message, (self._stamp_now - message.stamp) / NANO):
            self._effort = message.effort
            self._silent = 0
            self._commanded = True

    def _tick_now(self) -> None:
        """Take the step that is due, and those that were missed: a robot would not have waited."""
        now = time.monotonic_ns()
        if self._tick:
            self._interval.add(now - self._tick)
        self._tick = now
        if self._paused or not self._has_begun():
            self._begun = now - self.stamp(self._step)
            return
        due = int((now - self._begun) / NANO / self.graph.period) - self._step
        self._missed += max(0, due - 1)
        for _ in range(min(due, MOST_AT_ONCE)):
            self._step_now()
        if due > MOST_AT_ONCE:
            self._begun = now - self.stamp(self._step)
        if due > 0:
            self._publish(self._stamp_now)
            if self._stream:
                self._tell_robot(self._stream, due)

    def _has_begun(self) -> bool:
        """Return whether it is known where the robot is; a surrogate goes there first."""
        if not self._begins and self._stream and self._stream.start is not None:
            self._rest_at(self._stream.start)
            self._begins = True
        return self._begins

    def _tell_robot(self, stream: PositionStream, periods: int) -> None:
        """Tell a real robot where to be: where the surrogate is, or is held."""
        trouble = stream.trouble(periods, self.config(SafetyConfig, 'safety').timeout)
        if trouble:
            self._engage(trouble)
        held = self._brake.held if self._braked else None
        if self._commanded:
            try:
                position = self._plant.truth.position if held is None else held
                stream.send(self._stamp_now, position, periods)
            except UnsafeCommandError as error:
                self._engage(str(error))

    @property
    def _stamp_now(self) -> int:
        """Return the stamp of the present state [ns]."""
        return self._first_stamp + self.stamp(self._step)

    def _step_now(self) -> None:
        """Take a step; before the first command the robot rests, and its pushes wait."""
        if not self._commanded:
            self._step += 1
            return
        if self._effort is not None:
            self._silent += 1
            self._late += self._silent > 1
            timeout = self.config(SafetyConfig, 'safety').timeout
            if self._silent >= timeout:
                self._engage(f'effort_command: nothing for {timeout} periods')
        self._take_step(self._effort)

    # Both

    def _passes(self, message: DecodedJointState, age: float) -> bool:
        """Return whether a command may be used; if not, the brakes are engaged.

        :param age: of the state that it was computed from [s].
        """
        if self._commands.publishers > 1:
            self._engage('effort_command: more than one publisher')
            return False
        try:
            self._gate.check(message.effort, age)
        except UnsafeCommandError as error:
            self.refuse(f'effort_command: {error}')
            self._engage(str(error))
            return False
        return True

    def _take_step(self, effort: Array | None) -> None:
        """Apply an effort for one period; the brakes' own where they are engaged, or none came."""
        truth = self._plant.truth
        if self._braked or effort is None:
            # Brakes rub: they bear what an object in hand presses with, as those of one arm do.
            held = self._plant.held_object() is not None
            effort = self._brake.effort(truth, self._plant.external if held else None)
        np.maximum(self._largest, np.abs(effort), out=self._largest)  # keeps a NaN
        self._plant.step(effort, self._hand.torque(truth.position))
        self._step += 1

    def _publish(self, stamp: int) -> None:
        self._joint_states.send(stamp, self._plant.observe())
        if self._truth:
            truth = self._plant.truth
            self._truth.send(stamp, truth.position, truth.velocity)
        if self._torque:
            self._torque.send(stamp, self._plant.external)
        if self._wrists:
            self._publish_hands(self._wrists, stamp)
        if self._contacts:
            self._contacts.send(stamp, contacts_to_message(stamp, self._plant.contacts()))

    def _publish_hands(self, wrists: JointPublisher, stamp: int) -> None:
        wrenches, truth = wrench_rows(self._plant)
        wrists.send(stamp, wrenches.ravel())
        if self._true_wrists and self._object:
            self._true_wrists.send(stamp, truth.ravel())
            self._object.send(stamp, *object_row(self._plant.held_object()))

    def _publish_markers(self) -> None:
        if self._markers.get_subscription_count():
            hands = self._plant.hands()
            beam = self.config(PlantConfig, 'plant').object
            size = (beam.width, beam.length, beam.width) if beam else ()
            self._markers.publish(
                self._shown.message(
                    (
                        *plant_markers(self._plant.contacts(), self._hand.link, self._hand.wrench),
                        *hand_markers(hands, self._held_points(), self._model.base),
                        *object_markers(
                            self._plant.held_object(),
                            size,
                            self._model.sensors,
                            self._plant.wrenches(),
                            self._model.base,
                        ),
                    )
                )
            )

    def _held_points(self) -> Array:
        """Return where the simulated hands hold the robot, in the world [m], ``(hands, 3)``."""
        hands = self.config(PlantConfig, 'plant').hands
        poses = self._model.frame_poses(self._plant.truth.position, [hand.link for hand in hands])
        points = [pose.act(np.array(hand.point)) for pose, hand in zip(poses, hands, strict=True)]
        return np.array(points).reshape(-1, 3)

    def _on_wrench(self, message: WrenchStamped) -> None:
        try:
            self._hand.take(message)
        except MessageError as error:
            self.refuse(str(error))

    # Brakes

    def _engage(self, reason: str) -> None:
        if not self._braked:
            self._braked = reason
            self._stops += 1
            self._brake.release()
            self._announce()

    def _announce(self) -> None:
        if self._braked:
            self.get_logger().error(f'brakes engaged: {self._braked}', throttle_duration_sec=0.1)
        self._safety.publish(to_message(SafetyStatus(self.get_name(), self._braked, self._stops)))

    def _on_safety(self, message: DiagnosticStatus) -> None:
        status = from_message(message)
        if not self.active or not status or status.source == self.get_name():
            return
        if status.stopped:
            self._engage(f'{status.source}: {status.stopped}')
        elif self._braked and status.source == CONTROL and status.stops:
            # A release; a controller that just started is none.
            timeout = self.config(SafetyConfig, 'safety').timeout
            self._braked = self._stream.trouble(0, timeout) if self._stream else ''
            self._effort = None
            self._gate.reset()
            self._announce()

    # Services

    def _serve_reset(self, _: Any) -> str:
        if not self._braked:
            raise SimloopError('only while the brakes hold: call control_simulation/stop first')
        start = self._model.home
        if self._stream:
            if not self._stream.begin() or self._stream.start is None:
                raise SimloopError('nobody knows where the robot is, or it is beyond its range')
            start = self._stream.start
        self._rest_at(start)
        if self.graph.realtime:
            self._publish(self._stamp_now)  # nobody shall go on from where it was
        return 'the robot rests ' + ('where the real one is' if self._stream else 'at its home')

    def _rest_at(self, position: Array) -> None:
        self._plant.reset(JointState(position, np.zeros(self._model.n)))
        self._brake.release()

    def _serve_pause(self, request: Any) -> str:
        self._paused = bool(request.data)
        self._go_on()
        return 'paused' if self._paused else 'going on'

    def _serve_step(self, _: Any) -> str:
        if not self._paused:
            raise SimloopError('only while it is paused: call pause first')
        if self.graph.realtime:
            self._take_step(self._effort)
            self._publish(self._stamp_now)
        elif self._pending is None:
            raise SimloopError('no command has come for the next step yet')
        else:
            self._paused = False
            self._go_on()
            self._paused = True
        return f'{self._step} steps'

    def report(self) -> Report:
        """Return whether the brakes are engaged, and how timely the commands are."""
        values = {
            'engine': self._engine,
            'steps': self._step,
            'stops': self._stops,
            LARGEST_EFFORT: f'{(self._largest / self._model.effort_limit).max():.6g}',
        }
        if self.graph.realtime:
            values |= {
                'late commands': self._late,
                'missed periods': self._missed,
                **self._interval.summary('period'),
            }
        if self._stream:
            values |= {'positions sent to the robot': self._stream.sent}
        if not self._begins:
            return Report(DiagnosticStatus.WARN, 'waiting for where the robot is', values)
        if self._braked:
            return Report(DiagnosticStatus.ERROR, f'brakes engaged: {self._braked}', values)
        if self._paused:
            return Report(DiagnosticStatus.OK, 'paused', values)
        if self._pending is not None:
            return Report(DiagnosticStatus.WARN, 'waiting for the recorder', values)
        return Report(DiagnosticStatus.OK, 'running', values)


main = main_of(PlantNode, NAME)

if __name__ == '__main__':
    raise SystemExit(main())
