"""What a calibration learnt about the robot, in words."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from ..collision.calibration import Calibration
from ..collision.collision_monitor import UNLIMITED_EFFORT
from ..collision.disturbance_observer import DisturbanceObserver
from ..record.findings import mismatch_words
from ..record.model_mismatch import EXPLAINED, LEAST_MASS_ERROR, ModelMismatch
from ..robot.model import RobotModel

POSTURES = 200
"""Number of postures in which the learnt weight is compared with the model's."""
LEAST_FRICTION = 1e-4
"""Share of a joint's effort limit from which its dry friction is told."""
NOISE_MARGIN = 0.5
"""Share of what a step leaves unexplained (rms) from which dry friction is told: it is known far
better than that, from tens of thousands of steps."""


def learnt_lines(calibration: Calibration, model: RobotModel) -> list[str]:
    """Return a line about mass and friction, or that there is nothing to tell.

    The learnt masses of single links mean nothing, but the torque ``g'`` that holds the robot
    does. In random postures, with ``g`` of the model, by least squares::

        g' - g = b g
    """
    learnt = calibration.explanation
    corrected = learnt.corrected(model)
    lower, upper = (np.clip(ends, -np.pi, np.pi) for ends in (model.lower, model.upper))
    postures = np.random.default_rng(0).uniform(lower, upper, (POSTURES, model.n))
    known, found = (_weights(robot, postures) for robot in (model.pin_model, corrected))
    error, size = found - known, float(np.square(known).sum())
    mass = float((error * known).sum()) / size if size > 0.0 else 0.0
    left = float(np.square(error - mass * known).sum())
    explained = left <= (1.0 - EXPLAINED) * float(np.square(error).sum())
    least = np.maximum(
        LEAST_FRICTION * np.minimum(model.effort_limit, UNLIMITED_EFFORT),
        NOISE_MARGIN * np.array(calibration.noise[DisturbanceObserver.kind][0]),
    )
    dry = zip(model.joint_names, learnt.coulomb, least, strict=True)
    friction = {name: value for name, value, bound in dry if value > bound}
    told = mass if explained and abs(mass) > LEAST_MASS_ERROR else None
    words = mismatch_words(ModelMismatch(told, None, friction), model)
    return [words or 'the robot is as its model says: no other mass, no friction']


def _weights(pin_model: pin.Model, postures: np.ndarray) -> np.ndarray:
    """Return the torques that hold a robot [N m], shape ``(postures, n)``."""
    data = pin_model.createData()
    return np.array([pin.computeGeneralizedGravity(pin_model, data, q).copy() for q in postures])
