"""A soft beam for two hands: they press its ends, lift it, and may drop it."""

from __future__ import annotations

from math import ceil, hypot, sqrt
from typing import Any

import msgspec
import numpy as np
import pinocchio as pin

from ..core.errors import ConfigError
from ..core.values import Array, JointState, ObjectReport
from ..robot.model import RobotModel
from .beam_body import BeamBody, BodyState
from .beam_contact import SHEAR, BeamContact, CornerSnapshot, Surfaces, inside
from .config import HeldObject
from .flexible_plant import MOST_SUBSTEPS
from .object_start import object_start
from .pinocchio_plant import PinocchioPlant
from .plant import with_external
from .wrapper import PlantWrapper

PHASE = 0.25
"""Part of a radian that the fastest oscillation may turn in one contact step."""
NEAR = 2.0
"""Periods ahead at the present speed in which a contact is foreseen."""
MARGIN = 1e-3
"""Distance within which a palm counts as near, however slow it is [m]: more than the largest
accelerations make of a period."""
SURELY = 1.001
"""Factor on such a distance beyond which rounding cannot make a palm near."""
STILL = 1e-8
"""Speed below which a beam on its table falls asleep [m/s, rad/s]: with ``PHASE`` radians a step
it then swings by less than 1e-10 m."""
STEADY = 0.02
"""Time constant of the mean by which a lasting contact torque is known in advance [s]: long for
control, which has it as a delay of ``h/STEADY`` of the torque, and short for a grip."""

NO_PUSH: Array = np.zeros(6)


class BeamState(msgspec.Struct, frozen=True):
    """All that the beam's next step depends on.

    :ivar palms: what its contacts with the palms remember; none while they are far.
    :ivar table: what its contacts with the table remember.
    :ivar asleep: whether it lies still on the table, and needs no simulation.
    """

    body: BodyState
    palms: CornerSnapshot | None
    table: CornerSnapshot
    asleep: bool


class HeldBeamState(msgspec.Struct, frozen=True):
    """The states of plant and beam, and what the beam did in the last period.

    :ivar wrenches: on the hands, at their tips and in the tips' axes [N, N m], shape ``(2, 6)``.
    :ivar steady: mean torque of the beam on the arms over the last moments [N m], ``(n,)``.
    :ivar external: torque from outside, the beam's included [N m], shape ``(n,)``.
    """

    plant: Any
    beam: BeamState
    wrenches: Array
    steady: Array
    external: Array


class _Palms(msgspec.Struct, frozen=True, gc=False):
    """The palms as surfaces, and the Jacobians of their velocities, shape ``(12, n)``."""

    surfaces: Surfaces
    jacobian: Array


class HeldBeam(PlantWrapper):
    """Let two palms press the ends of a beam, and a table carry it.

    The first tip's palm meets the end at +y, the second one's that at -y: ``BeamContact`` has the
    forces, ``BeamBody`` the motion. What the palms do to the beam, the beam does to the arms::

        tau_ext = - sum_i J_i(q)^T w_i           w_i: on the beam, at tip i

    The arms take the semi-implicit steps ``h`` of ``PinocchioPlant``, which give them the whole
    momentum of a step at its start. While a palm is near, such a step is cut into contact steps
    ``h_c``, in which the fastest oscillation of beam and arms turns by ``PHASE`` at most::

        v_0   = v + h aba(q, v, tau + m)                  as without a beam, but for m
        v_i+1 = v_i + h_c M(q)^-1 (tau_ext(q_i, v_i) - m)
        q_i+1 = q_i + h_c v_i+1

    So arms that touch nothing move as if there were no beam, and control finds the robot that it
    knows. ``m`` is the mean of ``tau_ext`` over the last moments, ``STEADY``; it adds no momentum,
    but without it arms that press would be thrown at the beam and back in every step. The table is
    as high as it takes for the beam to lie still where it starts, sunk in by its weight.

    :param model: the robot as the plant has it, mass bias included; it starts at its home.
    :param period: time of one ``step`` [s].
    :param substeps: number of steps ``h`` in a period.
    :param config: the beam.
    :raises ConfigError: the robot has not two tips, a beam on a table is not level, a palm is in
        the beam at the robot's home, or the beam is too stiff for its mass.
    """

    def __init__(self, model: RobotModel, period: float, substeps: int, config: HeldObject):
        super().__init__(PinocchioPlant(model, period, substeps))
        if len(model.tips) != 2:
            raise ConfigError(
                f'plant.object: the beam is for two hands, but robot.tips has {len(model.tips)}'
            )
        self._model = model.pin_model
        self._data = self._model.createData()
        self._frames = model.tip_frames
        self._period = period
        self._contact = BeamContact(config)
        self._body = BeamBody(config, model.gravity)
        place = object_start(model, config)
        self._start = BodyState(
            np.array(place.translation), np.array(place.rotation), np.zeros(3), np.zeros(3)
        )
        self._table = _table(config, self._start, model.gravity, self._contact)
        self._half = np.array([0.5 * config.palm] * 2 + [np.inf] * len(self._table.position))
        self._half = self._half[:, None, None]
        self._first_corners = self._body.ends[:, 0].tolist()
        self._radius = hypot(*self._first_corners[0])
        self._substeps = substeps
        self._robot = PinocchioPlant(model, period / substeps)
        self._contacts = self._count(model.home, config)
        self._h = period / (substeps * self._contacts)
        self._forgets = -np.expm1(-period / (substeps * STEADY))
        self._none: Array = np.zeros(model.n)
        self._to_sensors = _to_sensors(model)
        self._push = NO_PUSH
        self._begin()

    @property
    def state(self) -> HeldBeamState:
        """Return the states of plant and beam, and what the beam did in the last period."""
        return HeldBeamState(
            self._plant.state, self._beam, self._wrenches, self._steady, self._external
        )

    @property
    def external(self) -> Array:
        """Return the torque from outside in the last step [N m], shape ``(n,)``, its mean."""
        return self._external

    def reset(self, state: JointState | HeldBeamState) -> None:
        """Go to an earlier ``state``; with a joint state the beam is where it starts."""
        self._push = NO_PUSH
        if isinstance(state, HeldBeamState):
            self._plant.reset(state.plant)
            self._beam, self._wrenches = state.beam, state.wrenches
            self._steady, self._external = state.steady, state.external
        else:
            self._plant.reset(state)
            self._begin()

    def true_wrenches(self) -> Array:
        """Return the wrenches on the hands at their sensors, the mean of the last step."""
        return (self._to_sensors @ self._wrenches[:, :, None])[:, :, 0]

    def held_object(self) -> ObjectReport:
        """Return where the beam is."""
        body = self._beam.body
        spin = body.rotation @ body.spin
        return ObjectReport(body.position, body.rotation, np.concatenate([body.velocity, spin]))

    def push_object(self, wrench: Array) -> None:
        """Let somebody push the beam in the next step."""
        self._push = self._push + wrench

    def step(self, effort: Array, external: Array | None = None) -> None:
        """Apply efforts, torques [N m], shape ``(n,)``, and the contacts for one period."""
        self._moved(effort, external)
        self._push = NO_PUSH

    def _moved(self, effort: Array, external: Array | None) -> None:
        joints = self._plant.truth
        memory = None if self._far(joints) else self._near(joints)
        if memory is not None:
            self._together(effort, external, memory)
            return
        self._plant.step(effort, external)
        self._external = self._plant.external
        self._wrenches, self._steady = np.zeros((2, 6)), self._none
        if not self._beam.asleep or self._push.any():
            self._alone()

    def _begin(self) -> None:
        corners = self._body.corners(self._start, self._table)
        m = len(self._table.position)
        memory = CornerSnapshot(corners.place[..., :2], np.ones((m, 4), bool))
        self._beam = BeamState(self._start, None, memory, asleep=False)
        self._wrenches, self._steady = np.zeros((2, 6)), self._none
        self._external = self._plant.external

    def _palms(self, q: Array, v: Array) -> _Palms:
        """Return the palms of the robot at joints ``q`` [rad] with velocities ``v`` [rad/s]."""
        model, data = self._model, self._data
        pin.computeJointJacobians(model, data, q)
        places = [pin.updateFramePlacement(model, data, frame) for frame in self._frames]
        local = pin.ReferenceFrame.LOCAL
        jacobian = np.concatenate(
            [pin.getFrameJacobian(model, data, frame, local) for frame in self._frames]
        ).reshape(12, -1)
        return _Palms(
            Surfaces(
                np.array([place.translation for place in places]),
                np.array([place.rotation for place in places]),
                (jacobian @ v).reshape(2, 6),
            ),
            jacobian,
        )

    def _near(self, joints: JointState) -> CornerSnapshot | None:
        """Return what the contacts with the palms remember, if a palm is near the beam."""
        palms = self._palms(joints.position, joints.velocity)
        corners = self._body.corners(self._beam.body, palms.surfaces)
        speed = np.sqrt(np.square(corners.velocity).sum(axis=-1))
        reach = MARGIN + NEAR * self._period * speed
        z, memory, half = corners.place[..., 2], self._beam.palms, self._half[:2]
        near = inside(corners.place, half + reach[..., None]) & (z < reach)
        near &= z > -reach if memory is None else (z > -reach) | memory.faced
        if not near.any():
            return None
        if memory is None:
            faced = inside(corners.place, half) & (z > -MARGIN)
            memory = CornerSnapshot(corners.place[..., :2], faced)
        return memory

    def _far(self, joints: JointState) -> bool:
        """Return whether all corners are so high over their palms that ``_near`` finds none.

        For a fraction of that work: with the palm's normal ``n`` in axes of the beam ``z`` is the
        height of the lowest corner of an end, and no corner is faster over its palm than ``s``::

            z = z_b + n_y y - (|n_x| + |n_z|) x             x, |y|: half the edges of the beam
            s = |v_b| + r |w_b| + |v_p| + (d + r) |w_p|     r: half its diagonal, d: to its centre
        """
        model, data, body, r = self._model, self._data, self._beam.body, self._radius
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
            if not height > SURELY * (MARGIN + NEAR * self._period * speed):
                return False
        return True

    def _together(self, effort: Array, external: Array | None, memory: CornerSnapshot) -> None:
        """Simulate robot and beam while a palm is near."""
        robot, beam = self._robot, self._beam
        robot.reset(self._plant.state)
        body = beam.body
        memory = CornerSnapshot(
            np.concatenate([memory.anchor, beam.table.anchor]),
            np.concatenate([memory.faced, beam.table.faced]),
        )
        total, torques = np.zeros((2, 6)), self._none
        for _ in range(self._substeps):
            q, steady = robot.truth.position, self._steady
            robot.step(effort, with_external(steady, external))
            v = robot.truth.velocity
            mobility = np.linalg.inv(pin.crba(self._model, self._data, q).reshape(v.size, -1))
            contact = self._none
            for _ in range(self._contacts):
                palms = self._palms(q, v)
                surfaces = _joined(palms.surfaces, self._table)
                corners = self._body.corners(body, surfaces)
                press = self._contact.press(corners, self._half, memory)
                torque = -(press.wrench[:2].ravel() @ palms.jacobian)
                v = v + self._h * (mobility @ (torque - steady))
                q = q + self._h * v
                body = self._body.moved(body, press.wrench, surfaces, self._h, self._push)
                memory = press.memory
                total -= press.wrench[:2]
                contact = contact + torque
            contact = contact / self._contacts
            torques = torques + contact + (robot.external - steady)
            if contact.any() or steady.any():
                robot.reset(JointState(q, v))
            fresh = steady + self._forgets * (contact - steady)
            self._steady = fresh if contact.any() else self._none
        self._plant.reset(robot.state)
        self._wrenches = total / (self._substeps * self._contacts)
        self._external = torques / self._substeps
        self._beam = BeamState(
            body,
            CornerSnapshot(memory.anchor[:2], memory.faced[:2]),
            CornerSnapshot(memory.anchor[2:], memory.faced[2:]),
            asleep=False,
        )

    def _alone(self) -> None:
        """Simulate the beam while no palm is near."""
        body, memory, table = self._beam.body, self._beam.table, self._table
        before = body.speed
        for _ in range(self._substeps * self._contacts):
            corners = self._body.corners(body, table)
            press = self._contact.press(corners, self._half[2:], memory)
            body = self._body.moved(body, press.wrench, table, self._h, self._push)
            memory = press.memory
        asleep = (
            len(table.position) > 0 and max(before, body.speed) < STILL and not self._push.any()
        )
        if asleep:
            body = BodyState(body.position, body.rotation, np.zeros(3), np.zeros(3))
        self._beam = BeamState(body, None, memory, asleep)

    def _count(self, q: Array, config: HeldObject) -> int:
        """Return how many contact steps a physics step needs.

        The fastest oscillation is that of beam and arms with palms square to its ends, on the
        table if there is one: the largest eigenvalue of ``M^-1 K_c`` is its square.
        """
        normal = self._contact.stiffness
        shear = SHEAR * normal
        inertia = np.zeros((6 + q.size, 6 + q.size))
        inertia[:6, :6] = np.diag([self._body.mass] * 3 + list(self._body.moments))
        inertia[6:, 6:] = pin.crba(self._model, self._data, q).reshape(q.size, -1)
        jacobian = self._palms(q, np.zeros_like(q)).jacobian.reshape(2, 6, -1)
        stiffness = np.zeros_like(inertia)
        for end, side, motion in zip(self._body.ends, (1.0, -1.0), jacobian, strict=True):
            grasp = pin.SE3(pin.exp3(np.array([0.5 * side * np.pi, 0.0, 0.0])), end.mean(axis=0))
            corners = (end - grasp.translation) @ grasp.rotation
            apart = np.hstack([grasp.toActionMatrixInverse(), -motion])
            stiffness += apart.T @ _stiffness(corners, (shear, shear, normal)) @ apart
        if config.table:
            corners = self._body.ends[self._body.ends[:, :, 2] < 0.0]
            stiffness[:6, :6] += _stiffness(corners, (shear, shear, normal))
        square = np.linalg.eigvals(np.linalg.solve(inertia, stiffness)).real.max()
        frequency = sqrt(square) * max(1.0, 2.0 * config.damping_ratio)
        steps = frequency * self._period / (PHASE * self._substeps)
        if not steps <= MOST_SUBSTEPS:
            raise ConfigError(
                f'plant.object: a beam of {config.mass:g} kg and {config.stiffness:g} N/m swings '
                f'with {frequency:.4g} rad/s and needs {steps:.4g} contact steps in one of '
                f'{self._period / self._substeps:g} s; {MOST_SUBSTEPS} at most: make it heavier '
                'or softer'
            )
        return max(1, ceil(steps))


def _stiffness(points: Array, axes: tuple[float, float, float]) -> Array:
    """Return the stiffness of springs at points against a motion at the origin, ``(6, 6)``.

    :param axes: of each spring along x, y and z [N/m].
    """
    total: Array = np.zeros((6, 6))
    for point in points:
        motion = np.hstack([np.eye(3), -pin.skew(point)])
        total += motion.T @ np.diag(axes) @ motion
    return total


def _joined(palms: Surfaces, table: Surfaces) -> Surfaces:
    return Surfaces(
        np.concatenate([palms.position, table.position]),
        np.concatenate([palms.rotation, table.rotation]),
        np.concatenate([palms.velocity, table.velocity]),
    )


def _table(config: HeldObject, start: BodyState, gravity: Array, contact: BeamContact) -> Surfaces:
    """Return the table, once for each end of the beam; no surface where there is no table."""
    m = 2 if config.table else 0
    sunk = max(0.0, -gravity[2]) * config.mass / (4.0 * contact.stiffness)
    height = start.position[2] - 0.5 * config.width + sunk
    return Surfaces(
        np.tile([0.0, 0.0, height], (m, 1)),
        np.tile(np.eye(3), (m, 1, 1)),
        np.zeros((m, 6)),
    )


def _to_sensors(model: RobotModel) -> Array:
    """Return what takes wrenches from the tips to their sensors, shape ``(2, 6, 6)``."""
    return np.array([pose.inverse().toDualActionMatrix() for pose in model.sensors_in_tips()])
