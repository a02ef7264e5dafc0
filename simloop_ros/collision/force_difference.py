"""The second residual of 000, section 7.1: other forces explain the motion than were sent."""

from __future__ import annotations

from ..core.values import Array
from .collision_monitor import CollisionMonitor
from .observation import Observation


class ForceDifference(CollisionMonitor):
    """The residual ``tau - tau'`` [N m], 000 (5.2) and (5.7).

    The external torque is the opposite, ``tau' - tau``. It is the whole model error too, and
    as noisy as the control state's acceleration.
    """

    kind = 'force_difference'

    def _probe(self, observation: Observation) -> float:
        return float(observation.effort.dot(observation.rollback_effort))

    def _update(self, observation: Observation) -> None:
        self.residuals = (observation.effort - observation.rollback_effort)[None]

    def _torque(self) -> Array:
        return -self.residuals[0]
