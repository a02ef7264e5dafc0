"""A block between two palms in PyBullet: forces from statics and from the hands' motion."""

from math import pi
import sys

import msgspec
import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.core.errors import ConfigError, MissingDependencyError
from simloop_ros.core.values import JointState
from simloop_ros.plants.build import build_plant
from simloop_ros.plants.config import HeldObject, PlantConfig

pytest.importorskip('pybullet')

H = 0.001
STEP = 0.0005
G = 9.82
BLOCK = HeldObject()
WEIGHT = BLOCK.mass * G
GRIP = WEIGHT / (2.0 * BLOCK.friction)
"""Squeeze [N] at which two hands just carry the block: 2 mu N = m g."""
CREEP = 1e-3
"""How far a block that is held may slip [m]; measured 1e-7."""
SINK = 1e-5
"""How far a rigid block sinks into the table before it is carried [m]; measured 2e-6."""
DIGITS = 1e-6
"""Error of a force, relative to the largest one; PyBullet's rotations have seven digits."""
HAND = 3.0
"""Mass of a hand [kg]."""
Y, Z, TURN = (1, 4), (0, 3), (2, 5)
"""Joints of the left and of the right hand."""


def _hand(side, y, roll, shape=''):
    """Return a hand that moves up, along y and about y; its palm faces the other one."""
    return f"""<link name="{side}_lift"/><link name="{side}_slide"/>
    <link name="{side}_hand"><inertial><mass value="{HAND}"/><inertia ixx="0.02" iyy="0.01"
      izz="0.02" ixy="0.001" ixz="0" iyz="0"/></inertial>{shape}</link>
    <link name="{side}"/><link name="{side}_sensor"/>
    <joint name="{side}_z" type="prismatic"><parent link="world"/><child link="{side}_lift"/>
      <axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1000" velocity="10"/></joint>
    <joint name="{side}_y" type="prismatic"><parent link="{side}_lift"/>
      <child link="{side}_slide"/><origin xyz="0 {y} 0"/><axis xyz="0 1 0"/>
      <limit lower="-1" upper="1" effort="1000" velocity="10"/></joint>
    <joint name="{side}_turn" type="continuous"><parent link="{side}_slide"/>
      <child link="{side}_hand"/><axis xyz="0 1 0"/></joint>
    <joint name="{side}_tip" type="fixed"><parent link="{side}_hand"/><child link="{side}"/>
      <origin rpy="{roll} 0 0"/></joint>
    <joint name="{side}_mount" type="fixed"><parent link="{side}"/>
      <child link="{side}_sensor"/><origin xyz="0.01 0.02 -0.05" rpy="0.3 0.2 -0.4"/></joint>"""


def _hands(shape=''):
    return f"""<robot name="hands"><link name="world"/>{_hand('left', 0.06, pi / 2, shape)}
    {_hand('right', -0.06, -pi / 2, shape)}</robot>"""


FRAMES = {'tips': ('left', 'right'), 'sensors': ('left_sensor', 'right_sensor')}


@pytest.fixture(scope='module')
def hands(load):
    """Return two palms, 0.12 m apart, between which the block of 0.08 m lies."""
    return load(_hands(), **FRAMES)


@pytest.fixture
def held(build, hands):
    """Return the builder of the two palms with a block of a given configuration."""

    def make(step=STEP, **block):
        return build(hands, H, engine='pybullet', step=step, object=block)

    return make


def press(plant, squeeze, height=0.0, turn=0.0):
    """Press for one period with a force [N], at a height [m] and an angle [rad]."""
    truth, effort = plant.truth, np.zeros(6)
    q, v = truth.position, truth.velocity
    for left, right in (Z, TURN):
        wanted = height if left == Z[0] else turn
        inertia, gravity = (HAND, HAND * G) if left == Z[0] else (0.01, 0.0)
        for i in (left, right):
            effort[i] = gravity + inertia * (1e4 * (wanted - q[i]) - 200.0 * v[i])
    for i, sign in zip(Y, (-1.0, 1.0), strict=True):
        effort[i] = sign * squeeze - 60.0 * v[i]
    plant.step(effort)
    return effort


def carry(plant, squeeze, grip=0.6, lift=0.6, rise=0.1):
    """Press the block, and then lift it, smoothly; return how far it slips on the way [m]."""
    for _ in range(round(grip / H)):
        press(plant, squeeze)
    start = plant.report().object.position[2] - plant.truth.position[Z[0]]
    for step in range(round((lift + 0.1) / H)):
        x = min(1.0, step * H / lift)
        press(plant, squeeze, rise * x**3 * (10.0 - 15.0 * x + 6.0 * x**2))
    return start - (plant.report().object.position[2] - plant.truth.position[Z[0]])


def at_object(plant, model):
    """Return the wrenches on the hands in world axes, at the block's centre, shape (2, 6)."""
    centre = pin.SE3(np.eye(3), plant.report().object.position)
    poses = model.frame_poses(plant.truth.position, model.sensors)
    return np.array(
        [
            centre.actInv(pose.act(pin.Force(wrench))).vector
            for pose, wrench in zip(poses, plant.report().true_wrenches, strict=True)
        ]
    )


@pytest.mark.parametrize('kind', ['rigid', 'soft'])
def test_the_wrenches_explain_how_the_hands_move(build, hands, kind):
    """M a + h(q, v) = tau + sum J^T w, in every step of a grip that is pushed about."""
    plant = build(hands, H, engine='pybullet', object={'kind': kind})
    data, strongest = hands.pin_model.createData(), np.zeros(6)
    for step in range(500):
        before = plant.truth
        effort = press(plant, 25.0, 0.02 * np.sin(0.03 * step), 0.2 * np.sin(0.02 * step))
        acceleration = (plant.truth.velocity - before.velocity) / H
        explained = pin.rnea(hands.pin_model, data, before.position, before.velocity, acceleration)
        torque = np.zeros(6)
        for sensor, wrench in zip(hands.sensors, plant.report().true_wrenches, strict=True):
            jacobian = pin.computeFrameJacobian(
                hands.pin_model, data, before.position, hands.frame(sensor)
            )
            torque += jacobian.T @ wrench
        assert explained - effort == pytest.approx(torque, abs=DIGITS * max(1.0, *np.abs(torque)))
        strongest = np.maximum(strongest, np.abs(torque))
    assert (strongest > [5.0, 20.0, 0.1, 5.0, 20.0, 0.1]).all()


@pytest.mark.parametrize('kind', ['rigid', 'soft'])
def test_wrenches_are_the_squeeze_and_the_weight(held, hands, kind):
    """Equal and opposite forces along the block; together the hands carry its weight."""
    plant = held(kind=kind)
    assert abs(carry(plant, 20.0)) < CREEP
    for _ in range(100):
        press(plant, 20.0, 0.1)
    left, right = at_object(plant, hands)
    assert left[1] == pytest.approx(20.0, abs=1e-3)
    assert right[1] == pytest.approx(-20.0, abs=1e-3)
    assert left + right == pytest.approx([0.0, 0.0, -WEIGHT, 0.0, 0.0, 0.0], abs=1e-3)


@pytest.mark.parametrize('kind', ['rigid', 'soft'])
def test_enough_squeeze_carries_and_less_drops(held, kind):
    """On both sides of 2 mu N = m g; the lift is smooth and adds 4 %."""
    plant = held(kind=kind)
    assert abs(carry(plant, 1.15 * GRIP, lift=1.0, rise=0.07)) < CREEP
    plant.start(JointState(plant.truth.position * 0.0, np.zeros(6)))
    assert carry(plant, 0.9 * GRIP, lift=1.0, rise=0.07) > 0.05


def test_a_block_that_is_let_go_falls_and_lies_on_the_table(held):
    plant = held(kind='rigid')
    carry(plant, 20.0)
    for _ in range(300):
        press(plant, -5.0, 0.1)
    lying = plant.report().object
    assert lying.position[2] == pytest.approx(0.0, abs=SINK)
    assert lying.velocity == pytest.approx(np.zeros(6), abs=1e-4)
    assert not plant.report().true_wrenches.any()


def test_without_a_table_it_falls_freely(held):
    """z = -g h^2 k (k + 1) / 2 is what semi-implicit Euler does to a falling body."""
    plant = held(table=False, rpy=[0.3, 0.2, 0.1])
    start = plant.report().object
    turned = pin.log3(pin.rpy.rpyToMatrix(0.3, 0.2, 0.1))
    assert start.rotation_vector == pytest.approx(turned, abs=1e-12)
    for _ in range(100):
        press(plant, 0.0)
    k, fallen = round(100 * H / STEP), plant.report().object
    assert fallen.position == pytest.approx([0, 0, -G * STEP**2 * k * (k + 1) / 2], abs=1e-12)
    assert fallen.velocity == pytest.approx([0, 0, -G * STEP * k, 0, 0, 0], abs=1e-12)
    assert fallen.rotation_vector == pytest.approx(start.rotation_vector, abs=1e-12)


@pytest.mark.parametrize('stiffness', [5e4, 5e5])
def test_a_soft_block_gives_way_by_its_stiffness(held, stiffness):
    """Squeeze = K x compression between the palms."""
    plant = held(stiffness=stiffness, damping_ratio=1.0)
    for _ in range(400):
        press(plant, 20.0)
    left, right = (plant.truth.position[i] for i in Y)
    compression = BLOCK.length - (0.12 + left - right)
    assert stiffness * compression == pytest.approx(20.0, rel=1e-3)


@pytest.mark.parametrize('stiffness', [5e4, 5e5])
def test_a_soft_block_swings_between_the_palms(build, hands, stiffness):
    """With sqrt(4 K / m) and the damping ratio, and with omega h / 2 more of PyBullet's own.

    The hands weigh so much that nothing moves them; all fall together.
    """
    step, ratio, depth, offset = 1e-4, 0.1, 2e-4, 2e-5
    block = {'stiffness': stiffness, 'damping_ratio': ratio, 'table': False}
    plant = build(hands, step, engine='pybullet', mass_bias=1e6, object=block)
    apart = [0.0, offset - 0.02 - depth, 0.0, 0.0, offset + 0.02 + depth, 0.0]
    plant.start(JointState(np.array(apart), np.zeros(6)))
    swing = []
    for _ in range(300):
        plant.step(np.zeros(6))
        swing.append(plant.report().object.position[1] - offset)
    swing = np.array(swing)
    turns = np.flatnonzero(np.diff(np.sign(np.diff(swing)))) + 1
    decay = -np.log(np.abs(swing[turns[2]] / swing[turns[0]]))
    frequency = np.hypot(2 * pi, decay) / (turns[2] - turns[0]) / step
    natural = np.sqrt(4.0 * stiffness / BLOCK.mass)
    assert frequency == pytest.approx(natural, rel=0.05)
    damping = decay / np.hypot(2 * pi, decay)
    assert damping == pytest.approx(ratio + 0.5 * natural * step, rel=0.1)


@pytest.mark.parametrize(('kind', 'sink'), [('rigid', SINK), ('soft', 1e-8)])
def test_on_the_table_the_block_lies_still(held, kind, sink):
    plant = held(kind=kind)
    for _ in range(200):
        press(plant, 0.0)
        assert plant.report().object.position == pytest.approx(np.zeros(3), abs=sink)


def test_a_rigid_block_does_not_give_way(held):
    plant = held(kind='rigid')
    for _ in range(300):
        press(plant, 20.0)
    left, right = (plant.truth.position[i] for i in Y)
    assert 0.12 + left - right == pytest.approx(BLOCK.length, abs=1e-6)


def seen(plant, steps):
    """Return all that can be seen of some steps of a grip and a lift."""
    rows = []
    for step in range(steps):
        press(plant, 20.0, 0.0002 * step, 0.1 * np.sin(0.02 * step))
        block = plant.report().object
        rows.append(
            [
                *plant.truth.position,
                *plant.truth.velocity,
                *plant.report().true_wrenches.ravel(),
                *block.position,
                *block.rotation_vector,
                *block.velocity,
            ]
        )
    return np.array(rows)


@pytest.mark.parametrize('kind', ['rigid', 'soft'])
def test_replay_with_the_block_in_hand_is_bitwise_the_same(held, hands, kind):
    plant = held(kind=kind)
    first = seen(plant, 250)
    state, wrenches, block = plant.snapshot(), plant.report().true_wrenches, plant.report().object
    assert (np.abs(wrenches[:, :3]).max(axis=1) > 5.0).all()
    onward = seen(plant, 100)
    plant.restore(state)
    assert np.array_equal(plant.report().true_wrenches, wrenches)
    assert np.array_equal(plant.report().object.position, block.position)
    assert np.array_equal(plant.report().object.velocity, block.velocity)
    assert np.array_equal(seen(plant, 100), onward)
    plant.start(JointState(hands.home, np.zeros(6)))
    assert not plant.report().true_wrenches.any()
    assert np.array_equal(plant.report().object.position, np.zeros(3))
    assert np.array_equal(seen(plant, 250), first)


SHAPE = '<collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision>'


def test_only_palms_touch_the_block_and_only_the_block_touches_the_table(build, load):
    """Hands of 0.1 m, with the block inside and through the table, touch neither."""
    bulky = load(_hands(SHAPE), **FRAMES)
    obstacles = [{'kind': 'sphere', 'position': [5.0, 0.0, 0.0]}]
    block = {'kind': 'rigid', 'position': [0.1, 0.0, 0.0]}  # beside the palms
    plant = build(bulky, H, engine='pybullet', obstacles=obstacles, object=block)
    plant.start(JointState(np.array([-0.1, -0.05, 0.0, -0.1, 0.05, 0.0]), np.zeros(6)))
    for _ in range(50):
        press(plant, 0.0, -0.1)
    assert plant.truth.position == pytest.approx([-0.1, -0.05, 0, -0.1, 0.05, 0], abs=1e-9)
    assert plant.report().object.position == pytest.approx(block['position'], abs=SINK)
    assert not plant.report().true_wrenches.any()
    assert plant.report().contacts == ()


def test_the_block_falls_on_an_obstacle(build, hands):
    """Palms pass through it; the floor is 0.1 m below, and no contact of the robot."""
    floor = {'kind': 'plane', 'position': [0.0, 0.0, -0.12]}
    block = {'kind': 'rigid', 'table': False}
    plant = build(hands, H, engine='pybullet', step=STEP, obstacles=[floor], object=block)
    plant.start(JointState(np.array([-0.2, 0.0, 0.0, -0.2, 0.0, 0.0]), np.zeros(6)))
    for _ in range(400):
        press(plant, 0.0, -0.2)
    assert plant.report().object.position[2] == pytest.approx(-0.1, abs=SINK)
    assert plant.truth.position[Z[0]] == pytest.approx(-0.2, abs=1e-9)
    assert plant.report().contacts == ()


def test_contacts_are_those_with_obstacles(build, load):
    """A hand that stands on the floor and presses the block reports the floor alone."""
    bulky = load(_hands(SHAPE), **FRAMES)
    floor = {'kind': 'plane', 'name': 'floor', 'position': [0.0, 0.0, -0.05]}
    plant = build(bulky, H, engine='pybullet', step=STEP, obstacles=[floor], object={})
    for _ in range(400):
        press(plant, 20.0, -0.0001)
    assert {contact.obstacle for contact in plant.report().contacts} == {'floor'}
    assert (np.abs(plant.report().true_wrenches[:, :3]).max(axis=1) > 5.0).all()


@pytest.mark.parametrize(
    ('block', 'message'),
    [
        ({'length': 0.13}, 'the palm of left is in the beam'),
        ({'position': [0.0, -0.108, 0.0]}, 'the palm of right is in the beam'),  # behind it
        ({'rpy': [0.1, 0.0, 0.0]}, 'does not lie flat'),
    ],
)
def test_a_block_that_cannot_be_there_is_refused(held, block, message):
    with pytest.raises(ConfigError, match=message):
        held(**block)


def test_a_robot_without_tips_is_refused(build, load):
    with pytest.raises(ConfigError, match='no hands'):
        build(load(_hands()), H, engine='pybullet', object={})


def test_no_other_engine_takes_the_place_of_a_missing_one(monkeypatch, hands):
    monkeypatch.setitem(sys.modules, 'pybullet', None)
    config = msgspec.convert({'engine': 'pybullet', 'object': {}}, PlantConfig)
    with pytest.raises(MissingDependencyError, match='not installed'):
        build_plant(config, hands, H, np.random.default_rng(0))


def test_yumi_has_palms_and_the_block_stays_on_its_table(build, yumi):
    block = {'position': [0.4, 0.0, 0.1], 'rpy': [0.0, 0.0, 0.5]}
    plant = build(yumi, H, engine='pybullet', step=STEP, object=block)
    data = yumi.pin_model.createData()
    hold = pin.computeGeneralizedGravity(yumi.pin_model, data, yumi.home)
    for _ in range(100):
        plant.step(hold)
    assert plant.observe() == pytest.approx(yumi.home, abs=1e-6)
    assert plant.report().true_wrenches.shape == (2, 6)
    assert not plant.report().true_wrenches.any()
    lying = plant.report().object
    assert lying.position == pytest.approx(block['position'], abs=1e-8)
    assert lying.rotation_vector == pytest.approx([0.0, 0.0, 0.5], abs=1e-6)


def test_both_engines_hold_the_same_beam(build, hands):
    """Two programs that share no law of contact: a grip, and in it a lift and a turn."""
    held = {'damping_ratio': 1.0}
    bullet, beam = (
        build(hands, H, engine=engine, step=STEP, object=held)
        for engine in ('pybullet', 'pinocchio')
    )
    for plant in (bullet, beam):
        assert abs(carry(plant, 20.0, grip=0.4, lift=0.3)) < CREEP
        for step in range(200):
            press(plant, 20.0, 0.1, min(0.2, 0.002 * step))
    assert bullet.report().true_wrenches == pytest.approx(beam.report().true_wrenches, abs=0.005)
    ours, theirs = bullet.report().object, beam.report().object
    assert ours.position == pytest.approx(theirs.position, abs=5e-5)
    assert ours.rotation_vector == pytest.approx(theirs.rotation_vector, abs=1e-3)
