"""An arm with flexible joints: what all ways of simulating it share."""

from __future__ import annotations

from abc import abstractmethod
from math import ceil

import msgspec
import numpy as np
import pinocchio as pin

from ..core.errors import ConfigError
from ..core.values import Array, JointState
from ..robot.flexible_joints import FlexibleJoints
from ..robot.model import RobotModel
from .plant import Plant

MOST_SUBSTEPS = 10_000
"""Number of physics steps in a period beyond which somebody made a slip of the pen."""


class FlexibleState(msgspec.Struct, frozen=True):
    """All that the next step of an arm with flexible joints depends on.

    :ivar joints: of the links.
    :ivar torque: in the gears' springs [N m], shape ``(n,)``.
    :ivar rate: of that torque [N m/s], shape ``(n,)``.
    :ivar external: torque from outside in the last step [N m], shape ``(n,)``.
    """

    joints: JointState
    torque: Array
    rate: Array
    external: Array


class FlexiblePlant(Plant):
    """An arm whose motors move its links through springs, 001 section 3.2.

    ::

        M(q) q'' + C(q, q') + G(q) = tau + D K_m^-1 tau' + tau_ext
        J_m theta'' + tau + D K_m^-1 tau' + f = tau_m
        tau = K_m (theta - q)

    with the positions ``theta`` and the friction ``f`` of the motors, felt at the links. The state
    ``(q, q', theta, theta')`` is kept as ``(q, q', tau, tau')``, which is as exact for a gear as
    stiff as one likes. Encoders and ``truth`` tell the link side ``q``, as those of the LWR do.

    A reset to a ``JointState`` lets the springs carry the weight, ``tau = G(q)``, and the motors
    turn with the links.

    :param model: the robot; the plant starts at its home, at rest.
    :param period: time of one ``step`` [s].
    :param substeps: number of physics steps in one ``step``.
    :raises ConfigError: nothing is known of the robot's motors.
    """

    def __init__(self, model: RobotModel, period: float, substeps: int):
        self._joints = known_motors(model)
        self._model = model.pin_model
        self._data = self._model.createData()
        self._h = np.array(period / substeps)
        self._substeps = substeps
        self._none: Array = np.zeros(model.n)
        self._damping_time = self._joints.damping / self._joints.stiffness
        self.reset(JointState(model.home, self._none))

    @property
    def state(self) -> FlexibleState:
        """Return the state of links and springs, and the torque from outside."""
        return FlexibleState(self.truth, self._torque, self._rate, self._external)

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

    @property
    def external(self) -> Array:
        """Return the torque from outside in the last step [N m], shape ``(n,)``."""
        return self._external

    def reset(self, state: JointState | FlexibleState) -> None:
        """Go to a joint state with the springs at rest, or to an earlier ``state``."""
        if isinstance(state, FlexibleState):
            joints, self._external = state.joints, state.external
            self._torque, self._rate = state.torque, state.rate
        else:
            joints, self._external = state, self._none
            self._rate = self._none
            # A copy: what Pinocchio returns is its own.
            self._torque = np.array(
                pin.computeGeneralizedGravity(self._model, self._data, joints.position)
            )
        self._q, self._v = joints.position, joints.velocity

    def step(self, effort: Array, external: Array | None = None) -> None:
        """Apply efforts and torques from outside [N m], shape ``(n,)``, for one period."""
        self._external = self._none if external is None else external
        for _ in range(self._substeps):
            self._substep(effort)

    def observe(self) -> Array:
        """Return the positions of the links [rad], shape ``(n,)``."""
        return self._q

    @abstractmethod
    def _substep(self, effort: Array) -> None:
        """Take one physics step under efforts [N m], shape ``(n,)``."""

    def _acceleration(self, q: Array, torque: Array) -> Array:
        """Return ``q''`` at ``q`` under a torque of the gears and what comes from outside."""
        return pin.aba(self._model, self._data, q, self._v, torque + self._external)


def count_steps(frequency: float, period: float, phase: float) -> int:
    """Return how many physics steps of a period keep a frequency [rad/s] below a phase [rad].

    :raises ConfigError: too many.
    """
    steps = frequency * period / phase
    if not steps <= MOST_SUBSTEPS:
        raise ConfigError(
            f'plant.flexible_joints: joints that oscillate with {frequency:.4g} rad/s need '
            f'{steps:.4g} physics steps in a period of {period:g} s; {MOST_SUBSTEPS} at most'
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
