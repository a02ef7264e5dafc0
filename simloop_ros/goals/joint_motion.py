"""Motions of the joints within limits of velocity, acceleration and jerk, by ruckig."""

from __future__ import annotations

from math import ceil
from typing import Any

import numpy as np

from ..core.errors import GoalError
from ..core.values import Array
from ..robot.model import RobotModel
from .config import GoalLimits
from .trajectory import Reference, Trajectory, stay

PLANNED_SHARE = 0.8
"""Share of the limits of acceleration and jerk that motions are planned with; the rest is for
pauses, which add the change of the rate along the path."""
STEP_ROUNDING = 1e-9
"""Excess over a whole number of steps that counts as rounding."""


class JointMotion:
    """The fastest motions of all joints together, from any state.

    :param period: of a step [s].
    :ivar velocity: limits of the joints [rad/s], shape ``(n,)``.
    :ivar bounds: limits of acceleration [rad/s^2] and jerk [rad/s^3] of every joint.
    """

    def __init__(self, model: RobotModel, limits: GoalLimits, period: float):
        self._n = model.n
        self.period = period
        self.velocity = np.minimum(limits.velocity_share * model.velocity_limit, limits.velocity)
        self.bounds = (limits.acceleration, limits.jerk)

    def to(self, begin: Reference, target: Array) -> Trajectory:
        """Return the motion to a position [rad], shape ``(n,)``, at rest there."""
        if begin.at_rest and np.array_equal(begin.position, target):
            return stay(target, self.period)
        request = self._request(begin)
        request.target_position = target.tolist()
        return self._ended(self._sampled(request), target)

    def brake(self, begin: Reference) -> Trajectory:
        """Return the fastest motion to rest."""
        if begin.at_rest:
            return stay(begin.position, self.period)
        request = self._velocity_request(begin)
        sampled = self._sampled(request)
        return self._ended(sampled, sampled.position[-1])

    def towards(self, begin: Reference, velocity: Array) -> Reference:
        """Return the motion one step later, on the fastest way to a velocity [rad/s], ``(n,)``."""
        import ruckig

        request = self._velocity_request(begin)
        request.target_velocity = velocity.tolist()
        trajectory = ruckig.Trajectory(self._n)
        self._calculate(request, trajectory)
        position, speed, acceleration = trajectory.at_time(self.period)[:3]
        return Reference(np.array(position), np.array(speed), np.array(acceleration))

    def _request(self, begin: Reference) -> Any:
        import ruckig

        request = ruckig.InputParameter(self._n)
        request.synchronization = ruckig.Synchronization.Phase
        request.current_position = begin.position.tolist()
        request.current_velocity = begin.velocity.tolist()
        request.current_acceleration = begin.acceleration.tolist()
        acceleration, jerk = self.bounds
        request.max_velocity = self.velocity.tolist()
        request.max_acceleration = [PLANNED_SHARE * acceleration] * self._n
        request.max_jerk = [PLANNED_SHARE * jerk] * self._n
        return request

    def _velocity_request(self, begin: Reference) -> Any:
        import ruckig

        request = self._request(begin)
        request.control_interface = ruckig.ControlInterface.Velocity
        request.synchronization = ruckig.Synchronization.No
        request.target_velocity = [0.0] * self._n
        return request

    def _calculate(self, request: Any, trajectory: Any) -> None:
        import ruckig

        result = ruckig.Ruckig(self._n, self.period).calculate(request, trajectory)
        if result not in (ruckig.Result.Working, ruckig.Result.Finished):
            raise GoalError(f'no motion within the limits was found ({result}); try another goal')

    def _sampled(self, request: Any) -> Trajectory:
        import ruckig

        trajectory = ruckig.Trajectory(self._n)
        self._calculate(request, trajectory)
        steps = max(1, ceil(trajectory.duration / self.period - STEP_ROUNDING))
        rows = np.array([trajectory.at_time(k * self.period)[:3] for k in range(steps + 1)])
        return Trajectory(self.period, rows[:, 0], rows[:, 1], rows[:, 2])

    @staticmethod
    def _ended(sampled: Trajectory, target: Array) -> Trajectory:
        """Return a motion that ends exactly at rest at a position [rad], shape ``(n,)``."""
        sampled.position[-1] = target
        sampled.velocity[-1] = sampled.acceleration[-1] = 0.0
        return sampled
