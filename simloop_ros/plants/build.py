"""From a scenario's configuration to a plant."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from ..core.config_types import is_class_name
from ..core.custom import build_custom
from ..core.errors import ConfigError
from ..robot.carried_payload import later_payloads
from ..robot.model import RobotModel
from .applied_wrenches import RecordedWrenches, read_wrenches
from .arm_stops import ArmStops, Brakes
from .carrying import Carrying
from .config import HeldObject, PlantConfig
from .encoder import Delay, Encoder
from .flexible_plant import MAX_SUBSTEPS, FlexiblePlant, known_motors
from .friction import JointFriction
from .hand import Hands
from .held_beam import HeldBeam
from .motor_driven_plant import MotorDrivenPlant
from .pinocchio_plant import PinocchioPlant
from .plant import Plant
from .position_robot import PositionRobot, Surrogate, with_motors
from .pushes import Pushes
from .pybullet_client import NOT_INSTALLED
from .substeps import Substeps
from .torque_driven_plant import TorqueDrivenPlant
from .torque_sensor import TorqueSensor
from .torque_stage import TorqueStage
from .wrist_sensors import ForceSensors

STEP_TOLERANCE = 1e-9
"""How far the period may be from a whole multiple of the step, relative to the period."""

SHORTEST_NORMAL = 1e-6
"""Length below which a normal has no direction."""


@dataclass(frozen=True)
class BuiltPlant:
    """A plant and how it came about.

    :ivar plant: the plant, at the robot's home, at rest.
    :ivar engine: the engine that is really used.
    :ivar notes: what differs from what was asked for, one line each.
    :ivar carrying: the part of the plant that carries payloads, if there is any.
    :ivar lag: of the motion in a period, see ``HandForces``.
    """

    plant: Plant
    engine: str
    notes: tuple[str, ...] = ()
    carrying: Carrying | None = None
    lag: float = 0.0


def build_plant(
    config: PlantConfig,
    model: RobotModel,
    period: float,
    rng: np.random.Generator,
    brakes: Brakes | None = None,
    *,
    picks_up: bool = False,
) -> BuiltPlant:
    """Build the engine and, around it, what makes the plant differ from the model.

    :param model: the robot as control knows it; the mass bias is applied here.
    :param period: control period [s].
    :param rng: generator of the encoder noise, which the plant keeps to itself; that of the wrist
        sensors is spawned from it.
    :param brakes: makes the brake of an arm, for those that stop by themselves.
    :param picks_up: whether the robot may be told of payloads while it runs.
    :raises ConfigError: the engine cannot do what is asked, or the step does not fit the period.
    """
    _refuse_contradictions(config)
    substeps = _substeps(period, config.step)
    # Hands and the servo of a robot that takes positions act in every physics step.
    fine = bool(config.hands) or config.takes == 'position'
    timing = (period / substeps, 1) if fine and substeps else (period, substeps)
    biased = model.with_mass_bias(config.mass_bias)
    payloads = (*later_payloads(model), *config.payloads)
    _refuse_payloads(config, bool(payloads))
    carries = payloads or (picks_up and not _refuses_payloads(config))
    if carries:
        biased = biased.copy()  # that of control has the payloads, that of the engine has not
    if config.takes == 'position':
        biased = with_motors(biased, config.servo)
    built = _build_engine(config, biased, *timing)
    plant, carrying = built.plant, None
    try:
        if carries:
            plant = carrying = Carrying(plant, biased, timing[0], payloads)
            biased = carrying.model
        plant = _with_torque_sensors(plant, config, 'link', rng)
        plant = _disturbed(plant, config, biased, timing[0], carrying)
        plant = _with_torque_sensors(plant, config, 'motor', rng)
        if config.takes == 'position':
            robot = PositionRobot(plant, biased, period, substeps or 1, config.servo.bandwidth)
            plant = Surrogate(PinocchioPlant(model, period), robot)
        elif fine and substeps and substeps > 1:
            plant = Substeps(plant, substeps)
        if config.stops:
            if brakes is None:
                raise ConfigError('plant.stops: this robot has no brakes; leave the stops out')
            plant = ArmStops(plant, model, period, config.stops, brakes)
        if config.sensors is not None:
            plant = ForceSensors(plant, model, period, config.sensors, *rng.spawn(1))
        plant = _measured(plant, config, rng)
        if config.wrenches:
            plant = RecordedWrenches(plant, model, read_wrenches(Path(config.wrenches)))
    except Exception:
        plant.close()
        raise
    lag = _lag(built.plant, substeps or 1, split=fine)
    return replace(built, plant=plant, carrying=carrying, lag=lag)


def _build_engine(
    config: PlantConfig, model: RobotModel, period: float, substeps: int | None
) -> BuiltPlant:
    """Build the engine alone, or the one that replaces it."""
    if is_class_name(config.engine):
        plant = build_custom(
            'plant.engine', config.engine, Plant, config.parameters, model, period
        )
        return BuiltPlant(plant, config.engine)
    if config.flexible_joints:
        return BuiltPlant(_flexible(config, model, period, substeps), config.engine)
    engine, notes = used_engine(config)
    return BuiltPlant(ENGINES[engine](model, period, substeps or 1, config), engine, notes)


def _lag(engine: Plant, substeps: int, *, split: bool) -> float:
    """Return ``o`` of a whole period: with the constant acceleration ``a`` in ``m`` steps::

        x+ = x + h (x'+ - o h a),    o = (m - 1 + 2 o_engine)/(2 m)

    :param split: whether each step of the engine is one physics step.
    """
    if isinstance(engine, FlexiblePlant):
        steps = substeps if split else 1
        return (steps - 1 + 2.0 * engine.lag) / (2.0 * steps)
    return (substeps - 1) / (2.0 * substeps)


def _refuse_contradictions(config: PlantConfig) -> None:
    """Refuse what no engine, or not the chosen one, can do."""
    if config.obstacles and config.engine == 'pinocchio':
        raise ConfigError(
            'plant.obstacles: engine pinocchio has no contact; '
            'choose plant.engine pybullet or mujoco'
        )
    for obstacle in config.obstacles:
        if obstacle.kind == 'plane' and np.linalg.norm(obstacle.normal) < SHORTEST_NORMAL:
            raise ConfigError(f'plant.obstacles: the normal of {obstacle.name!r} has no length')
        if obstacle.mass and obstacle.kind == 'plane':
            raise ConfigError(f'plant.obstacles: {obstacle.name!r} is a plane: it has no mass')
        if any(obstacle.velocity) and not obstacle.mass:
            raise ConfigError(
                f'plant.obstacles: {obstacle.name!r} has a velocity: give it a mass too'
            )
    if config.takes == 'position':
        _refuse_position(config)
    if config.object is not None:
        _refuse_object(config, config.object)
    if config.torque_sensors is not None and (config.flexible_joints or config.takes != 'effort'):
        raise ConfigError(
            'plant.torque_sensors: of rigid joints that take efforts only; leave out '
            'plant.flexible_joints and plant.takes'
        )
    if config.flexible_joints and config.engine != 'pinocchio':
        raise ConfigError(
            f'plant.flexible_joints: joints of engine {config.engine} are rigid; '
            'choose plant.engine pinocchio'
        )


def _refuse_position(config: PlantConfig) -> None:
    if config.engine != 'pinocchio':
        raise ConfigError(
            f'plant.takes: motors of engine {config.engine} have no inertia; '
            'choose plant.engine pinocchio'
        )
    if config.flexible_joints:
        raise ConfigError(
            'plant.takes: joints of a robot that takes positions are rigid; leave out '
            'plant.flexible_joints'
        )
    if config.stops:
        raise ConfigError(
            'plant.takes: a robot that takes positions has its own drives; leave out plant.stops'
        )
    if config.encoder_error > 0.0 or config.delay > 0:
        raise ConfigError(
            'plant.takes: control does not measure a robot that takes positions, but simulates '
            'it; leave out plant.noise, plant.resolution and plant.delay'
        )


def _refuse_payloads(config: PlantConfig, carries: bool) -> None:
    if carries and _refuses_payloads(config):
        raise ConfigError(
            'payloads: a robot with plant.flexible_joints, plant.object or plant.takes position '
            'carries none; leave them out'
        )


def _refuses_payloads(config: PlantConfig) -> bool:
    return config.flexible_joints or config.object is not None or config.takes == 'position'


def _refuse_object(config: PlantConfig, beam: HeldObject) -> None:
    """Refuse what cannot be with an object for two hands."""
    if config.engine == 'mujoco':
        raise ConfigError(
            'plant.object: engine mujoco has none; choose plant.engine pinocchio or pybullet'
        )
    if config.engine == 'pinocchio' and beam.kind == 'rigid':
        raise ConfigError(
            'plant.object.kind: engine pinocchio has no contact of rigid bodies; choose kind soft '
            'or plant.engine pybullet'
        )
    for key in ('flexible_joints', 'hands'):
        if getattr(config, key):
            raise ConfigError(
                f'plant.object: it cannot be together with plant.{key}; leave one out'
            )
    if config.takes == 'position':
        raise ConfigError('plant.object: it needs a robot that takes efforts; see plant.takes')


def _disturbed(
    plant: Plant, config: PlantConfig, model: RobotModel, step: float, carrying: Carrying | None
) -> Plant:
    """Return the plant with friction, hands and pushes.

    :param step: time of the plant's ``step`` [s].
    :param carrying: the part of the plant that carries payloads, if there is any.
    """
    friction = config.friction
    lag = plant.lag if isinstance(plant, FlexiblePlant) else 0.0
    if friction.exists and not config.flexible_joints:
        plant = rubbing = JointFriction(plant, model, step, friction.coulomb, friction.viscous)
        if carrying is not None:
            carrying.carried.include(rubbing.damped)
    if config.hands:
        plant = Hands(plant, model, step, config.hands, lag)
    if config.pushes:
        plant = Pushes(plant, model, step, config.pushes, config.object is not None)
    return plant


def _with_torque_sensors(
    plant: Plant, config: PlantConfig, side: str, rng: np.random.Generator
) -> Plant:
    """Return the plant with the torque sensors that it has on one side of its friction."""
    sensors = config.torque_sensors
    if sensors is None or sensors.side != side:
        return plant
    return TorqueSensor(plant, sensors.noise, *rng.spawn(1))


def _measured(plant: Plant, config: PlantConfig, rng: np.random.Generator) -> Plant:
    """Return the plant with the errors and the delay of its encoders."""
    if config.noise > 0.0 or config.resolution > 0.0:
        plant = Encoder(plant, config.noise, config.resolution, rng)
    if config.delay > 0:
        plant = Delay(plant, config.delay)
    return plant


def _flexible(
    config: PlantConfig, model: RobotModel, period: float, substeps: int | None
) -> Plant:
    """Return the arm with flexible joints; only friction needs its motors to be simulated."""
    stage, friction = TorqueStage(known_motors(model), config.torque_control), config.friction
    if not friction.exists:
        return TorqueDrivenPlant(model, period, stage, substeps)
    return MotorDrivenPlant(
        model, period, stage, friction.coulomb, friction.viscous, substeps=substeps
    )


def _substeps(period: float, step: float | None) -> int | None:
    """Return how many physics steps a period has, ``None`` where no step is configured."""
    if step is None:
        return None
    substeps = max(1, round(period / step))
    if abs(substeps * step - period) > STEP_TOLERANCE * period:
        raise ConfigError(
            f'plant.step: the period {period:.12g} s is not a whole multiple of the step '
            f'{step:.12g} s; the nearest step that fits is {period / substeps:.12g} s'
        )
    if substeps > MAX_SUBSTEPS:
        raise ConfigError(
            f'plant.step: {step:g} s makes {substeps} steps of a period; {MAX_SUBSTEPS} at most'
        )
    return substeps


def _pinocchio(model: RobotModel, period: float, substeps: int, config: PlantConfig) -> Plant:
    if config.object is not None:
        return HeldBeam(model, period, substeps, config.object)
    return PinocchioPlant(model, period, substeps)


def _pybullet(model: RobotModel, period: float, substeps: int, config: PlantConfig) -> Plant:
    from .pybullet_plant import PyBulletPlant

    return PyBulletPlant(model, period, substeps, config.obstacles, config.object)


def _mujoco(model: RobotModel, period: float, substeps: int, config: PlantConfig) -> Plant:
    from .mujoco_plant import MujocoPlant

    return MujocoPlant(model, period, substeps, config.obstacles)


ENGINES: dict[str, Callable[[RobotModel, float, int, PlantConfig], Plant]] = {
    'pinocchio': _pinocchio,
    'pybullet': _pybullet,
    'mujoco': _mujoco,
}
FALLBACKS = {'pybullet': 'mujoco'}
"""What takes the place of an engine that is not installed and can be replaced."""


def used_engine(config: PlantConfig) -> tuple[str, tuple[str, ...]]:
    """Return the engine that is really used, and notes where that is not the one asked for."""
    engine = config.engine
    if engine not in FALLBACKS or config.object is not None or find_spec(engine) is not None:
        return engine, ()
    other = FALLBACKS[engine]
    return other, (f'{NOT_INSTALLED}; {other} is used instead',)
