"""Hand guiding as in 000: desired velocity zero, desired position taken from the robot."""

from __future__ import annotations

import msgspec
import numpy as np

from ..core.state import StateValue
from ..core.values import Array, ExternalInputs, JointState, Setpoint
from .planner import Planner


class HandGuidingSnapshot(msgspec.Struct, frozen=True, gc=False):
    """State of hand guiding.

    :ivar reference: the position to stay at [rad], shape ``(n,)``.
    :ivar resting: displacement from it by the model error alone [rad], shape ``(n,)``.
    :ivar tared: number of steps that ``resting`` is the mean of.
    """

    reference: Array
    resting: Array
    tared: int


class HandGuiding(StateValue, Planner):
    """000, section 6.1.4, with the remedy against its drift that section 7.2 proposes.

    With a threshold of zero the desired position is the robot's own at every step. A model error
    that moves the robot by ``e h^2`` in a step then does so for ever: the drift of 000.

    With a threshold the position is held, and follows the robot only while their difference is
    larger. The displacement by the model error alone is learnt at the start, in the tare time,
    without a hand; the threshold counts from there. So a push moves the robot as far in every
    direction, and it does not creep afterwards.

    :param threshold: largest difference that is not followed, per joint [rad].
    :param tare_steps: number of steps at the start in which the model error is learnt.
    """

    _state: HandGuidingSnapshot

    def __init__(self, start: JointState, threshold: float, tare_steps: int):
        self._threshold = threshold
        self._tare_steps = tare_steps
        self._rest = np.zeros_like(start.position)
        self._state = HandGuidingSnapshot(start.position, np.zeros_like(start.position), 0)

    def step(self, control: JointState, inputs: ExternalInputs) -> Setpoint:  # noqa: ARG002
        """Return the position to stay at, at rest."""
        if not self._threshold:
            self._state = HandGuidingSnapshot(control.position, self._state.resting, 0)
            return Setpoint(control.position, self._rest, follows=True)
        grip = self._state
        displacement = control.position - grip.reference
        if grip.tared < self._tare_steps:
            share = 1.0 / max(grip.tared, 1)  # the first is from before the robot sank
            resting = grip.resting + share * (displacement - grip.resting)
            self._state = HandGuidingSnapshot(grip.reference, resting, grip.tared + 1)
        elif (np.abs(displacement - grip.resting) > self._threshold).any():
            self._state = HandGuidingSnapshot(
                control.position - grip.resting, grip.resting, grip.tared
            )
        return Setpoint(self._state.reference, self._rest)

    @property
    def expected(self) -> JointState:
        """Return the position to stay at, at rest."""
        return JointState(self._state.reference, self._rest)

    def restart(self, start: JointState) -> bool:
        """Stay at a position; the learnt displacement is kept."""
        self._state = HandGuidingSnapshot(start.position, self._state.resting, self._state.tared)
        return True
