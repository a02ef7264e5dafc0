"""A fixed, elastic half space in the way of one point of the robot."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import ceil, sqrt

import msgspec
import numpy as np
import pinocchio as pin

from ..core.values import UNDISTURBED, Array, Contact, Disturbance, PlantReport
from ..robot.model import RobotModel
from .plant import Plant, total_torque
from .wrapper import PlantWrapper

CONTACT_PHASE = 0.1
"""Largest phase of the contact's oscillation in one physics step [rad]."""
PREDICTED_STEPS = 2.0
"""Steps ahead, at the present speed, within which a contact is expected."""


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


class SpringContact(PlantWrapper):
    """Push the point back with ``k`` times its depth, and pull never.

    ::

        depth = d . (p(q) - origin)
        f = -k max(depth, 0) d,    tau_ext = J_p(q)^T f

    Where the point is near the surface, a period is cut into physics steps in which the contact's
    oscillation, ``sqrt(k / m)`` with ``1/m = d^T J M^-1 J^T d`` at the first contact, has a phase
    of ``CONTACT_PHASE`` at most. Semi-implicit Euler then neither gains nor loses energy.

    :ivar force: mean contact force over the last period [N].
    :ivar peak: largest contact force of the last period [N].
    :param build: returns the robot without the contact for a physics step [s]; one can restore
        the snapshot of another.
    :param model: the robot as the plant has it, mass bias included.
    :param period: time of one ``step`` [s].
    """

    _remembered = ('_plant', '_substeps', 'force', 'peak', '_external')

    def __init__(
        self, build: Callable[[float], Plant], model: RobotModel, period: float, spring: Spring
    ):
        super().__init__(build(period))
        self._build = cache(build)
        self._model = model.pin_model
        self._data = self._model.createData()
        self._frame = model.frame(spring.link)
        self._period = period
        self._spring = spring
        self._substeps: int | None = None  # with contact; none before the first
        self._begin()

    def step(self, effort: Array, disturbance: Disturbance = UNDISTURBED) -> None:
        """Apply efforts [N m], shape ``(n,)``, a disturbance and the contact for one period."""
        state = self._plant.truth
        depth, row = self._depth(state.position)
        self.force = self.peak = 0.0
        reach = PREDICTED_STEPS * self._period * max(0.0, float(row @ state.velocity))
        if depth + reach < 0.0:
            self._plant.step(effort, disturbance)
            self._external = self._plant.report().external
            return
        if self._substeps is None:
            self._substeps = self._count(state.position, row)
        fine = self._build(self._period / self._substeps)
        fine.restore(self._plant.snapshot())
        self._external = np.zeros_like(row)
        for _ in range(self._substeps):
            depth, row = self._depth(fine.truth.position)
            force = self._spring.stiffness * max(0.0, depth)
            torque = total_torque(-force * row, disturbance.torque)
            fine.step(effort, msgspec.structs.replace(disturbance, torque=torque))
            self._external = self._external + fine.report().external / self._substeps
            self.force += force / self._substeps
            self.peak = max(self.peak, force)
        self._plant.restore(fine.snapshot())

    def report(self) -> PlantReport:
        """Return the plant's report, with the contact of the last period if there was one."""
        report = self._plant.report()
        contacts: tuple[Contact, ...] = ()
        if self.force > 0.0:
            x, y, z = self._point(report.truth.position)[1].tolist()
            a, b, c = (-self._spring.direction).tolist()
            contacts = (Contact(self._spring.link, 'spring', self.force, (x, y, z), (a, b, c)),)
        return msgspec.structs.replace(report, external=self._external, contacts=contacts)

    def _begin(self) -> None:
        self._substeps = None
        self.force = self.peak = 0.0
        self._external = self._plant.report().external  # the spring's included [N m]

    def _count(self, q: Array, row: Array) -> int:
        """Return how many physics steps make a period with contact."""
        inertia = pin.crba(self._model, self._data, q).reshape(row.size, -1)
        mobility = float(row @ np.linalg.solve(inertia, row))
        frequency = sqrt(self._spring.stiffness * mobility)
        return max(1, ceil(frequency * self._period / CONTACT_PHASE))

    def _depth(self, q: Array) -> tuple[float, Array]:
        """Return the depth [m] and its gradient ``J_p^T d``, shape ``(n,)``."""
        spring = self._spring
        jacobian, point = self._point(q)
        return float(spring.direction @ (point - spring.origin)), spring.direction @ jacobian

    def _point(self, q: Array) -> tuple[Array, Array]:
        return point_jacobian(self._model, self._data, q, self._frame, self._spring.point)


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
