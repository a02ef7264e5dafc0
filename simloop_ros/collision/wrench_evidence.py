"""How well a force of unknown size on a piece of surface explains torques."""

from __future__ import annotations

import numpy as np

from ..core.values import Array


def log_density(gram: Array, pull: Array, force: Array) -> Array:
    """Return the logarithm of the density of torques, up to what is the same for all pieces.

    The torques are ``tau = J^T F (w + S z) + e`` with ``z ~ N(0, 1)``, ``e ~ N(0, E)``. With
    ``H = J E^-1 J^T`` and ``g = J E^-1 tau`` it follows from the normal distribution with the
    covariance ``E + F^2 J^T S S^T J``, by Woodbury's identity::

        A = S^T H S + 1 / F^2,    b = S^T (g - F H w)
        -2 log p = F^2 w^T H w - 2 F w^T g - b^T A^-1 b + log det A + 2 m log F

    The first three terms are what is left in the corner of ``(A b; b^T .)`` after ``A`` was
    eliminated, ``det A`` is the product of the pivots. All pieces are eliminated at once.

    :param gram: ``(S w)^T H (S w)``, shape ``(m + 1, m + 1, ...)``.
    :param pull: ``(S w)^T g``, shape ``(m + 1, ...)``.
    :param force: sizes ``F`` [N]; its shape and ``...`` are broadcast.
    """
    modes = len(gram) - 1
    shape = np.broadcast_shapes(gram.shape[2:], force.shape)
    work = np.empty((*gram.shape[:2], *shape))
    work[:] = gram
    work[modes, :modes] = pull[:modes] - force * gram[modes, :modes]
    work[modes, modes] = force * (force * gram[modes, modes] - 2.0 * pull[modes])
    softness = force**-2.0
    determinant = np.ones(shape)
    for i in range(modes):
        pivot = work[i, i]
        pivot += softness
        determinant *= pivot
        column = work[i + 1 :, i]
        factors = column / pivot
        for k in range(modes - i):  # of a symmetric matrix the lower half is enough
            work[i + 1 + k, i + 1 : i + 2 + k] -= factors[k] * column[: k + 1]
    corner: Array = work[modes, modes]
    corner += np.log(determinant)
    corner += 2.0 * modes * np.log(force)
    corner *= -0.5
    return corner


def likely_modes(gram: Array, pull: Array, force: float) -> Array:
    """Return the likeliest ``z`` of one piece, shape ``(m,)``, for one size of force [N]."""
    modes = len(gram) - 1
    stiff = gram[:modes, :modes] + np.eye(modes) / force**2
    off = pull[:modes] - force * gram[modes, :modes]
    return np.asarray(np.linalg.solve(stiff, off) / force)
