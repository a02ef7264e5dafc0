"""The beam between two hands as a rigid body."""

from __future__ import annotations

import msgspec
import numpy as np
import pinocchio as pin

from ..core.values import Array
from .beam_contact import MOMENT, Corners, Surfaces, turning
from .config import HeldObject


class BodyState(msgspec.Struct, frozen=True, gc=False):
    """Where a body is, and how it moves.

    :ivar position: of its centre in the world [m], shape ``(3,)``.
    :ivar rotation: from its axes to those of the world, shape ``(3, 3)``.
    :ivar velocity: of its centre in world axes [m/s], shape ``(3,)``.
    :ivar spin: angular velocity in its own axes [rad/s], shape ``(3,)``.
    """

    position: Array
    rotation: Array
    velocity: Array
    spin: Array

    @property
    def speed(self) -> float:
        """Return the largest component of both velocities [m/s, rad/s]."""
        return float(max(np.abs(self.velocity).max(), np.abs(self.spin).max()))


class BeamBody:
    """A block with a square cross-section, its long edge along its y axis.

    Semi-implicit Euler, with force ``f`` and torque ``t`` about the centre::

        v+ = v + h (f/m + g)
        w+ = w + h I^-1 (R^T t - w x I w)        w in axes of the body
        x+ = x + h v+,    R+ = R exp(h w+)

    :param gravity: in world axes [m/s^2], shape ``(3,)``.
    :ivar ends: corners of the ends at +y and at -y, in axes of the body [m], ``(2, 4, 3)``.
    :ivar mass: ``m`` [kg].
    :ivar moments: of inertia, the diagonal of ``I`` [kg m^2], shape ``(3,)``.
    """

    def __init__(self, config: HeldObject, gravity: Array):
        side, end = 0.5 * config.width, 0.5 * config.length
        self.ends: Array = np.array(
            [[[x, y, z] for x in (side, -side) for z in (side, -side)] for y in (end, -end)]
        )
        self.mass = config.mass
        squares = np.square([config.width, config.length, config.width])
        self.moments: Array = config.mass / 12.0 * (squares.sum() - squares)
        self._gravity = gravity

    def corners(self, state: BodyState, surfaces: Surfaces, corners: Corners) -> None:
        """Set place and velocity of the corners over surfaces, which face the ends by turns."""
        across, moving = state.rotation.T, surfaces.velocity
        offset = state.position - surfaces.position
        np.add(self.ends @ across, offset.reshape(-1, 2, 1, 3), corners.world_place)
        # As a row, w x r is r times the transposed matrix of w x.
        turned = self.ends @ (pin.skew(state.spin).T @ across)
        np.add(turned, state.velocity, corners.world_velocity)
        np.matmul(corners.world, surfaces.rotation, corners.rows)
        rate = corners.velocity
        rate -= corners.place @ turning(moving[:, 3:])
        rate -= moving[:, None, :3]

    def moved(
        self, state: BodyState, wrench: Array, surfaces: Surfaces, h: float | Array, push: Array
    ) -> BodyState:
        """Return the state after a physics step.

        :param wrench: of each surface on the body, in its axes and at its origin, ``(m, 6)``.
        :param h: length of the step [s].
        :param push: external wrench, at the centre and in world axes [N, N m], shape ``(6,)``.
        """
        m = len(wrench)
        forces = wrench.reshape(m, 2, 3) @ surfaces.rotation.transpose(0, 2, 1)
        arms = surfaces.position - state.position
        force, torque = np.add.reduce(forces)
        torque += (arms.T @ forces[:, 0]).ravel() @ MOMENT
        force += push[:3]
        torque += push[3:]
        velocity = state.velocity + h * (force / self.mass + self._gravity)
        spin, moments = state.spin, self.moments
        gyroscopic = pin.skew(spin) @ (moments * spin)
        spin = spin + h * (torque @ state.rotation - gyroscopic) / moments
        return BodyState(
            state.position + h * velocity, state.rotation @ pin.exp3(h * spin), velocity, spin
        )
