"""Torque sensors: what they measure on either side of the friction."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.core.values import JointState
from simloop_ros.plants.build import build_plant
from simloop_ros.plants.config import Friction, PlantConfig, TorqueSensors
from simloop_ros.robot.fit_robot import load_fit_robot
from simloop_ros.scenario.robot_files import robot_config

H = 1e-3


@pytest.mark.parametrize('side', ['link', 'motor'])
def test_only_the_motor_side_feels_the_friction(side) -> None:
    """The link side is the inverse dynamics of the true motion, the motor side the command."""
    model = load_fit_robot(robot_config('lwr'))
    config = PlantConfig(
        friction=Friction(coulomb=2.0, viscous=1.0), torque_sensors=TorqueSensors(side=side)
    )
    plant = build_plant(config, model, H, np.random.default_rng(0)).plant
    plant.start(JointState(model.home, np.full(model.n, 0.3)))
    effort = np.linspace(-20.0, 20.0, model.n)
    before = plant.truth
    plant.step(effort)
    a = (plant.truth.velocity - before.velocity) / H
    data = model.pin_model.createData()
    needed = pin.rnea(model.pin_model, data, before.position, before.velocity, a)
    expected = needed if side == 'link' else effort
    np.testing.assert_allclose(plant.report().torque, expected, atol=1e-8)


def test_noise_is_drawn_anew_from_the_start() -> None:
    model = load_fit_robot(robot_config('two_link'))
    config = PlantConfig(torque_sensors=TorqueSensors(noise=0.1))
    plant = build_plant(config, model, H, np.random.default_rng(0)).plant
    readings = []
    for _ in range(2):
        plant.start(JointState(model.home, np.zeros(model.n)))
        plant.step(np.zeros(model.n))
        readings.append(plant.report().torque)
    assert np.abs(readings[0]).max() > 0.0
    np.testing.assert_array_equal(readings[0], readings[1])
