"""How the robot differs from its model, from the log of a run: mass and friction."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil

import msgspec
import numpy as np
import pinocchio as pin

from ..core.values import Array, Flags
from ..robot.model import RobotModel
from .averaged_motion import AVERAGING_TIME, average
from .columns import EFFORT, MEASURED_POSITION
from .log import LogRows

BLOCKS = 8
"""Parts of a run that are left out one after the other, to see how certain an estimate is."""
LEAST_WINDOWS = 4 * BLOCKS
"""Number of averages below which nothing is said."""
EXPLAINED = 0.98
"""Share of the unexplained torque (its square) that an error must explain to be reported."""
BETTER = 0.2
"""Share of what the mass leaves unexplained that friction must leave at most to be reported."""
SURE = 4.0
"""Standard errors by which an error must differ from zero to be reported."""
MOST_WINDOWS = 1000
"""Number of averages that are used; of a longer run, spread over all of it."""
EXPLAINED_BY_MODEL = 1e-3
"""Share of the torque that counts as explained by the model: averages are no better."""
LEAST_MASS_ERROR = 0.005
"""Relative error of the mass below which it is not reported."""
MOVING = 0.02
"""Speed above which the direction of dry friction is certain [rad/s]."""
WEIGHTING_ROUNDS = 3
"""Number of times that the joints are weighted by what they leave unexplained."""


class ModelMismatch(msgspec.Struct, frozen=True):
    """An error of the model that explains the torques of a run.

    :ivar mass: relative error of all masses: 0.1 where the robot is 10 % heavier; none if it
        cannot be told from zero.
    :ivar mass_uncertainty: twice its standard error, where it is known.
    :ivar friction: dry and viscous friction at the joint's usual speed [N m], by joint, where it
        can be told from zero.
    """

    mass: float | None
    mass_uncertainty: float | None
    friction: dict[str, float]


class _Windows(msgspec.Struct, frozen=True):
    """Averages over windows of free motion: ``tau``, that of the model, velocities.

    Each of shape ``(windows, n)`` [N m], [N m], [rad/s].
    """

    effort: Array
    expected: Array
    velocity: Array

    @property
    def explained_by_model(self) -> bool:
        """Return whether the model needs no correction."""
        unknown, expected = self.effort - self.expected, self.expected
        return bool(np.square(unknown).sum() <= EXPLAINED_BY_MODEL**2 * np.square(expected).sum())


def find_mismatch(
    model: RobotModel, log: LogRows, period: float, free: Callable[[Array], Flags]
) -> ModelMismatch | None:
    """Return the error of the masses, or of masses and friction, that explains a run.

    With windows of ``averaged_motion.average`` and ``m`` for the torque that the model needs
    for their motion, by least squares over all joints and windows::

        tau - m = b m                                       mass
        tau - m = b m + F sign(v) + c v,   |v| > MOVING     mass and friction

    The first that leaves less than ``1 - EXPLAINED`` counts, unless the second explains far more;
    ``None`` if neither does, or if there is nothing to explain.

    :param free: whether nothing touches the robot at given times [s], both of shape ``(m,)``.
    """
    windows = _windows(model, log, period, free)
    if windows is None or windows.explained_by_model:
        return None
    names = model.joint_names
    mass_only = _Fit(windows, friction=False)
    both = _Fit(windows, friction=True)
    better = both.explained > EXPLAINED and both.unexplained < BETTER * mass_only.unexplained
    if mass_only.explained > EXPLAINED and not better:
        return mass_only.error(names)
    return both.error(names) if both.explained > EXPLAINED else None


def _windows(
    model: RobotModel, log: LogRows, period: float, free: Callable[[Array], Flags]
) -> _Windows | None:
    """Return the averages of a log where the robot is free; none if there are too few."""
    data, parts, first = model.pin_model.createData(), [], 0
    step = max(1, round(AVERAGING_TIME / period))
    stride = ceil(log.rows * period / AVERAGING_TIME / MOST_WINDOWS)
    for block in log.chunks():
        motions = average(block[:, EFFORT], block[:, MEASURED_POSITION], period)
        count = len(motions.torque)
        times = (first + step * np.arange(1.0, count + 1.0)) * period
        first += len(block)
        kept = free(times) & np.isfinite(motions.torque).all(axis=1)
        kept &= np.arange(count) % stride == 0
        expected = np.array(
            [
                pin.rnea(model.pin_model, data, q, v, a)
                for q, v, a in zip(
                    motions.position[kept],
                    motions.velocity[kept],
                    motions.acceleration[kept],
                    strict=True,
                )
            ]
        ).reshape(-1, model.n)
        parts.append(np.stack((motions.torque[kept], expected, motions.velocity[kept])))
    joined = np.concatenate(parts, axis=1) if parts else np.empty((3, 0, model.n))
    return _Windows(*joined) if joined.shape[1] >= LEAST_WINDOWS else None


class _Fit:
    """Least squares for the mass, or for it and the friction of each joint."""

    def __init__(self, windows: _Windows, *, friction: bool):
        n = windows.effort.shape[1]
        joints = np.arange(n)
        moving = np.abs(windows.velocity) > MOVING
        used = moving | (not friction)
        design = np.zeros((*windows.effort.shape, 1 + 2 * n * friction))
        design[:, :, 0] = windows.expected
        if friction:
            design[:, joints, 1 + joints] = np.sign(windows.velocity)
            design[:, joints, 1 + n + joints] = windows.velocity
        self._design = np.where(used[:, :, None], design, 0.0)
        self._unknown = np.where(used, windows.effort - windows.expected, 0.0)
        speeds = np.abs(windows.velocity) * moving
        self._speed = speeds.sum(axis=0) / np.maximum(moving.sum(axis=0), 1)
        self._weight = np.ones(n)
        for _ in range(WEIGHTING_ROUNDS):
            left = np.sqrt(np.square(self._left(self._solve())).mean(axis=0))
            self._weight = 1.0 / np.maximum(left, 1e-2 * left.max() + 1e-12)
        everything = np.square(self._unknown * self._weight).sum()
        rest = np.square(self._left(self._solve()) * self._weight).sum()
        self.unexplained = float(rest / everything) if everything > 0.0 else 1.0
        self.explained = 1.0 - self.unexplained

    def error(self, names: tuple[str, ...]) -> ModelMismatch:
        """Return what can be told from zero, by leaving out one block of the run at a time."""
        whole = self._values(self._solve())
        windows = len(self._unknown)
        blocks = np.array_split(np.arange(windows), BLOCKS)
        without = [self._values(self._solve(np.delete(np.arange(windows), b))) for b in blocks]
        spread = np.sqrt((BLOCKS - 1) * np.var(without, axis=0))
        sure = np.abs(whole) > SURE * spread
        mass = float(whole[0]) if sure[0] and abs(whole[0]) > LEAST_MASS_ERROR else None
        friction = {
            name: float(value)
            for name, value, known in zip(names, whole[1:], sure[1:], strict=False)
            if known and value > 0.0
        }
        return ModelMismatch(mass, 2.0 * float(spread[0]), friction)

    def _solve(self, rows: Array | slice = slice(None)) -> Array:
        design = (self._design[rows] * self._weight[:, None]).reshape(-1, self._design.shape[2])
        unknown = (self._unknown[rows] * self._weight).ravel()
        return np.asarray(np.linalg.lstsq(design, unknown, rcond=None)[0], dtype=np.float64)

    def _left(self, coefficients: Array) -> Array:
        return self._unknown - self._design @ coefficients

    def _values(self, coefficients: Array) -> Array:
        """Return the error of the mass, then the friction of each joint at its usual speed."""
        n, mass = len(self._speed), coefficients[:1]
        if len(coefficients) == 1:
            return mass
        dry, viscous = coefficients[1 : 1 + n], coefficients[1 + n :]
        return np.concatenate((mass, dry + viscous * self._speed))
