"""Supervision of two hands: does each arm follow, and is the object held when it must be?"""

from __future__ import annotations

from math import ceil, dist, sqrt

import msgspec
import numpy as np

from ..core.values import Array
from ..robot.model import RobotModel
from .config import BimanualConfig
from .contact import ContactStep, ContactTarget
from .hands import HandFinder, HandPoses
from .impedance import ROTATION_ARM
from .pace import MAX_SLOPE, RAMP_SHARE, Pace
from .snapshot import BimanualSnapshot, StalledArm

RETURN_ACCELERATION = 30.0
"""Acceleration with which a hand returns to its place beside a stalled arm [m/s^2]: about that of
a stop from 0.3 m/s in 10 ms."""
BRAKE_TIME = 0.1
"""Time in which the brakes of an arm engage [s]: twice the time constant of the simulated ones."""
NORM_PER_RADIAN = sqrt(2.0)
"""Frobenius norm of the difference of two rotations per angle between them, if that is small."""
HELD_SHARE = 0.1
"""Share of the setpoint of the squeeze below which the object is not held."""
LOST_TIME = 0.05
"""Time after which an object that is not held is lost [s]."""


class StallDetector:
    """Halt both arms when a tip is farther than a leash from its last setpoint.

    A rotation counts as a distance at ``ROTATION_ARM`` from the tip. From then on ``stalled`` is
    the reference of the arm that does not follow.

    :param period: time between two steps [s].
    :param leash: largest distance of a tip from its last setpoint [m].
    """

    def __init__(self, model: RobotModel, period: float, leash: float):
        self._tips = model.tips
        self._find = HandFinder(model)
        self._period = period
        self._leash = leash

    def step(self, state: BimanualSnapshot, measured: HandPoses, q: Array) -> BimanualSnapshot:
        """Return the state once it is known whether both arms follow.

        :param measured: the hands.
        :param q: measured joints [rad], shape ``(n,)``.
        """
        stalled = state.stalled
        if stalled is not None:
            reference = self._find(stalled.joints).position[stalled.tip]
            distance = dist(measured.position[stalled.tip], reference)
            return msgspec.structs.replace(state, stalled=stalled.after(q, distance))
        setpoint = self._find(state.position)
        here, there = measured.position.tolist(), setpoint.position.tolist()
        gaps = [dist(a, b) for a, b in zip(here, there, strict=True)]
        apart = measured.rotation - setpoint.rotation
        apart *= apart
        turns = [sqrt(x) / NORM_PER_RADIAN for x in np.add.reduce(apart, (1, 2)).tolist()]
        errors = [max(gap, ROTATION_ARM * turn) for gap, turn in zip(gaps, turns, strict=True)]
        error = max(errors)
        if error <= self._leash:
            return state
        tip = errors.index(error)
        reason = (
            f'the arm of {self._tips[tip]} does not follow: it is {1e3 * gaps[tip]:.2g} mm '
            f'and {1e3 * turns[tip]:.2g} mrad from where it should be, the leash is '
            f'{1e3 * self._leash:g} mm, {1e3 * self._leash / ROTATION_ARM:g} mrad'
        )
        gentle = sqrt(MAX_SLOPE * error / (RAMP_SHARE * RETURN_ACCELERATION)) / self._period
        steps = max(state.stop_steps, ceil(gentle))
        coast = max(steps, round(BRAKE_TIME / self._period))
        arm = StalledArm(tip, q, Pace(steps, steps), Pace(coast, coast))
        return msgspec.structs.replace(state.halting(reason), stalled=arm)


class ObjectMonitor:
    """Halt both arms at a fault of force control, and when the object is lost.

    :param period: time between two steps [s].
    """

    def __init__(self, config: BimanualConfig, period: float):
        self._force_control = config.force_control
        self._period = period

    def step(
        self, state: BimanualSnapshot, contact: ContactStep, target: ContactTarget, row: int
    ) -> BimanualSnapshot:
        """Return the state once it is known whether forces and object are as they should be.

        :param contact: as measured.
        :param target: of the same step.
        :param row: of the plan.
        """
        plan = state.plan
        if contact.fault:
            state = state.halting(contact.fault)
        if state.lost or not (self._force_control and plan.held[row]):
            return state
        setpoint = target.squeeze or 0.0
        pressed = setpoint == 0.0 or contact.squeeze >= HELD_SHARE * setpoint
        seeking = target.seek and not contact.contact and row < plan.last
        unheld = 0 if (contact.contact and pressed) or seeking else state.unheld_steps + 1
        lost = unheld * self._period > LOST_TIME
        if lost:
            state = state.halting(
                'the object was dropped: the hands measure no contact any more'
                if contact.contact
                else 'nothing between the hands: they have closed, and no force was measured'
            )
        return msgspec.structs.replace(state, unheld_steps=unheld, lost=lost)
