"""The collision monitor as a node: torque from outside, and whether it is a collision."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus
import msgspec
import numpy as np
from std_srvs.srv import Trigger
from visualization_msgs.msg import MarkerArray

from ..assembly.run import load_fit_robot
from ..collision.config import MonitorConfig
from ..collision.detector import Detection, build_detector
from ..collision.gaps import filled
from ..collision.isolation import Clue
from ..collision.observation import Observation
from ..collision.wrist_torque import WristTorque
from ..core.values import Array, JointState
from ..robot.model import RobotConfig
from ..ros.messages.joint_state import DecodedJointState
from ..ros.messages.markers import hit_markers
from ..ros.messages.notice import LEVELS, TOPIC, to_message
from ..ros.messages.stamps import step_of
from ..ros.messages.wrists import WRENCHES, WristDrivers, by_hand, hand_axes, listen_to_drivers
from ..ros.node.block_node import BlockNode, Report
from ..ros.node.config import SensingConfig, SpeakConfig
from ..ros.node.process import main_of
from ..ros.pacing.rows import RowJoiner
from ..ros.transport.qos import EVENTS, RECORD_DEPTH

NAME = 'collision_monitor'
LONGEST_GAP = 10
"""Real time: steps without a state that are filled; after more the watch begins anew."""


class CollisionMonitorNode(BlockNode):
    """Tells what the control simulation cannot explain.

    ``external_torque``: in ``effort`` the estimated torque from outside [N m], as the one who
    pushes makes it; in ``position`` the difference q - q_d [rad]. ``collision``: contact
    or not, push or impact, and where; in lockstep after every step if somebody waits for it, else
    when it changes. The stamps are those of the control states. Of wrist sensors that speak for
    themselves, each to its own clock, the last word counts.
    """

    SECTIONS = {
        'robot': RobotConfig,
        'monitor': MonitorConfig,
        'speak': SpeakConfig,
        'sensing': SensingConfig,
    }

    def build(self) -> None:
        """Create the watch, its publishers and subscriptions."""
        model = load_fit_robot(self.config(RobotConfig, 'robot'))
        names = model.joint_names
        config = self.config(MonitorConfig, 'monitor')
        self._base = model.base
        # In real time nobody waits for the place.
        at_once = not self.graph.realtime
        self._watch = build_detector(config, model, self.graph.period, at_once=at_once)
        every_step = self.config(SpeakConfig, 'speak').every_step
        self._every_step = every_step and not self.graph.realtime
        self._external = self.publish_joints('external_torque', names, ('position', 'effort'))
        self._collision = self.publish_arrays(TOPIC)
        self._markers = self.publisher(MarkerArray, 'markers', EVENTS)
        for topic, fields in (
            ('effort_command', ('position', 'effort')),
            ('joint_states', ('position',)),
            ('control_state', ('position', 'velocity', 'effort')),
        ):
            self.subscribe_joints(
                topic,
                names,
                fields,
                self._taker(topic),
                RECORD_DEPTH,
                polled=not (self.graph.realtime or self._every_step),  # there each message counts
            )
        late = ['joint_states']
        self._wrist_torque: WristTorque | None = None
        self._drivers: WristDrivers | None = None
        self._wrenches: Array | None = None
        tare_time = self.config(SpeakConfig, 'speak').wrists
        if tare_time is not None:
            self._wrist_torque = WristTorque(model, tare_time, self.graph.period)
        if tare_time is not None and self.config(SensingConfig, 'sensing').drivers:
            self._drivers = listen_to_drivers(self, model.sensors, self._on_wrenches)
        elif tare_time is not None:
            late.append(WRENCHES)
            self.subscribe_joints(
                WRENCHES,
                hand_axes(model.tips),
                ('effort',),
                self._taker(WRENCHES),
                RECORD_DEPTH,
                finite=False,
            )
        self._rows = RowJoiner(
            'control_state',
            ('effort_command',),
            late,
            self.graph.period,
            window=RECORD_DEPTH,
            realtime=self.graph.realtime,
        )
        self.service(Trigger, 'reset', self._serve_reset)
        self._step = 0
        self._filled = 0
        self._seen: deque[Array] = deque(maxlen=2)
        self._last_stamp = 0
        self._clear(len(names))

    def missing(self) -> Iterable[tuple[str, int]]:
        """Return what the next step needs."""
        return self._rows.missing()

    @property
    def awaited(self) -> bool:
        """Return whether somebody waits for its word on each step, as in real time."""
        return self._every_step or self.graph.realtime

    def gaps(self) -> Iterable[tuple[str, int]]:
        """Return what got lost."""
        return self._rows.gaps()

    def _clear(self, n: int) -> None:
        self._largest_torque: Array = np.zeros(n)
        self._largest_distance: Array = np.zeros(n)
        self._said = (False, 'none')
        self._collisions = 0

    def _taker(self, topic: str) -> Any:
        def take(message: DecodedJointState) -> None:
            self._rows.add(topic, message.stamp, message)
            for command, measured, *wrists, state in self._rows.complete():
                self._look(command, measured, wrists, state)

        return take

    def _on_wrenches(self, _: int, wrenches: Array) -> None:
        self._wrenches = wrenches

    def _look(
        self,
        command: DecodedJointState,
        measured: DecodedJointState,
        wrists: list[DecodedJointState],
        state: DecodedJointState,
    ) -> None:
        seen = Observation(
            0.0,  # not known before the gap is filled
            command.position,
            command.effort,
            measured.position,
            JointState(state.position, state.velocity),
            state.effort,
        )
        wrenches = by_hand(wrists[0].effort) if wrists else self._wrenches
        if self._wrist_torque is not None and wrenches is not None:
            seen = self._wrist_torque.explain(seen, wrenches)
        if self.graph.realtime:
            self._fill(measured.stamp, seen)
        alarm = self._watch.step(self._timed(seen))
        distance, torque = state.position - command.position, alarm.reading.torque
        self._tell(state.stamp, alarm)
        if alarm.due is not None:
            self._locate(state.stamp, alarm.due, alarm)
        self._external.send(state.stamp, distance, torque)
        np.maximum(self._largest_torque, np.abs(torque), out=self._largest_torque)
        np.maximum(self._largest_distance, np.abs(distance), out=self._largest_distance)

    def _fill(self, stamp: int, now: Observation) -> None:
        """Let the watch see the steps that nobody saw: the robot kept its command in them.

        :param stamp: of what is seen now [ns].
        """
        seen = self._seen
        steps = step_of(stamp - self._last_stamp, self.graph.period) if seen else 1
        self._last_stamp = stamp
        if len(seen) == 2 and 1 < steps <= LONGEST_GAP:
            before, last = seen
            for position in filled(before, last, now.measured, steps):
                self._filled += 1
                seen.append(position)
                state = JointState(position, now.state.velocity)
                unseen = msgspec.structs.replace(now, measured=position, state=state)
                self._watch.step(self._timed(unseen))
        elif steps != 1:
            seen.clear()
            self._step += LONGEST_GAP  # a gap that the watch shall see
        seen.append(now.measured)

    def _timed(self, seen: Observation) -> Observation:
        """Return what was seen as that of the next step."""
        self._step += 1
        return msgspec.structs.replace(seen, time=self._step * self.graph.period)

    def _locate(self, stamp: int, clue: Clue, alarm: Detection) -> None:
        """Find out where the contact is, beside the loop, and tell it."""
        isolation = self._watch.isolation
        assert isolation is not None

        def tell(future: Any) -> None:
            located = msgspec.structs.replace(alarm, hit=future.result(), due=None)
            self.guard(self._tell, stamp, located)

        self.beside(lambda: isolation.locate(clue)).add_done_callback(tell)

    def _tell(self, stamp: int, alarm: Detection) -> None:
        said = (alarm.contact, alarm.kind)
        if self._every_step or said != self._said or alarm.hit is not None:
            self._collision.send(stamp, to_message(stamp, alarm))
        if alarm.kind != 'none' and self._said[1] == 'none':
            self._collisions += 1
            self.get_logger().warning(f'collision: {alarm.kind}', throttle_duration_sec=0.1)
        if alarm.hit is not None and alarm.hit.link:
            self.get_logger().warning(f'collision: at {alarm.hit.link}')
            self._markers.publish(hit_markers(alarm.hit, self._base))
        self._said = said

    def _serve_reset(self, _: Any) -> str:
        self._watch.reset()  # not what free hands read: now they may hold something
        self._clear(self._largest_torque.size)
        return 'the past is forgotten; the largest differences are counted anew'

    def report(self) -> Report:
        """Return the largest differences so far, and the present contact."""
        kind = self._said[1]
        monitor = self._watch.monitor
        level, message = LEVELS[kind], 'watching' if kind == 'none' else f'collision: {kind}'
        unheard = () if self._drivers is None else self._drivers.unheard
        if kind == 'none' and unheard:
            level = DiagnosticStatus.WARN
            message = f'nothing comes on {", ".join(unheard)}: an object in hand is a collision'
        return Report(
            level,
            message,
            {
                'monitor': monitor.kind,
                'collisions': self._collisions,
                'largest external torque [N m]': f'{self._largest_torque.max():.6g}',
                'largest position difference [rad]': f'{self._largest_distance.max():.6g}',
                'steps': self._rows.rows,
                'incomplete steps': self._rows.dropped,
                'steps that nobody saw': self._filled,
                'rejected samples': monitor.intake.rejected,
            },
        )


main = main_of(CollisionMonitorNode, NAME)

if __name__ == '__main__':
    raise SystemExit(main())
