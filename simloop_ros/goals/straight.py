"""A tip straight to a pose, from rest to rest."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from ..core.errors import GoalError
from ..core.values import Array
from ..kinematics.solver import InverseKinematics
from ..maths.minimum_jerk import PEAK_VELOCITY, minimum_jerk
from ..planning.cartesian import joints_along, whole_steps
from ..planning.config import LONGEST_MOTION
from ..planning.tip_path import Corner, Side
from ..robot.model import RobotModel
from .joint_motion import PLANNED_SHARE, JointMotion
from .trajectory import Trajectory, stay

SAMPLES = 400
"""Places on the path at which velocities, accelerations and jerks are looked at."""
NEAREST = 1e-9
"""Way of a tip below which it is there already [m or rad]."""


def straight_to(
    pose: pin.SE3,
    model: RobotModel,
    solver: InverseKinematics,
    motion: JointMotion,
    start: Array,
    tip_velocity: float,
) -> Trajectory:
    """Return the motion of a tip along a straight line, on which it turns evenly.

    The place on the line is that of minimum jerk; its time is the shortest within the limits of
    the joints, which all three scale with::

        |q'| ~ 1/T,   |q''| ~ 1/T^2,   |q'''| ~ 1/T^3

    :param start: joints at rest [rad], shape ``(n,)``.
    :param tip_velocity: largest [m/s].
    :raises GoalError: it is out of reach somewhere, or singular.
    """
    (begin,) = model.frame_poses(start, [solver.tip])
    turn = pin.log3(begin.rotation.T @ pose.rotation)
    ends = (
        Corner('the present position', begin.translation),
        Corner('the goal', pose.translation),
    )
    side = Side(1, *ends, begin.rotation, turn)
    if side.length < NEAREST and np.linalg.norm(turn) < NEAREST:
        return stay(start, motion.period)
    try:
        (joints,) = joints_along(model, solver, (side,), start)
    except GoalError as error:
        # What follows is about keys of a planner.
        raise GoalError(str(error).partition('; ')[0], error.tip, error.missing) from error

    def moved(u: Array, time: float) -> tuple[Array, Array, Array]:
        s, s1, s2 = minimum_jerk(u), 30.0 * u**2 * (1.0 - u) ** 2, 60.0 * u * (1.0 - u)
        s1, s2 = s1[:, None] / time, (s2 * (1.0 - 2.0 * u))[:, None] / time**2
        slope, bend = joints.derivative(s, 1), joints.derivative(s, 2)
        return joints.at(s), s1 * slope, s1 * s1 * bend + s2 * slope

    u = np.linspace(0.0, 1.0, SAMPLES + 1)
    _, v, a = moved(u, 1.0)
    acceleration, jerk = (PLANNED_SHARE * bound for bound in motion.bounds)
    time = max(
        float((np.abs(v) / motion.velocity).max()),
        float(np.abs(a).max() / acceleration) ** 0.5,
        float(np.abs(np.diff(a, axis=0)).max() * SAMPLES / jerk) ** (1.0 / 3.0),
        PEAK_VELOCITY * side.length / tip_velocity,
    )
    steps = whole_steps(time, motion.period)
    if steps > LONGEST_MOTION:
        raise GoalError(f'it would take {time:.3g} s; raise goal_limits.tip_velocity')
    q, v, a = moved(np.arange(steps + 1) / steps, steps * motion.period)
    q[0] = start
    return Trajectory(motion.period, q, v, a)
