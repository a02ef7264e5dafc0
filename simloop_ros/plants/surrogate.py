"""A robot that takes positions only, seen through its simulated surrogate: 001, figure 4."""

from __future__ import annotations

from typing import Any

import msgspec

from ..core.values import Array, JointState
from .plant import Plant
from .position_robot import PositionRobot, PositionRobotState
from .wrapper import PlantWrapper


class SurrogateState(msgspec.Struct, frozen=True):
    """The states of the surrogate and of the real robot."""

    surrogate: Any
    robot: PositionRobotState


class Surrogate(PlantWrapper):
    """Efforts move a simulated robot, and the real one is told to be where that is.

    ``step`` applies the efforts to the surrogate, then sends its joint positions to the real
    robot, which has the period to get there. ``observe`` shows the surrogate, around which
    control is closed; ``truth``, ``external``, ``contacts`` and ``hands`` are those of the real
    robot. Torques from outside act on the real robot only: how the surrogate yields to them is
    the business of control.

    :param surrogate: the simulated robot, which nobody touches.
    :param robot: the real robot, which starts where the surrogate does.
    """

    def __init__(self, surrogate: Plant, robot: PositionRobot):
        super().__init__(robot.plant)
        self._surrogate = surrogate
        self._robot = robot

    @property
    def state(self) -> SurrogateState:
        """Return the states of both robots."""
        return SurrogateState(self._surrogate.state, self._robot.state)

    @property
    def external(self) -> Array:
        """Return the torque from outside on the real robot [N m], shape ``(n,)``, its mean."""
        return self._robot.external

    def reset(self, state: JointState | SurrogateState) -> None:
        """Go to a state; both robots go to a ``JointState``."""
        if isinstance(state, SurrogateState):
            self._surrogate.reset(state.surrogate)
            self._robot.reset(state.robot)
        else:
            self._surrogate.reset(state)
            self._robot.reset(state)

    def step(self, effort: Array, external: Array | None = None) -> None:
        """Move the surrogate by efforts [N m], and have the real robot follow.

        :param external: torque from outside on the real robot's links [N m], shape ``(n,)``.
        """
        self._surrogate.step(effort)
        self._robot.track(self._surrogate.observe(), external)

    def observe(self) -> Array:
        """Return the joint positions of the surrogate [rad], shape ``(n,)``."""
        return self._surrogate.observe()

    def close(self) -> None:
        """Close both robots."""
        self._surrogate.close()
        super().close()
