"""What persons at the pages do to the simulated robot."""

from __future__ import annotations

from collections.abc import Sequence

from ...core.values import UNDISTURBED, Array, Disturbance
from ...plants.applied_wrenches import AppliedWrenches, LinkWrench
from ...plants.hand_force import SolvedPulls
from ...plants.plant import Plant, total_torque
from ...robot.model import RobotModel
from ..frame import Force
from .mouse_grip import MouseGrips
from .thrown_balls import ThrownBalls


class Interaction(AppliedWrenches):
    """Grips and balls as wrenches, which are kept: ``RecordedWrenches`` repeats them.

    It is the plant of the loop while something is held or flies; the plant inside is, else.

    :param model: the robot as the plant has it.
    :param period: [s].
    :param lag: of the plant, see ``HandForces``.
    :ivar grips: of the persons.
    :ivar balls: that they threw.
    :ivar recorded: wrenches by the number of their step; those after the present one are dropped
        when time is set back.
    """

    _remembered = ('_plant', '_index', 'grips', 'balls')

    def __init__(self, plant: Plant, model: RobotModel, period: float, lag: float = 0.0):
        self.grips = MouseGrips(model, period, lag)
        self.balls = ThrownBalls(model, period)
        self.recorded: dict[int, tuple[LinkWrench, ...]] = {}
        self._solved: SolvedPulls | None = None
        super().__init__(plant, model)

    @property
    def forces(self) -> tuple[Force, ...]:
        """Return the forces of the last step."""
        return (*self.grips.acting, *self.balls.acting)

    @property
    def is_busy(self) -> bool:
        """Return whether something is held or flies, or was in the last step."""
        return self.grips.any or self.balls.any or bool(self.grips.acting or self.balls.acting)

    def go_to(self, index: int) -> None:
        """Let the next step be one with a number, and forget the wrenches from it on."""
        self._index = index
        if self.recorded and next(reversed(self.recorded)) >= index:
            self.recorded = {k: each for k, each in self.recorded.items() if k < index}

    def step(self, effort: Array, disturbance: Disturbance = UNDISTURBED) -> None:
        """Apply efforts [N m], a disturbance, grips and balls for one period."""
        before = self._plant.truth.velocity
        super().step(effort, disturbance)
        if self._solved is not None:
            self.grips.learn(self._solved, before, self._plant.truth.velocity)

    def _wrenches(self, effort: Array, disturbance: Disturbance) -> Sequence[LinkWrench]:
        state = self._plant.truth
        thrown = self.balls.wrenches(state)
        torque = total_torque(effort, disturbance.torque)
        pulled, self._solved = self.grips.wrenches(state, torque)
        wrenches = (*thrown, *pulled)
        if wrenches:
            self.recorded[self._index] = wrenches
        return wrenches
