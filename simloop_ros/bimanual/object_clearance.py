"""Check that free hands do not touch the object."""

from __future__ import annotations

from collections.abc import Sequence

import coal
import numpy as np
import pinocchio as pin

from ..core.errors import GoalError
from ..planning.self_collision import COLLISION_SPACING
from ..robot.model import RobotModel
from .config import BimanualConfig
from .leg import Leg
from .tip_follower import TipFollower

PALM_THICKNESS = 1e-4
"""Thickness of a palm [m], behind the tip's origin."""


def refuse_swept(
    config: BimanualConfig, model: RobotModel, period: float, legs: Sequence[Leg]
) -> None:
    """Refuse a plan on which a free hand would sweep the object from its place.

    Only palms are checked: squares, against the object as a block at its planned pose. After an
    insertion that ended early hands near the object are displaced with it.

    :raises GoalError: a task does, with its number.
    """
    known = config.object
    block = coal.Box(known.width, known.length, known.width)
    palm = coal.Box(config.palm, config.palm, PALM_THICKNESS)
    back = pin.SE3(np.eye(3), np.array([0.0, 0.0, -0.5 * PALM_THICKNESS]))
    find = TipFollower(model)
    stride = max(1, round(COLLISION_SPACING / period))
    begin = 0
    for leg in legs:
        if not leg.bound:
            there = _transform(leg.objects[0])
            for step in (*range(0, leg.steps, stride), leg.steps - 1):
                for tip, pose in zip(model.tips, find.poses(leg.joints[step]), strict=True):
                    result = coal.CollisionResult()
                    place = _transform(pose * back)
                    if coal.collide(palm, place, block, there, coal.CollisionRequest(), result):
                        raise GoalError(
                            f'{leg.name}: {tip} would sweep the object from its place at t = '
                            f'{(begin + step + 1) * period:.2f} s; lead it around with a jog '
                            'or a reach before, use the other path (ptp or cp), or set the object '
                            'down elsewhere',
                            tip,
                        )
        begin += leg.steps


def _transform(pose: pin.SE3) -> coal.Transform3s:
    return coal.Transform3s(pose.rotation, pose.translation)
