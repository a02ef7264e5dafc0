"""The robot of the collision study: heavier than its model, with friction and real encoders."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pinocchio as pin

from simloop_ros.control.config import ControlConfig
from simloop_ros.control.control_simulation import ControlSimulation
from simloop_ros.plants.encoder import Encoder
from simloop_ros.plants.friction import JointFriction
from simloop_ros.plants.pinocchio_plant import PinocchioPlant
from simloop_ros.plants.plant import Plant
from simloop_ros.plants.spring_contact import Spring, SpringContact
from simloop_ros.robot.fit_robot import load_fit_robot
from simloop_ros.robot.model import RobotModel
from simloop_ros.scenario.robot_files import robot_config

ENCODER = 1e-5
"""Noise (standard deviation) and resolution of the encoders [rad]."""
FRICTION = 0.02
"""Dry friction as a part of the effort limit; viscous friction adds as much at full speed."""


@dataclass(frozen=True)
class StudyRobot:
    """YuMi as control believes it to be, and as it is.

    :ivar period: of the loop [s].
    :ivar mass_error: by which part every link is heavier than its model.
    :ivar payload: mass at every tip that the model does not know [kg].
    """

    period: float
    mass_error: float = 0.1
    payload: float = 0.0

    @property
    def model(self) -> RobotModel:
        """Return the robot that control believes in."""
        return load_fit_robot(robot_config('yumi'))

    def build(
        self, model: RobotModel, rng: np.random.Generator, spring: Spring | None
    ) -> StudyLoop:
        """Return the control simulation and the robot with its encoders.

        :param rng: of the encoder noise.
        :param spring: what is in the way, if anything.
        """
        real = loaded(model.with_mass_bias(self.mass_error), self.payload)
        dry = FRICTION * model.effort_limit
        viscous = FRICTION * model.effort_limit / model.velocity_limit

        def arm(step: float) -> Plant:
            return JointFriction(PinocchioPlant(real, step), real, step, dry, viscous)

        contact = SpringContact(arm, real, self.period, spring) if spring else None
        plant = Encoder(contact or arm(self.period), ENCODER, ENCODER, rng)
        config = ControlConfig().resolved(noisy=True)
        return StudyLoop(ControlSimulation(model, config, self.period), plant, contact)


@dataclass(frozen=True)
class StudyLoop:
    """The blocks of one run; ``contact`` tells the true force."""

    control: ControlSimulation
    plant: Plant
    contact: SpringContact | None


def loaded(model: RobotModel, payload: float) -> RobotModel:
    """Return the robot with a point mass [kg] at every tip."""
    pin_model = model.pin_model.copy()
    for frame in model.tip_frames if payload else ():
        body = pin_model.frames[frame]
        pin_model.appendBodyToJoint(
            body.parentJoint, pin.Inertia(payload, np.zeros(3), np.zeros((3, 3))), body.placement
        )
    return replace(model, pin_model=pin_model)
