"""The planner's own simulation: tips forced along their paths, joints from the dynamics."""

from __future__ import annotations

from math import exp

import msgspec
import numpy as np
import pinocchio as pin

from ..core.values import Array, JointState
from ..robot.model import RobotModel
from .config import ForcedMotionConfig
from .profiles import Travel, build_profile

WORLD = pin.Convention.WORLD
WORLD_AXES = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
REGULARISATION = 1e-10
"""S in the law below, relative to the mean tip mobility at home: negligible where a tip can move,
and enough for directions in which it cannot move at all."""
BOUND_TOLERANCE = 1e-9
"""Excess over a bound that is rounding, relative and [rad/s]."""


class ForcedMotion(msgspec.Struct, frozen=True, gc=False):
    """The state of the planner's simulation.

    :ivar joints: its joint state.
    :ivar directions: unit vectors of the paths, world axes, one after the other, ``(3 tips,)``.
    :ivar travels: progress of each tip on its path.
    :ivar rotations: orientations that the tips keep, from tip to world, shape ``(tips, 3, 3)``;
        ``None`` if they are free to turn.
    """

    joints: JointState
    directions: Array
    travels: tuple[Travel, ...]
    rotations: Array | None = None


class ForcedSimulation:
    """000, section 5.2.1: force the end effectors along algorithm 1 and read the joints.

    ::

        x'_d = (x_next - x)/h                                     to the next point of the path
        v+   = u + M^-1 J^T (J M^-1 J^T + S)^-1 (x'_d - J u),     u = exp(-h/T) v
        q+   = q + h v+

    Of all motions with the desired tip velocities this is the nearest to ``u`` in kinetic energy,
    as in a simulation with gravity compensated (Gauss' principle). The null-space motion decays
    with the time constant ``T``. No joint goes faster than its limit or reaches the end of its
    range sooner than exponentially: a joint that would is held at its bound and the others are
    solved again.

    With ``keep_rotations`` the angular velocity ``log(R_0 R^T)/h`` of each tip is desired, too:
    it keeps the orientation ``R_0`` that it has at ``start``.

    :param goals: tip positions to go to, world axes [m], shape ``(tips, 3)``.
    """

    def __init__(
        self,
        model: RobotModel,
        config: ForcedMotionConfig,
        period: float,
        goals: Array,
        *,
        keep_rotations: bool = False,
    ):
        self.model = model
        self.keeps_rotations = keep_rotations
        self.goals = goals
        self.period = period
        self._profile = build_profile(config, period)
        # As arrays: numpy need not convert them in every product.
        self._h = np.array(period)
        self._rate = np.array(1.0 / period)
        self._keep = np.array(exp(-period / config.damping_time))
        self._range_time = np.array(max(config.range_time, period))
        self._inverse_speed = 1.0 / model.velocity_limit
        self._pin_model = model.pin_model
        self._data = model.pin_model.createData()
        self._no_effort = np.zeros(model.n)
        self._each = 6 if keep_rotations else 3  # rows of a tip in the Jacobian
        rows = self._each * len(model.tips)
        self._goals = goals.ravel()
        self._scratch_tips = np.zeros(3 * len(model.tips))
        self._scratch_jacobian = np.zeros((rows, model.n))
        # For each tip: its frame, its placement, and its rows of the two arrays above.
        self._scratch_frames = [
            (
                frame,
                self._data.oMf[frame],
                self._scratch_tips[3 * i : 3 * i + 3],
                self._scratch_jacobian[self._each * i : self._each * (i + 1)],
            )
            for i, frame in enumerate(model.tip_frames)
        ]
        self._dynamics(model.home)
        mobility = pin.computeMinverse(self._pin_model, self._pin_model.createData(), model.home)
        mobility = (
            self._scratch_jacobian @ mobility.reshape(model.n, -1) @ self._scratch_jacobian.T
        )
        self._regularisation = REGULARISATION * float(np.trace(mobility)) / rows

    def start(self, joints: JointState) -> ForcedMotion:
        """Return the motion from a joint state straight to the goals.

        The tips keep what speed they have towards their goals.
        """
        self._dynamics(joints.position)
        velocity = self._scratch_jacobian.dot(joints.velocity).reshape(-1, self._each)[:, :3]
        displacements = self.goals - self._scratch_tips.reshape(-1, 3)
        lengths = np.sqrt(np.add.reduce(displacements * displacements, 1))
        directions = np.zeros_like(displacements)
        divisors = lengths[:, None]
        np.divide(displacements, divisors, directions, where=divisors > 0.0)
        speeds = np.maximum(0.0, np.add.reduce(velocity * directions, 1))
        travels = tuple(map(Travel, lengths.tolist(), speeds.tolist()))
        rotations = self._rotations() if self.keeps_rotations else None
        return ForcedMotion(joints, directions.ravel(), travels, rotations)

    def step(self, motion: ForcedMotion) -> ForcedMotion:
        """Return the motion one step later."""
        q, v = motion.joints.position, motion.joints.velocity
        travels = tuple([self._profile.advance(travel) for travel in motion.travels])
        self._dynamics(q)
        tip_velocity = self.waypoints(motion.directions, travels)
        tip_velocity -= self._scratch_tips
        tip_velocity *= self._rate
        if motion.rotations is not None:
            turns = self._rate * self._turns(motion.rotations)
            tip_velocity = np.hstack((tip_velocity.reshape(-1, 3), turns)).ravel()
        velocity = self._project(q, self._keep * v, tip_velocity)
        position = self._h * velocity
        position += q
        return ForcedMotion(
            JointState(position, velocity), motion.directions, travels, motion.rotations
        )

    def waypoints(self, directions: Array, travels: tuple[Travel, ...]) -> Array:
        """Return the present points of the paths [m], shape ``(3 tips,)``."""
        remaining = [travel.remaining for travel in travels for _ in 'xyz']
        return self._goals - directions * np.array(remaining)

    def tip_positions(self, q: Array) -> Array:
        """Return the tip positions in the world [m], shape ``(tips, 3)``."""
        self._dynamics(q)
        return self._scratch_tips.reshape(-1, 3).copy()

    def turned(self, motion: ForcedMotion) -> Array:
        """Return how far the tips are from the orientation that they keep [rad], ``(tips,)``."""
        if motion.rotations is None:
            return np.zeros(len(self.model.tips))
        self._dynamics(motion.joints.position)
        return np.linalg.norm(self._turns(motion.rotations), axis=1)

    def _rotations(self) -> Array:
        """Return the present orientations of the tips, shape ``(tips, 3, 3)``."""
        return np.array([placement.rotation for _, placement, _, _ in self._scratch_frames])

    def _turns(self, rotations: Array) -> Array:
        """Return how the tips have to turn, as vectors in world axes [rad], ``(tips, 3)``."""
        pairs = zip(rotations, self._rotations(), strict=True)
        return np.array([pin.log3(kept @ present.T) for kept, present in pairs])

    def _dynamics(self, q: Array) -> None:
        """Set mass matrix, tip positions and their Jacobian, with rotations where these count."""
        pin_model, data = self._pin_model, self._data
        pin.crba(pin_model, data, q, WORLD)  # in this convention with joint Jacobians
        for frame, placement, tip, jacobian in self._scratch_frames:
            # This also brings the placement up to date; one joint alone gives a flat array.
            full = pin.getFrameJacobian(pin_model, data, frame, WORLD_AXES)
            jacobian[:] = full.reshape(6, -1)[: self._each]
            tip[:] = placement.translation

    def _project(self, q: Array, free: Array, tip_velocity: Array) -> Array:
        """Return the velocity with the desired tip velocity that is nearest to ``free``."""
        velocity = self._nearest(free, self._scratch_jacobian, tip_velocity)
        ahead = self._range_time * velocity
        ahead += q
        inside = np.minimum(np.maximum(ahead, self.model.lower), self.model.upper)
        share = velocity * self._inverse_speed
        if inside.tobytes() == ahead.tobytes() and share.dot(share) <= 1.0:
            return velocity
        return self._bounded(q, free, tip_velocity, velocity)

    def _bounded(self, q: Array, free: Array, tip_velocity: Array, velocity: Array) -> Array:
        """Return the same with every joint within its speed and range.

        Joints that would leave are held at their bounds, as further constraints, until none does.
        """
        model = self.model
        low = np.maximum((model.lower - q) / self._range_time, -model.velocity_limit)
        high = np.minimum((model.upper - q) / self._range_time, model.velocity_limit)
        held = np.zeros(model.n, dtype=bool)
        while True:
            bounded = np.minimum(np.maximum(velocity, low), high)
            outside = np.abs(velocity - bounded) > BOUND_TOLERANCE * (1.0 + np.abs(bounded))
            if not (outside & ~held).any():
                return bounded
            held |= outside
            velocity = self._nearest(
                free,
                np.concatenate((self._scratch_jacobian, np.eye(model.n)[held])),
                np.concatenate((tip_velocity, bounded[held])),
            )

    def _nearest(self, free: Array, jacobian: Array, desired: Array) -> Array:
        """Return ``u + M^-1 J^T (J M^-1 J^T + S)^-1 (x'_d - J u)``.

        Pinocchio solves this for accelerations; with neither effort nor gravity it is the same.

        :param free: ``u`` [rad/s], shape ``(n,)``.
        :param jacobian: ``J``, shape ``(k, n)``.
        :param desired: ``x'_d``, shape ``(k,)``.
        """
        drift = jacobian.dot(free)
        drift -= desired
        change = pin.forwardDynamics(
            self._pin_model, self._data, self._no_effort, jacobian, drift, self._regularisation
        )
        return free + change
