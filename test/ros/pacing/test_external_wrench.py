"""A wrench on a link: power is force times velocity, it ends by itself, it has limits."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.core.errors import MessageError
from simloop_ros.core.resources import resource_folder
from simloop_ros.robot.loading import load_robot
from simloop_ros.robot.model import RobotModel
from simloop_ros.ros.pacing.braked_plant import HOLD_TIME, WRENCH_LIMIT, ExternalWrench
from simloop_ros.scenario.robot_files import robot_config

PERIOD = 0.01
WRENCH = np.array([1.0, -2.0, 3.0, 0.1, 0.2, -0.3])


@pytest.fixture(scope='module')
def model() -> RobotModel:
    return load_robot(robot_config('two_link'), resource_folder('urdf'))


@pytest.fixture
def pushed(model: RobotModel) -> ExternalWrench:
    return ExternalWrench(model, PERIOD)


@pytest.mark.parametrize('link', ['link1', 'link2', 'tip'])
def test_power_at_the_joints_is_power_at_the_link(
    model: RobotModel, pushed: ExternalWrench, link: str
) -> None:
    """``tau . v = f . v_link + m . w_link``, all in the axes of the link."""
    rng = np.random.default_rng(1)
    data = model.pin_model.createData()
    for _ in range(20):
        q, v = rng.normal(size=(2, model.n))
        pushed.apply(link, WRENCH)
        torque = pushed.torque(q)
        assert torque is not None
        pin.forwardKinematics(model.pin_model, data, q, v)
        twist = pin.getFrameVelocity(model.pin_model, data, model.frame(link), pin.LOCAL).vector
        assert torque @ v == pytest.approx(WRENCH @ twist, abs=1e-12)


def test_it_ends_after_a_while(model: RobotModel, pushed: ExternalWrench) -> None:
    steps = round(HOLD_TIME / PERIOD)
    assert pushed.torque(model.home) is None
    pushed.apply('tip', WRENCH)
    assert [pushed.torque(model.home) is not None for _ in range(steps + 2)] == [
        *[True] * steps,
        False,
        False,
    ]
    assert pushed.acting == {}


def test_a_new_message_prolongs_it(model: RobotModel, pushed: ExternalWrench) -> None:
    for _ in range(5 * round(HOLD_TIME / PERIOD)):
        pushed.apply('tip', WRENCH)
        assert pushed.torque(model.home) is not None
    assert list(pushed.acting) == ['tip']


@pytest.mark.parametrize('place', range(6))
@pytest.mark.parametrize('bad', [np.nan, np.inf, -np.inf, 1.001 * WRENCH_LIMIT, -1e300])
def test_a_wrench_beyond_the_limit_is_refused(
    model: RobotModel, pushed: ExternalWrench, place: int, bad: float
) -> None:
    wrench = WRENCH.copy()
    wrench[place] = bad
    with pytest.raises(MessageError):
        pushed.apply('tip', wrench)
    assert pushed.torque(model.home) is None


@pytest.mark.parametrize('link', ['', 'tool', 'joint1', 'universe'])
def test_what_is_no_link_cannot_be_pushed(
    model: RobotModel, pushed: ExternalWrench, link: str
) -> None:
    with pytest.raises(MessageError, match='unknown'):
        pushed.apply(link, WRENCH)
    assert pushed.torque(model.home) is None


def test_two_links_are_pushed_at_once(model: RobotModel, pushed: ExternalWrench) -> None:
    q = np.full(model.n, 0.3)
    alone = []
    for link in ('link1', 'tip'):
        one = ExternalWrench(model, PERIOD)
        one.apply(link, WRENCH)
        alone.append(one.torque(q))
        pushed.apply(link, WRENCH)
    assert pushed.torque(q) == pytest.approx(alone[0] + alone[1], abs=1e-12)
