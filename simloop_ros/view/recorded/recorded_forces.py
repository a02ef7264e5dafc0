"""The forces of a recorded run, as far as its scenario and its log tell them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from ...core.errors import SimloopError
from ...core.values import Array
from ...plants.applied_wrenches import LinkWrench, read_wrenches
from ...plants.config import Hand
from ...plants.spring_contact import point_jacobian
from ...record.columns import GUIDED_COLUMNS, TRUE_POSITION
from ...record.facts import RunFacts
from ...robot.model import wrench_torque
from ..frame import Force

EXTERNAL = 'true_external_torque'
UNEXPLAINED = 0.05
"""Share of the external torque that the forces of hands may leave open and still be shown."""
SINGULAR = 0.02
"""Share of the largest lever below which a direction is one in which no joint moves a point."""
SMALLEST = 1e-6
"""External torque below which no hand pulls [N m]."""


class RecordedForces:
    """Pushes and wrenches as the scenario has them, hands from the external torque.

    The log of a guided robot has the true external torque ``tau``, its mean over a step. With the
    points that hands hold, their forces ``f`` are::

        sum J_i(q)^T f_i = tau - sum J_j(q)^T w_j,      w_j: pushes and wrenches

    if these explain it; else they are not shown. Where fewer than three joints move a point, the
    log knows the force only in the directions in which these move it: no more is shown.

    :ivar notes: what there is to say, one line each.
    """

    def __init__(self, facts: RunFacts, columns: tuple[str, ...]):
        self._facts = facts
        self._model = facts.model
        self._data = self._model.pin_model.createData()
        self._external = GUIDED_COLUMNS.index(EXTERNAL) if EXTERNAL in columns else None
        self.notes: tuple[str, ...] = ()
        self._wrenches: Mapping[int, Sequence[LinkWrench]] = self._read_wrenches()
        if facts.scenario.plant.hands:
            said = (
                'forces of hands are not in the log of this run'
                if self._external is None
                else 'of the force of a hand the part that moves joints is shown: the log has that'
            )
            self.notes = (*self.notes, said)

    def at(self, step: int, row: Array) -> tuple[Force, ...]:
        """Return the forces of a step.

        :param row: of the log, shape ``(columns, n)``.
        """
        q = row[TRUE_POSITION]
        if not np.isfinite(q).all():
            return ()
        known = [*self._pushes(step), *(('mouse', each) for each in self._wrenches.get(step, ()))]
        shown = [self._arrow(kind, wrench, q) for kind, wrench in known]
        if self._external is not None:
            torque = row[self._external]
            for _, each in known:
                torque = torque - self._torque(each, q)
            shown += self._hands(step, q, torque)
        return tuple(shown)

    def _read_wrenches(self) -> Mapping[int, Sequence[LinkWrench]]:
        file = self._facts.scenario.plant.wrenches
        if not file:
            return {}
        try:
            return read_wrenches(Path(file))
        except SimloopError as error:
            self.notes = (f'what was done by mouse is not shown: {error}',)
            return {}

    def _pushes(self, step: int) -> list[tuple[str, LinkWrench]]:
        time = step * self._facts.scenario.period
        return [
            ('push', LinkWrench(push.link, np.array((*push.force, *push.torque))))
            for push in self._facts.scenario.plant.pushes
            if push.link in self._model.links and push.start <= time < push.start + push.duration
        ]

    def _arrow(self, kind: str, applied: LinkWrench, q: Array) -> Force:
        """Return the force of a wrench, at the point of its line that is next to the origin."""
        origin = self._model.frame_poses(q, [applied.link])[0].translation
        force, torque = applied.wrench[:3], applied.wrench[3:]
        square = float(force @ force)
        arm = np.cross(force, torque) / square if square else np.zeros(3)
        return Force(kind, applied.link, origin + arm, force)  # type: ignore[arg-type]

    def _torque(self, applied: LinkWrench, q: Array) -> Array:
        model, frame = self._model, self._model.frame(applied.link)
        return wrench_torque(model.pin_model, self._data, q, frame, applied.wrench)

    def _hands(self, step: int, q: Array, torque: Array) -> list[Force]:
        hands = [hand for hand in self._facts.scenario.plant.hands if self._holds(hand, step)]
        size = float(np.linalg.norm(torque))
        if not hands or not size > SMALLEST:
            return []
        held = [
            point_jacobian(
                self._model.pin_model,
                self._data,
                q,
                self._model.frame(hand.link),
                np.array(hand.point),
            )
            for hand in hands
        ]
        jacobian = np.concatenate([of_point for of_point, _ in held])
        forces = np.linalg.lstsq(jacobian.T, torque, rcond=SINGULAR)[0]
        if float(np.linalg.norm(jacobian.T @ forces - torque)) > UNEXPLAINED * size:
            return []
        parts = forces.reshape(-1, 3)
        return [
            Force('hand', hand.link, point, force)
            for hand, (_, point), force in zip(hands, held, parts, strict=True)
        ]

    def _holds(self, hand: Hand, step: int) -> bool:
        time = (step + 1) * self._facts.scenario.period
        return hand.start <= time and (hand.end is None or time < hand.end)
