"""A hand that feels late: it pulls like a spring, and does not swing."""

from __future__ import annotations

from collections import deque

import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.core.errors import UnknownNameError
from simloop_ros.core.values import Array, JointState
from simloop_ros.robot.model import RobotModel, wrench_torque
from simloop_ros.view.actions import Grip
from simloop_ros.view.graph.far_grips import FarGrips

H = 0.001  # [s]
FIRM = 1.0  # time after which a grip is firm and its target is at the cursor [s]
POINT = (0.05, 0.0, 0.02)


def grip(link: str, target: Array, *, stiffness: float = 100.0, limit: float = 1e3) -> Grip:
    return Grip(1, link, POINT, tuple(target.tolist()), stiffness, limit)


def held_at_rest(
    model: RobotModel, link: str, offset: Array, delay: float, **more: float
) -> Array:
    """Return the wrench on a robot that does not move, in world axes at the point of the grip."""
    hands, q = FarGrips(model), model.home
    pose = model.frame_poses(q, [link])[0]
    point = pose.act(np.array(POINT))
    hands.take(grip(link, point + offset, **more))
    for time in np.arange(0.0, FIRM, H):
        wrench = hands.wrenches(time, JointState(q, np.zeros(model.n)), delay)[link]
    (force,) = hands.acting
    assert force.point == pytest.approx(point)
    assert pose.rotation @ wrench[:3] == pytest.approx(force.vector)
    lever = np.cross(point - pose.translation, force.vector)
    assert pose.rotation @ wrench[3:] == pytest.approx(lever)
    return force.vector


def test_at_rest_it_is_a_spring_with_a_limit(lwr: RobotModel) -> None:
    offset = np.array([0.0, 0.1, 0.0])
    assert held_at_rest(lwr, 'lwr_4_link', offset, 0.001) == pytest.approx(100.0 * offset)
    limited = held_at_rest(lwr, 'lwr_4_link', offset, 0.001, limit=4.0)
    assert limited == pytest.approx([0.0, 4.0, 0.0])


@pytest.mark.parametrize('delay', [0.005, 0.02, 0.05])
@pytest.mark.parametrize('link', ['lwr_4_link', 'flange'])
def test_a_free_robot_comes_to_rest_however_late_it_is_felt(
    lwr: RobotModel, link: str, delay: float
) -> None:
    """Its motion fades within a second by itself; the hand is stiffer than such a one may be."""
    model, data, hands = lwr.pin_model, lwr.pin_model.createData(), FarGrips(lwr)
    q, v = lwr.home.copy(), np.zeros(lwr.n)
    begin = lwr.frame_poses(q, [link])[0].act(np.array(POINT))
    target = begin + np.array([0.0, 0.05, 0.02])
    hands.take(grip(link, target, stiffness=2000.0))
    late = deque([np.zeros(6)] * round(delay / H))
    energy = []
    for k in range(round(4.0 / H)):
        late.append(hands.wrenches(k * H, JointState(q, v), delay)[link])
        local = pin.ReferenceFrame.LOCAL
        torque = wrench_torque(model, data, q, model.getFrameId(link), late.popleft(), local)
        inertia = pin.crba(model, data, q)
        v = v + H * (np.linalg.solve(inertia, torque) - v)
        q = q + H * v
        energy.append(0.5 * v @ inertia @ v)
    end = lwr.frame_poses(q, [link])[0].act(np.array(POINT))
    assert max(energy[-200:]) < 0.2 * max(energy)
    assert np.linalg.norm(target - end) < np.linalg.norm(target - begin)


def test_two_hands_on_a_link_are_one_wrench_and_each_lets_go(lwr: RobotModel) -> None:
    hands, state = FarGrips(lwr), JointState(lwr.home, np.zeros(lwr.n))
    target = np.array([0.3, 0.3, 0.6])
    hands.take(grip('flange', target))
    hands.take(Grip(2, 'flange', (0.0, 0.0, 0.0), tuple(target.tolist()), 50.0, 10.0))
    for time in np.arange(0.0, FIRM, H):
        wrenches = hands.wrenches(time, state, 0.001)
    turn = lwr.frame_poses(lwr.home, ['flange'])[0].rotation
    total = sum(force.vector for force in hands.acting)
    assert turn @ wrenches['flange'][:3] == pytest.approx(total)
    hands.let_go(1)
    hands.let_go(2)
    assert not hands.any
    assert hands.acting == ()
    assert hands.wrenches(FIRM, state, 0.001) == {}


def test_what_is_no_link_cannot_be_held(lwr: RobotModel) -> None:
    with pytest.raises(UnknownNameError):
        FarGrips(lwr).take(grip('nose', np.zeros(3)))
