"""A robot that takes positions only, seen through its simulated surrogate: 001, figure 4."""

from __future__ import annotations

from ..core.values import UNDISTURBED, Array, Disturbance, JointState, PlantReport
from .plant import Plant
from .position_robot import PositionRobot
from .wrapper import PlantWrapper


class Surrogate(PlantWrapper):
    """Efforts move a simulated robot, whose positions are the commands of the real one.

    ``step`` applies the efforts to the surrogate, then sends its joint positions to the real
    robot, which has the period to get there. ``observe`` shows the surrogate, around which
    control is closed; ``truth`` and ``report`` are those of the real robot. A disturbance acts on
    the real robot only: how the surrogate yields to it is up to control.

    :param robot: the real robot, which starts where the surrogate does.
    """

    _remembered = ('_surrogate', '_robot')

    def __init__(self, surrogate: Plant, robot: PositionRobot):
        super().__init__(robot.plant)
        self._surrogate = surrogate
        self._robot = robot

    def start(self, state: JointState) -> None:
        """Begin with both robots at a joint state."""
        self._surrogate.start(state)
        self._robot.start(state)

    def step(self, effort: Array, disturbance: Disturbance = UNDISTURBED) -> None:
        """Move the surrogate by efforts [N m], and have the real robot follow."""
        self._surrogate.step(effort)
        self._robot.track(self._surrogate.observe(), disturbance)

    def observe(self) -> Array:
        """Return the joint positions of the surrogate [rad], shape ``(n,)``."""
        return self._surrogate.observe()

    def report(self) -> PlantReport:
        """Return the report of the real robot."""
        return self._robot.report()

    def close(self) -> None:
        """Close both robots."""
        self._surrogate.close()
        super().close()
