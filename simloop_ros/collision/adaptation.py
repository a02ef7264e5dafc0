"""Friction and load that drift after the calibration, tracked by a Kalman filter."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from ..core.values import Array
from .config import DriftConfig
from .drift_regressor import PER_TIP
from .explanation import Explanation
from .monitor import IntArray

SHAPE_SHARE = 0.1
"""Part of the friction by which its parts change each for itself (standard deviation)."""
BEND_SHARE = 0.2
"""Part of the dry friction by which the curve of friction may bend."""
OFFSET_SHARE = 0.03
"""Part of the dry friction by which the offset may change: next to nothing, for a hand that leans
on a robot is an offset, too."""
LOAD_LEVER, LOAD_RADIUS = 0.1, 0.05
"""Distance of a load's centre from its tip, and radius of gyration [m] (standard deviations)."""
LEAST_FACTOR, LARGEST_FACTOR = 0.4, 1.8
"""Multiples of the calibrated friction between which it stays, whatever is measured."""
CORRELATION_TIME = 1.0
"""Time for which what a model leaves unexplained is about the same [s]: so many measurements are
worth one."""
CAUTION = 25.0
"""Factor by which learning is slower while there is a contact."""
OUTLIER = 3.0
"""Standard deviations beyond which an innovation counts no more."""


class Belief(msgspec.Struct, frozen=True):
    """What is known about the change of the parameters.

    :ivar mean: shape ``(size,)``.
    :ivar covariance: shape ``(size, size)``.
    """

    mean: Array
    covariance: Array


class DriftFilter:
    """A Kalman filter on a bounded random walk of friction and load.

    ::

        x+ = x + w,   w ~ N(0, Q T)          friction walks, a load stays
        -e = H x + r, r ~ N(0, R)            e: mean unexplained torque of a window

    Friction stays between 0.4 and 1.8 times that of the calibration: so no force of more than 0.8
    times the friction can ever be taken for friction.

    :ivar prior: what is known at the start.
    :param noise: rms of the torque that the calibration leaves unexplained [N m], shape ``(n,)``.
    :param interval: time between two measurements [s].
    :param tips: number of tips that may carry something.
    """

    def __init__(
        self,
        explanation: Explanation,
        noise: Array,
        config: DriftConfig,
        interval: float,
        tips: int,
    ):
        n = noise.size
        self._n, self._interval = n, interval
        dry = np.maximum(np.abs(explanation.coulomb), noise)
        speed = np.array(explanation.fastest)
        wet = np.maximum(
            np.abs(explanation.viscous), noise / np.where(np.isfinite(speed), speed, 1.0)
        )
        self._noise = noise**2 * max(1.0, CORRELATION_TIME / interval)
        self._dry, self._wet = dry, wet
        self._load = np.array([1.0, *3 * [LOAD_LEVER], *6 * [LOAD_RADIUS**2]])
        covariance = np.zeros((4 * n + PER_TIP * tips,) * 2)
        joints = np.arange(n)
        common, own = config.friction**2, SHAPE_SHARE**2
        for i, j, value in (
            (0, 0, (common + own) * dry**2),
            (0, 2, common * dry * wet),
            (2, 0, common * dry * wet),
            (2, 2, (common + own) * wet**2),
            (1, 1, (BEND_SHARE * dry) ** 2),
            (3, 3, (OFFSET_SHARE * dry) ** 2),
        ):
            covariance[i * n + joints, j * n + joints] = value
        self.prior = Belief(np.zeros(len(covariance)), covariance)
        if config.payload:
            self.prior = self.with_load(self.prior, config.payload)
        # All that is known about friction walks off within the same time.
        share = config.friction_per_minute**2 * interval / 60.0
        self._walk = np.zeros(len(covariance))
        self._walk[: 4 * n] = np.concatenate((dry, BEND_SHARE * dry, wet, np.zeros(n))) ** 2
        self._walk *= share
        self._most = np.diag(self.prior.covariance).copy()
        up, down = LARGEST_FACTOR - 1.0, 1.0 - LEAST_FACTOR
        bend = 0.5 * dry
        offset = 3.0 * OFFSET_SHARE * dry
        unbounded = np.full(PER_TIP * tips, np.inf)
        self._upper = np.concatenate((up * dry, bend, up * wet, offset, unbounded))
        self._lower = -np.concatenate((down * dry, bend, down * wet, offset, unbounded))

    def with_load(self, belief: Belief, mass: float) -> Belief:
        """Return a belief in which the tips may carry something of about a mass [kg]."""
        covariance = belief.covariance.copy()
        begin = 4 * self._n
        tips = (len(covariance) - begin) // PER_TIP
        diagonal = np.arange(begin, len(covariance))
        covariance[diagonal, diagonal] += np.tile((mass * self._load) ** 2, tips)
        return Belief(belief.mean, covariance)

    def knows_load(self, belief: Belief) -> bool:
        """Return whether the tips carry nothing, for certain."""
        begin = 4 * self._n
        return not belief.covariance[begin:, begin:].any()

    def update(
        self,
        belief: Belief,
        columns: Array,
        unexplained: Array,
        rows: IntArray,
        *,
        contact: bool,
        windows: int = 1,
    ) -> tuple[Belief, Array]:
        """Return what is known after a window, and the squared innovations over their variance.

        :param columns: ``H``, shape ``(n, size)``.
        :param unexplained: mean of ``e`` over the window [N m], shape ``(n,)``.
        :param rows: joints whose torque tells something: those that slide.
        :param contact: whether there is a contact: then nearly nothing is learnt.
        :param windows: since the last one that was taken.
        """
        caution = CAUTION if contact else 1.0
        covariance = belief.covariance.copy()
        diagonal = np.einsum('ii->i', covariance)
        diagonal += np.where(diagonal < self._most, windows * self._walk / caution, 0.0)
        if not rows.size:
            return Belief(belief.mean, covariance), np.empty(0)
        h = columns[rows]
        spread = covariance @ h.T
        s = h @ spread
        s[np.diag_indices(rows.size)] += caution / windows * self._noise[rows]
        variance = np.diag(s)
        innovation = -unexplained[rows]
        normalised = innovation**2 / variance
        bound = OUTLIER * np.sqrt(variance)
        gain = np.linalg.solve(s, spread.T).T
        mean = belief.mean + gain @ np.clip(innovation, -bound, bound)
        covariance -= gain @ spread.T
        mean = np.minimum(np.maximum(mean, self._lower), self._upper)
        return Belief(mean, covariance), normalised

    def variance(self, belief: Belief, columns: Array, speeds: Sequence[Array]) -> Array:
        """Return the largest variance of each joint's torque at some speeds, shape ``(n,)``.

        :param columns: those of the tips are taken from there; those of friction are of the
            speeds, dry friction in full.
        :param speeds: ``(tanh(v / w_s), v)`` [1, rad/s], shape ``(2, n)`` each.
        """
        n, joints = self._n, 4 * self._n
        covariance, loads = belief.covariance, columns[:, joints:]
        # By joint: each has four columns of its own, and shares those of the tips.
        own = np.einsum('ajbj->jab', covariance[:joints, :joints].reshape(4, n, 4, n))
        shared = covariance[:joints, joints:].reshape(4, n, -1)
        cross = 2.0 * np.einsum('ajl,jl->ja', shared, loads)
        load = np.einsum('jl,jl->j', loads @ covariance[joints:, joints:], loads)
        largest: Array = np.zeros(n)
        h = np.ones((n, 4))
        for speed in speeds:
            h[:, 1:3] = speed.T
            found = np.einsum('jb,jb->j', np.einsum('ja,jab->jb', h, own) + cross, h) + load
            largest = np.maximum(largest, found)
        return largest

    def at_bounds(self, belief: Belief) -> Array:
        """Return which joints have more or less friction than can be believed, shape ``(n,)``."""
        n, joints = self._n, belief.mean[: 4 * self._n]
        beyond = (joints >= self._upper[: 4 * n]) | (joints <= self._lower[: 4 * n])
        return np.asarray(beyond[:n] | beyond[2 * n : 3 * n])
