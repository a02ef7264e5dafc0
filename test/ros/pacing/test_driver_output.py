"""What the driver of a real robot gets: efforts with or without gravity, or positions."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.core.errors import UnsafeCommandError
from simloop_ros.robot.model import RobotModel
from simloop_ros.ros.pacing.driver_output import DriverConfig, DriverOutput
from simloop_ros.safety.config import SafetyConfig

POSITION, DESIRED, EFFORT = (np.array(x) for x in ([0.3, -0.2], [0.31, -0.19], [5.0, 1.0]))


def sent(model: RobotModel, effort: np.ndarray = EFFORT, **config: object) -> np.ndarray:
    out: list[np.ndarray] = []
    driver = DriverConfig(topic='commands', **config)  # type: ignore[arg-type]
    DriverOutput(model, 0.01, SafetyConfig(), driver, out.append).send(POSITION, DESIRED, effort)
    return out[0]


def test_what_is_sent(two_link: RobotModel) -> None:
    data = two_link.pin_model.createData()
    gravity = pin.computeGeneralizedGravity(two_link.pin_model, data, POSITION)
    np.testing.assert_array_equal(sent(two_link), EFFORT)
    np.testing.assert_array_equal(sent(two_link, output='position'), DESIRED)
    assert np.abs(gravity).max() > 1.0
    np.testing.assert_array_equal(sent(two_link, gravity_handled=True), EFFORT - gravity)


def test_without_gravity_an_effort_has_to_pass_the_gate_again(two_link: RobotModel) -> None:
    data = two_link.pin_model.createData()
    gravity = pin.computeGeneralizedGravity(two_link.pin_model, data, POSITION)
    limit = -np.sign(gravity) * two_link.effort_limit
    sent(two_link, limit)
    with pytest.raises(UnsafeCommandError):
        sent(two_link, limit, gravity_handled=True)
    sent(two_link, limit, output='position', gravity_handled=True)
