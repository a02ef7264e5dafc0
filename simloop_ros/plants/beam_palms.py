"""The palms of two hands as flat surfaces, and whether they are near the beam."""

from __future__ import annotations

from math import hypot

import numpy as np
import pinocchio as pin

from ..core.values import Array, JointState
from ..robot.model import RobotModel
from .beam_body import BeamBody, BodyState
from .beam_contact import Corners, CornerState, Surfaces, inside

PREDICTED_PERIODS = 2.0
"""Periods ahead, at the present speed, within which a contact is expected."""
NEAR_DISTANCE = 1e-3
"""Distance within which a palm is near, however slow it is [m]: further than the largest
accelerations take it in a period."""
FAR_FACTOR = 1.001
"""Factor on such a distance beyond which rounding cannot make a palm near."""


class BeamPalms:
    """The palms at the tips of two arms; the first faces the beam's end at +y.

    :param period: control period [s].
    :param edge: of a palm [m].
    :ivar half: half the edge of the palm of each corner [m], shape ``(2, 4)``.
    """

    def __init__(self, model: RobotModel, period: float, body: BeamBody, edge: float):
        self._model = model.pin_model
        self._data = self._model.createData()
        self._frames = model.tip_frames
        self._period = period
        self._body = body
        self._first_corners = body.ends[:, 0].tolist()
        self._radius = hypot(*self._first_corners[0])
        self.half: Array = np.full((2, 4), 0.5 * edge)
        self._edge = 0.5 * edge
        self._scratch_surfaces = Surfaces(np.zeros((2, 3)), np.zeros((2, 3, 3)), np.zeros((2, 6)))
        self._scratch_corners = Corners(2)

    def move(self, surfaces: Surfaces, q: Array, v: Array) -> Array:
        """Set the palms of the robot, and return the Jacobian of their velocities, ``(12, n)``.

        :param surfaces: its first two are set.
        :param q: joints [rad], with velocities ``v`` [rad/s].
        """
        model, data, local = self._model, self._data, pin.ReferenceFrame.LOCAL
        pin.computeJointJacobians(model, data, q)
        blocks = []
        for i, frame in enumerate(self._frames):
            place = pin.updateFramePlacement(model, data, frame)
            surfaces.position[i] = place.translation
            surfaces.rotation[i] = place.rotation
            blocks.append(pin.getFrameJacobian(model, data, frame, local))
        jacobian = np.concatenate(blocks).reshape(12, -1)
        surfaces.velocity[:2] = (jacobian @ v).reshape(2, 6)
        return jacobian

    def near(
        self, joints: JointState, body: BodyState, corners: CornerState | None
    ) -> CornerState | None:
        """Return the state of the contacts with the palms; ``None`` while no palm is near.

        :param corners: the state before, ``None`` if no palm was near.
        """
        if corners is not None and self._surely_near(joints.position, body, corners):
            return corners
        if self._surely_far(joints, body):
            return None
        surfaces, seen = self._scratch_surfaces, self._scratch_corners
        self.move(surfaces, joints.position, joints.velocity)
        self._body.corners(body, surfaces, seen)
        across = seen.place[..., :2].transpose(2, 0, 1)
        speed = np.sqrt(np.square(seen.velocity).sum(axis=-1))
        reach = NEAR_DISTANCE + PREDICTED_PERIODS * self._period * speed
        z = seen.place[..., 2]
        near = inside(across, self.half + reach) & (z < reach)
        near &= z > -reach if corners is None else (z > -reach) | corners.faced
        if not near.any():
            return None
        if corners is None:
            faced = inside(across, self.half) & (z > -NEAR_DISTANCE)
            corners = CornerState(across.copy(), faced)
        return corners

    def _surely_near(self, q: Array, body: BodyState, corners: CornerState) -> bool:
        """Return whether a corner is pressed into its palm: then that one is near, at any speed.

        A sufficient condition, for a fraction of the work.
        """
        model, data, half = self._model, self._data, self._edge
        pin.forwardKinematics(model, data, q)
        beam = pin.SE3(body.rotation, body.position)
        for frame, end, faced in zip(self._frames, self._body.ends, corners.faced, strict=True):
            place = pin.updateFramePlacement(model, data, frame).actInv(beam)
            for corner in end[faced]:
                x, y, z = place.act(corner).tolist()
                if z <= 0.0 and abs(x) <= half and abs(y) <= half:
                    return True
        return False

    def _surely_far(self, joints: JointState, body: BodyState) -> bool:
        """Return whether all corners are so high over their palms that none can be near.

        A sufficient condition, for a fraction of the work. With the palm's normal ``n`` in axes of
        the beam, ``z`` is the height of the lowest corner of an end, and no corner is faster over
        its palm than ``s``::

            z = z_b + n_y y - (|n_x| + |n_z|) x             x, |y|: half the edges of the beam
            s = |v_b| + r |w_b| + |v_p| + (d + r) |w_p|     r: half its diagonal, d: to its centre
        """
        model, data, r = self._model, self._data, self._radius
        pin.forwardKinematics(model, data, joints.position, joints.velocity)
        beam = pin.SE3(body.rotation, body.position)
        own = hypot(*body.velocity.tolist()) + r * hypot(*body.spin.tolist())
        for frame, (x, y, _) in zip(self._frames, self._first_corners, strict=True):
            place = pin.updateFramePlacement(model, data, frame).actInv(beam)
            palm = pin.getFrameVelocity(model, data, frame, pin.ReferenceFrame.LOCAL)
            v, w = palm.linear.tolist(), palm.angular.tolist()
            n, way = place.rotation[2].tolist(), place.translation.tolist()
            height = way[2] + n[1] * y - (abs(n[0]) + abs(n[2])) * x
            speed = own + hypot(*v) + (hypot(*way) + r) * hypot(*w)
            reach = NEAR_DISTANCE + PREDICTED_PERIODS * self._period * speed
            if not height > FAR_FACTOR * reach:
                return False
        return True
