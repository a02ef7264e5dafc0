"""The robot of a node, and what it is told to carry while the graph runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from geometry_msgs.msg import InertiaStamped
import pinocchio as pin

from ...collision.load import Load
from ...core.errors import SimloopError
from ...plants.carrying import Carrying
from ...robot.carried_payload import CarriedPayload, later_payloads, without_later_payloads
from ...robot.config import Payload, RobotConfig
from ...robot.fit_robot import load_fit_robot
from ...robot.model import RobotModel
from ..messages.joint_state import DecodedJointState
from ..messages.notice import COLLISION, Notice
from ..messages.notice import from_message as notice_from_message
from ..messages.payload import LEAD, TOPIC, from_message, to_message
from ..messages.stamps import NANO, join
from ..transport.qos import EVENTS
from .block_node import BlockNode

LONGEST_LEAD = 10.0
"""Time that a payload may be told of in advance [s]."""


class PayloadTopic:
    """Loads the robot of a node; payloads on ``payload`` change its model from their stamps on.

    In lockstep those of ``robot.payloads`` do so at their times, in the same step in every node.
    In real time control announces them on the topic. Loads that the monitor recognised and took
    over come with its reports, on ``collision``: not on ``payload``, because the monitor has them
    already, and the simulated robot carries the true ones.

    :param announces: whether this node does that.
    :ivar model: the robot, with what it carries now.
    """

    def __init__(self, node: BlockNode, *, announces: bool = False):
        loaded, realtime = load_fit_robot(node.config(RobotConfig, 'robot')), node.graph.realtime
        self._later = later_payloads(loaded) if announces and realtime else ()
        self.model: RobotModel = without_later_payloads(loaded) if realtime else loaded
        self._node = node
        node.topics.endless = self.model.endless
        self._carried = CarriedPayload(self.model, later_payloads(self.model))
        self._simulated: CarriedPayload | None = None
        self._last_load = -1
        if self._later:
            self._publisher = node.topics.publisher(InertiaStamped, TOPIC, EVENTS)
        node.topics.subscription(InertiaStamped, TOPIC, self._take, EVENTS)

    def also(self, *others: pin.Model) -> None:
        """Change other Pinocchio models of the robot, too."""
        self._carried.include(*others)

    def simulate(self, carrying: Carrying | None) -> None:
        """Let a simulated robot carry what is told, in time of its own; none if it cannot."""
        self._simulated = None if carrying is None else carrying.carried

    def at(self, stamp: int) -> None:
        """Let the model be that of a stamp [ns]; the first one counts as the begin of the run."""
        later, self._later = self._later, ()
        for payload in later:
            self._publisher.publish(to_message(payload, stamp + round(payload.at * NANO)))
        self._carried.at(stamp)

    def before(
        self, call: Callable[[DecodedJointState], None]
    ) -> Callable[[DecodedJointState], None]:
        """Return a function that brings the model to a message's stamp, and passes it on."""

        def take(message: DecodedJointState) -> None:
            if self._node.graph.realtime or message.stamp >= self._carried.now:  # not repeated
                self._carried.at(message.stamp)
            call(message)

        return take

    def listen(self, then: Callable[[int], None] = lambda _: None) -> None:
        """Take over loads that the monitor recognises, if it looks for any.

        :param then: called with the stamp [ns] of each report, after that.
        """
        if self._node.graph.loads:
            take = self.hearing(lambda _, stamp, __: then(stamp))
            self._node.topics.subscribe_arrays(
                COLLISION, notice_from_message, lambda *part: take(COLLISION, *part)
            )

    def hearing(self, call: Callable[[str, int, Any], None]) -> Callable[[str, int, Any], None]:
        """Return a function that takes over the load of an input, if any, and passes it on."""

        def take(topic: str, stamp: int, value: Any) -> None:
            if isinstance(value, Notice) and value.load is not None:
                self._take_load(stamp, value.load)
            call(topic, stamp, value)

        return take

    def _take_load(self, stamp: int, load: Load) -> None:
        """Carry a load, in lockstep from the step that begins at a stamp on [ns]."""
        if not load.taken or stamp <= self._last_load:  # a report that is repeated
            return
        self._last_load, carried = stamp, self._carried
        if self._node.graph.realtime:
            stamp = max(carried.now, stamp + round(LEAD * NANO))
        payload = Payload(mass=load.mass, tip=load.tip, centre=load.centre)
        try:
            carried.tell(stamp, payload)
        except SimloopError as error:
            self._node.refuse(str(error))
            return
        self._node.get_logger().info(f'payload: {load.mass:.3g} kg at {load.tip}, recognised')

    def _take(self, message: InertiaStamped) -> None:
        node, carried, stamp = self._node, self._carried, join(message.header.stamp)
        lead = max(0, stamp - carried.now) if stamp and carried.now else 0
        try:
            payload = from_message(message)
            if lead > LONGEST_LEAD * NANO:
                raise SimloopError(
                    f'{TOPIC}: its stamp is {lead / NANO:.3g} s ahead, {LONGEST_LEAD:g} s at most '
                    'are possible; give the stamp of a joint state, or zero'
                )
            for each in (carried, self._simulated):
                if each is not None:
                    each.tell(each.now + lead, payload)
        except SimloopError as error:
            node.refuse(str(error))
            return
        tip = payload.tip or self.model.tips[0]
        node.get_logger().info(f'payload: {payload.mass:g} kg at {tip}')
