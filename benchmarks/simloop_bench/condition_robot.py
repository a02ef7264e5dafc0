"""Robots that change after their calibration: friction, load, speed, encoders, lateness."""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib.metadata import files

import msgspec
import numpy as np
import pinocchio as pin

from simloop_ros.control.config import ControlConfig
from simloop_ros.control.control_simulation import ControlSimulation
from simloop_ros.core.errors import UnknownNameError
from simloop_ros.core.values import UNDISTURBED, Array, Disturbance
from simloop_ros.plants.encoder import Encoder
from simloop_ros.plants.pinocchio_plant import PinocchioPlant
from simloop_ros.plants.plant import Plant
from simloop_ros.plants.spring_contact import Spring, SpringContact
from simloop_ros.plants.wrapper import PlantWrapper
from simloop_ros.robot.config import RobotConfig
from simloop_ros.robot.fit_robot import load_fit_robot
from simloop_ros.robot.model import RobotModel
from simloop_ros.scenario.robot_files import robot_config

from .changing_friction import ChangingFriction
from .collision_robot import ENCODER, FRICTION, StudyLoop

MASS_ERROR = 0.1
"""Part by which every link is heavier than its model, as in the study."""
FOREIGN = {
    'panda': RobotConfig(
        urdf='panda_description/urdf/panda.urdf',
        tips=('panda_hand_tcp',),
        lock=('panda_finger_joint1', 'panda_finger_joint2'),
        home={'panda_joint2': -0.5, 'panda_joint4': -2.2, 'panda_joint6': 1.8},
    ),
    'ur5': RobotConfig(
        urdf='ur_description/urdf/ur5_robot.urdf',
        tips=('tool0',),
        home={
            'shoulder_lift_joint': -1.2,
            'elbow_joint': 1.8,
            'wrist_1_joint': -2.0,
            'wrist_2_joint': -1.57,
        },
    ),
}
"""Robots of the PyPI package example-robot-data; the path of a URDF is in that package."""
ROBOTS = ('yumi', 'lwr', *FOREIGN)


@dataclass(frozen=True)
class Condition:
    """How a robot differs from the one that was calibrated.

    :ivar friction: multiple of all friction.
    :ivar ramp: time in which friction gets there from one [s]; at once where it is zero.
    :ivar stribeck: dry friction that is added near standstill, as a part of itself.
    :ivar payload: mass that the first tip carries [kg].
    :ivar speed: multiple of the speed of the motion.
    :ivar resolution: of the encoders [rad].
    :ivar delay: periods that commands come later.
    """

    name: str
    friction: float = 1.0
    ramp: float = 0.0
    stribeck: float = 0.0
    payload: float = 0.0
    speed: float = 1.0
    resolution: float = ENCODER
    delay: int = 0


CONDITIONS = (
    Condition('nominal'),
    *(Condition(f'friction x {share:g}', friction=share) for share in (0.5, 0.7, 1.3, 1.5)),
    Condition('friction 1 to 1.5 in ten minutes', friction=1.5, ramp=600.0),
    Condition('Stribeck friction + 30 %', stribeck=0.3),
    *(Condition(f'payload {mass:g} kg', payload=mass) for mass in (0.25, 0.5, 1.0)),
    Condition('motion 1.5 x faster', speed=1.5),
    Condition('encoder steps of 5e-5 rad', resolution=5e-5),
    Condition('commands one period later', delay=1),
)


def load(robot: str) -> RobotModel:
    """Return the robot that control believes in.

    :raises UnknownNameError: it is none of ``ROBOTS``.
    """
    if robot not in ROBOTS:
        raise UnknownNameError('robot of the study', robot, ROBOTS)
    config = FOREIGN.get(robot)
    if config is None:
        return load_fit_robot(robot_config(robot))
    listed = files('example-robot-data') or []
    urdf = next(str(file.locate()) for file in listed if str(file).endswith(config.urdf))
    return load_fit_robot(msgspec.structs.replace(config, urdf=urdf))


def build_loop(
    model: RobotModel,
    condition: Condition,
    period: float,
    rng: np.random.Generator,
    spring: Spring | None = None,
) -> StudyLoop:
    """Return the control simulation and the robot as it is now.

    :param rng: of the encoder noise.
    :param spring: what is in the way, if anything; friction is then what it is after its ramp.
    """
    real = carrying(model.with_mass_bias(MASS_ERROR), condition.payload)
    ramp = 0.0 if spring else condition.ramp

    def arm(step: float) -> Plant:
        return ChangingFriction(
            PinocchioPlant(real, step),
            real,
            step,
            FRICTION * model.effort_limit,
            FRICTION * model.effort_limit / model.velocity_limit,
            scale=condition.friction,
            ramp=ramp,
            stribeck=condition.stribeck,
        )

    contact = SpringContact(arm, real, period, spring) if spring else None
    plant: Plant = contact or arm(period)
    if condition.delay:
        plant = LateCommands(plant, condition.delay, model)
    plant = Encoder(plant, ENCODER, condition.resolution, rng)
    config = ControlConfig().resolved(noisy=True)
    return StudyLoop(ControlSimulation(model, config, period), plant, contact)


def carrying(model: RobotModel, payload: float) -> RobotModel:
    """Return the robot with a point mass [kg] at its first tip."""
    if payload == 0.0:
        return model
    pin_model = model.pin_model.copy()
    body = pin_model.frames[model.tip_frames[0]]
    mass = pin.Inertia(payload, np.zeros(3), np.zeros((3, 3)))
    pin_model.appendBodyToJoint(body.parentJoint, mass, body.placement)
    return replace(model, pin_model=pin_model)


class LateCommands(PlantWrapper):
    """Apply each effort some periods later; before the first, hold the robot by its model."""

    _remembered = ('_plant', '_efforts')

    def __init__(self, plant: Plant, delay: int, model: RobotModel):
        super().__init__(plant)
        self._delay = delay
        self._model = model
        self._data = model.pin_model.createData()
        self._begin()

    def _begin(self) -> None:
        state = self._plant.truth
        hold: Array = pin.rnea(
            self._model.pin_model, self._data, state.position, state.velocity, 0.0 * state.velocity
        )
        self._efforts: tuple[Array, ...] = (hold.copy(),) * self._delay

    def step(self, effort: Array, disturbance: Disturbance = UNDISTURBED) -> None:
        """Apply an earlier effort [N m] for one period."""
        now, *later = (*self._efforts, effort)
        self._efforts = tuple(later)
        self._plant.step(now, disturbance)
