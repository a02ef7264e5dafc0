"""The simulated robot's positions for a real one that takes positions only: 001, figure 4."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import numpy as np

from ...core.config_types import Positive
from ...core.errors import UnsafeCommandError
from ...core.values import Array
from ...robot.model import RobotModel
from ...safety.position_gate import PositionGate

REST_TOLERANCE = 1e-3
"""Distance between two messages below which the real robot counts as being at rest [rad]."""


class StreamConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Where the positions of the simulated robot go, for a real one that follows them.

    :ivar joint_states: topic for them as JointState; empty for none.
    :ivar commands: topic for them as Float64MultiArray in the order of the model's joints, as
        ros2_control's ``forward_command_controller`` takes them; empty for none.
    :ivar robot: topic of the real robot's joint states.
    :ivar tolerance: distance between the robot's position and the last one sent to it beyond
        which it counts as not following [rad].
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
    """Sends a real robot the positions of the simulated one, and checks that it follows.

    Nothing is sent before the real robot was seen at rest: the simulated one has to begin there.
    What is sent passes a ``PositionGate``.

    :param send: called with a stamp [ns] and the position that the robot shall take.
    :param refuse: called with the reason why a position of the robot cannot be used.
    :ivar start: where the real robot rests [rad], shape ``(n,)``, once it is known.
    :ivar sent: number of positions sent.
    """

    def __init__(
        self,
        model: RobotModel,
        period: float,
        config: StreamConfig,
        send: Callable[[int, Array], None],
        refuse: Callable[[str], None],
    ):
        self._names = model.joint_names
        self._config = config
        self._gate = PositionGate(model, period)
        self._send = send
        self._refuse = refuse
        self._robot: Array | None = None
        self._periods = 0
        self.start: Array | None = None
        self.sent = 0

    def follow(self, position: Array) -> None:
        """Take where the real robot is [rad], shape ``(n,)``."""
        before, self._robot = self._robot, position
        self._periods = 0
        rests = before is not None and np.abs(before - position).max() < REST_TOLERANCE
        if self.start is None and rests:
            self.begin()

    def begin(self) -> bool:
        """Begin where the real robot is; return whether that is known and within its range."""
        if self._robot is None:
            return False
        try:
            self._gate.start(self._robot)
        except UnsafeCommandError as error:
            self._refuse(f'{self._config.robot}: {error}')
            return False
        self.start = self._robot
        return True

    def send(self, stamp: int, position: Array, periods: int) -> None:
        """Send the robot a position [rad], shape ``(n,)``, with the stamp of the state [ns].

        :param periods: since the last call.
        :raises UnsafeCommandError: it is not finite, or the robot's position is unknown.
        """
        allowed = self._gate.let_pass(position, periods)
        self.sent += 1
        self._send(stamp, allowed)

    def fault(self, periods: int, timeout: int) -> str:
        """Return why the robot does not follow, after some periods; empty if it does."""
        self._periods += periods
        if self._periods > timeout:
            return f'{self._config.robot}: no message for {timeout} periods'
        if self._robot is None or self._gate.last is None:
            return f'{self._config.robot}: the position of the robot is not known yet'
        distance = np.abs(self._robot - self._gate.last)
        i = int(np.argmax(distance))
        if distance[i] > self._config.tolerance:
            return (
                f'{self._config.robot}: joint {self._names[i]} is {float(distance[i]):.3g} from '
                f'the position sent to it; {self._config.tolerance:g} are allowed'
            )
        return ''
