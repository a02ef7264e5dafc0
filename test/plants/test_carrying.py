"""A robot that picks something up moves as one that has it as a link, in every engine."""

from __future__ import annotations

import numpy as np
import pytest

from simloop_ros.core.errors import ConfigError
from simloop_ros.core.values import Disturbance, JointState
from simloop_ros.plants.build import build_plant
from simloop_ros.plants.config import Friction, PlantConfig
from simloop_ros.robot.config import Payload
from simloop_ros.robot.model import RobotModel
from simloop_ros.robot.payload import with_payload

PERIOD = 0.002
BODY = Payload(mass=0.8, centre=(0.03, -0.02, 0.1), inertia=(0.004, 0.0, 0.0, 0.005, 0.0, 0.003))
ENGINES = {'pinocchio': 1e-10, 'mujoco': 1e-7}  # how far the engines agree after 100 steps [rad]


@pytest.mark.parametrize('engine', ENGINES)
def test_it_moves_with_its_payload(shipped, engine: str) -> None:
    lwr: RobotModel = shipped('lwr')
    rng = np.random.default_rng(0)
    start = JointState(lwr.home, rng.uniform(-0.5, 0.5, lwr.n))
    friction = Friction(coulomb=0.5, viscous=0.5)
    config = PlantConfig(engine=engine, friction=friction)
    loaded = build_plant(config, with_payload(lwr, BODY), PERIOD, rng).plant
    picked = PlantConfig(engine=engine, friction=friction, payloads=(BODY,))
    carrying = build_plant(picked, lwr, PERIOD, rng).plant
    bare = build_plant(config, lwr, PERIOD, rng).plant
    plants = (loaded, carrying, bare)
    for plant in plants:
        plant.start(start)
    for _ in range(100):
        effort, pushed = rng.uniform(-5.0, 5.0, (2, lwr.n))
        for plant in plants:
            plant.step(effort, Disturbance(pushed))
    ends = [plant.truth.position for plant in plants]
    np.testing.assert_allclose(ends[1], ends[0], rtol=0, atol=ENGINES[engine])
    assert np.abs(ends[2] - ends[0]).max() > 1e-3
    np.testing.assert_array_equal(carrying.report().external, pushed)


def test_the_model_of_control_is_left_alone(shipped) -> None:
    """Only the robot carries it: what everybody else computes with has nothing of it."""
    lwr: RobotModel = shipped('lwr').copy()
    before = [body.mass for body in lwr.pin_model.inertias]
    rng = np.random.default_rng(0)
    plant = build_plant(PlantConfig(payloads=(BODY,)), lwr, PERIOD, rng).plant
    plant.step(np.zeros(lwr.n))
    assert [body.mass for body in lwr.pin_model.inertias] == before


def test_flexible_joints_carry_none(shipped) -> None:
    config = PlantConfig(flexible_joints=True, payloads=(BODY,))
    with pytest.raises(ConfigError, match=r'payloads: .*flexible_joints'):
        build_plant(config, shipped('lwr'), PERIOD, np.random.default_rng(0))
