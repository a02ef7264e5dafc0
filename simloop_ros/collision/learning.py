"""Identification of inertia and friction from the torques of free motion, by ridge regression."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from ..core.values import Array
from ..robot.chain import leaves
from ..robot.model import RobotModel
from .explanation import Explanation, nothing_learnt

AVERAGING_TIME = 0.02
"""Time over which motion and torque are averaged for one row of the regression [s]: long enough
for clean accelerations from encoders, short against any motion."""
SMOOTHING_SPEEDS = tuple(2e-4 * 2.0**i for i in range(10))
"""Speeds that are tried for the smoothing of dry friction [rad/s]."""
LEVER = 0.1
"""Shift of a link's centre of mass that counts as one [m]; its moments go with the square."""
RIDGE_WEIGHT = 1e-6
"""Weight of the prior of friction and rotors against all data: next to none."""
LEAST_MASS_SHARE = 1e-3
"""Part of its mass that stands for none: a body without mass has no centre."""
EXACT_SHARE = 1e-9
"""Part of the largest torque that counts as fully explained: a robot without noise."""
WEIGHTING_ROUNDS = 3
"""Number of times that the joints are weighted by what they leave unexplained."""


@dataclass(frozen=True)
class Motions:
    """Averages over windows of a motion.

    :ivar torque: mean torque that was sent [N m], shape ``(rows, n)``.
    :ivar position: [rad], shape ``(rows, n)``.
    :ivar velocity: [rad/s], shape ``(rows, n)``.
    :ivar acceleration: [rad/s^2], shape ``(rows, n)``.
    """

    torque: Array
    position: Array
    velocity: Array
    acceleration: Array


def average(effort: Array, measured: Array, period: float) -> Motions:
    """Return averages of a motion over windows of two times ``AVERAGING_TIME``.

    In steps ``v+ = v + h a``, ``q+ = q + h v+`` the second difference of positions over ``B``
    steps is a mean of the accelerations with triangular weights, so the torques get the same::

        q_i+B - 2 q_i + q_i-B = h^2 sum_s (B - |s|) a_i+1+s,    |s| < B

    :param effort: [N m] in each step, shape ``(steps, n)``.
    :param measured: position after it [rad], shape ``(steps, n)``.
    """
    b = max(1, round(AVERAGING_TIME / period))
    middle = np.arange(b, len(measured) - b, b)
    before, now, after = (measured[middle + shift] for shift in (-b, 0, b))
    weights = (b - np.abs(np.arange(1 - b, b))) / b**2
    torque = np.array([weights @ effort[i + 2 - b : i + 1 + b] for i in middle])
    span = b * period
    return Motions(
        torque=torque.reshape(-1, effort.shape[1]),
        position=(before + 10.0 * now + after) / 12.0,
        velocity=(after - before) / (2.0 * span),
        acceleration=(after - 2.0 * now + before) / span**2,
    )


def learn(model: RobotModel, motions: Motions) -> Explanation:
    """Return what explains the torques of a free motion.

    Least squares over all joints at once for the columns that ``Explanation`` lists: Pinocchio's
    regressor of the joint torques, per link projected on a few directions (a wrong density, a
    cable, a payload at the end of the chain), and per joint the inertia of a rotor,
    dry and viscous friction and a constant. Each joint is weighted by what it leaves unexplained.
    The ridge is a prior: inertia is the model's within 100 %, or within the mean mass of a link.
    What the motion does not show stays there. The smoothing of dry
    friction is, per joint, the one that explains best.
    """
    fit = _Fit(model, motions)
    tried = [fit.solve(np.full(model.n, smoothing)) for smoothing in SMOOTHING_SPEEDS]
    best = np.argmin([solution.left for solution in tried], axis=0)
    smoothing = np.array(SMOOTHING_SPEEDS)[best]
    return fit.explanation(smoothing, fit.solve(smoothing).coefficients)


@dataclass(frozen=True)
class _Solution:
    """Coefficients and what they leave of each joint's torque (rms) [N m], shape ``(n,)``."""

    coefficients: Array
    left: Array


class _Fit:
    """The regression of one motion; only the column of dry friction depends on the smoothing."""

    def __init__(self, model: RobotModel, motions: Motions):
        self._model, self._motions = model, motions
        n, pin_model, data = model.n, model.pin_model, model.pin_model.createData()
        self._basis = _link_basis(model)
        rows = len(motions.torque)
        links = self._basis.shape[1]
        self._dry = links + np.arange(n)
        self._design = np.zeros((rows, n, links + 4 * n))
        self._unknown = np.empty((rows, n))
        joints = np.arange(n)
        self._rounding = EXACT_SHARE * float(np.abs(motions.torque).max()) + np.finfo(float).tiny
        for i in range(rows):
            q, v, a = motions.position[i], motions.velocity[i], motions.acceleration[i]
            regressor = pin.computeJointTorqueRegressor(pin_model, data, q, v, a)
            self._design[i, :, :links] = regressor @ self._basis
            self._unknown[i] = motions.torque[i] - pin.rnea(pin_model, data, q, v, a)
        for k, column in enumerate((motions.velocity, motions.acceleration, np.ones((rows, n)))):
            self._design[:, joints, links + (k + 1) * n + joints] = column

    def solve(self, smoothing: Array) -> _Solution:
        """Return the ridge solution for a smoothing of dry friction [rad/s], shape ``(n,)``."""
        n = self._model.n
        joints = np.arange(n)
        design, unknown = self._design, self._unknown
        design[:, joints, self._dry] = np.tanh(self._motions.velocity / smoothing)
        left = unknown.std(axis=0)
        for _ in range(WEIGHTING_ROUNDS):
            weight = 1.0 / np.maximum(left, 1e-3 * left.max() + self._rounding)
            # Joint by joint, so that no weighted copy of the whole design is needed.
            gram = sum(w**2 * design[:, j].T @ design[:, j] for j, w in enumerate(weight))
            right = sum(w**2 * design[:, j].T @ unknown[:, j] for j, w in enumerate(weight))
            # In units of the noise: inertia may be wrong by one unit, friction by anything.
            prior = RIDGE_WEIGHT * (1.0 + np.diag(gram))
            prior[: self._basis.shape[1]] = 1.0
            # Least squares, for without any noise the prior is lost in rounding.
            coefficients = np.linalg.lstsq(gram + np.diag(prior), right, rcond=None)[0]
            left = np.sqrt(np.mean((unknown - design @ coefficients) ** 2, axis=0))
        return _Solution(coefficients, left)

    def explanation(self, smoothing: Array, coefficients: Array) -> Explanation:
        """Return the coefficients by their names."""
        links = self._basis.shape[1]
        learnt = nothing_learnt(self._model)
        inertias = np.array(learnt.inertias) + (self._basis @ coefficients[:links]).reshape(-1, 10)
        # The masses by themselves mean nothing: only sums over links can be told from torques, so
        # one may well be negative. It must not be zero, for Pinocchio divides by it.
        least = LEAST_MASS_SHARE * np.array(learnt.inertias)[:, 0]
        zero = np.abs(inertias[:, 0]) < least
        inertias[zero, 0] = least[zero]
        dry, viscous, armature, offset = coefficients[links:].reshape(4, -1)
        return Explanation(
            inertias=tuple(tuple(row) for row in inertias.tolist()),
            armature=tuple((np.array(learnt.armature) + armature).tolist()),
            coulomb=tuple(dry.tolist()),
            smoothing=tuple(smoothing.tolist()),
            viscous=tuple(viscous.tolist()),
            offset=tuple(offset.tolist()),
            fastest=tuple(np.abs(self._motions.velocity).max(axis=0).tolist()),
        )


def _link_basis(model: RobotModel) -> Array:
    """Return directions of the links' dynamic parameters, shape ``(10 n, columns)``.

    Every link: its whole inertia, an added mass, the three shifts of its centre. The last link of
    a chain, which may carry something of any shape, also its six moments of inertia.
    """
    ends = leaves(model)
    mean = float(np.mean([inertia.mass for inertia in model.pin_model.inertias[1:]]))
    columns = []
    for i in range(model.n):
        parameters = model.pin_model.inertias[i + 1].toDynamicParameters()
        units = max(parameters[0], mean) * np.array([1.0, *3 * [LEVER], *6 * [LEVER**2]])
        block = np.diag(units) if i in ends else np.diag(units)[:, :4]
        padded = np.zeros((10 * model.n, 1 + block.shape[1]))
        padded[10 * i : 10 * i + 10] = np.column_stack((parameters, block))
        columns.append(padded)
    return np.concatenate(columns, axis=1)
