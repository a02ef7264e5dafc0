"""A grasped load, told from a contact: a mass at a tip explains the torques, and goes on to."""

from __future__ import annotations

import msgspec
import numpy as np

from ..core.values import Array
from .adaptation import Belief, DriftFilter
from .drift_regressor import PER_JOINT, PER_TIP
from .load import Load
from .monitor import IntArray

LARGEST_MASS = 2.0
"""Mass that a load is looked for around [kg] (standard deviation)."""
LEAST_TIME = 0.8
"""Time for which a load has to explain the torques [s]."""
RETRY_TIME = 3.0
"""Time after which a hypothesis that does not hold begins anew [s]."""
MEMORY = 0.5
"""Time over which the unexplained energy is averaged [s]."""
EXPLAINED = 0.95
"""Share of the unexplained energy that a load has to explain, predicted from the past alone."""
CERTAIN = 0.1
"""Standard deviation of the mass, as a share of it, at which a load is known."""
FARTHEST_CENTRE = 0.5
"""Distance of a load's centre from its tip that is believed [m]."""


class Suspicion(msgspec.Struct, frozen=True):
    """A load that is tried as the explanation of a contact.

    :ivar belief: as if there were one.
    :ivar windows: that it was tried on.
    :ivar left: mean energy that it left unexplained, predicted; ``before``: that without it.
    """

    belief: Belief
    windows: int
    left: float
    before: float


class LoadHypothesis:
    """Tries whether a load at a tip explains what looks like a contact.

    A copy of the Kalman filter, in which a tip may carry something, runs beside the one of the
    monitor while there is a contact. A push is explained by it for a moment, a load for good: so
    what counts is what the filter predicts of the next window.

    :param weights: of the squared torques of each joint [1/(N m)^2], shape ``(n,)``.
    :param interval: between two windows [s].
    """

    def __init__(
        self, adaptation: DriftFilter, weights: Array, interval: float, tips: tuple[str, ...]
    ):
        self._adaptation = adaptation
        self._weights = weights
        self._tips = tips
        self._least = max(1, round(LEAST_TIME / interval))
        self._retry = max(1, round(RETRY_TIME / interval))
        self._share = min(1.0, interval / MEMORY)

    def begin(self, belief: Belief) -> Suspicion:
        """Return the first guess: something at a tip, not more."""
        return Suspicion(self._adaptation.with_load(belief, LARGEST_MASS), 0, 0.0, 0.0)

    def step(
        self,
        now: Suspicion,
        belief: Belief,
        columns: Array,
        unexplained: Array,
        rows: IntArray,
        *,
        known: bool,
    ) -> Suspicion:
        """Return the suspicion after a window.

        :param belief: that ``unexplained`` was computed with.
        :param known: whether it has proved right before.
        """
        left = unexplained + columns @ (now.belief.mean - belief.mean)
        tried, _ = self._adaptation.update(now.belief, columns, left, rows, contact=False)
        if now.windows >= self._retry and not known:
            return self.begin(belief)
        if not rows.size:
            return now
        weights = self._weights[rows]
        energy, before = (float(weights @ e[rows] ** 2) for e in (left, unexplained))
        share = max(self._share, 1.0 / (now.windows + 1))
        return Suspicion(
            tried,
            now.windows + 1,
            now.left + share * (energy - now.left),
            now.before + share * (before - now.before),
        )

    def found(self, now: Suspicion) -> bool:
        """Return whether there is a load."""
        if now.windows < self._least or now.left > (1.0 - EXPLAINED) * now.before:
            return False
        load = self.load(now.belief)
        return (
            load is not None
            and load.mass_error < CERTAIN * load.mass
            and float(np.linalg.norm(load.centre)) < FARTHEST_CENTRE
        )

    def load(self, belief: Belief) -> Load | None:
        """Return the heaviest load that is believed in; none without any."""
        tips = len(self._tips)
        begin = len(belief.mean) - PER_TIP * tips
        loads = belief.mean[begin:].reshape(tips, PER_TIP)
        if not loads.size or not loads[:, 0].max() > 0.0:
            return None
        i = int(loads[:, 0].argmax())
        place = begin + PER_TIP * i
        mass = float(loads[i, 0])
        x, y, z = (loads[i, 1:4] / mass).tolist()
        error = float(np.sqrt(max(0.0, belief.covariance[place, place])))
        return Load(self._tips[i], mass, error, (x, y, z))


def without_load(belief: Belief, n: int) -> Belief:
    """Return a belief in which the tips carry nothing, for certain."""
    joints = PER_JOINT * n
    mean, covariance = belief.mean.copy(), belief.covariance.copy()
    mean[joints:] = 0.0
    covariance[joints:] = covariance[:, joints:] = 0.0
    return Belief(mean, covariance)
