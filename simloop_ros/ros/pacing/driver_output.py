"""Commands in the form that the drivers of real robots take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import msgspec
import pinocchio as pin

from ...core.values import Array
from ...robot.model import RobotModel
from ...safety.config import SafetyConfig
from ...safety.gate import CommandGate


class DriverConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What the driver of a real robot takes.

    :ivar topic: where it takes its commands, as ``effort_controller/commands``; empty if it takes
        ``effort_command`` or nothing.
    :ivar output: what it takes there: efforts [N m] or desired positions [rad].
    :ivar gravity_handled: whether the robot compensates gravity itself, so that efforts are sent
        without it.
    """

    topic: str = ''
    output: Literal['effort', 'position'] = 'effort'
    gravity_handled: bool = False


class DriverOutput:
    """Sends a driver its commands, in the order of the model's joints.

    That is what ros2_control's ``forward_command_controller`` takes; its ``joints`` have to be in
    the same order. Efforts pass the gate once more, without the gravity that the robot handles.

    :param publish: gets the numbers of each command, shape ``(n,)``.
    """

    def __init__(
        self,
        model: RobotModel,
        period: float,
        safety: SafetyConfig,
        config: DriverConfig,
        publish: Callable[[Array], None],
    ):
        self._publish = publish
        self._config = config
        self._model = model.pin_model
        self._data = model.pin_model.createData()
        self._gate = CommandGate(model.joint_names, model.effort_limit, period, safety)

    def send(self, position: Array, desired: Array, effort: Array) -> None:
        """Send a command.

        :param position: of the robot now [rad], shape ``(n,)``.
        :param desired: where it shall be after this period [rad], shape ``(n,)``.
        :param effort: that takes it there [N m], shape ``(n,)``.
        :raises UnsafeCommandError: without gravity the effort is beyond a limit.
        """
        values = desired
        if self._config.output == 'effort':
            values = effort
            if self._config.gravity_handled:
                values = effort - pin.computeGeneralizedGravity(self._model, self._data, position)
            self._gate.check(values)
        self._publish(values)
