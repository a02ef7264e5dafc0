"""Inertias that a body can have: the pseudo-inertia and its logarithmic Cholesky factor."""

from __future__ import annotations

import numpy as np

from ..core.values import Array

SIZE = 10
"""Number of the inertial parameters of a body."""
LEAST_EIGENVALUE = 1e-4
"""Share of the largest eigenvalue of a prior below which none may be: a body without size, as a
URDF may have, could not change at all."""


def pseudo_inertia(parameters: Array) -> Array:
    """Return the pseudo-inertia of a body, shape ``(4, 4)``.

    With mass ``m``, first moment ``m c`` and inertia ``I`` about the origin of a frame::

        P = [[tr(I)/2 1 - I, m c], [m c^T, m]]

    A body with mass everywhere positive has ``P > 0``, and only such a body has
    (Wensing, Kim, Slotine 2018).

    :param parameters: m, m c, Ixx, Ixy, Iyy, Ixz, Iyz, Izz as Pinocchio orders them, ``(10,)``.
    """
    m, x, y, z, xx, xy, yy, xz, yz, zz = parameters
    half = 0.5 * (xx + yy + zz)
    return np.array(
        [
            [half - xx, -xy, -xz, x],
            [-xy, half - yy, -yz, y],
            [-xz, -yz, half - zz, z],
            [x, y, z, m],
        ]
    )


def inertial_parameters(pseudo: Array) -> Array:
    """Return the inertial parameters of a pseudo-inertia, the inverse of the above.

    :param pseudo: shape ``(..., 4, 4)``; the result has the shape ``(..., 10)``.
    """
    s = pseudo
    xx, yy, zz = (s[..., i, i] for i in range(3))
    columns = (
        s[..., 3, 3],
        s[..., 0, 3],
        s[..., 1, 3],
        s[..., 2, 3],
        yy + zz,
        -s[..., 0, 1],
        xx + zz,
        -s[..., 0, 2],
        -s[..., 1, 2],
        xx + yy,
    )
    return np.stack(columns, axis=-1)


def is_consistent(parameters: Array) -> bool:
    """Return whether a body can have these inertial parameters, shape ``(10,)``."""
    return bool(np.linalg.eigvalsh(pseudo_inertia(parameters))[0] > 0.0)


class LogCholesky:
    """All inertias that a body can have, as deviations from a prior.

    ::

        P(t) = L U(t) U(t)^T L^T,    P(0) = L L^T

    ``U`` is upper triangular with ``exp(t_1..t_4)`` on its diagonal and ``t_5..t_10`` above it
    (Rucker, Wensing 2022). So ``P > 0`` for every ``t``, in whatever units, and ``t = 0.1`` is a
    change of some ten percent.

    :ivar prior: inertial parameters at ``t = 0``, made consistent, shape ``(10,)``.
    :param parameters: what the body should have, shape ``(10,)``.
    :param smallest: of a body that has nothing: what counts as little, shape ``(10,)``.
    """

    _ABOVE = tuple(zip(*np.triu_indices(4, 1), strict=True))

    def __init__(self, parameters: Array, smallest: Array):
        values, vectors = np.linalg.eigh(pseudo_inertia(parameters))
        if values[-1] <= 0.0:
            values, vectors = np.linalg.eigh(pseudo_inertia(smallest))
        values = np.maximum(values, LEAST_EIGENVALUE * values[-1])
        body = vectors @ np.diag(values) @ vectors.T
        self.prior = inertial_parameters(body)
        self._lower = np.linalg.cholesky(body)

    def parameters(self, t: Array) -> Array:
        """Return the inertial parameters, shape ``(10,)``, of ``t``, shape ``(10,)``."""
        factor = self._lower @ self._factor(t)
        return inertial_parameters(factor @ factor.T)

    def derivative(self, t: Array) -> Array:
        """Return ``d parameters / dt``, shape ``(10, 10)``."""
        factor = self._factor(t)
        changes = np.zeros((SIZE, 4, 4))
        for k in range(4):
            changes[k, k, k] = factor[k, k]
        for k, (i, j) in enumerate(self._ABOVE, start=4):
            changes[k, i, j] = 1.0
        half = self._lower @ changes @ factor.T @ self._lower.T
        return inertial_parameters(half + half.swapaxes(1, 2)).T

    def _factor(self, t: Array) -> Array:
        factor = np.diag(np.exp(t[:4]))
        for value, place in zip(t[4:], self._ABOVE, strict=True):
            factor[place] = value
        return factor
