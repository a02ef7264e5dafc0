"""The torque error of flexible joints after a jump of the desired torque, against 001 (3)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pinocchio as pin

from simloop_ros.core.values import Array, Disturbance
from simloop_ros.plants.config import TorqueControl
from simloop_ros.plants.flexible_plant import FlexiblePlant, known_motors
from simloop_ros.plants.motor_driven_plant import (
    ELASTIC_PHASE,
    MotorDrivenPlant,
    elastic_frequency,
)
from simloop_ros.plants.torque_driven_plant import TorqueDrivenPlant
from simloop_ros.plants.torque_stage import TorqueStage
from simloop_ros.robot.model import RobotModel

JUMP = np.array([10.0, 10.0, 5.0, 5.0, 2.0, 1.0, 0.5])
"""By which the desired torque of the LWR jumps [N m]."""
PUSH = np.array([20.0, -15.0, 30.0])
"""Force on the flange meanwhile, in world axes [N]."""
TIME, STEP = 0.02, 1e-4
"""Time that is watched, and between two points [s]."""


def torque_error_shares(model: RobotModel) -> dict[str, float]:
    """Return how far each plant with flexible joints is from 001 (3), as a share of the jump."""
    config = TorqueControl()
    stage = TorqueStage(known_motors(model), config)
    short = ELASTIC_PHASE / elastic_frequency(model, model.home)
    found = {
        'closed_form': torque_errors(model, lambda h: TorqueDrivenPlant(model, h, stage, 1), STEP),
        'motors_simulated': torque_errors(
            model, lambda h: MotorDrivenPlant(model, h, stage, substeps=1), short
        ),
    }
    return {
        name: float(np.abs(errors / -JUMP - of_3(config, times)[:, None]).max())
        for name, (errors, times) in found.items()
    }


def torque_errors(
    model: RobotModel, build: Callable[[float], FlexiblePlant], step: float
) -> tuple[Array, Array]:
    """Return the torque errors [N m], shape ``(times, n)``, and the times [s], from 0 on."""
    plant, data = build(step), model.pin_model.createData()
    desired = plant.snapshot().torque + JUMP
    errors: list[Array] = [-JUMP]
    for _ in range(round(TIME / step)):
        jacobian = pin.computeFrameJacobian(
            model.pin_model,
            data,
            plant.truth.position,
            model.tip_frames[0],
            pin.ReferenceFrame.LOCAL_WORLD_ALIGNED,
        )
        plant.step(desired, Disturbance(jacobian[:3].T @ PUSH))
        errors.append(plant.snapshot().torque - desired)
    return np.array(errors), step * np.arange(float(len(errors)))


def of_3(config: TorqueControl, times: Array) -> Array:
    """Return the solution of 001 (3) that starts at 1, at rest, by its poles."""
    omega, ratio = config.natural_frequency, config.damping_ratio
    first, second = np.roots([1.0, 2.0 * ratio * omega, omega**2])
    parts = second * np.exp(first * times) - first * np.exp(second * times)
    return np.real(parts / (second - first))
