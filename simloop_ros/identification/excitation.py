"""Motions from which a robot can be identified: Fourier series within its limits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from ..core.errors import GoalError
from ..core.values import Array
from ..maths.minimum_jerk import minimum_jerk
from ..planning.self_collision import SelfCollision
from ..robot.model import RobotModel
from ..robot.urdf import UNBOUNDED
from .base_parameters import BaseParameters, base_parameters
from .config import EXCITE_EFFORT
from .friction_terms import basic_terms
from .pseudo_inertia import SIZE
from .regression import Terms, inertial_units

HARMONICS = 5
"""Number of frequencies of a joint's motion."""
FUNDAMENTAL = 0.1
"""The lowest of them [Hz], for a motion that is long enough."""
LEAST_CYCLES = 1.5
"""Periods of the lowest frequency in a motion at least."""
RAMP = 2.0
"""Time at either end in which the motion rises and fades [s], at most."""
RAMP_SHARE = 0.2
"""The same as a share of the motion."""
RANGE_MARGIN = 0.08
"""Part of its range that a joint stays away from either end."""
CONTINUOUS_RANGE = np.pi
"""How far from home a joint without ends goes [rad]."""
UNLIMITED_SPEED = 1.0
"""Speed of a joint that has no limit [rad/s]."""
LARGEST_ACCELERATION = 6.0
"""Largest acceleration of a joint [rad/s^2]."""
CANDIDATES = 120
"""Motions that are tried; the second half are changes of the best one so far."""
CHANGE = 0.3
"""Size of such a change, as a share of the coefficients."""
SHRINKS = (1.0, 0.8, 0.6, 0.45, 0.3)
"""Factors that a motion is shrunk by, towards home, until it is free and bearable."""
POINT_SPACING = 0.1
"""Time between two points of the motion [s]."""
PERIOD_SAMPLES = 500
"""Samples of a period that are looked at for its largest values."""
CHECK_SPACING = 0.05
"""Time between two postures that are checked for self-collision [s]."""
REGRESSOR_SPACING = 0.1
"""Time between two rows of the regressor that is judged [s]."""
DRY_SMOOTHING = 0.01
"""Smoothing of dry friction in the regressor that is judged [rad/s]."""


@dataclass(frozen=True)
class ExcitingMotion:
    """A motion from home to home, at rest at both ends.

    ::

        q(t) = home + r(t) (centre - home + sum_k a_k sin(k w t) + b_k cos(k w t))

    with ``r`` that rises from 0 to 1 and falls back smoothly.

    :ivar duration: [s].
    :ivar centre: about which it swings [rad], shape ``(n,)``; ``home`` likewise.
    :ivar sines: ``a`` [rad], shape ``(HARMONICS, n)``; ``cosines`` likewise.
    """

    duration: float
    home: Array
    centre: Array
    sines: Array
    cosines: Array

    def positions(self, time: Array) -> Array:
        """Return the positions at times [rad], shape ``(times, n)``."""
        phase = np.outer(time, _frequencies(self.duration))
        swing = np.sin(phase) @ self.sines + np.cos(phase) @ self.cosines
        ramp = min(RAMP, RAMP_SHARE * self.duration)
        edge = np.minimum(time, self.duration - time) / ramp
        rise = minimum_jerk(np.clip(edge, 0.0, 1.0))[:, None]
        return self.home + rise * (self.centre - self.home + swing)

    def motion(self, spacing: float) -> tuple[Array, Array, Array]:
        """Return positions, velocities and accelerations, shape ``(times, n)`` each."""
        fine = 1e-3
        time = np.arange(0.0, self.duration + 0.5 * spacing, spacing)
        before, now, after = (self.positions(time + shift) for shift in (-fine, 0.0, fine))
        return now, (after - before) / (2.0 * fine), (after - 2.0 * now + before) / fine**2

    def shrunk(self, factor: float) -> ExcitingMotion:
        """Return the motion nearer to home by a factor."""
        return ExcitingMotion(
            self.duration,
            self.home,
            self.home + factor * (self.centre - self.home),
            factor * self.sines,
            factor * self.cosines,
        )


def _frequencies(duration: float) -> Array:
    """Return the frequencies of a motion [rad/s], shape ``(HARMONICS,)``."""
    lowest = 2.0 * np.pi * max(FUNDAMENTAL, LEAST_CYCLES / duration)
    return lowest * np.arange(1.0, HARMONICS + 1.0)


@dataclass(frozen=True)
class Excitation:
    """An exciting motion and how good it is.

    :ivar condition: condition number of the base regressor, columns of equal length.
    :ivar speed_share: largest share of a velocity limit; ``speed`` is the largest speed [rad/s].
    :ivar effort_share: largest share of an effort limit, by the model.
    """

    motion: ExcitingMotion
    condition: float
    speed: float
    speed_share: float
    effort_share: float


def exciting_motion(
    model: RobotModel,
    duration: float,
    speed: float,
    rng: np.random.Generator,
    progress: Callable[[float], None] = lambda _: None,
) -> Excitation:
    """Search the motion that tells most about a robot, within its limits and clear of itself.

    Of random Fourier series, and random changes of the best one, the one whose base regressor has
    the largest determinant ``det(X^T X)`` is kept: that is the smallest volume of the estimate's
    error.

    :param speed: share of the velocity limits that is used.
    :param progress: gets the share that is done.
    :raises GoalError: no motion is possible from home.
    """
    search = _Search(model, duration, speed, rng)
    best: tuple[float, ExcitingMotion] | None = None
    for i in range(CANDIDATES):
        progress(i / CANDIDATES)
        first = best is None or i < CANDIDATES // 2
        candidate = search.draw() if first or best is None else search.changed(best[1])
        allowed = search.feasible(candidate, -np.inf if best is None else best[0])
        if allowed is not None:
            best = allowed
    if best is None:
        raise GoalError(
            'no exciting motion is possible from home without self-collision and within the '
            'effort limits; choose another robot.home, or lock joints with robot.lock'
        )
    return search.judged(best[1])


class _Search:
    """Draws motions and judges them."""

    def __init__(self, model: RobotModel, duration: float, speed: float, rng: np.random.Generator):
        self._model, self._duration, self._rng = model, duration, rng
        self._data = model.pin_model.createData()
        self._check = SelfCollision(model, model.home)
        self._terms: Terms = tuple(tuple(basic_terms(DRY_SMOOTHING)) for _ in range(model.n))
        self._base: BaseParameters = base_parameters(model, self._terms)
        self._limit = np.where(
            np.isfinite(model.velocity_limit), model.velocity_limit, UNLIMITED_SPEED
        )
        self._speed = speed * self._limit
        span = model.upper - model.lower
        bounded = span < UNBOUNDED
        room = RANGE_MARGIN * np.where(bounded, span, 0.0)
        lower = np.where(bounded, model.lower + room, model.home - CONTINUOUS_RANGE)
        upper = np.where(bounded, model.upper - room, model.home + CONTINUOUS_RANGE)
        self._lower, self._upper = np.minimum(lower, model.home), np.maximum(upper, model.home)

    def draw(self) -> ExcitingMotion:
        """Return a random motion within ranges, velocities and accelerations."""
        rng, n = self._rng, self._model.n
        centre = rng.uniform(0.0, 0.7) * (0.5 * (self._lower + self._upper) - self._model.home)
        parts = rng.normal(size=(2, HARMONICS, n)) / (1.0 + np.arange(HARMONICS))[:, None]
        return self._within(self._model.home + centre, parts[0], parts[1])

    def changed(self, motion: ExcitingMotion) -> ExcitingMotion:
        """Return a random change of a motion."""
        rng = self._rng
        size = CHANGE * np.abs((motion.sines, motion.cosines)).mean()
        sines, cosines = (
            each + size * rng.normal(size=each.shape) for each in (motion.sines, motion.cosines)
        )
        return self._within(motion.centre, sines, cosines)

    def _within(self, centre: Array, sines: Array, cosines: Array) -> ExcitingMotion:
        """Return a series, each joint scaled so that it uses its range or its speed."""
        frequency = _frequencies(self._duration)[:, None]
        time = np.linspace(0.0, 2.0 * np.pi / frequency[0, 0], PERIOD_SAMPLES)
        phase = np.outer(time, frequency[:, 0])
        s, c = np.sin(phase), np.cos(phase)
        swing = s @ sines + c @ cosines
        fast = c @ (frequency * sines) - s @ (frequency * cosines)
        harsh = s @ (frequency**2 * sines) + c @ (frequency**2 * cosines)
        room = np.minimum(self._upper - centre, centre - self._lower)
        factor = np.min(
            [
                room / np.abs(swing).max(axis=0),
                self._speed / np.abs(fast).max(axis=0),
                LARGEST_ACCELERATION / np.abs(harsh).max(axis=0),
            ],
            axis=0,
        )
        home = self._model.home
        return ExcitingMotion(self._duration, home, centre, factor * sines, factor * cosines)

    def feasible(
        self, motion: ExcitingMotion, least: float
    ) -> tuple[float, ExcitingMotion] | None:
        """Return a motion with its score, shrunk as needed; none if it is not above ``least``."""
        for factor in SHRINKS:
            tried = motion.shrunk(factor)
            score = self._score(tried)
            if score <= least:
                return None
            if self._allowed(tried):
                return score, tried
        return None

    def _allowed(self, motion: ExcitingMotion) -> bool:
        q, v, a = motion.motion(CHECK_SPACING)
        if (np.abs(v) > self._speed * (1.0 + 1e-9)).any():
            return False
        if (np.abs(self._efforts(q, v, a)) > EXCITE_EFFORT * self._model.effort_limit).any():
            return False
        return not any(self._check.first(row) for row in q)

    def _efforts(self, q: Array, v: Array, a: Array) -> Array:
        rows = zip(q, v, a, strict=True)
        return np.array([pin.rnea(self._model.pin_model, self._data, *row) for row in rows])

    def _columns(self, motion: ExcitingMotion) -> Array:
        """Return the base regressor, in units of large changes, shape ``(rows n, r)``."""
        q, v, a = motion.motion(REGRESSOR_SPACING)
        n = self._model.n
        design = np.zeros((len(q), n, SIZE * n + sum(len(own) for own in self._terms)))
        for i, row in enumerate(zip(q, v, a, strict=True)):
            design[i, :, : SIZE * n] = pin.computeJointTorqueRegressor(
                self._model.pin_model, self._data, *row
            )
        design[:, :, : SIZE * n] *= inertial_units(self._model)
        place = SIZE * n
        for joint, own in enumerate(self._terms):
            for term in own:
                design[:, joint, place] = term.values(v[:, joint], a[:, joint])
                place += 1
        return design[:, :, self._base.base].reshape(len(q) * n, -1)

    def _score(self, motion: ExcitingMotion) -> float:
        columns = self._columns(motion)
        return float(np.linalg.slogdet(columns.T @ columns)[1])

    def judged(self, motion: ExcitingMotion) -> Excitation:
        """Return how good a motion is."""
        q, v, a = motion.motion(CHECK_SPACING)
        columns = self._columns(motion)
        lengths = np.maximum(np.linalg.norm(columns, axis=0), np.finfo(float).tiny)
        efforts = np.abs(self._efforts(q, v, a)).max(axis=0)
        return Excitation(
            motion=motion,
            condition=float(np.linalg.cond(columns / lengths)),
            speed=float(np.abs(v).max()),
            speed_share=float((np.abs(v).max(axis=0) / self._limit).max()),
            effort_share=float((efforts / self._model.effort_limit).max()),
        )
