"""What a robot at rest bears beyond its model: a load that stays, or a hand that will let go?"""

from __future__ import annotations

import numpy as np
import pinocchio as pin
from scipy.optimize import lsq_linear

from ..core.values import Array
from ..robot.model import RobotModel

SETTLING, BLOCK = 0.5, 0.25
"""Time of rest before anything counts, and over which means are taken [s]: with two of these the
robot has stood still for a second."""
SAME, ALMOST = 0.2, 0.02
"""Change of a load up to which it is the same one: as a share of it, and of the effort limits."""
LEFT_OVER, FRICTION = 0.25, 0.01
"""What a weight may leave unexplained, as a share of what is borne (a centre beside the tip), and
in each joint of its effort limit (friction)."""
HEAVIER = 0.15
"""Share by which the robot's own links may be heavier than their model. Lighter ones could not be
told from a hand that lifts them."""
NOTHING = 0.01
"""Share of the effort limits below which nothing is borne."""


class BorneLoad:
    """Tells a load from a hand at a robot that stands still, by what holds it there.

    A load is held with the last command: without it the arm would sink. A hand is not: the arm
    would jump once it lets go of an effort that stands for ever. So of an effort ``b`` beyond the
    model a weight ``w`` is kept, and only if all of these hold::

        the robot has stood still for SETTLING + 2 BLOCK
        |b_k - b_1| <= SAME |b_1| + ALMOST limit    all means b_k over BLOCK since its motion ended
        b = w + f + e,  w = sum_i m_i w_i + c g     w_i: of 1 kg at tip i, g: of the model
            m_i >= 0,   0 <= c <= HEAVIER
            |f| <= FRICTION limit,   |e| <= LEFT_OVER |b|
        nobody has reported a contact since then

    What comes or goes while the robot stands is a hand, also if it moves it a little, and so is
    what pushes sideways or upwards. One that leans straight down since before the robot came to
    rest, and does not move, looks like a load.

    :param keeps: whether anything is; not where a hand guides the robot.
    :ivar contact: whether a contact is reported at present.
    :ivar last: the last ``b_k`` [N m], shape ``(n,)``.
    """

    def __init__(self, model: RobotModel, period: float, *, keeps: bool):
        self._model = model
        self._keeps = keeps
        self._limit = np.where(np.isfinite(model.effort_limit), model.effort_limit, 0.0)
        self._settling, self._block = (max(1, round(t / period)) for t in (SETTLING, BLOCK))
        self.contact = False
        self.reset()

    def reset(self) -> None:
        """Forget what was borne: the robot is led elsewhere."""
        self._steps = 0  # since it stands still
        self._sum: Array = np.zeros(self._model.n)  # over the present block
        self._first: Array | None = None
        self.last: Array = self._sum
        self._touched = False

    def note(self, load: Array, *, still: bool) -> None:
        """Take what was borne in a period beyond the model [N m], shape ``(n,)``.

        :param still: whether all joints were slow in it.
        """
        if not still or not np.isfinite(load).all():
            self._steps, self._sum = 0, np.zeros_like(self._sum)
            return
        self._steps += 1
        self._touched = self._touched or self.contact
        counted = self._steps - self._settling
        if counted <= 0:
            return
        self._sum = self._sum + load
        if counted % self._block:
            return
        self.last, self._sum = self._sum / self._block, np.zeros_like(self._sum)
        if self._first is None:
            self._first = self.last
        change, size = np.abs(self.last - self._first), np.abs(self._first).max()
        if (change > SAME * size + ALMOST * self._limit).any():
            self._touched = True

    def known(self, load: Array) -> bool:
        """Return whether there is nothing more to wait for, with what is borne now [N m]."""
        stood = self._steps >= self._settling + 2 * self._block
        return stood or not self._keeps or bool((np.abs(load) <= NOTHING * self._limit).all())

    def kept(self, position: Array) -> Array:
        """Return the weight that is borne on at a position [N m], ``(n,)``; zero for a hand."""
        borne, nothing = self.last, np.zeros_like(self.last)
        stood = self._steps >= self._settling + 2 * self._block
        if not (self._keeps and stood) or self._touched:
            return nothing
        weights = self._weights(position)
        if not np.isfinite(weights).all():
            return nothing
        tips = weights.shape[1] - 1
        bounds = (0.0, [HEAVIER, *[np.inf] * tips])
        weight: Array = weights @ lsq_linear(weights, borne, bounds).x
        left = np.maximum(np.abs(borne - weight) - FRICTION * self._limit, 0.0)
        is_weight = np.linalg.norm(left) <= LEFT_OVER * np.linalg.norm(borne)
        return weight if is_weight else nothing

    def _weights(self, q: Array) -> Array:
        """Return the efforts of gravity, and of 1 kg at each tip [N m], ``(n, 1 + tips)``."""
        model = self._model.pin_model
        data = model.createData()
        down = -model.gravity.linear
        columns = [pin.computeGeneralizedGravity(model, data, q).copy()]
        for frame in self._model.tip_frames:
            jacobian = pin.computeFrameJacobian(
                model, data, q, frame, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
            )
            columns.append(jacobian[:3].T @ down)
        return np.stack(columns, axis=1)
