"""A robot behind its driver, played by its contract."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from math import ceil, exp, pi

import msgspec
import numpy as np
import pinocchio as pin

from ..core.errors import ConfigError
from ..core.values import Array, Disturbance, JointState
from ..plants.build import build_plant
from ..plants.config import PlantConfig
from ..plants.position_robot import MAX_SERVO_GAIN, PositionRobot, with_motors
from ..robot.config import Payload
from ..robot.model import RobotModel
from ..robot.payload import with_payload
from .config import DRIVE_GAIN, DriverContract, FaultConfig
from .joint_order import by_joint, command_order

BRAKE_TIME = 0.02
"""Time constant with which a joint stops after a reflex [s]; that of no robot in particular."""
SILENCE = 0.1
"""Time without a command after which a robot that does not hold the last one reacts [s]."""


class DriverState(msgspec.Struct, frozen=True, gc=False):
    """What a driver publishes, in the order of its joints, each of shape ``(n,)``.

    :ivar position: [rad].
    :ivar velocity: [rad/s].
    :ivar effort: in the unit of its contract; empty where it has none.
    """

    position: Array
    velocity: Array
    effort: Array


class StandIn:
    """The robot and its driver, in steps of the driver's period.

    A robot that takes efforts moves by its last command ``u``, one lag old, for ever::

        tau = u + g(q)    where the robot compensates gravity, by what it knows of itself
        tau = u           else

    One that takes positions, or velocities, follows them with its own servo (``PositionRobot``).
    Until the first
    command, and after a fault, brakes hold it. Numbers that are not finite are dropped; a command
    of a wrong size is an error of the controller, which takes none from then on. A command beyond
    an effort limit, and a joint beyond its speed or range, is a reflex: the robot stops by itself.

    :ivar joints: in the order of commands and joint states.
    :ivar fault: why the driver takes no command any more; empty if it does.
    :ivar dropped: number of commands that were dropped.
    :ivar rough: number of commands that changed an effort faster than the maker allows. Whether
        the real robot would have refused them is not known.
    :param model: the robot as everybody knows it.
    :param plant: how the true one differs from it.
    :param rng: of the encoders.
    :raises ConfigError: the contract lacks a value that is needed, or has other joints.
    """

    def __init__(
        self,
        contract: DriverContract,
        model: RobotModel,
        plant: PlantConfig,
        faults: FaultConfig,
        rng: np.random.Generator,
    ):
        self.period = stand_in_period(contract, faults)
        self._contract = contract
        self._meaning = 'current' if faults.current else contract.effort
        self._order = command_order(contract.full_joints, model)
        if faults.order:
            self._order = self._order[::-1]
        self.joints = tuple(model.joint_names[i] for i in self._order)
        self._own = model
        if faults.payload and not model.tips:
            raise ConfigError('--fault payload: the robot has no tip; give robot.tips')
        loaded, unknown = model, Payload(mass=faults.payload, at=faults.after)
        if faults.payload and faults.after:
            plant = msgspec.structs.replace(plant, payloads=(*plant.payloads, unknown))
        elif faults.payload:
            loaded = with_payload(model, unknown)
        self._true = loaded.with_mass_bias(plant.mass_bias)
        self._data = {id(m): m.pin_model.createData() for m in (self._own, self._true)}
        self._servo: PositionRobot | None = None
        if contract.takes != 'effort':
            self._servo = _servo(self._true, plant, self.period, rng)
            self._plant = self._servo.plant
        else:
            self._plant = build_plant(plant, loaded, self.period, rng).plant
        self._effort_limit = by_joint(contract, model, contract.effort_limit, model.effort_limit)
        speed = model.velocity_limit
        self._speed_limit = by_joint(contract, model, contract.velocity_limit, speed)
        gains = np.full(model.n, DRIVE_GAIN)
        self._gains = by_joint(contract, model, contract.drive_gains, gains)
        self._waiting: deque[tuple[int, Array]] = deque()
        self._command: Array | None = None
        self._reached: Array | None = None  # position that commands of velocity have led to
        self._steps = self._silent = 0
        self.fault = ''
        self.dropped = self.rough = 0
        self._torque = self._shown = self._gravity(self._true)

    def take(self, values: Array) -> None:
        """Take a command, shape ``(n,)``, in the order of ``joints``."""
        if self.fault:
            return
        if values.shape != (len(self.joints),):
            self.fault = (
                f'controller error: a command of {values.size} numbers for '
                f'{len(self.joints)} joints'
            )
        elif not np.isfinite(values).all():
            self.dropped += 1
        else:
            command = np.empty(len(values))
            command[self._order] = values
            self._waiting.append((self._steps + round(self._contract.lag / self.period), command))

    def take_named(self, names: Sequence[str], values: Array) -> None:
        """Take a command by joint names; one that lacks a joint is dropped."""
        found = dict(zip(names, values, strict=False))
        if not set(self.joints) <= set(found):
            self.dropped += 1
            return
        self.take(np.array([found[name] for name in self.joints]))

    def step(self, external: Array | None = None) -> None:
        """Let one period pass.

        :param external: torque of somebody who pushes the robot [N m], shape ``(n,)``.
        """
        self._steps += 1
        self._silent += 1
        while self._waiting and self._waiting[0][0] < self._steps:
            self._apply(self._waiting.popleft()[1])
        self._mind_silence()
        before = self._plant.truth
        if self.fault or self._command is None:
            self._brake(before)
        elif self._servo is not None:
            self._servo.track(self._target(before.position), Disturbance(external))
            now = self._plant.truth
            acceleration = (now.velocity - before.velocity) / self.period
            model, data = self._true.pin_model, self._data[id(self._true)]
            moving = pin.rnea(model, data, now.position, now.velocity, acceleration)
            self._torque = moving - self._servo.report().external  # the joints hold against it
        else:
            self._torque = self._command + self._handled
            self._plant.step(self._torque, Disturbance(external))
        self._reflex()
        self._shown = self._shown + self._share * (self._torque - self._shown)

    @property
    def position(self) -> Array:
        """Return where the robot is, in the order of the model's joints [rad], shape ``(n,)``."""
        return self._plant.truth.position

    def state(self) -> DriverState:
        """Return what the driver publishes now."""
        velocity, order = self._plant.truth.velocity, self._order
        efforts = {
            'torque': self._shown,
            'torque_without_gravity': self._shown - self._gravity(self._own),
            'current': self._shown / self._gains,
        }
        effort = efforts.get(self._meaning or 'none')
        shown = np.empty(0) if effort is None else effort[order]
        return DriverState(self._plant.observe()[order], velocity[order], shown)

    def _apply(self, command: Array) -> None:
        last, self._command, self._silent = self._command, command, 0
        if self._servo is not None:
            return
        rate = self._contract.effort_rate
        if rate is not None and last is not None:
            self.rough += bool((np.abs(command - last) > rate * self.period).any())
        self._stop_beyond('command', command, self._effort_limit, 'N m')

    def _target(self, position: Array) -> Array:
        """Return where the servo shall be at the end of a period that begins at a position."""
        assert self._command is not None
        if self._contract.takes == 'position':
            return self._command
        self._reached = (position if self._reached is None else self._reached) + (
            self.period * self._command
        )
        return self._reached

    def _mind_silence(self) -> None:
        """Do what the contract says of a robot whose commands stop; most hold the last one."""
        if self._command is None or self._silent * self.period <= SILENCE:
            return
        if self._contract.when_silent == 'faults':
            self.fault = self.fault or f'no command for {SILENCE:g} s'
        elif self._contract.when_silent == 'decays' and self._servo is None:
            self._command = self._command * exp(-self.period / SILENCE)

    def _brake(self, state: JointState) -> None:
        velocity = state.velocity * exp(-self.period / BRAKE_TIME)
        robot = self._plant if self._servo is None else self._servo
        robot.start(JointState(state.position + self.period * velocity, velocity))
        self._torque = self._gravity(self._true)

    def _reflex(self) -> None:
        state = self._plant.truth
        self._stop_beyond('speed', state.velocity, self._speed_limit, 'rad/s')
        middle = 0.5 * (self._own.upper + self._own.lower)
        half = 0.5 * (self._own.upper - self._own.lower)
        self._stop_beyond('distance from mid-range', state.position - middle, half, 'rad')

    def _stop_beyond(self, what: str, values: Array, limit: Array, unit: str) -> None:
        beyond = np.flatnonzero(np.abs(values) > limit)
        if beyond.size and not self.fault:
            i = int(beyond[0])
            self.fault = (
                f'reflex: {what} of {self._own.joint_names[i]} is {values[i]:.4g} {unit}, limit '
                f'{limit[i]:.4g}'
            )

    @property
    def _handled(self) -> Array | float:
        return self._gravity(self._own) if self._contract.gravity_handled else 0.0

    @property
    def _share(self) -> float:
        """Return the share of a new torque that passes the driver's filter in one period."""
        bandwidth = self._contract.effort_bandwidth
        return 1.0 if bandwidth is None else 1.0 - exp(-2.0 * pi * bandwidth * self.period)

    def _gravity(self, model: RobotModel) -> Array:
        q = self._plant.truth.position
        gravity: Array = pin.computeGeneralizedGravity(model.pin_model, self._data[id(model)], q)
        return gravity.copy()


def stand_in_period(contract: DriverContract, faults: FaultConfig) -> float:
    """Return the time between two joint states [s].

    :raises ConfigError: the contract lacks a value that a stand-in needs.
    """
    needed: dict[str, object] = {'rate': contract.rate, 'effort': contract.effort}
    if contract.takes == 'effort':
        needed['gravity'] = contract.gravity
    missing = [key for key, value in needed.items() if value is None]
    if missing:
        raise ConfigError(
            f'{", ".join(missing)}: not in the driver file, because robots differ; give '
            f'{" ".join(f"--set {key}=..." for key in missing)}'
        )
    assert contract.rate is not None
    return 1.0 / (contract.rate * faults.rate)


def _servo(
    model: RobotModel, config: PlantConfig, period: float, rng: np.random.Generator
) -> PositionRobot:
    """Return the robot that takes positions; see ``PlantConfig.takes``."""
    if config.engine != 'pinocchio':
        raise ConfigError('plant.engine: a robot that takes positions needs pinocchio')
    motored = with_motors(model, config.servo)
    substeps = ceil(config.servo.bandwidth * period / MAX_SERVO_GAIN)
    unbiased = msgspec.structs.replace(config, mass_bias=0.0, step=None)
    plant = build_plant(unbiased, motored, period / substeps, rng).plant
    return PositionRobot(plant, motored, period, substeps, config.servo.bandwidth)
