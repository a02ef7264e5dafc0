"""The simulated robot's positions for a real one that takes positions only: 001, figure 4."""

from __future__ import annotations

import array
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from std_msgs.msg import Float64MultiArray

from ...core.config_types import Positive
from ...core.errors import UnsafeCommandError
from ...core.values import Array
from ...robot.model import RobotModel
from ...safety.position_gate import PositionGate
from ..messages.joint_state import DecodedJointState
from ..transport.qos import STREAM

if TYPE_CHECKING:
    from ..node.block_node import BlockNode

RESTING = 1e-3
"""Way between two messages below which the robot counts as resting [rad]."""


class StreamConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Where the positions of the simulated robot go, for a real one that follows them.

    :ivar joint_states: topic for them as JointState; empty for none.
    :ivar commands: topic for them as Float64MultiArray in the order of the model's joints, as
        ros2_control's ``forward_command_controller`` takes them; empty for none.
    :ivar robot: topic on which the real robot tells where it is, as JointState.
    :ivar tolerance: distance between where the robot is and where it was told to be beyond which
        it counts as not following [rad].
    """

    joint_states: str = ''
    commands: str = ''
    robot: str = 'robot_joint_states'
    tolerance: Positive = 0.2

    @property
    def used(self) -> bool:
        """Return whether there is a robot that follows."""
        return bool(self.joint_states or self.commands)


class PositionStream:
    """Tells a real robot where the simulated one is, and sees whether it follows.

    Nothing is sent before the real robot has told where it rests: there the simulated one has to
    begin. What is sent passes a ``PositionGate``.

    :ivar start: where the real robot rests [rad], shape ``(n,)``, once it is known.
    """

    def __init__(self, node: BlockNode, model: RobotModel, config: StreamConfig):
        self._node = node
        self._names = model.joint_names
        self._config = config
        self._gate = PositionGate(model, node.graph.period)
        self._states = (
            node.publish_joints(config.joint_states, model.joint_names, ('position',))
            if config.joint_states
            else None
        )
        self._commands = (
            node.publisher(Float64MultiArray, config.commands, STREAM) if config.commands else None
        )
        self._robot: Array | None = None
        self._silence = 0
        self.start: Array | None = None
        self.sent = 0
        node.subscribe_joints(config.robot, self._names, ('position',), self._on_robot, 1)

    def _on_robot(self, message: DecodedJointState) -> None:
        before, self._robot = self._robot, message.position
        self._silence = 0
        rests = before is not None and np.abs(before - message.position).max() < RESTING
        if self.start is None and rests:
            self.begin()

    def begin(self) -> bool:
        """Begin where the real robot is; return whether that is known, and it may be there."""
        if self._robot is None:
            return False
        try:
            self._gate.start(self._robot)
        except UnsafeCommandError as error:
            self._node.refuse(f'{self._config.robot}: {error}')
            return False
        self.start = self._robot
        return True

    def send(self, stamp: int, position: Array, periods: int) -> None:
        """Tell the robot where to be [rad], shape ``(n,)``.

        :param stamp: of the simulated robot's state [ns].
        :param periods: since the last time.
        :raises UnsafeCommandError: there is no such place.
        """
        told = self._gate.let_pass(position, periods)
        self.sent += 1
        if self._states:
            self._states.send(stamp, told)
        if self._commands:
            self._commands.publish(Float64MultiArray(data=array.array('d', told.tobytes())))

    def trouble(self, periods: int, timeout: int) -> str:
        """Return why the robot does not follow; empty if it does.

        :param periods: since the last call.
        :param timeout: periods after which a robot that is silent counts as gone.
        """
        self._silence += periods
        if self._silence > timeout:
            return f'{self._config.robot}: nothing for {timeout} periods'
        if self._robot is None or self._gate.last is None:
            return f'{self._config.robot}: nobody has told yet where the robot is'
        distance = np.abs(self._robot - self._gate.last)
        i = int(np.argmax(distance))
        if distance[i] > self._config.tolerance:
            return (
                f'{self._config.robot}: joint {self._names[i]} is {float(distance[i]):.3g} from '
                f'where it was told to be; {self._config.tolerance:g} are allowed'
            )
        return ''
