"""All that was heard of a graph, as descriptions and frames."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from math import inf
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
import numpy as np
from rclpy.serialization import deserialize_message

from ...core.errors import MessageError, ModelError
from ...core.values import JointState
from ...record.joint_state_cdr import scan_joint_state
from ...robot.model import RobotModel
from ...ros.messages import contacts, notice, safety_status
from ...ros.messages.effort_command import FLOATING, has_kind
from ...ros.messages.joint_state import DecodedJointState, JointStateDecoder
from ...ros.messages.stamps import NANO, join
from ...ros.messages.turns import without_jumps
from ..description import Abilities, Description
from ..frame import Frame, Progress
from ..live.frames import COLUMNS
from .far_grips import FarGrips
from .heard_contact import HeardContact
from .heard_robot import at_rest, heard_robot
from .heard_scene import HeardScene
from .heard_status import GraphStatus
from .heard_steps import SCALARS, HeardSteps
from .velocity_window import WINDOW, VelocityWindow

SETTLING, PATIENCE = 0.5, 2.0
"""Time from the first joint state to the first description [s], for what else there is: with and
without an answer of the node that knows tips and period."""
REACTION = 0.01
"""Time from a joint state to the effect of a wrench that answers it [s]."""
ENDED = 'the graph has ended; another one that starts is shown'
PERIOD = 0.001
"""Of a graph that does not tell its period [s]."""


class HeardGraph:
    """Takes the messages of a graph.

    :param namespace: absolute; empty for none.
    :ivar urdf: description of the robot; empty while there is none.
    :ivar problem: why its robot cannot be shown; empty where it can.
    :ivar ended: whether nobody is there any more.
    :ivar model: of the robot; none before its first joint state, as ``steps`` and ``grips``.
    """

    steps: HeardSteps
    grips: FarGrips

    def __init__(self, namespace: str):
        self._namespace = namespace
        self.urdf = ''
        self._tips: tuple[str, ...] = ()
        self._period, self._answered = PERIOD, False
        self._forget()
        self.restart()

    def _forget(self) -> None:
        """Forget what belongs to a graph."""
        self.status = GraphStatus(self._namespace)
        self.contact = HeardContact()
        self.scene = HeardScene()

    def restart(self) -> None:
        """Begin with the first step, of the robot that is known."""
        self.ended = self._shown_end = False
        self.problem = ''
        self.model: RobotModel | None = None
        self._description: Description | None = None
        self._since = inf

    def end(self) -> None:
        """Note that nobody is there any more: what comes from now on is of another graph."""
        self.ended, self._answered = True, False
        self._forget()
        if self.model is not None:
            self.grips = FarGrips(self.model)

    def take_urdf(self, urdf: str) -> None:
        """Take a description of a robot: a graph has begun."""
        self.urdf = urdf
        self.restart()

    def take_parameters(self, tips: Sequence[str], period: float) -> None:
        """Take what a node tells of its tips and its period [s]."""
        self._period, self._answered = period, True
        if tuple(tips) != self._tips:
            self._tips = tuple(tips)
            self.restart()

    def take(self, topic: str, messages: list[bytes], now: float) -> None:
        """Take the messages of a stream, at a real time [s]; those of no use are left out."""
        if self.ended or not messages:
            return
        if self.model is None:
            if topic == 'joint_states' and self.urdf and not self.problem:
                self._build(messages[0], now)
            if self.model is None:
                return
        take = self._takes[topic]
        for message in messages:
            with suppress(MessageError):
                take(message)
        if topic == 'joint_states':
            self.status.measure(now, self.steps.time)

    def description(self, now: float, abilities: Abilities) -> Description | None:
        """Return the scene; another one when there are other bodies or abilities in it."""
        model, last = self.model, self._description
        if model is None or self.steps.joints is None:
            return None
        if self.ended and last is not None:
            return last
        if now < self._since + (SETTLING if self._answered else PATIENCE) and not self.ended:
            return None
        bodies = self.scene.bodies
        names = [body.name for body in bodies]
        if last is not None and (abilities, names) == (
            last.abilities,
            [body.name for body in last.bodies],
        ):
            return last
        self._description = Description(
            title=f'{model.name} in {self._namespace}' if self._namespace else model.name,
            model=at_rest(model, self.steps.joints),
            period=self._period,
            duration=None,
            bodies=bodies,
            goals=None,
            paths=(),
            columns=COLUMNS,
            scalars=SCALARS,
            keys=(),
            abilities=abilities,
        )
        return self._description

    def frame(self, now: float) -> Frame | None:
        """Return what is new at a real time [s]."""
        model = self.model
        q = None if model is None else self.steps.joints
        if model is None or q is None or (self.ended and self._shown_end):
            return None
        self._shown_end = self.ended
        steps, scene, contact = self.steps, self.scene, self.contact
        rows = steps.take_rows()
        own = {force.link for force in self.grips.acting}
        return Frame(
            time=steps.time,
            joints=q,
            twin=q if steps.twin is None else steps.twin,
            forces=(
                *self.grips.acting,
                *scene.hands(),
                *scene.pushes(model, q, own),
                *scene.contact_forces(contact.contacts),
                *contact.estimated,
            ),
            bodies=scene.moved,
            effective_masses=scene.effective_masses(len(model.tips)),
            alarm=contact.alarm,
            activity='' if self.ended else self.status.activity,
            progress=self._progress(now),
            times=rows.times,
            trace=rows.trace,
            scalars=rows.scalars,
        )

    def pull(self, now: float) -> dict[str, Any]:
        """Return the wrench on each link that is held, at a real time [s]."""
        steps = self.steps
        if self.ended or steps.joints is None or not self.grips.any:
            return {}
        delay = REACTION * max(1.0, self.status.factor(now)) + 0.5 * WINDOW
        state = JointState(steps.joints, self._velocity.velocity)
        wrenches = self.grips.wrenches(steps.time, state, delay)
        self.contact.pull(steps.time, self.grips.acting)
        return wrenches

    def _progress(self, now: float) -> Progress:
        status = self.status
        return Progress(
            playing=not (status.paused or self.ended),
            speed=1.0,
            factor=status.factor(now),
            late_share=status.late_share,
            earliest=0.0,
            latest=self.steps.time,
            ended=ENDED if self.ended else '',
        )

    def _build(self, data: bytes, now: float) -> None:
        """Build the robot of the description with the joints of a joint state."""
        try:
            names = [name.decode(errors='replace') for name in scan_joint_state(data).joint_names]
            model = heard_robot(self.urdf, names, self._tips)
        except (ValueError, ModelError) as error:
            self.problem = str(error)
            return
        self.model, self._since = model, now
        self.steps, self.grips = HeardSteps(model.n), FarGrips(model)
        self._velocity = VelocityWindow()
        joints = model.joint_names

        def joint_topic(
            topic: str,
            fields: tuple[str, ...],
            take: Callable[[DecodedJointState], None],
            optional: tuple[str, ...] = (),
        ) -> Callable[[bytes], None]:
            finite = topic == 'joint_states'
            decode = JointStateDecoder(joints, fields, topic, optional, finite=finite).decode
            return lambda data: take(decode(data))

        steps = self.steps
        measured = without_jumps(self._measured, model.endless)
        self._takes: dict[str, Callable[[bytes], None]] = {
            'joint_states': joint_topic('joint_states', ('position',), measured),
            'control_state': joint_topic(
                'control_state', ('position',), self._controlled, ('effort',)
            ),
            'effort_command': joint_topic(
                'effort_command', ('effort',), self._commanded, ('position',)
            ),
            'external_torque': joint_topic(
                'external_torque', ('effort',), lambda m: steps.estimated.add(m.stamp, m.effort)
            ),
            'true_external_torque': joint_topic(
                'true_external_torque',
                ('effort',),
                lambda m: steps.external.add(m.stamp, m.effort),
            ),
            notice.COLLISION: self._noticed,
            'contacts': self._touched,
        }

    def _measured(self, message: DecodedJointState) -> None:
        steps = self.steps
        if steps.newest > message.stamp + NANO:  # another run, whose beginning nobody told of
            self.restart()
            return
        if steps.measure(message.stamp, message.position):
            self._velocity.add(steps.time, message.position)

    def _controlled(self, message: DecodedJointState) -> None:
        self.steps.twin = message.position
        if message.effort.size:
            self.steps.rollback.add(message.stamp, message.effort)

    def _commanded(self, message: DecodedJointState) -> None:
        steps = self.steps
        steps.effort.add(message.stamp, message.effort)
        if message.position.size:
            floats = has_kind(message.frame_id, FLOATING)
            steps.desired.add(
                message.stamp,
                np.full_like(message.position, np.nan) if floats else message.position,
            )

    def _noticed(self, data: bytes) -> None:
        heard = notice.from_message(deserialize_message(data, DiagnosticArray))
        self.steps.margin.add(heard.stamp, np.array([heard.margin]))
        self.contact.report(self.steps.seconds(heard.stamp), heard)

    def _touched(self, data: bytes) -> None:
        message = deserialize_message(data, DiagnosticArray)
        time = self.steps.seconds(join(message.header.stamp))
        self.contact.touch(time, contacts.from_message(message))

    def take_other(self, topic: str, message: Any, now: float) -> None:
        """Take a message that does not come with every step, at a real time [s]."""
        match topic:
            case 'robot_description':
                self.take_urdf(message.data)
            case safety_status.SAFETY:
                self.status.take_safety(safety_status.from_message(message))
            case '/diagnostics':
                self.status.take_diagnostics(message)
            case 'markers':
                self.scene.take(message, now)
