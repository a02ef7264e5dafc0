"""A motion from its configurations: which decorators a planner has, and in which order."""

from __future__ import annotations

import numpy as np
import pytest

from simloop_ros.assembly.motion import Motion, MotionSettings, build_motion
from simloop_ros.collision.config import MonitorConfig
from simloop_ros.core.values import NO_INPUTS, Array, ExternalInputs, JointState
from simloop_ros.guiding.config import AdmittanceConfig
from simloop_ros.planning.config import HoldConfig
from simloop_ros.robot.model import RobotModel

H = 0.01
PUSH = ExternalInputs(torque=np.array([20.0]))


def motion_of(robot: RobotModel, monitor: MonitorConfig, source: str = 'none') -> Motion:
    admittance = AdmittanceConfig(source=source)
    settings = MotionSettings(
        period=H, planner=HoldConfig(), monitor=monitor, admittance=admittance
    )
    return build_motion(settings, robot, robot.home)


def step(motion: Motion, control: JointState, inputs: ExternalInputs, steps: int = 1) -> Array:
    """Take steps of a robot that follows, and return the last setpoint [rad], shape ``(n,)``."""
    for _ in range(steps):
        setpoint = motion.planner.step(control, inputs)
        control = JointState(setpoint.position, np.zeros_like(setpoint.position))
    return setpoint.position


def test_a_robot_that_was_stopped_by_a_contact_still_gives_way(sphere: RobotModel) -> None:
    """Guidance is around the reaction, not inside it."""
    motion = motion_of(sphere, MonitorConfig(reaction='hold'), 'truth')
    still = JointState(sphere.home, np.zeros(1))
    step(motion, still, ExternalInputs(contact=True, kind='impact'))
    assert motion.reactive is not None
    assert motion.reactive.active == 'hold'
    assert step(motion, still, PUSH, 20) > sphere.home + 1e-3
    assert motion.reactive.active == 'hold'


@pytest.mark.parametrize('after', [0.1, 0.2])
def test_it_resumes_after_seconds_of_rest(sphere: RobotModel, after: float) -> None:
    motion = motion_of(sphere, MonitorConfig(reaction='hold', resume_after=after))
    still = JointState(sphere.home, np.zeros(1))
    step(motion, still, ExternalInputs(contact=True, kind='impact'))
    assert motion.reactive is not None
    step(motion, still, NO_INPUTS, round(after / H))
    assert motion.reactive.activity == 'resting'
    step(motion, still, NO_INPUTS)
    assert motion.reactive.activity == 'moving'


def test_without_monitor_and_guidance_it_is_the_planner_itself(sphere: RobotModel) -> None:
    motion = motion_of(sphere, MonitorConfig())
    assert motion.planner is motion.base
    assert (motion.reactive, motion.guided) == (None, None)
