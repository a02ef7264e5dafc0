"""Collisions of several robots, as the monitor estimates them: what isolation is judged on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.metadata import files

import msgspec
import numpy as np
import pinocchio as pin

from simloop_ros.calibration.calibrate import Calibrator
from simloop_ros.calibration.following import observe
from simloop_ros.calibration.free_motion import random_motion
from simloop_ros.collision.calibration import Calibration
from simloop_ros.collision.link_surface import INSIDE_DEPTH, sphere_directions
from simloop_ros.collision.observation import Observation
from simloop_ros.control.config import ControlConfig
from simloop_ros.control.control_simulation import ControlSimulation
from simloop_ros.core.errors import DivergenceError
from simloop_ros.core.values import Array
from simloop_ros.plants.encoder import Encoder
from simloop_ros.plants.friction import JointFriction
from simloop_ros.plants.pinocchio_plant import PinocchioPlant
from simloop_ros.plants.plant import Plant
from simloop_ros.plants.spring_contact import Spring, SpringContact, point_jacobian
from simloop_ros.robot.chain import carried_link
from simloop_ros.robot.fit_robot import load_fit_robot
from simloop_ros.robot.model import RobotModel
from simloop_ros.scenario.loading import load_scenario
from simloop_ros.scenario.robot_files import robot_config

from .collision_robot import ENCODER, FRICTION, StudyLoop
from .collision_trials import SLIDING, Trial, TrialMaker

KIND = 'disturbance_observer'
PERIOD = 1.0 / 500.0
MASS_ERROR = 0.1
"""Part by which every link is heavier than its model."""
ALARMS_PER_HOUR = 0.1
BEFORE, AFTER = 0.8, 0.12
"""Time from the start of a trial to the contact, and after it [s]."""
FOREIGN = {
    'panda': (
        'panda_description/urdf/panda.urdf',
        'tips=[panda_hand_tcp]',
        'lock=[panda_finger_joint1, panda_finger_joint2]',
        'home={panda_joint2: -0.5, panda_joint4: -2.2, panda_joint6: 1.8}',
    ),
    'ur5': (
        'ur_description/urdf/ur5_robot.urdf',
        'tips=[tool0]',
        'home={shoulder_lift_joint: -1.2, elbow_joint: 1.8, wrist_1_joint: -2.0, '
        'wrist_2_joint: -1.57}',
    ),
}
"""Robots of the PyPI package example-robot-data."""
ROBOTS = ('yumi', 'lwr', *FOREIGN)
TOUCH_FORCE = 5.0, 200.0
"""Range of the force of a touch at rest [N]."""
VIEWS = 400
"""Directions in which it is tested whether a point is inside another link."""


class Touch(msgspec.Struct, frozen=True):
    """A force on a point of a robot at rest.

    :ivar joint: index of the joint that carries the touched link, from 0.
    :ivar point: in the world [m].
    :ivar force: on the robot, in world axes [N].
    :ivar torque: that it makes in the joints [N m], shape ``(n,)``.
    """

    joint: int
    position: Array
    point: Array
    force: Array
    torque: Array


class Seen(msgspec.Struct, frozen=True):
    """One step of a collision.

    :ivar point: where the contact is, in the world [m].
    """

    observation: Observation
    force: float
    point: Array


class Collision(msgspec.Struct, frozen=True):
    """A collision, and what a monitor is told of it.

    :ivar joint: index of the joint that carries the hit link, from 0.
    :ivar direction: of the force on the robot, in world axes, shape ``(3,)``.
    :ivar first: index of the first step with a force.
    """

    joint: int
    depth: int
    direction: Array
    first: int
    steps: list[Seen]


@dataclass(frozen=True)
class ContactRobot:
    """A robot that is heavier than its model, with friction and real encoders.

    :ivar name: one of ``ROBOTS``.
    :ivar friction: multiple of the friction that it was calibrated with.
    """

    name: str
    friction: float = 1.0

    def build(
        self, model: RobotModel, rng: np.random.Generator, spring: Spring | None
    ) -> StudyLoop:
        """Return the control simulation and the robot with its encoders.

        :param rng: of the encoder noise.
        :param spring: what is in the way, if anything.
        """
        real = model.with_mass_bias(MASS_ERROR)
        dry = self.friction * FRICTION * model.effort_limit
        viscous = dry / model.velocity_limit

        def arm(step: float) -> Plant:
            return JointFriction(PinocchioPlant(real, step), real, step, dry, viscous)

        contact = SpringContact(arm, real, PERIOD, spring) if spring else None
        plant = Encoder(contact or arm(PERIOD), ENCODER, ENCODER, rng)
        config = ControlConfig().resolved(noisy=True)
        return StudyLoop(ControlSimulation(model, config, PERIOD), plant, contact)


@cache
def model_of(name: str) -> RobotModel:
    """Return the model that control has of a robot."""
    if name not in FOREIGN:
        return load_fit_robot(robot_config(name))
    path, *settings = FOREIGN[name]
    listed = files('example-robot-data') or []
    urdf = next(str(file.locate()) for file in listed if str(file).endswith(path))
    given = [f'robot.{setting}' for setting in (f'urdf={urdf}', *settings)]
    return load_fit_robot(load_scenario('step', [*given, 'planner.move=[[0, 0, 0.1]]']).robot)


class TouchableTrialMaker(TrialMaker):
    """Draws collisions at points that are in no other link, meshes taken as convex."""

    def __init__(self, model: RobotModel):
        super().__init__(model)
        self._views = sphere_directions(VIEWS)
        self._reach = {j: surface.reach(self._views) for j, surface in self._surfaces.items()}

    def touch(self, rng: np.random.Generator) -> Touch:
        """Return a touch: posture, link, point, direction within the cone of friction, size."""
        model = self._model
        low = np.where(model.endless, -np.pi, model.lower)
        high = np.where(model.endless, np.pi, model.upper)
        joint = self._joints[int(rng.integers(len(self._joints)))]
        size = np.exp(rng.uniform(*np.log(TOUCH_FORCE)))
        frame = model.frame(carried_link(model, joint))
        in_frame = model.pin_model.frames[frame].placement.inverse()
        while True:
            q = rng.uniform(low, high)
            seen = self._surfaces[joint].points(rng.random((1, 3)))
            tilt, slope = rng.normal(size=3), SLIDING * np.sqrt(rng.random())
            if not len(seen.points):
                continue
            jacobian, point = point_jacobian(
                model.pin_model, self._data, q, frame, in_frame.act(seen.points[0])
            )
            if not self._covered(joint, point):
                break
        normal = self._data.oMi[joint + 1].rotation @ seen.normals[0]
        tilt -= (tilt @ normal) * normal
        direction = normal + slope * tilt / np.linalg.norm(tilt)
        force = -size * direction / np.linalg.norm(direction)
        return Touch(joint, q, point, force, jacobian.T @ force)

    def _covered(self, joint: int, point: Array) -> bool:
        """Return whether a point in the world is inside another link."""
        for other, reach in self._reach.items():
            if other != joint:
                heights = self._views @ self._data.oMi[other + 1].actInv(point)
                if (heights <= reach - INSIDE_DEPTH).all(axis=1).any():
                    return True
        return False


@cache
def trial_maker(name: str) -> TouchableTrialMaker:
    """Return the maker of collisions of a robot."""
    return TouchableTrialMaker(model_of(name))


def calibrated_robot(name: str, duration: float, seed: int) -> Calibration:
    """Return the calibration of a robot from free motion of its own."""
    model = model_of(name)
    loop = ContactRobot(name).build(model, np.random.default_rng([seed, 1]), None)
    motion = random_motion(model, duration, np.random.default_rng([seed, 0]))
    return Calibrator(model, PERIOD, ALARMS_PER_HOUR).run(
        loop.control, loop.plant, motion, duration
    )


def collision(robot: ContactRobot, seed: int) -> Collision:
    """Return the collision of a seed."""
    model = model_of(robot.name)
    trial = trial_maker(robot.name).draw(PERIOD, seed, AFTER, BEFORE)
    loop = robot.build(model, np.random.default_rng([seed, 2]), trial.spring)
    loop.plant.start(trial.start)
    loop.control.start(trial.start)
    steps = []
    try:
        for row in observe(loop.control, loop.plant, trial.positions, PERIOD):
            force = loop.contact.force if loop.contact else 0.0
            steps.append(Seen(row, force, _place(model, row, trial)))
    except DivergenceError:
        pass  # nobody reacts here: a robot that presses on may leave every reasonable range
    first = next((i for i, step in enumerate(steps) if step.force > 0.0), len(steps))
    return Collision(trial.joint, trial.depth, -trial.spring.direction, first, steps)


def _place(model: RobotModel, row: Observation, trial: Trial) -> Array:
    """Return where the hit point is in the world [m]."""
    spring = trial.spring
    data = _data(model)
    frame = model.frame(spring.link)
    return point_jacobian(model.pin_model, data, row.measured, frame, spring.point)[1]


@cache
def _data_of(name: str) -> pin.Data:
    return model_of(name).pin_model.createData()


def _data(model: RobotModel) -> pin.Data:
    return next(_data_of(name) for name in ROBOTS if model_of(name) is model)
