"""Supervision of the grasp: is the object held when it must be?"""

from __future__ import annotations

import msgspec

from .config import BimanualConfig
from .contact import ContactStep, ContactTarget
from .snapshot import BimanualSnapshot

HELD_SHARE = 0.1
"""Share of the setpoint of the squeeze below which the object is not held."""
LOST_TIME = 0.05
"""Time after which an object that is not held is lost [s]."""


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
