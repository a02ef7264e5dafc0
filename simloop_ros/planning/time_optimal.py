"""The fastest motion along a side within the limits of the joints, by toppra."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from ..core.errors import GoalError, MissingDependencyError
from ..core.values import Array
from ..robot.model import RobotModel
from .side_profiles import Tabulated

UNLIMITED = 1e4
"""Stands for a limit that the robot description does not have [rad/s, N m]."""

PATH_SCALES = (0.1, 1.0, 10.0, 0.01)
"""Lengths of a side as given to toppra, tried in turn. The problem is the same, but its solver has
fixed tolerances and fails at some: seen with 500 rad/s^2 at 1.0, 5 rad/s^2 at 100."""


def time_optimal(
    model: RobotModel, shares: Array, positions: Array, limit_share: float, acceleration: float
) -> Tabulated | None:
    """Return the fastest profile from rest to rest along a side, or nothing if there is none.

    Of all courses ``s(t)`` of the place ``s`` along ``q(s)`` the one of least time with::

        |q'|   <= share v_max                        of each joint
        |q''|  <= acceleration
        |tau|  <= share tau_max,  tau = rnea(q, q' s', q' s'' + q'' s'^2)

    :param shares: positions along the side, rising from 0 to 1, shape ``(k,)``.
    :param positions: joints there [rad], shape ``(k, n)``.
    :param limit_share: usable share of the robot's limits, 0 to 1.
    :param acceleration: largest of every joint [rad/s^2].
    """
    try:
        from toppra import SplineInterpolator
        from toppra.algorithm import TOPPRA
        from toppra.constraint import (
            DiscretizationType,
            JointAccelerationConstraint,
            JointTorqueConstraint,
            JointVelocityConstraint,
        )
    except (ImportError, ValueError) as error:  # a ValueError where it was built for another numpy
        raise MissingDependencyError(
            f'planner.profile: time_optimal needs toppra, which cannot be imported ({error}): '
            f'pip install toppra; if it was built for another numpy than {np.__version__}, '
            'pip install --force-reinstall --no-deps --no-binary toppra toppra'
        ) from error
    data = model.pin_model.createData()
    between = DiscretizationType.Interpolation  # limits hold between two samples, too
    constraints = [
        JointVelocityConstraint(_both_ways(model.velocity_limit, limit_share)),
        JointAccelerationConstraint(
            _both_ways(np.full(model.n, acceleration), 1.0), discretization_scheme=between
        ),
        JointTorqueConstraint(
            lambda q, v, a: np.array(pin.rnea(model.pin_model, data, q, v, a)),
            _both_ways(model.effort_limit, limit_share),
            np.zeros(model.n),
            discretization_scheme=between,
        ),
    ]
    for scale in PATH_SCALES:
        places = scale * shares
        path = SplineInterpolator(places, positions)
        solver = TOPPRA(constraints, path, gridpoints=places, solver_wrapper='seidel')
        _, speeds, _ = solver.compute_parameterization(0.0, 0.0)
        if speeds is not None and np.isfinite(speeds).all() and (speeds[1:-1] > 0.0).all():
            return Tabulated(shares, np.asarray(speeds, np.float64) / scale)
    return None


def _both_ways(limit: Array, share: float) -> Array:
    """Return a limit as bounds below and above, shape ``(n, 2)``."""
    bound = share * np.where(np.isfinite(limit), limit, UNLIMITED)
    return np.stack((-bound, bound), axis=1)


def needed_time_optimal(
    what: str,
    remedy: str,
    model: RobotModel,
    shares: Array,
    positions: Array,
    limit_share: float,
    acceleration: float,
) -> Tabulated:
    """Return the fastest profile, see ``time_optimal``.

    :param what: is refused if there is none.
    :param remedy: beside higher limits.
    :raises GoalError: there is none.
    """
    profile = time_optimal(model, shares, positions, limit_share, acceleration)
    if profile is None:
        raise GoalError(
            f'{what}: no motion along it was found within {100.0 * limit_share:g} % of '
            "the robot's limits of velocity and effort and accelerations of "
            f'{acceleration:g} rad/s^2; raise planner.limit_share or '
            f'planner.joint_acceleration, or {remedy}'
        )
    return profile
