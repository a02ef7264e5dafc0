"""Grasps: poses of the tips in axes of the object."""

from __future__ import annotations

from itertools import combinations
from math import dist, pi

import numpy as np
import pinocchio as pin

from ..core.errors import ConfigError
from ..core.values import Array
from .config import Grasp, KnownObject
from .internal_force import MIN_GRASP_DISTANCE

PALM_NORMAL = np.array([0.0, 0.0, 1.0])
"""Normal of the palm in axes of the tip, out of the hand."""


def grasps_of(known: KnownObject, tips: tuple[str, ...]) -> tuple[pin.SE3, ...]:
    """Return the pose of each tip in axes of the object, with the palm on it.

    Without ``known.grasps`` the first of two tips takes the end at ``+y`` and the second one that
    at ``-y``; the tip's z axis points into the object and its x axis is that of the object.

    :raises ConfigError: there is not one for each tip, two coincide, or a palm faces away.
    """
    grasps = known.grasps or _ends(known.length)
    if len(grasps) != len(tips):
        raise ConfigError(
            f'bimanual.object.grasps: {len(grasps)} for {len(tips)} tips '
            f'({", ".join(tips)}); give one for each, in this order'
        )
    poses = tuple(
        pin.SE3(pin.rpy.rpyToMatrix(np.array(grasp.rpy)), np.array(grasp.position))
        for grasp in grasps
    )
    for (i, a), (j, b) in combinations(enumerate(poses), 2):
        apart = dist(a.translation, b.translation)
        if not apart >= MIN_GRASP_DISTANCE:
            raise ConfigError(
                f'bimanual.object.grasps: those of {tips[i]} and {tips[j]} are {apart:.3g} m '
                f'apart, at least {MIN_GRASP_DISTANCE:g} m is needed; move one of them'
            )
    centre: Array = np.mean([pose.translation for pose in poses], axis=0)
    for tip, pose in zip(tips, poses, strict=True):
        if not float(pose.rotation @ PALM_NORMAL @ (centre - pose.translation)) > 0.0:
            raise ConfigError(
                f'bimanual.object.grasps: the palm of {tip} faces away from the other grasps; '
                'turn it (rpy) so that the z axis of the tip points into the object'
            )
    return poses


def shifted(grasp: pin.SE3, ahead: float) -> pin.SE3:
    """Return the pose of a tip that is moved along its palm's normal.

    :param ahead: distance [m], positive into the object, negative away from it.
    """
    return grasp * pin.SE3(np.eye(3), ahead * PALM_NORMAL)


def _ends(length: float) -> tuple[Grasp, Grasp]:
    half = 0.5 * length
    return (
        Grasp(position=(0.0, half, 0.0), rpy=(0.5 * pi, 0.0, 0.0)),
        Grasp(position=(0.0, -half, 0.0), rpy=(-0.5 * pi, 0.0, 0.0)),
    )
