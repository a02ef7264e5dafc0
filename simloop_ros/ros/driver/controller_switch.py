"""Which controller of ros2_control has the robot: its own, or the one that takes our commands."""

from __future__ import annotations

from collections.abc import Callable
import time
from typing import TYPE_CHECKING, Any, Literal, Protocol

from ...drivers.config import ControllersConfig
from ..messages.safety_status import GIVING_BACK, NO_CONTROLLER, SWITCHING

if TYPE_CHECKING:
    from ..node.block_node import BlockNode

PATIENCE = 5.0
"""Time in which the controller manager has to answer [s]."""

Owner = Literal['robot', 'taking', 'ours', 'giving', 'nobody']
STATES: dict[Owner, str] = {
    'robot': SWITCHING,
    'taking': SWITCHING,
    'ours': '',
    'giving': GIVING_BACK,
    'nobody': NO_CONTROLLER,
}
"""What the follower tells of each owner."""


class PendingAnswer(Protocol):
    """A future: whether it is there, and whether it says that the controllers were switched."""

    def done(self) -> bool:
        """Return whether it is there."""

    def result(self) -> Any:
        """Return the response of the service."""


Ask = Callable[[list[str], list[str]], PendingAnswer | None]
"""Asks to activate and to deactivate controllers; none if nobody is there to be asked yet."""


class ControllerSwitch:
    """Takes the robot from its own controller, and gives it back.

    Both are switched in one request, so that the robot is never without.

    :ivar owner: who has the robot; ``nobody`` after a fault.
    :ivar fault: why the controllers could not be switched; empty if they could.
    :param clock: returns the time of a steady clock [s].
    """

    def __init__(
        self,
        controllers: ControllersConfig,
        ask: Ask,
        clock: Callable[[], float] = time.monotonic,
    ):
        self._ours, self._robot = [controllers.ours], [controllers.robot]
        self._ask, self._clock = ask, clock
        self._answer: PendingAnswer | None = None
        self._deadline = 0.0
        self.owner: Owner = 'robot' if controllers.ours else 'ours'
        self._gives = bool(controllers.ours)
        self.fault = ''

    def take(self) -> bool:
        """Go on to take the robot; return whether it is ours."""
        if self.owner == 'robot':
            self._begin('taking')
        if self.owner == 'taking':
            self._go_on(self._ours, self._robot, 'ours')
        return self.owner == 'ours'

    def give_back(self) -> bool:
        """Go on to give the robot back; return whether there is nothing left to do."""
        if self._gives and self.owner in ('taking', 'ours'):
            self._begin('giving')
        if self.owner == 'giving':
            self._go_on(self._robot, self._ours, 'robot')
        return self.owner != 'giving'

    def _begin(self, owner: Owner) -> None:
        self.owner, self._answer = owner, None
        self._deadline = self._clock() + PATIENCE

    def _go_on(self, activate: list[str], deactivate: list[str], owner: Owner) -> None:
        if self._answer is None:
            self._answer = self._ask([*filter(None, activate)], [*filter(None, deactivate)])
        if self._answer is not None and self._answer.done():
            if self._answer.result().ok:
                self.owner = owner
                return
            self._fail(activate, deactivate, 'the controller manager refused')
        elif self._clock() > self._deadline:
            self._fail(activate, deactivate, f'no answer for {PATIENCE:g} s')

    def _fail(self, activate: list[str], deactivate: list[str], why: str) -> None:
        wanted = ' '.join(
            f'--{word} {name}'
            for word, names in (('deactivate', deactivate), ('activate', activate))
            for name in names
            if name
        )
        self.owner = 'nobody'
        self.fault = f'controllers: {why}; try "ros2 control switch_controllers {wanted}"'


def ask_manager(node: BlockNode, manager: str) -> Ask:
    """Return what asks a controller manager; ``controller_manager_msgs`` has to be installed."""
    from controller_manager_msgs.srv import SwitchController

    client: Any = node.create_client(SwitchController, f'{manager}/switch_controller')
    node.at_cleanup(lambda: node.destroy_client(client))

    def ask(activate: list[str], deactivate: list[str]) -> PendingAnswer | None:
        if not client.service_is_ready():
            return None
        request = SwitchController.Request()
        request.activate_controllers, request.deactivate_controllers = activate, deactivate
        request.strictness = SwitchController.Request.STRICT
        answer: PendingAnswer = client.call_async(request)
        return answer

    return ask
