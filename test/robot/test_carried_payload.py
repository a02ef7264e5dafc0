"""What a robot carries: the models follow it, at its time and without a jump."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.core.errors import ConfigError, UnknownNameError
from simloop_ros.core.values import NANO
from simloop_ros.robot.carried_payload import (
    BLEND_TIME,
    CarriedPayload,
    later_payloads,
    without_later_payloads,
)
from simloop_ros.robot.config import Payload, RobotConfig
from simloop_ros.robot.fit_robot import load_fit_robot
from simloop_ros.robot.model import RobotModel
from simloop_ros.robot.payload import PAYLOAD, with_payload
from simloop_ros.scenario.robot_files import robot_config

BODY = Payload(
    mass=0.8, centre=(0.03, -0.02, 0.1), inertia=(0.004, 0.001, 0.0, 0.005, -0.001, 0.003)
)
SECOND = NANO


@pytest.fixture
def lwr(shipped) -> RobotModel:
    return shipped('lwr').copy()


def torques(model: pin.Model) -> np.ndarray:
    """Return the torques of some motions: they tell two models apart."""
    rng, data = np.random.default_rng(1), model.createData()
    rows = rng.uniform(-1.0, 1.0, (5, 3, model.nv))
    return np.array([pin.rnea(model, data, *row) for row in rows])


def test_once_taken_over_it_is_a_link_of_the_robot(lwr: RobotModel) -> None:
    before = torques(lwr.pin_model)
    other = pin.Model(lwr.pin_model)
    carried = CarriedPayload(lwr, [replace_at(BODY, 1.0)])
    carried.include(other, lwr.pin_model)
    carried.at(SECOND)
    np.testing.assert_array_equal(torques(lwr.pin_model), before)
    carried.at(round((1.0 + BLEND_TIME) * SECOND))
    expected = torques(with_payload(lwr_again(before), BODY).pin_model)
    np.testing.assert_allclose(torques(lwr.pin_model), expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(torques(other), expected, rtol=0, atol=1e-12)
    assert np.abs(expected - before).max() > 1.0


def replace_at(payload: Payload, at: float) -> Payload:
    return Payload(mass=payload.mass, centre=payload.centre, inertia=payload.inertia, at=at)


def lwr_again(before: np.ndarray) -> RobotModel:
    bare = load_fit_robot(robot_config('lwr'))
    np.testing.assert_array_equal(torques(bare.pin_model), before)
    return bare


def test_it_blends_in_and_out_without_a_jump(lwr: RobotModel) -> None:
    """A payload is replaced while it is still being taken over, and then put down."""
    before, carried = torques(lwr.pin_model), CarriedPayload(lwr)
    carried.tell(SECOND // 10, BODY)
    carried.tell(SECOND // 5, Payload(mass=2.0))
    carried.tell(6 * SECOND // 10, Payload(mass=0.0))
    rows = []
    for time in range(0, SECOND, SECOND // 1000):
        carried.at(time)
        rows.append(torques(lwr.pin_model))
    steps, way = np.abs(np.diff(rows, axis=0)).max(), np.ptp(rows, axis=0).max()
    assert steps < 2.0 * way * 1e-3 / BLEND_TIME  # the steepest place of the blending has 1.5
    np.testing.assert_array_equal(rows[-1], before)


def test_what_is_there_from_the_beginning_is_replaced(lwr: RobotModel) -> None:
    config = robot_config('lwr')
    first, later = Payload(mass=1.5), Payload(mass=0.0, at=1.0)
    loaded = load_fit_robot(with_payloads(config, first, later))
    assert PAYLOAD in loaded.links
    assert loaded.total_mass == pytest.approx(lwr.total_mass + 1.5)
    assert later_payloads(loaded) == (later,)
    assert later_payloads(without_later_payloads(loaded)) == ()
    CarriedPayload(loaded, later_payloads(loaded)).at(2 * SECOND)
    np.testing.assert_allclose(
        torques(loaded.pin_model), torques(lwr.pin_model), rtol=0, atol=1e-12
    )


def with_payloads(config: RobotConfig, *payloads: Payload) -> RobotConfig:
    return msgspec.structs.replace(config, payloads=payloads)


def test_going_back_brings_the_models_back(lwr: RobotModel) -> None:
    carried = CarriedPayload(lwr, [replace_at(BODY, 0.5)])
    carried.at(round(0.6 * SECOND))
    snapshot, there = carried.snapshot(), torques(lwr.pin_model)
    carried.tell(SECOND, Payload(mass=0.0))
    carried.at(2 * SECOND)
    carried.restore(snapshot)
    np.testing.assert_array_equal(torques(lwr.pin_model), there)
    carried.at(2 * SECOND)  # the later one was not known then
    assert np.abs(torques(lwr.pin_model) - there).max() > 1e-3


def test_going_back_to_before_anything_was_told_brings_the_bare_robot_back(
    lwr: RobotModel,
) -> None:
    robot = lwr.copy()
    joint = robot.n
    bare = robot.pin_model.inertias[joint].mass
    carried = CarriedPayload(robot)
    nothing = carried.snapshot()
    carried.tell(NANO, Payload(mass=1.0))
    carried.at(3 * NANO)
    assert robot.pin_model.inertias[joint].mass == pytest.approx(bare + 1.0)
    carried.restore(nothing)
    assert robot.pin_model.inertias[joint].mass == bare


@pytest.mark.parametrize(
    ('payload', 'error', 'text'),
    [
        (Payload(mass=100.0), ConfigError, r'100 kg at flange: lwr_\w+ would need .* N m'),
        (Payload(mass=1.0, centre=(0.0, 1e150, 0.0)), ConfigError, 'centre is'),
        (Payload(mass=1.0, inertia=(1e300, 0.0, 0.0, 1e300, 0.0, 0.0)), ConfigError, 'at most'),
        (Payload(mass=1.0, inertia=(1.0, 0.0, 0.0, 0.1, 0.0, 0.1)), ConfigError, 'no body has'),
        (Payload(mass=1.0, inertia=(0.1, 0.2, 0.0, 0.1, 0.0, 0.1)), ConfigError, 'no body has'),
        (Payload(mass=1.0, tip='flang'), UnknownNameError, 'did you mean flange'),
    ],
)
def test_what_the_robot_cannot_bear_is_refused(lwr, payload, error, text) -> None:
    carried = CarriedPayload(lwr)
    with pytest.raises(error, match=text):
        carried.tell(SECOND, payload)
    assert not carried.carries


def test_a_robot_without_tips_needs_a_name(lwr: RobotModel) -> None:
    with pytest.raises(ConfigError, match='no tip'):
        CarriedPayload(replace(lwr, tips=())).tell(0, BODY)
