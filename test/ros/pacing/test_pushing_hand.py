"""The hand: power is force times velocity, it lets go by itself, and it is no magic."""

from __future__ import annotations

from geometry_msgs.msg import WrenchStamped
import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.core.errors import MessageError
from simloop_ros.core.resources import resource_folder
from simloop_ros.robot.model import RobotModel, load_robot
from simloop_ros.ros.pacing.pushing_hand import HOLD_TIME, LARGEST, Hand
from simloop_ros.scenario.scenario import robot_config

PERIOD = 0.01
WRENCH = (1.0, -2.0, 3.0, 0.1, 0.2, -0.3)


@pytest.fixture(scope='module')
def model() -> RobotModel:
    return load_robot(robot_config('two_link'), resource_folder('urdf'))


@pytest.fixture
def hand(model: RobotModel) -> Hand:
    return Hand(model, PERIOD)


def push(link: str, wrench: tuple[float, ...] = WRENCH) -> WrenchStamped:
    message = WrenchStamped()
    message.header.frame_id = link
    force, torque = message.wrench.force, message.wrench.torque
    force.x, force.y, force.z, torque.x, torque.y, torque.z = wrench
    return message


@pytest.mark.parametrize('link', ['link1', 'link2', 'tip'])
def test_power_at_the_joints_is_power_at_the_link(
    model: RobotModel, hand: Hand, link: str
) -> None:
    """``tau . v = f . v_link + m . w_link``, all in the axes of the link."""
    rng = np.random.default_rng(1)
    data = model.pin_model.createData()
    for _ in range(20):
        q, v = rng.normal(size=(2, model.n))
        hand.take(push(link))
        torque = hand.torque(q)
        assert torque is not None
        pin.forwardKinematics(model.pin_model, data, q, v)
        twist = pin.getFrameVelocity(model.pin_model, data, model.frame(link), pin.LOCAL).vector
        assert torque @ v == pytest.approx(np.array(WRENCH) @ twist, abs=1e-12)


def test_it_lets_go_after_a_while(model: RobotModel, hand: Hand) -> None:
    steps = round(HOLD_TIME / PERIOD)
    assert hand.torque(model.home) is None
    hand.take(push('tip'))
    assert [hand.torque(model.home) is not None for _ in range(steps + 2)] == [
        *[True] * steps,
        False,
        False,
    ]
    assert hand.link == ''


def test_a_new_message_holds_on(model: RobotModel, hand: Hand) -> None:
    for _ in range(5 * round(HOLD_TIME / PERIOD)):
        hand.take(push('tip'))
        assert hand.torque(model.home) is not None
    assert hand.link == 'tip'


@pytest.mark.parametrize('place', range(6))
@pytest.mark.parametrize('bad', [np.nan, np.inf, -np.inf, 1.001 * LARGEST, -1e300])
def test_a_wrench_that_no_hand_has_is_refused(
    model: RobotModel, hand: Hand, place: int, bad: float
) -> None:
    wrench = list(WRENCH)
    wrench[place] = bad
    with pytest.raises(MessageError):
        hand.take(push('tip', tuple(wrench)))
    assert hand.torque(model.home) is None


@pytest.mark.parametrize('link', ['', 'tool', 'joint1', 'universe'])
def test_what_is_no_link_cannot_be_pushed(model: RobotModel, hand: Hand, link: str) -> None:
    with pytest.raises(MessageError, match='unknown'):
        hand.take(push(link))
    assert hand.torque(model.home) is None
