"""The log of two hands on one object, beside that of the joints."""

from __future__ import annotations

import numpy as np

from ..core.values import Array, ObjectReport, PathCorrection

AXES = ('x', 'y', 'z', 'rx', 'ry', 'rz')
"""Names of the six numbers of each column: along three axes, and about them."""
HANDS_COLUMNS = (
    'wrench_1',
    'wrench_2',
    'correction_1',
    'correction_2',
    'true_wrench_1',
    'true_wrench_2',
    'object_pose',
    'object_velocity',
)
"""Of the first and the second tip: what its sensor reads [N, N m], the path correction of the step
in axes of the object [m, rad], the true wrench; pose of the object, its rotation as a vector, and
its velocity, in the world [m, rad, m/s, rad/s]. Zero where there is no object."""


def correction_row(correction: PathCorrection) -> Array:
    """Return a path correction [m, rad], shape ``(hands, 6)``."""
    return np.concatenate((correction.position, correction.rotation), axis=1)


def object_row(report: ObjectReport | None) -> Array:
    """Return pose and velocity of an object, shape ``(2, 6)``; zero if there is none."""
    if report is None:
        return np.zeros((2, 6))
    pose = np.concatenate((report.position, report.rotation_vector))
    return np.array([pose, report.velocity])
