"""A load is kept, a hand is not: by the efforts that hold a robot at rest."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.core.values import Array
from simloop_ros.robot.config import Payload
from simloop_ros.robot.model import RobotModel
from simloop_ros.robot.payload import with_payload
from simloop_ros.robot.weight import weight_efforts
from simloop_ros.safety.borne_load import BLOCK, SETTLING, BorneLoad

H = 0.005  # s
SECOND = round((SETTLING + 2 * BLOCK) / H)


def weight(
    model: RobotModel, mass: float, centre: tuple[float, float, float] = (0, 0, 0)
) -> Array:
    """Return what a payload asks for beyond the model, at home [N m]."""
    loaded = with_payload(model, Payload(mass=mass, centre=centre))
    return weight_efforts(loaded, model.home) - weight_efforts(model, model.home)


def held(model: RobotModel, link: str, force: tuple[float, float, float]) -> Array:
    """Return the efforts that hold a robot at home against a force at a link [N m]."""
    pin_model = model.pin_model
    jacobian = pin.computeFrameJacobian(
        pin_model,
        pin_model.createData(),
        model.home,
        model.frame(link),
        pin.ReferenceFrame.LOCAL_WORLD_ALIGNED,
    )
    efforts: Array = -jacobian[:3].T @ np.array(force)
    return efforts


def rested(model: RobotModel, *loads: Array, keeps: bool = True) -> BorneLoad:
    """Return what was told of each load for a second at rest."""
    borne = BorneLoad(model, H, keeps=keeps)
    for load in loads:
        for _ in range(SECOND):
            borne.note(load, still=True)
    return borne


@pytest.mark.parametrize('centre', [(0.0, 0.0, 0.0), (0.03, 0.0, 0.05)])
def test_a_load_is_kept(lwr: RobotModel, centre: tuple[float, float, float]) -> None:
    load = weight(lwr, 2.0, centre)
    beside = 0.25 if any(centre) else 1e-6  # the weight of a mass at the tip itself is kept
    error = np.abs(rested(lwr, load).kept(lwr.home) - load).max()
    assert error < beside * np.abs(load).max()


def test_links_that_are_heavier_than_their_model_are_borne(lwr: RobotModel) -> None:
    load = 0.1 * weight_efforts(lwr, lwr.home)
    np.testing.assert_allclose(rested(lwr, load).kept(lwr.home), load, atol=1e-6)


@pytest.mark.parametrize('force', [(0, 30, 0), (30, 0, 0), (0, 0, 30), (20, 20, -10)])
@pytest.mark.parametrize('link', [0, -1])
def test_a_push_is_not_kept(lwr: RobotModel, link: int, force: tuple[float, float, float]) -> None:
    where = lwr.tips[0] if link else lwr.links[4]
    assert not rested(lwr, held(lwr, where, force)).kept(lwr.home).any()


def test_what_comes_or_goes_at_rest_is_a_hand(lwr: RobotModel) -> None:
    """Also if it leans straight down, as a load would."""
    nothing, load = np.zeros(lwr.n), weight(lwr, 2.0)
    assert not rested(lwr, nothing, load).kept(lwr.home).any()
    assert not rested(lwr, load, nothing, load).kept(lwr.home).any()
    borne = rested(lwr, nothing, load)
    borne.note(load, still=False)  # it gives way a little
    for _ in range(SECOND):
        borne.note(load, still=True)
    assert not borne.kept(lwr.home).any()
    borne.reset()
    for _ in range(SECOND):
        borne.note(load, still=True)
    assert borne.kept(lwr.home).any()


def test_what_the_monitor_calls_a_contact_is_not_kept(lwr: RobotModel) -> None:
    borne, load = BorneLoad(lwr, H, keeps=True), weight(lwr, 2.0)
    for step in range(SECOND):
        borne.contact = step == 3
        borne.note(load, still=True)
    assert not borne.kept(lwr.home).any()


def test_a_second_of_rest_is_needed(lwr: RobotModel) -> None:
    borne, load = BorneLoad(lwr, H, keeps=True), weight(lwr, 2.0)
    for _ in range(SECOND - 1):
        borne.note(load, still=True)
        assert not borne.known(load)
        assert borne.known(1e-3 * load)  # nothing to wait for
        assert not borne.kept(lwr.home).any()
    borne.note(load, still=True)
    assert borne.known(load)
    assert borne.kept(lwr.home).any()


def test_a_guided_robot_keeps_nothing(lwr: RobotModel) -> None:
    load = weight(lwr, 2.0)
    borne = rested(lwr, load, keeps=False)
    assert not borne.kept(lwr.home).any()
    assert borne.known(load)


def test_numbers_that_are_not_finite_are_not_borne(lwr: RobotModel) -> None:
    borne = rested(lwr, weight(lwr, 2.0))
    assert not borne.kept(np.full(lwr.n, np.nan)).any()
    borne.note(np.full(lwr.n, np.nan), still=True)
    assert not borne.kept(lwr.home).any()
