"""A fixed, springy body in the way of one point of the robot."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, sqrt
from typing import Any

import msgspec
import numpy as np
import pinocchio as pin

from ..core.values import Array, Contact, JointState
from ..robot.model import RobotModel
from .plant import Plant, with_external
from .wrapper import PlantWrapper

PHASE = 0.1
"""Part of a radian that the contact's oscillation may turn in one physics step."""
NEAR = 2.0
"""Steps ahead at the present speed in which a contact is foreseen."""


class Spring(msgspec.Struct, frozen=True):
    """A half space that pushes back one point of a link.

    :ivar link: name of the link.
    :ivar point: the point, from the link's frame and in its axes [m], shape ``(3,)``.
    :ivar origin: where the half space begins: a point of its surface in the world [m].
    :ivar direction: into the half space, a unit vector in world axes.
    :ivar stiffness: ``k`` [N/m].
    """

    link: str
    point: Array
    origin: Array
    direction: Array
    stiffness: float


class SpringContactState(msgspec.Struct, frozen=True):
    """The plant's state, and what the spring did in the last period.

    :ivar force: mean contact force [N].
    :ivar peak: largest contact force [N].
    :ivar external: torque from outside, the spring's included [N m], shape ``(n,)``.
    """

    plant: Any
    force: float
    peak: float
    external: Array


class SpringContact(PlantWrapper):
    """Push the point back with ``k`` times its depth, and pull never.

    ::

        depth = d . (p(q) - origin)
        f = -k max(depth, 0) d,    tau_ext = J_p(q)^T f

    Where the point is near the surface, a period is cut into physics steps in which the contact's
    fastest oscillation, ``sqrt(k / m)`` with ``1/m = d^T J M^-1 J^T d``, turns by ``PHASE`` at
    most. Semi-implicit Euler then neither makes nor loses energy.

    :ivar force: mean contact force over the last period [N].
    :ivar peak: largest contact force of the last period [N].
    :param build: returns the robot without the contact for a physics step [s]; one takes the
        ``state`` of another.
    :param model: the robot as the plant has it, mass bias included.
    :param period: time of one ``step`` [s].
    """

    def __init__(
        self, build: Callable[[float], Plant], model: RobotModel, period: float, spring: Spring
    ):
        super().__init__(build(period))
        self._build = build
        self._model = model.pin_model
        self._data = self._model.createData()
        self._frame = model.frame(spring.link)
        self._period = period
        self._spring = spring
        self._fine: Plant | None = None
        self._substeps = 1
        self.force = 0.0
        self.peak = 0.0
        self._external = self._plant.external

    @property
    def state(self) -> SpringContactState:
        """Return the plant's state and the contact of the last period."""
        return SpringContactState(self._plant.state, self.force, self.peak, self._external)

    @property
    def external(self) -> Array:
        """Return the torque from outside in the last step [N m], shape ``(n,)``, its mean."""
        return self._external

    def reset(self, state: JointState | SpringContactState) -> None:
        """Go to a joint state, or to an earlier ``state``."""
        if isinstance(state, SpringContactState):
            self._plant.reset(state.plant)
            self.force, self.peak, self._external = state.force, state.peak, state.external
        else:
            self._plant.reset(state)
            self.force = self.peak = 0.0
            self._external = self._plant.external

    def contacts(self) -> tuple[Contact, ...]:
        """Return the contact of the last period, if there was one."""
        if self.force <= 0.0:
            return ()
        return (Contact(self._spring.link, 'spring', self.force),)

    def step(self, effort: Array, external: Array | None = None) -> None:
        """Apply efforts, torques [N m], shape ``(n,)``, and the contact for one period."""
        state = self._plant.truth
        depth, row = self._depth(state.position)
        self.force = self.peak = 0.0
        if depth + NEAR * self._period * max(0.0, float(row @ state.velocity)) < 0.0:
            self._plant.step(effort, external)
            self._external = self._plant.external
            return
        fine = self._finer(state.position, row)
        fine.reset(self._plant.state)
        self._external = np.zeros_like(row)
        for _ in range(self._substeps):
            depth, row = self._depth(fine.truth.position)
            force = self._spring.stiffness * max(0.0, depth)
            fine.step(effort, with_external(-force * row, external))
            self._external = self._external + fine.external / self._substeps
            self.force += force / self._substeps
            self.peak = max(self.peak, force)
        self._plant.reset(fine.state)

    def _finer(self, q: Array, row: Array) -> Plant:
        """Return the robot with physics steps that are short enough for the contact."""
        if self._fine is None:
            inertia = pin.crba(self._model, self._data, q).reshape(row.size, -1)
            mobility = float(row @ np.linalg.solve(inertia, row))
            frequency = sqrt(self._spring.stiffness * mobility)
            self._substeps = max(1, ceil(frequency * self._period / PHASE))
            self._fine = self._build(self._period / self._substeps)
        return self._fine

    def _depth(self, q: Array) -> tuple[float, Array]:
        """Return the depth [m] and its gradient ``J_p^T d``, shape ``(n,)``."""
        spring = self._spring
        jacobian, point = point_jacobian(self._model, self._data, q, self._frame, spring.point)
        return float(spring.direction @ (point - spring.origin)), spring.direction @ jacobian


def point_jacobian(
    model: pin.Model, data: pin.Data, q: Array, frame: int, point: Array
) -> tuple[Array, Array]:
    """Return the Jacobian of a point's velocity, shape ``(3, n)``, and the point, in the world.

    :param point: from the frame and in its axes [m], shape ``(3,)``.
    """
    pin.computeJointJacobians(model, data, q)
    place = pin.updateFramePlacement(model, data, frame)
    axes = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
    # Of one joint it is a vector; of several a matrix.
    jacobian = pin.getFrameJacobian(model, data, frame, axes).reshape(6, -1)
    arm = place.rotation @ point
    return jacobian[:3] - pin.skew(arm) @ jacobian[3:], place.translation + arm
