"""A robot in a closed loop with a reaction."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np
import pytest

from simloop_ros.control.config import ControlConfig
from simloop_ros.control.control_simulation import ControlSimulation
from simloop_ros.core.values import (
    Array,
    Command,
    Disturbance,
    ExternalInputs,
    JointState,
    Setpoint,
)
from simloop_ros.planning.build import PlannedMotion, build_planner
from simloop_ros.planning.config import OfflineConfig, OnlineConfig
from simloop_ros.plants.pinocchio_plant import PinocchioPlant
from simloop_ros.plants.plant import Plant
from simloop_ros.reaction.config import ReactionConfig
from simloop_ros.reaction.reacting import Reacting
from simloop_ros.robot.model import RobotModel

H = 0.001
MOVE = {
    'yumi': ((0.0, 0.2, 0.0), (0.0, -0.2, 0.0)),
    'two_link': ((-0.4, 0.0, 0.4),),
    'sphere': ((0.0, 0.0, 0.4),),
}
FAST = {'acceleration': 4.0, 'max_velocity': 0.5}


@dataclass
class Rig:
    """The loop: setpoints, commands and positions, step by step."""

    reacting: Reacting
    control: ControlSimulation
    plant: Plant
    motion: PlannedMotion
    push: Array | float = 0.0
    setpoints: list[Setpoint] = field(default_factory=list)
    commands: list[Command] = field(default_factory=list)
    driven: list[Array] = field(default_factory=list)

    def step(self, contact: bool = False) -> Setpoint:
        inputs = ExternalInputs(contact, torque=self.plant.report().external)
        setpoint = self.reacting.step(self.control.state, inputs)
        command = self.control.step(setpoint)
        push = np.zeros(self.control.model.n) + self.push
        self.plant.step(command.effort, Disturbance(push))
        self.control.rollback(command, self.plant.observe())
        self.setpoints.append(setpoint)
        self.commands.append(command)
        self.driven.append(self.plant.observe())
        return setpoint

    def run(self, steps: int, contact: bool = False) -> None:
        for _ in range(steps):
            self.step(contact)

    def until(self, state: str, most: int = 3000, contact: bool = False) -> int:
        """Step until a state is reached; return the number of steps."""
        for k in range(most):
            if self.reacting.activity == state:
                return k
            self.step(contact)
        raise AssertionError(f'still {self.reacting.activity} after {most} steps')

    @property
    def positions(self) -> Array:
        return np.array([setpoint.position for setpoint in self.setpoints])

    @property
    def velocities(self) -> Array:
        return np.array([setpoint.velocity for setpoint in self.setpoints])


@pytest.fixture(scope='session')
def rig(shipped: Callable[[str], RobotModel]) -> Callable[..., Rig]:
    """Return the maker of a robot on its way from home; each motion is planned once."""

    @cache
    def plan(name: str, config: OnlineConfig | OfflineConfig, compliance: float) -> PlannedMotion:
        robot = shipped(name)
        start = JointState(robot.home, np.zeros(robot.n))
        return build_planner(config, robot, H, start, compliance=compliance)

    def make(
        robot: RobotModel,
        kind: str,
        planner: str = 'offline',
        law: str = 'deadbeat',
        bias: float = 0.0,
        **config: float,
    ) -> Rig:
        start = JointState(robot.home, np.zeros(robot.n))
        control = ControlConfig(law=law)
        motion_config = (OnlineConfig if planner == 'online' else OfflineConfig)(
            move=MOVE[robot.name], **FAST
        )
        compliance = control.compliance(H)
        assert robot is shipped(robot.name)
        motion = plan(robot.name, motion_config, compliance)
        motion = replace(motion, planner=copy(motion.planner))

        def replan(q: Array):
            still = JointState(q, np.zeros(robot.n))
            return build_planner(
                motion_config, robot, H, still, compliance=compliance, goals=motion.goals
            ).planner

        plant = PinocchioPlant(robot.with_mass_bias(bias), H)
        plant.start(start)
        reacting = Reacting(
            motion.planner,
            robot,
            H,
            kind,
            config=ReactionConfig(**config),
            compliance=compliance,
            replan=replan,
        )
        return Rig(reacting, ControlSimulation(robot, control, H), plant, motion)

    return make
