"""A soft beam for two hands: they press its ends, lift it, and may drop it."""

from __future__ import annotations

from math import ceil, sqrt

import msgspec
import numpy as np
import pinocchio as pin

from ..core.errors import ConfigError
from ..core.values import UNDISTURBED, Array, Disturbance, JointState, ObjectReport, PlantReport
from ..robot.model import RobotModel
from .beam_body import BeamBody, BodyState
from .beam_contact import SHEAR, BeamContact, Corners, CornerState, Surfaces
from .beam_palms import BeamPalms
from .config import HeldObject
from .flexible_plant import MAX_SUBSTEPS
from .overlap import object_start
from .pinocchio_plant import PinocchioPlant
from .plant import total_torque
from .wrapper import PlantWrapper

SLEEP_SPEED = 1e-8
"""Speed below which a beam on its table falls asleep [m/s, rad/s]: with ``CONTACT_STEP_PHASE``
radians a step it then oscillates by less than 1e-10 m."""
MEAN_TIME = 0.02
"""Time constant of the mean by which a lasting contact torque is known in advance [s]: long for
control, which sees it as a delay of ``h/MEAN_TIME`` of the torque, and short for a grip."""

NO_WRENCH: Array = np.zeros(6)
CONTACT_STEP_PHASE = 0.25
"""Largest phase of the fastest oscillation in one contact step [rad]."""


class BeamState(msgspec.Struct, frozen=True):
    """All that the beam's next step depends on.

    :ivar palms: state of its contacts with the palms; ``None`` while they are far.
    :ivar table: state of its contacts with the table.
    :ivar asleep: whether it lies still on the table, and needs no simulation.
    """

    body: BodyState
    palms: CornerState | None
    table: CornerState
    asleep: bool


class HeldBeam(PlantWrapper):
    """Let two palms press the ends of a beam, and a table carry it.

    The first tip's palm meets the end at +y, the second one's that at -y: ``BeamContact`` has the
    forces, ``BeamBody`` the motion. The reaction of the palms' forces acts on the arms::

        tau_ext = - sum_i J_i(q)^T w_i           w_i: on the beam, at tip i

    The arms take the semi-implicit steps ``h`` of ``PinocchioPlant``, which give them the whole
    momentum of a step at its start. While a palm is near, such a step is cut into contact steps
    ``h_c``, in which the fastest oscillation of beam and arms has a phase of
    ``CONTACT_STEP_PHASE`` at most::

        v_0   = v + h aba(q, v, tau + m)                  as without a beam, but for m
        v_i+1 = v_i + h_c M(q)^-1 (tau_ext(q_i, v_i) - m)
        q_i+1 = q_i + h_c v_i+1

    So arms that touch nothing move as if there were no beam, and control finds the robot of its
    model. ``m`` is the mean of ``tau_ext`` over ``MEAN_TIME``; it adds no momentum, but without it
    arms that press would be thrown at the beam and back in every step. The table is as high as it
    takes for the beam to lie still where it starts, sunk in by its weight.

    :param model: the robot as the plant has it, mass bias included; it starts at its home.
    :param period: time of one ``step`` [s].
    :param substeps: number of steps ``h`` in a period.
    :raises ConfigError: the robot does not have two tips, a beam on a table is not level, a palm
        is in the beam at the robot's home, or the beam is too stiff for its mass.
    """

    _remembered = ('_plant', '_beam', '_steady', '_wrenches', '_external', '_report')

    def __init__(self, model: RobotModel, period: float, substeps: int, config: HeldObject):
        super().__init__(PinocchioPlant(model, period / substeps))
        if len(model.tips) != 2:
            raise ConfigError(
                f'plant.object: the beam is for two hands, but robot.tips has {len(model.tips)}'
            )
        self._model = model.pin_model
        self._data = self._model.createData()
        self._substeps = substeps
        self._contact = BeamContact(config)
        self._body = BeamBody(config, model.gravity)
        self._palms = BeamPalms(model, period, self._body, config.palm)
        place = object_start(model, config)
        self._first = BodyState(
            np.array(place.translation), np.array(place.rotation), np.zeros(3), np.zeros(3)
        )
        self._table = _table(config, self._first, model.gravity, self._contact)
        table_half = np.full((len(self._table.position), 4), np.inf)
        self._half = np.concatenate([self._palms.half, table_half])
        self._zero: Array = np.zeros(model.n)
        self._scratch_surfaces = _with_palms(self._table)
        self._scratch_corners = Corners(len(self._half))
        self._scratch_on_table = Corners(len(table_half))
        self._contact_steps = count_contact_steps(
            config,
            self._body,
            self._contact,
            self._inertia(model.home),
            self._palms.move(self._scratch_surfaces, model.home, self._zero),
            period,
            substeps,
        )
        self._h = np.array(period / (substeps * self._contact_steps))
        self._forgets = -np.expm1(-period / (substeps * MEAN_TIME))
        self._to_sensors = _to_sensors(model)
        self._begin()

    def step(self, effort: Array, disturbance: Disturbance = UNDISTURBED) -> None:
        """Apply efforts [N m], shape ``(n,)``, a disturbance and the contacts for one period."""
        wrench = disturbance.object_wrench
        push = NO_WRENCH if wrench is None else wrench
        corners = self._palms.near(self._plant.truth, self._beam.body, self._beam.palms)
        if corners is None:
            self._move_apart(effort, disturbance.torque, push)
        else:
            self._move_together(effort, disturbance.torque, push, corners)
        self._report = self._new_report()

    def report(self) -> PlantReport:
        """Return the report of the arms, with the beam and its mean wrenches on the sensors."""
        return self._report

    def _begin(self) -> None:
        corners = self._scratch_on_table
        self._body.corners(self._first, self._table, corners)
        touching = np.ones((len(self._table.position), 4), bool)
        table = CornerState(corners.place[..., :2].transpose(2, 0, 1).copy(), touching)
        self._beam = BeamState(self._first, None, table, asleep=False)
        self._wrenches = np.zeros((2, 6))  # on the hands, at the tips, in their axes [N, N m]
        self._steady = self._zero  # mean torque of the beam on the arms over MEAN_TIME [N m]
        self._external = self._zero  # external torque, the beam's included [N m]
        self._report = self._new_report()

    def _new_report(self) -> PlantReport:
        body = self._beam.body
        velocity = np.concatenate([body.velocity, body.rotation @ body.spin])
        return PlantReport(
            self._plant.truth,
            self._external,
            true_wrenches=(self._to_sensors @ self._wrenches[:, :, None])[:, :, 0],
            object=ObjectReport(body.position, pin.log3(body.rotation), velocity),
        )

    def _inertia(self, q: Array) -> Array:
        # Of one joint it is a vector, so it is made a matrix.
        return pin.crba(self._model, self._data, q).reshape(q.size, -1)

    def _move_apart(self, effort: Array, external: Array | None, push: Array) -> None:
        for _ in range(self._substeps):
            self._plant.step(effort, Disturbance(external))
        self._external = self._zero if external is None else external
        self._wrenches, self._steady = np.zeros((2, 6)), self._zero
        if not self._beam.asleep or push.any():
            self._beam = self._moved_alone(push)

    def _move_together(
        self, effort: Array, external: Array | None, push: Array, corners: CornerState
    ) -> None:
        """Simulate robot and beam while a palm is near.

        :param corners: state of the contacts with the palms.
        """
        arms, body, table = self._plant, self._beam.body, self._beam.table
        corners = CornerState(
            np.concatenate([corners.anchor, table.anchor], axis=1),
            np.concatenate([corners.faced, table.faced]),
        )
        total, torques = np.zeros((2, 6)), self._zero
        surfaces, seen, h = self._scratch_surfaces, self._scratch_corners, self._h
        for _ in range(self._substeps):
            q, steady = arms.truth.position, self._steady
            predicted = total_torque(steady, external)
            arms.step(effort, Disturbance(predicted))
            v = arms.truth.velocity
            mobility = np.linalg.inv(self._inertia(q))
            contact = self._zero
            for _ in range(self._contact_steps):
                jacobian = self._palms.move(surfaces, q, v)
                self._body.corners(body, surfaces, seen)
                press = self._contact.press(seen, self._half, corners)
                on_palms = press.wrench[:2]
                torque = -(on_palms.ravel() @ jacobian)
                v = v + h * (mobility @ (torque - steady))
                q = q + h * v
                body = self._body.moved(body, press.wrench, surfaces, h, push)
                corners = press.corners
                total -= on_palms
                contact = contact + torque
            contact = contact / self._contact_steps
            torques = torques + contact + (predicted - steady)
            if contact.any() or steady.any():
                arms.start(JointState(q, v))
            fresh = steady + self._forgets * (contact - steady)
            self._steady = fresh if contact.any() else self._zero
        self._wrenches = total / (self._substeps * self._contact_steps)
        self._external = torques / self._substeps
        self._beam = BeamState(
            body,
            CornerState(corners.anchor[:, :2], corners.faced[:2]),
            CornerState(corners.anchor[:, 2:], corners.faced[2:]),
            asleep=False,
        )

    def _moved_alone(self, push: Array) -> BeamState:
        body, corners, table = self._beam.body, self._beam.table, self._table
        before, seen = body.speed, self._scratch_on_table
        for _ in range(self._substeps * self._contact_steps):
            self._body.corners(body, table, seen)
            press = self._contact.press(seen, self._half[2:], corners)
            body = self._body.moved(body, press.wrench, table, self._h, push)
            corners = press.corners
        still = max(before, body.speed) < SLEEP_SPEED
        asleep = len(table.position) > 0 and still and not push.any()
        if asleep:
            body = BodyState(body.position, body.rotation, np.zeros(3), np.zeros(3))
        return BeamState(body, None, corners, asleep)


def _with_palms(table: Surfaces) -> Surfaces:
    """Return memory for two palms, and the table behind them."""
    return Surfaces(
        np.concatenate([np.zeros((2, 3)), table.position]),
        np.concatenate([np.zeros((2, 3, 3)), table.rotation]),
        np.concatenate([np.zeros((2, 6)), table.velocity]),
    )


def _table(config: HeldObject, start: BodyState, gravity: Array, contact: BeamContact) -> Surfaces:
    """Return the table, once for each end of the beam; no surface where there is no table."""
    m = 2 if config.table else 0
    sunk = max(0.0, -gravity[2]) * config.mass / (4.0 * contact.stiffness)
    height = start.position[2] - 0.5 * config.width + sunk
    return Surfaces(
        np.tile([0.0, 0.0, height], (m, 1)), np.tile(np.eye(3), (m, 1, 1)), np.zeros((m, 6))
    )


def _to_sensors(model: RobotModel) -> Array:
    """Return what takes wrenches from the tips to their sensors, shape ``(2, 6, 6)``."""
    return np.array([pose.inverse().toDualActionMatrix() for pose in model.sensors_in_tips()])


def count_contact_steps(
    config: HeldObject,
    body: BeamBody,
    contact: BeamContact,
    inertia: Array,
    jacobian: Array,
    period: float,
    substeps: int,
) -> int:
    """Return how many contact steps a physics step needs.

    The fastest oscillation is that of beam and arms with palms square to its ends, on the table
    if there is one: the largest eigenvalue of ``M^-1 K_c`` is its square.

    :param inertia: of the arms, shape ``(n, n)``.
    :param jacobian: of the palms' velocities, shape ``(12, n)``.
    :param period: control period [s], which has ``substeps`` physics steps.
    :raises ConfigError: too many, because the beam is too stiff for its mass.
    """
    axes = (SHEAR * contact.stiffness, SHEAR * contact.stiffness, contact.stiffness)
    n = len(inertia)
    mass = np.zeros((6 + n, 6 + n))
    mass[:6, :6] = np.diag([body.mass] * 3 + list(body.moments))
    mass[6:, 6:] = inertia
    stiffness = np.zeros_like(mass)
    for end, side, motion in zip(body.ends, (1.0, -1.0), jacobian.reshape(2, 6, -1), strict=True):
        grasp = pin.SE3(pin.exp3(np.array([0.5 * side * np.pi, 0.0, 0.0])), end.mean(axis=0))
        corners = (end - grasp.translation) @ grasp.rotation
        apart = np.hstack([grasp.toActionMatrixInverse(), -motion])
        stiffness += apart.T @ _spring_matrix(corners, axes) @ apart
    if config.table:
        stiffness[:6, :6] += _spring_matrix(body.ends[body.ends[:, :, 2] < 0.0], axes)
    square = np.linalg.eigvals(np.linalg.solve(mass, stiffness)).real.max()
    frequency = sqrt(square) * max(1.0, 2.0 * config.damping_ratio)
    steps = frequency * period / (CONTACT_STEP_PHASE * substeps)
    if not steps <= MAX_SUBSTEPS:
        raise ConfigError(
            f'plant.object: a beam of {config.mass:g} kg and {config.stiffness:g} N/m oscillates '
            f'with {frequency:.4g} rad/s and needs {steps:.4g} contact steps in one of '
            f'{period / substeps:g} s; {MAX_SUBSTEPS} at most: make it heavier or softer'
        )
    return max(1, ceil(steps))


def _spring_matrix(points: Array, axes: tuple[float, float, float]) -> Array:
    """Return the stiffness of springs at points against a motion at the origin, ``(6, 6)``.

    :param axes: of each spring along x, y and z [N/m].
    """
    total: Array = np.zeros((6, 6))
    for point in points:
        motion = np.hstack([np.eye(3), -pin.skew(point)])
        total += motion.T @ np.diag(axes) @ motion
    return total
