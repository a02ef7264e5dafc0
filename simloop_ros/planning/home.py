"""Start postures: what is bad about one, and a better one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..core.values import Array
from ..kinematics.velocity import TipVelocity
from ..robot.chain import own_joints
from ..robot.model import RobotModel
from ..robot.weight import LITTLE_LEFT, sampled_postures, search_range, weight_efforts
from .cartesian import SINGULAR
from .self_collision import SelfCollision

SAMPLES = 512
"""Postures among which a better one is searched."""
FREE_SAMPLES = 12
"""Postures over the range; links that touch at all of them do so by construction."""
TRIES = 24
"""Best samples of which the first without collision is taken."""
WIDEST = 1.6
"""Largest distance from zero of the postures that are tried [rad]."""
AT_END = 0.01
"""Share of its range within which a joint is at its end."""
GRID = {'rad': 0.1, 'm': 0.01}
"""Multiples to which the proposal is rounded, by unit."""
KEPT = 0.7
"""Share of the dexterity that may be given up for joints that stay at zero."""


class HomeSearch:
    """What is bad about a start posture, and which one is better.

    :param tips: links that shall be able to move in every direction.
    """

    def __init__(self, model: RobotModel, tips: Sequence[str]):
        self._model = model
        self._tips = {tip: TipVelocity(model, tip) for tip in tips}
        self._lower, self._upper = search_range(model)
        self._data = model.pin_model.createData()
        free = sampled_postures(model, FREE_SAMPLES)
        self._collision = SelfCollision(model, model.home, *free)
        # An arm of few joints never moves its tip in all directions.
        self._ranks = {
            tip: np.max([self._rank(tip, q) for q in free], axis=0) for tip in self._tips
        }

    def faults(self, q: Array) -> list[str]:
        """Return what is bad about a posture, one text each.

        :param q: joints [rad or m], shape ``(n,)``.
        """
        model = self._model
        names = np.array(model.joint_names)
        margin = AT_END * (self._upper - self._lower)
        at_end = (q < model.lower + margin) | (q > model.upper - margin)
        shares = self._shares(q)
        found = []
        if at_end.any():
            found.append(f'{", ".join(names[at_end])} at the end of the range')
        if shares.max() > LITTLE_LEFT:
            joint = int(np.argmax(shares))
            found.append(
                f"the robot's own weight takes {100.0 * shares[joint]:.0f} % of the effort limit "
                f'of {names[joint]}'
            )
        found += [
            f'{tip} cannot be moved in every direction: the arm is stretched out or its wrist is '
            'singular'
            for tip in self._tips
            if self._dexterity(tip, q) < SINGULAR
        ]
        touch = self._collision.first(q)
        if touch is not None:
            found.append(f'{touch[0]} touches {touch[1]}')
        return found

    def propose(self) -> Array | None:
        """Return a posture without faults [rad or m], shape ``(n,)``; none if none was found."""
        model = self._model
        centre = self._centre()
        turn = np.array([unit == 'rad' for unit in model.joint_units])
        reach = 0.8 * np.minimum(centre - self._lower, self._upper - centre)
        reach = np.where(turn, np.minimum(reach, WIDEST), 0.5 * reach)
        shares = (sampled_postures(model, SAMPLES) - self._lower) / (self._upper - self._lower)
        samples = centre + (2.0 * shares - 1.0) * reach
        q = centre.copy()
        for tip in self._tips:
            own = own_joints(model, tip)
            tried = np.tile(q, (SAMPLES, 1))
            tried[:, own] = samples[:, own]
            best = sorted(tried, key=lambda row: -self._score(tip, row))
            free = (row for row in best[:TRIES] if self._collision.first(row) is None)
            q = self._simple(tip, next(free, best[0]), centre, own)
        return None if self.faults(q) else q

    def _simple(self, tip: str, q: Array, centre: Array, joints: Sequence[int]) -> Array:
        """Return a posture like ``q`` with round numbers, most of them those of the centre."""
        least = KEPT * self._score(tip, q)
        for joint in joints:
            step = GRID[self._model.joint_units[joint]]
            for value in (centre[joint], round(q[joint] / step) * step):
                changed = q.copy()
                changed[joint] = round(float(value), 4)
                if self._score(tip, changed) >= least and self._collision.first(changed) is None:
                    q = changed
                    break
        return q

    def _centre(self) -> Array:
        """Return zero where it is well inside the range, and the middle elsewhere, ``(n,)``."""
        width = self._upper - self._lower
        inside = (self._lower < -0.1 * width) & (self._upper > 0.1 * width)
        steps = np.array([GRID[unit] for unit in self._model.joint_units])
        middle = np.round(0.5 * (self._lower + self._upper) / steps) * steps
        centre: Array = np.where(inside, 0.0, np.clip(middle, self._lower, self._upper))
        return centre

    def _score(self, tip: str, q: Array) -> float:
        heaviest = float(self._shares(q)[own_joints(self._model, tip)].max(initial=0.0))
        return self._dexterity(tip, q) - max(0.0, heaviest - 0.5)

    def _shares(self, q: Array) -> Array:
        efforts = weight_efforts(self._model, q, self._data)
        shares: Array = np.abs(efforts) / self._model.effort_limit
        return shares

    def _dexterity(self, tip: str, q: Array) -> float:
        """Return the smallest singular value that is not always 0, of places and of poses."""
        values = zip(self._singular(tip, q), self._ranks[tip], strict=True)
        return float(min(row[rank - 1] for row, rank in values))

    def _rank(self, tip: str, q: Array) -> list[int]:
        return [int((values > SINGULAR).sum()) for values in self._singular(tip, q)]

    def _singular(self, tip: str, q: Array) -> tuple[Array, Array]:
        """Return the singular values of the tip's Jacobian, of its place and of its pose."""
        jacobian = self._tips[tip].jacobian(q)
        place, pose = (
            np.array(np.linalg.svd(rows, compute_uv=False)) for rows in (jacobian[:3], jacobian)
        )
        return place, pose
