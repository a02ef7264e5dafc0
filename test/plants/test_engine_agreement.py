"""Two engines that know nothing of each other move alike."""

import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.core.errors import ModelError
from simloop_ros.core.values import JointState

H = 0.001
ONE_STEP = 1e-12
"""Largest difference after a step [rad/s]: measured 2e-14 with PyBullet and 5e-14 with MuJoCo."""
TWO_SECONDS = 1e-9
"""Largest difference after 2 s [rad]: measured 7e-14 with PyBullet and 6e-13 with MuJoCo."""


def test_one_step_from_anywhere(contact_engine, build, arm):
    plant, reference = build(arm, H, engine=contact_engine), build(arm, H)
    rng = np.random.default_rng(0)
    for _ in range(200):
        start = JointState(rng.normal(size=7), rng.normal(size=7))
        effort = 10.0 * rng.normal(size=7)
        for each in (plant, reference):
            each.start(start)
            each.step(effort)
        assert np.abs(plant.truth.velocity - reference.truth.velocity).max() < ONE_STEP
        assert np.abs(plant.observe() - reference.observe()).max() < ONE_STEP


def test_two_seconds_of_the_same_torques(contact_engine, build, hanging_arm):
    """Joints swing by radians under torques that know nothing of the state."""
    plant, reference = build(hanging_arm, H, engine=contact_engine), build(hanging_arm, H)
    size = np.array([1.0, 1.0, 1.0, 10.0, 0.5, 0.2, 0.2])
    for step in range(2000):
        effort = size * np.sin(0.005 * step * (1.0 + 0.3 * np.arange(7)))
        plant.step(effort)
        reference.step(effort)
    assert np.ptp(reference.observe()) > 1.0
    assert np.abs(plant.observe() - reference.observe()).max() < TWO_SECONDS


def test_two_seconds_under_feedback(contact_engine, build, arm):
    plant, reference = build(arm, H, engine=contact_engine), build(arm, H)
    data = arm.pin_model.createData()
    for step in range(2000):
        goal = np.sin(0.003 * step + np.arange(7))
        for each in (plant, reference):
            q, v = each.truth.position, each.truth.velocity
            gravity = pin.computeGeneralizedGravity(arm.pin_model, data, q)
            each.step(gravity + 20.0 * (goal - q) - 2.0 * v)
    assert np.abs(plant.observe() - reference.observe()).max() < TWO_SECONDS


def test_links_without_mass_and_impossible_moments(contact_engine, build, crane):
    plant, reference = build(crane, H, engine=contact_engine), build(crane, H)
    for step in range(500):
        effort = np.array([2.0, 1.0, 0.5]) * np.sin(0.01 * step)
        plant.step(effort)
        reference.step(effort)
    assert np.abs(plant.observe() - reference.observe()).max() < TWO_SECONDS


@pytest.mark.parametrize('length', range(0, 8000, 797))
def test_a_description_on_one_long_line(contact_engine, build, load, arm, length):
    """PyBullet used to cut numbers in two, at places that depend on the lengths before them."""
    one_line = ' '.join(arm.urdf.split())
    model = load(one_line.replace('<robot', f'<robot padding="{"x" * length}"'))
    plant, reference = build(model, H, engine=contact_engine), build(arm, H)
    for each in (plant, reference):
        each.step(np.ones(7))
    assert np.abs(plant.truth.velocity - reference.truth.velocity).max() < ONE_STEP


def test_a_mesh_that_mujoco_cannot_read_matters_only_with_obstacles(build, load, tmp_path):
    mesh = tmp_path / 'ball.dae'
    mesh.write_text('<COLLADA/>')
    model = load(
        f"""<robot name="r"><link name="world"/><link name="ball">
        <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"
        ixy="0" ixz="0" iyz="0"/></inertial>
        <collision><geometry><mesh filename="{mesh}"/></geometry></collision></link>
        <joint name="z" type="prismatic"><parent link="world"/><child link="ball"/>
        <axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""
    )
    plant = build(model, H, engine='mujoco')
    plant.step(np.zeros(1))
    assert plant.truth.velocity[0] == pytest.approx(-9.82 * H)
    with pytest.raises(ModelError, match=r'ball\.dae.*pybullet'):
        build(model, H, engine='mujoco', obstacles=[{'kind': 'plane'}])
