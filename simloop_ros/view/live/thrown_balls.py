"""Balls that a person throws at the robot: point masses with a soft contact."""

from __future__ import annotations

import coal
import msgspec
import numpy as np
import pinocchio as pin

from ...core.state import Remembering
from ...core.values import Array, JointState
from ...plants.applied_wrenches import LinkWrench
from ...robot.model import RobotModel
from ..actions import Throw
from ..frame import Force, ShownBody
from .mouse_grip import wrench_at

CONTACT_PHASE = 0.3
"""Phase of the oscillation of a ball in contact in one period [rad]."""
STIFFEST = 2e4
"""Largest stiffness of a ball [N/m]."""
DAMPING_RATIO = 0.2
"""Of the contact: a ball bounces off with about half of its speed."""
LIFETIME = 4.0
"""Time after which a ball is gone [s]."""
LOWEST = -1.5
"""Height below which a ball is gone [m]."""
MOST_BALLS = 8
UNTURNED: Array = np.array([1.0, 0.0, 0.0, 0.0])


class Ball(msgspec.Struct, frozen=True):
    """A ball that flies.

    :ivar velocity: [m/s], shape ``(3,)``.
    :ivar age: steps since it was thrown.
    """

    number: int
    position: Array
    velocity: Array
    mass: float
    radius: float
    age: int = 0


class ThrownBalls(Remembering):
    """Balls that touch the collision shapes of the robot, without friction.

    With the depth ``d`` of the contact, along the normal ``n`` out of the link::

        f = max(0, k d - c n.(x' - x'_link)),   v+ = v + h (g + n f/m),   x+ = x + h v+

    :param model: the robot as the plant has it.
    :param period: ``h`` [s].
    :ivar acting: the forces of the last step on the robot.
    """

    _remembered = ('_balls', '_count', 'acting')

    def __init__(self, model: RobotModel, period: float):
        self._robot = model
        self._period = period
        self._data = model.pin_model.createData()
        self._shapes = model.collision_geometry()
        self._places = self._shapes.createData()
        self._point = coal.Sphere(1e-6)
        self._balls: tuple[Ball, ...] = ()
        self._count = 0
        self.acting: tuple[Force, ...] = ()

    @property
    def any(self) -> bool:
        """Return whether a ball flies."""
        return bool(self._balls)

    @property
    def bodies(self) -> tuple[ShownBody, ...]:
        """Return where the balls are."""
        balls = self._balls
        return tuple(ShownBody(f'ball_{b.number}', b.position, UNTURNED, b.radius) for b in balls)

    def throw(self, thrown: Throw) -> None:
        """Let a ball fly; of too many the oldest is gone."""
        position, velocity = np.array(thrown.position), np.array(thrown.velocity)
        ball = Ball(self._count, position, velocity, thrown.mass, thrown.radius)
        self._count += 1
        self._balls = (*self._balls, ball)[-MOST_BALLS:]

    def wrenches(self, state: JointState) -> list[LinkWrench]:
        """Return the wrenches of this step on the links, and let the balls fly on."""
        self.acting = ()
        model, data, q = self._robot.pin_model, self._data, state.position
        if not self._balls or not np.isfinite(q).all():
            return []
        pin.updateGeometryPlacements(model, data, self._shapes, self._places, q)
        pin.computeJointJacobians(model, data, q)
        wrenches: list[LinkWrench] = []
        moved = [self._flown(ball, state.velocity, wrenches) for ball in self._balls]
        self._balls = tuple(
            ball
            for ball in moved
            if ball.position[2] > LOWEST and ball.age * self._period < LIFETIME
        )
        return wrenches

    def _flown(self, ball: Ball, v: Array, wrenches: list[LinkWrench]) -> Ball:
        """Return a ball after a step, and add the wrenches of its contacts."""
        h, force = self._period, ball.mass * self._robot.gravity
        stiffness = min(STIFFEST, ball.mass * (CONTACT_PHASE / h) ** 2)
        damping = 2.0 * DAMPING_RATIO * np.sqrt(stiffness * ball.mass)
        there = coal.Transform3s(np.eye(3), ball.position)
        for shape, place in zip(self._shapes.geometryObjects, self._places.oMg, strict=True):
            where = coal.Transform3s(place.rotation, place.translation)
            result = coal.DistanceResult()
            request = coal.DistanceRequest()
            coal.distance(shape.geometry, where, self._point, there, request, result)
            depth = ball.radius - result.min_distance
            if depth <= 0.0:
                continue
            point = np.array(result.getNearestPoint1())
            away = ball.position - point
            distance = float(np.linalg.norm(away))
            if not distance > 0.0:
                continue
            normal = away / distance
            pose, speed = self._link_motion(shape.parentFrame, point, v)
            size = max(0.0, stiffness * depth - damping * normal @ (ball.velocity - speed))
            force = force + size * normal
            link = self._robot.pin_model.frames[shape.parentFrame].name
            wrenches.append(LinkWrench(link, wrench_at(pose.translation, point, -size * normal)))
            self.acting = (*self.acting, Force('ball', link, point, -size * normal))
        velocity = ball.velocity + h * force / ball.mass
        return msgspec.structs.replace(
            ball, position=ball.position + h * velocity, velocity=velocity, age=ball.age + 1
        )

    def _link_motion(self, frame: int, point: Array, v: Array) -> tuple[pin.SE3, Array]:
        """Return the pose of a link, and the velocity of a point on it [m/s], shape ``(3,)``."""
        model, data = self._robot.pin_model, self._data
        pose = pin.updateFramePlacement(model, data, frame)
        axes = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        twist = pin.getFrameJacobian(model, data, frame, axes).reshape(6, -1) @ v
        return pose, twist[:3] + np.cross(twist[3:], point - pose.translation)
