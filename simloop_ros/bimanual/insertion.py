"""Insertions: a motion of the object that ends when something resists."""

from __future__ import annotations

import msgspec

from ..core.values import Array
from .contact import ContactStep
from .leg import Insertion
from .pace import Pace
from .snapshot import BimanualSnapshot, ResistedInsertion


class InsertionControl:
    """End insertions at their ``max_force``.

    Arms need some time to stop, in which the force rises further; then they go back until it is
    at its limit, as long as the force is known. When the task is over, what is left of its path
    displaces the object in all tasks that follow.

    :param weight: known weight of the object in world axes [N], shape ``(3,)``.
    """

    def __init__(self, weight: Array):
        self._weight = weight

    def step(
        self, state: BimanualSnapshot, contact: ContactStep, place: float, rate: float
    ) -> BimanualSnapshot:
        """Return the state with the place of the object in an insertion that is resisted.

        :param place: on the plan after the step.
        :param rate: of the time along it.
        """
        plan, resisted = state.plan, state.resisted
        number = plan.leg_of[int(place)]
        if resisted is not None and resisted.leg != number:
            return _ended(state, resisted)
        leg = plan.legs[number]
        if leg.insertion is None or not contact.contact:
            return state
        exceeded = self._exceeded(state, contact, leg.insertion)
        if resisted is not None:
            begin = float(plan.ends[number] - leg.steps)
            moved = resisted.after(rate, begin, place, exceeded)
            return msgspec.structs.replace(state, resisted=moved)
        if not exceeded:
            return state
        pace = Pace(state.stop_steps, state.stop_steps)
        return msgspec.structs.replace(state, resisted=ResistedInsertion(number, place, pace))

    def _exceeded(
        self, state: BimanualSnapshot, contact: ContactStep, insertion: Insertion
    ) -> bool:
        axes = state.displacement.axes(state.plan.object_rotation[int(state.place)])
        force = axes @ contact.moving[:3] + self._weight
        known = not contact.fault and state.stalled is None
        return known and float(force @ insertion.direction) > insertion.max_force


def _ended(state: BimanualSnapshot, resisted: ResistedInsertion) -> BimanualSnapshot:
    plan, place = state.plan, resisted.place
    end = float(plan.ends[resisted.leg])
    missing = plan.object_position_at(place) - plan.object_position_at(end)
    posture = plan.joints_at(place) - plan.joints_at(end)
    return msgspec.structs.replace(
        state,
        resisted=None,
        displacement=state.displacement.by(missing, plan.hinged[int(end)]),
        posture=state.posture + posture,
    )
