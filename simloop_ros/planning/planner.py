"""What every motion planner can do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from ..core.values import Array, JointState


class Planner(ABC):
    """Desired joint positions, one at a time.

    :cvar open_loop: whether the desired positions do not depend on the control state.
    """

    open_loop: ClassVar[bool] = False

    @abstractmethod
    def snapshot(self) -> Any:
        """Return all that the next step depends on."""

    @abstractmethod
    def restore(self, snapshot: Any) -> None:
        """Go back to an earlier snapshot."""

    @abstractmethod
    def step(self, control: JointState) -> Array:
        """Return the next desired position [rad], shape ``(n,)``.

        :param control: the control state, 000 section 5.3 step 9.
        """

    @property
    @abstractmethod
    def expected(self) -> JointState:
        """Return the control state of a robot that is where the planner wants it now."""

    def feel(self, wrenches: Array | None) -> None:  # noqa: B027 - most planners have no hands
        """Take readings of the wrists for the next step.

        :param wrenches: force first [N, N m], shape ``(tips, 6)``; None where there are none.
        """

    def restart(self, start: JointState) -> bool:  # noqa: ARG002 - a list leads from one place only
        """Set out anew for the same goal; return whether that is possible without a new plan.

        :param start: at rest, or a velocity that the next step may change at once.
        """
        return False
