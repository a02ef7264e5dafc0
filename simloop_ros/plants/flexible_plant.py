"""An arm with flexible joints: what all ways of simulating it share."""

from __future__ import annotations

from abc import abstractmethod
from math import ceil

import numpy as np
import pinocchio as pin

from ..core.errors import ConfigError
from ..core.state import Remembering
from ..core.values import UNDISTURBED, Array, Disturbance, JointState, PlantReport
from ..robot.flexible_joints import FlexibleJoints
from ..robot.model import RobotModel
from .plant import Plant, joint_disturbance

MAX_SUBSTEPS = 10_000
"""Largest number of physics steps in a period; more are taken for a mistyped number."""


class FlexiblePlant(Remembering, Plant):
    """An arm whose motors move its links through springs, 001 section 3.2.

    ::

        M(q) q'' + C(q, q') + G(q) = tau + D K_m^-1 tau' + tau_ext
        J_m theta'' + tau + D K_m^-1 tau' + f = tau_m
        tau = K_m (theta - q)

    with the positions ``theta`` and the friction ``f`` of the motors, both seen from the links.
    The state ``(q, q', theta, theta')`` is kept as ``(q, q', tau, tau')``, which is exact for
    gears of any stiffness. Encoders and ``truth`` give the link side ``q``, as those of the LWR
    do.

    At the start the springs carry the weight, ``tau = G(q)``, and the motors turn with the links.

    :param model: the robot; the plant starts at its home, at rest.
    :param period: time of one ``step`` [s].
    :raises ConfigError: nothing is known of the robot's motors.
    """

    _remembered = ('_q', '_v', '_torque', '_rate', '_external')

    def __init__(self, model: RobotModel, period: float, substeps: int):
        self._joints = known_motors(model)
        self._model = model.pin_model
        self._data = self._model.createData()
        self._h = np.array(period / substeps)
        self._substeps = substeps
        self._zero: Array = np.zeros(model.n)
        self._damping_time = self._joints.damping / self._joints.stiffness
        self.start(JointState(model.home, self._zero))

    @property
    def truth(self) -> JointState:
        """Return the state of the links."""
        return JointState(self._q, self._v)

    @property
    @abstractmethod
    def lag(self) -> float:
        """Return ``o``: a constant acceleration moves it by ``h (v+ - o (v+ - v))`` in a step."""

    @property
    def motors(self) -> JointState:
        """Return the state of the motors, ``theta`` [rad] and ``theta'`` [rad/s]."""
        stiffness = self._joints.stiffness
        return JointState(self._q + self._torque / stiffness, self._v + self._rate / stiffness)

    def start(self, state: JointState) -> None:
        """Begin at a joint state of the links, with the springs at rest."""
        self._q, self._v = state.position, state.velocity
        # In the springs [N m], its rate in [N m/s]; a copy: what Pinocchio returns is its own.
        self._torque = np.array(
            pin.computeGeneralizedGravity(self._model, self._data, state.position)
        )
        self._rate = self._external = self._zero

    def step(self, effort: Array, disturbance: Disturbance = UNDISTURBED) -> None:
        """Apply efforts [N m], shape ``(n,)``, and external torques for one period."""
        external = joint_disturbance(disturbance)
        self._external = self._zero if external is None else external
        for _ in range(self._substeps):
            self._substep(effort)

    def observe(self) -> Array:
        """Return the positions of the links [rad], shape ``(n,)``."""
        return self._q

    def report(self) -> PlantReport:
        """Return the state of the links and the external torque."""
        return PlantReport(self.truth, self._external)

    @abstractmethod
    def _substep(self, effort: Array) -> None:
        """Take one physics step under efforts [N m], shape ``(n,)``."""

    def _acceleration(self, q: Array, torque: Array) -> Array:
        """Return ``q''`` at ``q`` under the torque of the gears and the external one."""
        return pin.aba(self._model, self._data, q, self._v, torque + self._external)


def count_steps(frequency: float, period: float, phase: float) -> int:
    """Return how many physics steps of a period keep a frequency [rad/s] below a phase [rad].

    :raises ConfigError: too many.
    """
    steps = frequency * period / phase
    if not steps <= MAX_SUBSTEPS:
        raise ConfigError(
            f'plant.flexible_joints: joints that oscillate with {frequency:.4g} rad/s need '
            f'{steps:.4g} physics steps in a period of {period:g} s; {MAX_SUBSTEPS} at most'
        )
    return max(1, ceil(steps))


def known_motors(model: RobotModel) -> FlexibleJoints:
    """Return the robot's flexible joints.

    :raises ConfigError: it has none.
    """
    if model.flexible_joints is None:
        raise ConfigError(
            f'plant.flexible_joints: nothing is known of the motors of {model.name}; give '
            'robot.flexible_joints.motor_inertia, stiffness and damping_ratio'
        )
    return model.flexible_joints
