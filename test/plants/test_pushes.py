"""Pushes: Newton's law, and when they begin and end."""

import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.core.errors import UnknownNameError
from simloop_ros.core.values import Disturbance

H = 0.001


def test_a_push_is_force_over_mass_while_it_lasts(engine, build, block):
    push = {'link': 'block', 'start': 0.01, 'duration': 0.02, 'force': [3.0, 5.0, 7.0]}
    plant = build(block, H, engine=engine, pushes=[push])
    speeds = [0.0]
    for _ in range(50):
        plant.step(np.zeros(1))
        speeds.append(plant.truth.velocity[0])
    gains = np.diff(speeds) / H
    expected = np.zeros(50)
    expected[10:30] = 3.0 / 2.0
    assert gains == pytest.approx(expected, abs=1e-9)


def test_times_are_whole_steps_whatever_the_decimals(build, block):
    """0.3 / 0.1 is less than 3 in float64; the push still begins with the fourth step."""
    push = {'link': 'block', 'start': 0.3, 'duration': 0.1, 'force': [1.0, 0.0, 0.0]}
    plant = build(block, 0.1, pushes=[push])
    moved = []
    for _ in range(6):
        before = plant.truth.velocity[0]
        plant.step(np.zeros(1))
        moved.append(plant.truth.velocity[0] != before)
    assert moved == [False, False, False, True, False, False]


def test_a_push_on_a_fixed_link_is_an_external_force_of_rnea(build, arm):
    """Pinocchio's own external forces, in the axes of the joint, are the reference."""
    force, torque = np.array([3.0, -4.0, 5.0]), np.array([0.3, 0.2, -0.1])
    push = {'link': 'tool', 'start': 0.0, 'duration': 1.0, 'force': force.tolist()}
    plant = build(arm, H, pushes=[{**push, 'torque': torque.tolist()}])
    q, v = arm.home, np.zeros(7)
    model, data = arm.pin_model, arm.pin_model.createData()
    pin.framesForwardKinematics(model, data, q)
    frame = model.getFrameId('tool', pin.FrameType.BODY)
    joint = model.frames[frame].parentJoint
    at_tool = pin.SE3(np.eye(3), data.oMf[frame].translation)
    external = pin.StdVec_Force([pin.Force.Zero() for _ in range(model.njoints)])
    external[joint] = data.oMi[joint].actInv(at_tool.act(pin.Force(force, torque)))
    acceleration = pin.aba(model, data, q, v, np.ones(7), external)
    plant.step(np.ones(7))
    assert plant.truth.velocity / H == pytest.approx(acceleration, rel=1e-9)


def test_pushes_add_up(build, block):
    push = {'link': 'block', 'start': 0.0, 'duration': 1.0, 'force': [1.0, 0.0, 0.0]}
    plant = build(block, H, pushes=[push, push, push])
    plant.step(np.ones(1))
    assert plant.truth.velocity[0] == pytest.approx(H * (1.0 + 3.0) / 2.0)


def test_pushes_and_disturbances_are_reported_as_their_sum(build, block):
    """Each at the joint of a block that slides along x is its force along x."""
    push = {'link': 'block', 'start': 0.0, 'duration': H, 'force': [3.0, 5.0, 0.0]}
    plant = build(block, H, pushes=[push, push], noise=1e-5, delay=2, friction={'coulomb': 4.0})
    plant.step(np.ones(1), Disturbance(np.array([0.5])))
    assert plant.report().external == pytest.approx([6.5])
    plant.step(np.ones(1))
    assert plant.report().external == pytest.approx([0.0])


def test_coulomb_friction_resists_a_push(build, block):
    push = {'link': 'block', 'start': 0.0, 'duration': 1.0, 'force': [3.0, 0.0, 0.0]}
    plant = build(block, H, pushes=[push], friction={'coulomb': 4.0})
    for _ in range(100):
        plant.step(np.zeros(1))
    assert abs(plant.observe()[0]) < 1e-14


def test_an_unknown_link_is_named_with_the_nearest(build, block):
    with pytest.raises(UnknownNameError, match='did you mean block'):
        build(block, H, pushes=[{'link': 'blokc', 'start': 0.0, 'duration': 1.0}])
