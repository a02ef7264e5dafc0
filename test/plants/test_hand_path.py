"""Targets of hands: where they begin, pass and end, and that velocities are derivatives."""

import msgspec
import numpy as np
import pytest

from simloop_ros.core.errors import ConfigError, UnknownNameError
from simloop_ros.plants.config import Hand
from simloop_ros.plants.hand_path import build_path
from simloop_ros.plants.spring_contact import point_jacobian

POINT = np.array([0.03, -0.02, 0.1])
STEP = 1e-5
ROUNDING = 1e-12
PATHS = {
    'none': None,
    'line': {'kind': 'line', 'velocity': [0.1, 0.0, -0.2], 'rise': 0.4},
    'joint': {'kind': 'joint', 'joint': 'joint2', 'angle': 1.2, 'duration': 1.5},
    'waypoints': {
        'kind': 'waypoints',
        'waypoints': [
            {'time': 0.5, 'offset': [0.1, 0.0, 0.0]},
            {'time': 1.25, 'offset': [0.1, 0.3, -0.1]},
        ],
    },
}


def make(arm, path):
    """Return the target as a function of time, for a hand on the tool, and the grip."""
    config = {'link': 'tool', 'point': POINT.tolist(), 'stiffness': 1, 'damping': 1, 'path': path}
    hand = msgspec.convert({**config, 'max_force': 1}, Hand)
    frame = arm.frame('tool')
    q = np.linspace(-0.4, 0.5, arm.n)
    _, origin = point_jacobian(arm.pin_model, arm.pin_model.createData(), q, frame, POINT)
    motion = build_path(hand, arm, frame)
    return lambda time: motion.target(q, origin, time), q, origin


@pytest.mark.parametrize('path', PATHS.values(), ids=PATHS)
def test_a_target_begins_at_the_grip_at_rest(arm, path):
    target, _, origin = make(arm, path)
    assert target(0.0).position == pytest.approx(origin, abs=ROUNDING)
    assert not target(0.0).velocity.any()


@pytest.mark.parametrize('path', PATHS.values(), ids=PATHS)
def test_its_velocity_is_the_derivative_of_its_position(arm, path):
    target, _, _ = make(arm, path)
    for time in np.linspace(0.05, 2.0, 40):
        difference = target(time + STEP).position - target(time - STEP).position
        second_order = 1e-7  # step squared times the third derivative, which is below 1e3 m/s^3
        assert target(time).velocity == pytest.approx(difference / (2 * STEP), abs=second_order)


def test_waypoints_are_passed_in_time_at_rest_and_the_last_is_kept(arm):
    target, _, origin = make(arm, PATHS['waypoints'])
    for time, offset in ((0.5, (0.1, 0, 0)), (1.25, (0.1, 0.3, -0.1)), (9.0, (0.1, 0.3, -0.1))):
        assert target(time).position == pytest.approx(origin + offset, abs=ROUNDING)
        assert target(time).velocity == pytest.approx(np.zeros(3), abs=ROUNDING)


def test_a_line_is_straight_and_after_its_rise_steady(arm):
    """The mean speed of a symmetric rise is one half: it costs half its time."""
    target, _, origin = make(arm, PATHS['line'])
    velocity = np.array([0.1, 0.0, -0.2])
    for time in (0.4, 1.0, 3.0):
        assert target(time).velocity == pytest.approx(velocity, abs=ROUNDING)
        assert target(time).position == pytest.approx(origin + (time - 0.2) * velocity)


def test_a_joint_path_ends_where_the_turned_joint_takes_the_point(arm):
    target, q, _ = make(arm, PATHS['joint'])
    turned = q + 1.2 * np.eye(7)[2]
    data, frame = arm.pin_model.createData(), arm.frame('tool')
    _, end = point_jacobian(arm.pin_model, data, turned, frame, POINT)
    for time in (1.5, 4.0):
        assert target(time).position == pytest.approx(end, abs=ROUNDING)
        assert target(time).velocity == pytest.approx(np.zeros(3), abs=ROUNDING)


def test_a_joint_path_is_a_circle_around_its_axis(arm):
    target, q, origin = make(arm, PATHS['joint'])
    data = arm.pin_model.createData()
    jacobian, _ = point_jacobian(arm.pin_model, data, q, arm.frame('tool'), POINT)
    centre = data.oMi[3].translation
    radius = np.linalg.norm(origin - centre)
    way = [target(time).position for time in np.linspace(0.0, 1.5, 20)]
    assert np.linalg.norm(np.array(way) - centre, axis=1) == pytest.approx(radius)
    begin = way[1] - way[0]
    cosine = begin @ jacobian[:, 2] / np.linalg.norm(begin) / np.linalg.norm(jacobian[:, 2])
    assert cosine == pytest.approx(1.0, abs=1e-3)


def test_an_unknown_joint_is_named_with_the_nearest(arm):
    with pytest.raises(UnknownNameError, match='did you mean joint2'):
        make(arm, {**PATHS['joint'], 'joint': 'jiont2'})


@pytest.mark.parametrize('times', [(0.5, 0.5), (1.0, 0.5)])
def test_waypoints_out_of_order_are_refused(arm, times):
    waypoints = [{'time': time, 'offset': [0, 0, 0]} for time in times]
    with pytest.raises(ConfigError, match='order of time'):
        make(arm, {'kind': 'waypoints', 'waypoints': waypoints})
