"""Planning in the loop: the next position while the robot moves."""

from __future__ import annotations

import numpy as np

from ..core.state import StateValue
from ..core.values import Array, ExternalInputs, JointState, Setpoint
from .forced_simulation import ForcedMotion, ForcedSimulation
from .planner import Planner


class OnlinePlanner(StateValue, Planner):
    """000, figure 6: the planner's simulation, synchronised with the control state every step.

    The planner compares its own simulation with the control state. Within the leash it continues
    from its own: the controller corrects the difference. A joint beyond the leash (a contact, a
    hand, an effort limit) is moved to the end of the leash, is no faster than the robot and never
    goes backwards, and the paths of the tips start again from there. So a held robot makes the
    motion later, not wrong, and a few steps later, with the planner at rest, the force is at most
    ``M (leash + a)``. Why not the whole state at every step: see ``docs/planning.md``.

    :param leash: largest distance between the two, per joint [rad].
    """

    _state: ForcedMotion

    def __init__(self, simulation: ForcedSimulation, start: JointState, leash: float):
        self._simulation = simulation
        self._leash = leash
        self._leash_squared = leash * leash
        self._state = simulation.start(start)

    def step(self, control: JointState, inputs: ExternalInputs) -> Setpoint:  # noqa: ARG002
        """Return the setpoint of the next step."""
        motion = self._state
        apart = motion.joints.position - control.position
        # The norm is sufficient, and cheaper than the largest component.
        if not apart.dot(apart) <= self._leash_squared:
            motion = self._synchronise(motion, control, apart)
        self._state = self._simulation.step(motion)
        joints = self._state.joints
        return Setpoint(joints.position, joints.velocity)

    @property
    def leash(self) -> float:
        """Return the leash [rad]."""
        return self._leash

    @property
    def expected(self) -> JointState:
        """Return the state of the planner's own simulation."""
        return self._state.joints

    def restart(self, start: JointState) -> bool:
        """Start from a joint state to the same goals."""
        self._state = self._simulation.start(start)
        return True

    def _synchronise(
        self, motion: ForcedMotion, control: JointState, apart: Array
    ) -> ForcedMotion:
        if not np.isfinite(apart.dot(apart)):
            return motion  # a diverged state is the control simulation's to report
        beyond = np.abs(apart) > self._leash
        if not beyond.any():
            return motion
        own, robot = motion.joints.velocity, control.velocity
        least = np.copysign(np.minimum(np.abs(own), np.abs(robot)), own)
        slower = np.where(own * robot > 0.0, least, 0.0)
        return self._simulation.start(
            JointState(
                control.position + np.minimum(np.maximum(apart, -self._leash), self._leash),
                np.where(beyond, slower, own),
            )
        )
