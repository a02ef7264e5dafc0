"""The palms of two hands as flat surfaces, and whether they are near the beam."""

from __future__ import annotations

from math import hypot

import msgspec
import numpy as np
import pinocchio as pin

from ..core.values import Array, JointState
from ..robot.model import RobotModel
from .beam_body import BeamBody, BodyState
from .beam_contact import CornerState, Surfaces, inside

PREDICTED_PERIODS = 2.0
"""Periods ahead, at the present speed, within which a contact is expected."""
NEAR_DISTANCE = 1e-3
"""Distance within which a palm is near, however slow it is [m]: further than the largest
accelerations take it in a period."""
FAR_FACTOR = 1.001
"""Factor on such a distance beyond which rounding cannot make a palm near."""


class PalmMotion(msgspec.Struct, frozen=True, gc=False):
    """The palms as surfaces, and the Jacobian of their velocities, shape ``(12, n)``."""

    surfaces: Surfaces
    jacobian: Array


class BeamPalms:
    """The palms at the tips of two arms; the first faces the beam's end at +y.

    :param period: control period [s].
    :param edge: of a palm [m].
    :ivar half: half the edge of each palm [m], shape ``(2, 1, 1)``.
    """

    def __init__(self, model: RobotModel, period: float, body: BeamBody, edge: float):
        self._model = model.pin_model
        self._data = self._model.createData()
        self._frames = model.tip_frames
        self._period = period
        self._body = body
        self._first_corners = body.ends[:, 0].tolist()
        self._radius = hypot(*self._first_corners[0])
        self.half: Array = np.full((2, 1, 1), 0.5 * edge)

    def motion(self, q: Array, v: Array) -> PalmMotion:
        """Return the palms of the robot at joints ``q`` [rad] with velocities ``v`` [rad/s]."""
        model, data = self._model, self._data
        pin.computeJointJacobians(model, data, q)
        places = [pin.updateFramePlacement(model, data, frame) for frame in self._frames]
        local = pin.ReferenceFrame.LOCAL
        jacobian = np.concatenate(
            [pin.getFrameJacobian(model, data, frame, local) for frame in self._frames]
        ).reshape(12, -1)
        return PalmMotion(
            Surfaces(
                np.array([place.translation for place in places]),
                np.array([place.rotation for place in places]),
                (jacobian @ v).reshape(2, 6),
            ),
            jacobian,
        )

    def near(
        self, joints: JointState, body: BodyState, corners: CornerState | None
    ) -> CornerState | None:
        """Return the state of the contacts with the palms; ``None`` while no palm is near.

        :param corners: the state before, ``None`` if no palm was near.
        """
        if self._surely_far(joints, body):
            return None
        palms = self.motion(joints.position, joints.velocity)
        seen = self._body.corners(body, palms.surfaces)
        speed = np.sqrt(np.square(seen.velocity).sum(axis=-1))
        reach = NEAR_DISTANCE + PREDICTED_PERIODS * self._period * speed
        z = seen.place[..., 2]
        near = inside(seen.place, self.half + reach[..., None]) & (z < reach)
        near &= z > -reach if corners is None else (z > -reach) | corners.faced
        if not near.any():
            return None
        if corners is None:
            faced = inside(seen.place, self.half) & (z > -NEAR_DISTANCE)
            corners = CornerState(seen.place[..., :2], faced)
        return corners

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
