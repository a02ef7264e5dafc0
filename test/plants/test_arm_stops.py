"""An arm that stops by itself, and the other one that does not know."""

import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.assembly.plant import build_simulated_robot
from simloop_ros.core.errors import ConfigError, UnknownNameError
from simloop_ros.core.values import UNDISTURBED, Disturbance, JointState
from simloop_ros.plants.arm_stops import ArmStops
from simloop_ros.plants.config import ArmStop, PlantConfig
from simloop_ros.plants.pinocchio_plant import PinocchioPlant
from simloop_ros.safety.brake import STOPPED_SPEED, Brake
from simloop_ros.safety.config import SafetyConfig

H = 0.001
TIME = 0.02
"""Time constant of the brakes [s]."""
START = 0.03


class Asked(PinocchioPlant):
    """A plant that notes the efforts it gets."""

    def __init__(self, model, period):
        super().__init__(model, period)
        self.efforts = []

    def step(self, effort, disturbance=UNDISTURBED):
        self.efforts.append(effort)
        super().step(effort, disturbance)


def stopping(model, *stops):
    def brakes(joints):
        return Brake(model, H, SafetyConfig(brake_time=TIME), joints)

    plant = ArmStops(Asked(model, H), model, H, stops, brakes)
    plant.start(JointState(model.home, np.full(model.n, 0.3)))
    return plant


def arms(model):
    left = np.array([name.endswith('_l') for name in model.joint_names])
    assert left.sum() == 7
    return left, ~left


def swing(model, step):
    """Return efforts that keep the arms up and swing them a little."""
    hold = pin.computeGeneralizedGravity(model.pin_model, model.pin_model.createData(), model.home)
    return hold + 0.2 * np.sin(0.05 * step + np.arange(model.n))


def run(plant, model, first, last):
    seen = []
    for step in range(first, last):
        plant.step(swing(model, step))
        seen.append(np.concatenate([plant.truth.position, plant.truth.velocity]))
    return np.array(seen)


def test_the_arm_stops_as_its_brake_does(yumi):
    """A step leaves exp(-h/T) of each velocity while no limit is met."""
    left, _ = arms(yumi)
    plant = stopping(yumi, ArmStop(tip='tool0_l', start=START))
    run(plant, yumi, 0, 30)
    speed = plant.truth.velocity[left]
    assert np.abs(speed).max() > 0.1
    seen = run(plant, yumi, 30, 31)
    assert seen[-1][14:][left] == pytest.approx(np.exp(-H / TIME) * speed, rel=1e-6)
    seen = run(plant, yumi, 31, 230)
    assert np.abs(seen[-1][14:][left]).max() < STOPPED_SPEED < np.abs(seen[-1][14:][~left]).max()


def test_the_other_arm_gets_what_it_is_asked_for(yumi):
    left, right = arms(yumi)
    plant = stopping(yumi, ArmStop(tip='tool0_l', start=START))
    run(plant, yumi, 0, 150)
    asked = np.array([swing(yumi, step) for step in range(150)])
    got = np.array(plant._plant.efforts)
    assert np.array_equal(got[:, right], asked[:, right])
    assert np.array_equal(got[:30], asked[:30])
    assert not np.array_equal(got[30, left], asked[30, left])
    assert np.all(np.abs(got[:, left]) <= yumi.effort_limit[left])


def test_a_stopped_arm_does_not_give_way_to_a_lasting_push(yumi):
    """The brake learns of it a step later: until then a joint gains h a, and loses it with T."""
    left, _ = arms(yumi)
    push = 0.05 * yumi.effort_limit * left
    plant = stopping(yumi, ArmStop(tip='tool0_l', start=0.0))
    plant.start(JointState(yumi.home, np.zeros(yumi.n)))
    for _ in range(300):
        plant.step(np.zeros(yumi.n), Disturbance(push))
    inertia = pin.crba(yumi.pin_model, yumi.pin_model.createData(), yumi.home)
    gained = np.abs(H * np.linalg.solve(inertia, push))[left]
    moved = np.abs(plant.truth.position - yumi.home)[left]
    assert np.all(moved <= 1.5 * TIME * gained.max())
    assert np.abs(plant.truth.velocity[left]).max() < 1e-3


def test_both_arms_can_stop_each_at_its_time(yumi):
    _, right = arms(yumi)
    plant = stopping(
        yumi, ArmStop(tip='tool0_l', start=START), ArmStop(tip='tool0_r', start=2 * START)
    )
    seen = run(plant, yumi, 0, 300)
    asked = swing(yumi, 59)
    assert np.array_equal(plant._plant.efforts[59][right], asked[right])
    assert np.abs(seen[-1][14:]).max() < STOPPED_SPEED


def test_a_scenario_can_stop_an_arm(yumi):
    """With the brake of its safety; masses that it does not know sag, until it holds them."""
    config = PlantConfig(stops=(ArmStop(tip='tool0_r', start=0.0),), noise=1e-4, mass_bias=0.1)
    plant = build_simulated_robot(config, yumi, H, 0, SafetyConfig(brake_time=TIME)).plant
    plant.start(JointState(yumi.home, np.full(yumi.n, 0.3)))
    left, right = arms(yumi)
    seen = run(plant, yumi, 0, 500)
    assert np.abs(seen[-1][14:][right]).max() < STOPPED_SPEED < np.abs(seen[-1][14:][left]).max()


def test_refusals(build, yumi):
    with pytest.raises(UnknownNameError, match='tool0_x'):
        stopping(yumi, ArmStop(tip='tool0_x', start=0.0))
    with pytest.raises(ConfigError, match='stops twice'):
        stopping(yumi, *[ArmStop(tip='tool0_l', start=0.0)] * 2)
    with pytest.raises(ConfigError, match='no brakes'):
        build(yumi, H, stops=[{'tip': 'tool0_l', 'start': 0.0}])
    with pytest.raises(ConfigError, match=r'plant\.stops'):
        build(yumi, H, stops=[{'tip': 'tool0_l', 'start': 0.0}], takes='position')


def test_a_tip_without_joints_of_its_own_has_no_arm(load):
    model = load(
        """<robot name="twig"><link name="base"/><link name="low"><inertial><mass value="1"/>
        <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
        <link name="high"><inertial><mass value="1"/>
        <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
        <joint name="a" type="continuous"><parent link="base"/><child link="low"/></joint>
        <joint name="b" type="continuous"><parent link="low"/><child link="high"/></joint>
        </robot>""",
        tips=('low', 'high'),
    )
    with pytest.raises(ConfigError, match='no joint moves low'):
        stopping(model, ArmStop(tip='low', start=0.0))
    stopping(model, ArmStop(tip='high', start=0.0))
