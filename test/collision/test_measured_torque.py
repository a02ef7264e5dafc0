"""Measured efforts of either meaning are the torque of the joints."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.collision.config import MonitorConfig
from simloop_ros.collision.measured_torque import MeasuredTorque, measured_torque
from simloop_ros.collision.observation import Observation
from simloop_ros.core.errors import ConfigError
from simloop_ros.core.values import JointState
from simloop_ros.robot.carried_payload import CarriedPayload
from simloop_ros.robot.config import Payload


def seen_by(model):
    zero = np.zeros(model.n)
    return Observation(0.0, zero, zero, model.home, JointState(model.home, zero), zero)


def test_every_meaning_gives_the_same_torque(shipped) -> None:
    model = shipped('lwr')
    data = model.pin_model.createData()
    torque = np.linspace(-5.0, 5.0, model.n)
    gravity = pin.rnea(model.pin_model, data, model.home, np.zeros(model.n), np.zeros(model.n))
    gains = {name: 1.0 + i for i, name in enumerate(model.joint_names)}
    for config, effort in (
        (MonitorConfig(signal='measured'), torque),
        (MonitorConfig(signal='measured', effort='torque_without_gravity'), torque - gravity),
        (
            MonitorConfig(signal='measured', effort='current', drive_gains=gains),
            torque / (1.0 + np.arange(model.n)),
        ),
    ):
        explained = MeasuredTorque(model, config).explain(seen_by(model), effort)
        np.testing.assert_allclose(explained.effort, torque, atol=1e-9)


def test_a_robot_leaves_out_the_gravity_that_it_knew_at_the_beginning(shipped) -> None:
    """What is picked up later nobody has told it of."""
    model = shipped('lwr').copy()
    config = MonitorConfig(signal='measured', effort='torque_without_gravity')
    measured, effort = MeasuredTorque(model, config), np.zeros(model.n)
    before = measured.explain(seen_by(model), effort).effort.copy()
    CarriedPayload(model, [Payload(mass=1.0, at=1e-9)]).at(10**9)
    np.testing.assert_array_equal(measured.explain(seen_by(model), effort).effort, before)


def test_commands_stay_what_they_are(shipped) -> None:
    assert measured_torque(MonitorConfig(), shipped('lwr')) is None


@pytest.mark.parametrize(
    ('config', 'words'),
    [
        (MonitorConfig(effort='current'), 'none of lwr_a1_joint'),
        (MonitorConfig(drive_gains={'lwr_a1_joint': 2.0}), 'they are for currents'),
    ],
)
def test_drive_gains_are_of_currents(shipped, config, words) -> None:
    with pytest.raises(ConfigError, match=words):
        MeasuredTorque(shipped('lwr'), config)
