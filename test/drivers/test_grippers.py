"""Robots with joints without ends, with a locked gripper, and with joints that follow others."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import pytest

from simloop_ros.drivers.config import DriverContract, FaultConfig
from simloop_ros.drivers.examination import examine
from simloop_ros.drivers.heard import HeardDriver, HeardStates
from simloop_ros.drivers.stand_in import StandIn
from simloop_ros.plants.config import PlantConfig
from simloop_ros.robot.config import RobotConfig
from simloop_ros.robot.fit_robot import load_fit_robot
from simloop_ros.robot.model import RobotModel
from simloop_ros.robot.weight import weight_efforts

LINK = """
  <link name="{name}"><inertial><origin xyz="0 0 0.1"/><mass value="{mass}"/>
    <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
JOINT = """
  <joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>
    <origin xyz="0 0 0.3"/><axis xyz="{axis}"/>{more}
    <limit effort="50" velocity="6" lower="0" upper="0.04"/></joint>"""
ARM = (
    '<robot name="gripping"><link name="base"/>',
    LINK.format(name='upper', mass=2),
    LINK.format(name='fore', mass=1),
    LINK.format(name='left', mass=0.2),
    LINK.format(name='right', mass=0.2),
    '<link name="hand"/>',
    JOINT.format(
        name='shoulder', kind='continuous', parent='base', child='upper', axis='0 1 0', more=''
    ),
    JOINT.format(
        name='elbow', kind='continuous', parent='upper', child='fore', axis='0 1 0', more=''
    ),
    JOINT.format(name='wrist', kind='fixed', parent='fore', child='hand', axis='0 0 1', more=''),
    JOINT.format(
        name='finger', kind='prismatic', parent='hand', child='left', axis='0 1 0', more=''
    ),
    JOINT.format(
        name='other_finger',
        kind='prismatic',
        parent='hand',
        child='right',
        axis='0 -1 0',
        more='<mimic joint="finger"/>',
    ),
    '</robot>',
)
CONTRACT = DriverContract(
    description='of a test',
    takes='effort',
    command_topic='c/commands',
    joints=('elbow', 'shoulder'),
    rate=200.0,
    gravity='command',
    effort='torque',
)


@pytest.fixture
def robot(tmp_path: Path) -> RobotModel:
    urdf = tmp_path / 'gripping.urdf'
    urdf.write_text(''.join(ARM))
    home = {'shoulder': 4.0, 'elbow': 1.0, 'finger': 0.02, 'other_finger': 0.02}
    config = RobotConfig(
        urdf=str(urdf), tips=('hand',), lock=('finger', 'other_finger'), home=home
    )
    return load_fit_robot(config)


def test_the_fingers_are_weight_and_no_joints(robot: RobotModel) -> None:
    assert robot.joint_names == ('shoulder', 'elbow')
    assert robot.endless.all()
    assert robot.total_mass == pytest.approx(3.4)


@pytest.mark.parametrize('takes', ['effort', 'position'])
def test_a_stand_in_turns_on_without_a_reflex(robot: RobotModel, takes: str) -> None:
    contract = msgspec.structs.replace(CONTRACT, takes=takes)
    driver = StandIn(contract, robot, PlantConfig(), FaultConfig(), np.random.default_rng(0))
    for step in range(1000):
        now = driver.state().position[::-1]
        speed = driver.state().velocity[::-1]
        if takes == 'effort':
            wanted = robot.home + 0.01 * step - now  # two turns of the shoulder in all
            effort = weight_efforts(robot, now) + 20.0 * wanted - 5.0 * speed
            driver.take(np.clip(effort, -45.0, 45.0)[::-1])
        else:
            driver.take((robot.home + 0.01 * step)[::-1])
        driver.step()
    assert not driver.fault
    assert driver.state().position.min() > robot.home.min() + 7.0


def test_a_driver_that_also_publishes_its_gripper_is_fit(robot: RobotModel) -> None:
    """Its joint states have the fingers, too, in an order of their own."""
    names = ('finger', 'elbow', 'other_finger', 'shoulder')
    weight, count = weight_efforts(robot, robot.home), 600
    position, effort = [0.02, robot.home[1], 0.02, robot.home[0]], [0.1, weight[1], 0.1, weight[0]]
    stamps = np.arange(count) / 200.0
    states = HeardStates(
        joints=names,
        waited=0.1,
        arrivals=stamps,
        stamps=stamps,
        ages=np.full(count, 1e-3),
        stamped=True,
        positions=np.tile(position, (count, 1)),
        efforts=np.tile(effort, (count, 1)),
    )
    heard = HeardDriver(states=states, patience=5.0)
    findings = examine(CONTRACT, robot, heard)
    wrong = {finding.check for finding in findings if finding.verdict == 'wrong'}
    assert wrong <= {'commands'}, [finding.line for finding in findings]
    assert {'joints', 'effort'} <= {f.check for f in findings if f.verdict == 'fit'}
