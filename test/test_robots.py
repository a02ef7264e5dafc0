"""The shipped robots against the fact sheet, as Pinocchio reads them."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import coal
import msgspec
import numpy as np
import pinocchio as pin
import pytest
import yaml

from simloop_ros.core.errors import ConfigError
from simloop_ros.core.resources import resource_folder
from simloop_ros.kinematics.inverse import inverse_kinematics
from simloop_ros.kinematics.velocity import TipVelocity
from simloop_ros.robot.config import FlexibleJointsConfig, RobotConfig
from simloop_ros.robot.loading import load_robot
from simloop_ros.robot.model import RobotModel

ROBOTS = ('sphere', 'two_link', 'yumi', 'lwr', 'irb120', 'workerbot')
MIRROR = np.diag([1.0, -1.0, 1.0])
"""From the left side of a robot to its right one, and in an arm of workerbot likewise."""
EXACT = 1e-12  # numbers are copied, so only round-off is left
ANGLE_DIGITS = 1e-6  # rpy are given to six digits or more
MASS_DIGITS = 2.5e-5  # the fact sheet rounds each of sixteen masses to 1e-5 kg
NEXT_BUT_ONE = (
    {'yumi_link_5', 'yumi_link_7'},
    {'lwr_5_link', 'lwr_7_link'},
    {'link_4', 'link_6'},
    {'wb_link_5', 'wb_link_7'},
)
"""Links of a wrist whose shapes are wider than the link between them."""


HAND = 0.5  # of workerbot, assumed [kg]
SHOULDER_HEIGHT = 1.3  # of workerbot, assumed [m]


def read_facts() -> dict[str, Any]:
    """Return the fact sheet, of workerbot with both arms where it has one."""
    facts = yaml.safe_load((Path(__file__).parent / 'data' / 'robots.yaml').read_text())
    facts['workerbot'] = two_arms(facts.pop('pi4_workerbot_arm'))
    return facts


def two_arms(arm: dict[str, Any]) -> dict[str, Any]:
    """Return a left arm as it is and its mirror image, on one torso in place of two bases."""
    base = arm['links'].pop('wb_base_link')
    joints: list[dict[str, Any]] = []
    links: dict[str, Any] = {}
    frames: dict[str, Any] = {}
    for side, mount in (('l', 'left'), ('r', 'right')):
        for joint in arm['joints']:
            names = {key: f'{joint[key]}_{side}' for key in ('name', 'parent', 'child')}
            joints.append({**joint, **names})
        shoulder = arm['dual_arm_mount_suggestion'][mount]
        x, y, z = shoulder['xyz']
        origin = {'xyz': [x, y, z + SHOULDER_HEIGHT], 'rpy': shoulder['rpy']}
        joints[-len(arm['joints'])].update(parent='wb_torso', origin=origin)
        for name, link in arm['links'].items():
            links[f'{name}_{side}'] = link if side == 'l' else mirrored(link)
        flange = arm['frames']['flange']
        frames[f'sensor_{side}'] = {**flange, 'parent': f'{flange["parent"]}_{side}'}
    total = 2.0 * arm['datasheet']['total_mass'] + 2.0 * HAND
    torso = {'mass': 2.0 * base['mass']}
    return {
        'datasheet': {'total_mass': total},
        'joints': joints,
        'links': links,
        'frames': frames,
        'torso': torso,
    }


def mirrored(link: dict[str, Any]) -> dict[str, Any]:
    """Return a link seen in the plane y = 0 of its frame."""
    tensor = {
        key: -value if key in ('ixy', 'iyz') else value for key, value in link['inertia'].items()
    }
    primitive = dict(link['primitive'])
    for key in ('p1', 'p2', 'origin_xyz'):
        if key in primitive:
            primitive[key] = (MIRROR @ primitive[key]).tolist()
    if 'origin_rpy' in primitive:
        turned = MIRROR @ pin.rpy.rpyToMatrix(*primitive['origin_rpy']) @ MIRROR
        primitive['origin_rpy'] = pin.rpy.matrixToRpy(turned).tolist()
    com = (MIRROR @ link['com']).tolist()
    return {**link, 'com': com, 'inertia': tensor, 'primitive': primitive}


def load(name: str, **changes: Any) -> RobotModel:
    text = (resource_folder('config') / 'robots' / f'{name}.yaml').read_bytes()
    config = msgspec.yaml.decode(text, type=RobotConfig)
    return load_robot(msgspec.structs.replace(config, **changes), resource_folder('urdf'))


FACTS = read_facts()


def placement(xyz: list[float], rpy: list[float]) -> pin.SE3:
    return pin.SE3(pin.rpy.rpyToMatrix(*rpy), np.array(xyz))


def assert_same(found: pin.SE3, expected: pin.SE3) -> None:
    np.testing.assert_allclose(
        found.homogeneous, expected.homogeneous, rtol=0.0, atol=ANGLE_DIGITS
    )


def geometry(
    robot: RobotModel, kind: pin.GeometryType = pin.GeometryType.COLLISION
) -> pin.GeometryModel:
    return pin.buildGeomFromUrdfString(robot.pin_model, robot.urdf, kind)


def shapes_of(
    robot: RobotModel, link: str, kind: pin.GeometryType = pin.GeometryType.COLLISION
) -> list[tuple[coal.ShapeBase, pin.SE3]]:
    """Return the shapes of a link with their placements in it."""
    found = []
    for shape in geometry(robot, kind).geometryObjects:
        frame = robot.pin_model.frames[shape.parentFrame]
        if frame.name == link:
            found.append((shape.geometry, frame.placement.actInv(shape.placement)))
    return found


@pytest.mark.parametrize('name', ROBOTS)
def test_has_home_inside_its_limits_and_tips(name: str) -> None:
    robot = load(name)
    assert robot.name == name
    assert robot.tips
    assert np.isfinite(robot.tip_positions(robot.home)).all()
    assert np.all((robot.lower <= robot.home) & (robot.home <= robot.upper))
    assert np.all(np.isfinite(robot.effort_limit))
    assert np.all(np.isfinite(robot.velocity_limit))


@pytest.mark.parametrize(
    ('name', 'joint'),
    [(name, joint) for name, facts in FACTS.items() for joint in facts['joints']],
    ids=lambda value: value if isinstance(value, str) else value['name'],
)
def test_joint(name: str, joint: dict[str, Any]) -> None:
    robot = load(name)
    model, data = robot.pin_model, robot.pin_model.createData()
    i = robot.joint_names.index(joint['name'])
    frame = model.frames[model.getFrameId(joint['child'], pin.FrameType.BODY)]
    assert frame.parentJoint == i + 1
    parent = model.frames[model.getFrameId(joint['parent'], pin.FrameType.BODY)]
    assert parent.parentJoint == model.parents[i + 1]
    assert_same(model.jointPlacements[i + 1], placement(**joint['origin']))
    # The joint's own motion, in its own frame, is the axis it turns about.
    jacobian = pin.computeJointJacobian(model, data, pin.neutral(model), i + 1)
    np.testing.assert_allclose(jacobian[3:, i], joint['axis'], rtol=0.0, atol=EXACT)
    assert robot.lower[i] == model.lowerPositionLimit[i] == joint['lower']
    assert robot.upper[i] == model.upperPositionLimit[i] == joint['upper']
    assert robot.velocity_limit[i] == model.upperVelocityLimit[i] == joint['velocity']
    assert robot.effort_limit[i] == model.upperEffortLimit[i] == joint['effort']


@pytest.mark.parametrize('name', FACTS)
def test_has_no_other_joints(name: str) -> None:
    assert list(load(name).joint_names) == [joint['name'] for joint in FACTS[name]['joints']]


@pytest.mark.parametrize(
    ('name', 'link'), [(name, link) for name, facts in FACTS.items() for link in facts['links']]
)
def test_inertial(name: str, link: str) -> None:
    robot, facts = load(name), FACTS[name]['links'][link]
    body = robot.pin_model.frames[robot.frame(link)].parentJoint
    found = robot.pin_model.inertias[body]
    for frame in robot.pin_model.frames:
        fixed = frame.parentJoint == body and frame.type == pin.FrameType.FIXED_JOINT
        if fixed and frame.inertia.mass > 0.0:
            found = found - frame.placement.act(frame.inertia)  # as a hand
    assert found.mass == pytest.approx(facts['mass'], rel=EXACT)
    np.testing.assert_allclose(found.lever, facts['com'], rtol=0.0, atol=EXACT)
    f = facts['inertia']
    tensor = [
        [f['ixx'], f['ixy'], f['ixz']],
        [f['ixy'], f['iyy'], f['iyz']],
        [f['ixz'], f['iyz'], f['izz']],
    ]
    np.testing.assert_allclose(found.inertia, tensor, rtol=0.0, atol=EXACT)


@pytest.mark.parametrize('name', FACTS)
def test_total_mass(name: str) -> None:
    robot = load(name)
    expected = pytest.approx(FACTS[name]['datasheet']['total_mass'], abs=MASS_DIGITS)
    assert sum(inertia.mass for inertia in robot.pin_model.inertias) == expected
    assert robot.total_mass == expected


@pytest.mark.parametrize(
    ('name', 'frame'),
    [(name, frame) for name, facts in FACTS.items() for frame in facts['frames']],
)
def test_frame(name: str, frame: str) -> None:
    robot, facts = load(name), FACTS[name]['frames'][frame]
    found = robot.pin_model.frames[robot.frame(frame)]
    parent = robot.pin_model.frames[robot.frame(facts['parent'])]
    assert found.parentJoint == parent.parentJoint
    assert_same(found.placement, placement(facts['xyz'], facts['rpy']))


@pytest.mark.parametrize(
    ('name', 'link'),
    [
        (name, link)
        for name, facts in FACTS.items()
        for link, values in facts['links'].items()
        if values['primitive']['type'] in ('capsule', 'sphere')
    ],
)
def test_primitive(name: str, link: str) -> None:
    """A capsule is a cylinder between two spheres."""
    facts, shapes = FACTS[name]['links'][link]['primitive'], shapes_of(load(name), link)
    balls = [at.translation for shape, at in shapes if isinstance(shape, coal.Sphere)]
    assert all(shape.radius == facts['radius'] for shape, _ in shapes)
    if facts['type'] == 'sphere':
        np.testing.assert_allclose(balls, [facts['origin_xyz']], rtol=0.0, atol=EXACT)
        return
    np.testing.assert_allclose(balls, [facts['p1'], facts['p2']], rtol=0.0, atol=EXACT)
    ((rod, at),) = [pair for pair in shapes if isinstance(pair[0], coal.Cylinder)]
    assert 2.0 * rod.halfLength == pytest.approx(facts['length'], rel=EXACT)
    assert_same(at, placement(facts['origin_xyz'], facts['origin_rpy']))


@pytest.mark.parametrize('name', ROBOTS)
def test_what_is_seen_is_what_is_touched(name: str) -> None:
    robot = load(name)
    for frame in robot.pin_model.frames:
        if frame.type == pin.FrameType.BODY and frame.parentJoint > 0:
            touched = shapes_of(robot, frame.name)
            seen = shapes_of(robot, frame.name, pin.GeometryType.VISUAL)
            assert len(seen) == len(touched)
            for (shape, at), (other, there) in zip(seen, touched, strict=True):
                assert shape == other
                assert at == there


def test_yumi_body_fills_its_bounding_box() -> None:
    facts = FACTS['yumi']['links']['yumi_body']['primitive']
    shapes = shapes_of(load('yumi'), 'yumi_body')
    corners = [at.translation + side * box.halfSide for box, at in shapes for side in (-1.0, 1.0)]
    centre, half = np.array(facts['origin_xyz']), 0.5 * np.array(facts['size'])
    digits = 1e-4  # the bounding box is given in tenths of a millimetre
    np.testing.assert_allclose(np.min(corners, axis=0), centre - half, rtol=0.0, atol=digits)
    np.testing.assert_allclose(np.max(corners, axis=0), centre + half, rtol=0.0, atol=digits)


def test_yumi_home_is_the_calibration_pose() -> None:
    robot, pose = load('yumi'), FACTS['yumi']['home_pose']
    numbers = pose['order'].split(',')
    for side, arm in (('l', 'left'), ('r', 'right')):
        for number, value in zip(numbers, pose[arm], strict=True):
            i = robot.joint_names.index(f'yumi_joint_{number}_{side}')
            assert robot.home[i] == value


def touching(robot: RobotModel, q: np.ndarray) -> set[tuple[str, str]]:
    """Return the pairs of links that touch, neighbours left out."""
    model, shapes = robot.pin_model, geometry(robot)
    shapes.addAllCollisionPairs()
    data = shapes.createData()
    pin.computeCollisions(model, model.createData(), shapes, data, q, False)
    found = set()
    for pair, result in zip(shapes.collisionPairs, data.collisionResults, strict=True):
        first, second = (shapes.geometryObjects[k] for k in (pair.first, pair.second))
        a, b = first.parentJoint, second.parentJoint
        if result.isCollision() and a != b and model.parents[a] != b and model.parents[b] != a:
            found.add(tuple(model.frames[g.parentFrame].name for g in (first, second)))
    return {
        pair
        for pair in found
        if {link.removesuffix('_l').removesuffix('_r') for link in pair} not in NEXT_BUT_ONE
    }


def test_yumi_touches_itself_at_zero_but_not_at_home() -> None:
    robot = load('yumi')
    assert touching(robot, robot.home) == set()
    assert ('yumi_link_6_l', 'yumi_link_6_r') in touching(robot, np.zeros(robot.n))


def test_yumi_is_symmetric() -> None:
    """At home one tip is the mirror image of the other, but for the mounts' rounding."""
    left, right = load('yumi').tip_positions(load('yumi').home)
    rounding = 3e-3
    np.testing.assert_allclose(left, right * [1.0, -1.0, 1.0], atol=rounding)


def test_lwr_touches_itself_neither_at_home_nor_stretched_out() -> None:
    """001, experiment 1, begins stretched out horizontally; e1 and the elbow at 90 degrees."""
    robot = load('lwr')
    stretched = np.zeros(robot.n)
    stretched[1] = -0.5 * math.pi
    bent = stretched + np.eye(robot.n)[3] * 0.5 * math.pi
    for q in (robot.home, stretched, bent):
        assert touching(robot, q) == set()
    reach = [0.40 + 0.39 + 0.078, 0.0, 0.31]
    np.testing.assert_allclose(robot.tip_positions(stretched), [reach], atol=EXACT)


def test_lwr_points_down_at_home() -> None:
    robot = load('lwr')
    data = robot.pin_model.createData()
    pin.framesForwardKinematics(robot.pin_model, data, robot.home)
    digits = 1e-4  # of the angles in its file
    flange = data.oMf[robot.tip_frames[0]]
    np.testing.assert_allclose(flange.rotation[:, 2], [0.0, 0.0, -1.0], atol=digits)


def assert_holds(robot: RobotModel, payload: float, rng: np.random.Generator) -> None:
    """A payload [kg] at the tip, in many postures, takes no more than the efforts allow."""
    frame = robot.pin_model.frames[robot.tip_frames[0]]
    load_inertia = pin.Inertia(payload, np.zeros(3), np.zeros((3, 3)))
    robot.pin_model.appendBodyToJoint(frame.parentJoint, load_inertia, frame.placement)
    data = robot.pin_model.createData()
    for q in rng.uniform(robot.lower, robot.upper, (200, robot.n)):
        weight = pin.computeGeneralizedGravity(robot.pin_model, data, q)
        assert np.all(np.abs(weight) < robot.effort_limit)


def test_lwr_holds_itself_with_its_payload(rng: np.random.Generator) -> None:
    """Data sheet: 7 kg."""
    assert_holds(load('lwr'), 7.0, rng)


def test_irb120_boxes_are_the_bounding_boxes() -> None:
    robot, links = load('irb120'), FACTS['irb120']['links']
    boxes = {name: link['primitive'] for name, link in links.items()}
    boxes = {name: box for name, box in boxes.items() if box['type'] == 'box'}
    assert len(boxes) == 4
    for name, facts in boxes.items():
        ((box, at),) = shapes_of(robot, name)
        np.testing.assert_allclose(2.0 * box.halfSide, facts['size'], rtol=0.0, atol=EXACT)
        np.testing.assert_allclose(at.translation, facts['origin_xyz'], rtol=0.0, atol=EXACT)


def test_irb120_points_down_at_home_and_touches_itself_neither_there_nor_at_zero() -> None:
    robot = load('irb120')
    (tool,) = robot.frame_poses(robot.home, ['tool0'])
    np.testing.assert_allclose(tool.rotation[:, 2], [0.0, 0.0, -1.0], atol=EXACT)
    for q in (robot.home, np.zeros(robot.n)):
        assert touching(robot, q) == set()


def test_irb120_reaches_as_far_as_its_data_sheet_says() -> None:
    """0.58 m from axis 1 to the wrist centre, stretched out horizontally."""
    robot, dh = load('irb120'), FACTS['irb120']['dh']
    q = np.zeros(robot.n)
    q[1] = 0.5 * math.pi
    q[2] = -math.atan2(dh['d4'], dh['a3'])
    (wrist,) = robot.frame_poses(q, ['link_5'])
    assert wrist.translation[0] == pytest.approx(dh['a2'] + math.hypot(dh['a3'], dh['d4']))
    assert wrist.translation[0] == pytest.approx(0.58, abs=1e-4)


def test_irb120_holds_itself_with_its_payload(rng: np.random.Generator) -> None:
    """Data sheet: 3 kg."""
    assert_holds(load('irb120'), 3.0, rng)


def turn(axis: str, angle: float) -> np.ndarray:
    """Return the matrix of 003 (2.15) to (2.17), written out."""
    c, s = math.cos(angle), math.sin(angle)
    return {
        'x': np.array([[1, 0, 0, 0], [0, c, -s, 0], [0, s, c, 0], [0, 0, 0, 1]]),
        'y': np.array([[c, 0, s, 0], [0, 1, 0, 0], [-s, 0, c, 0], [0, 0, 0, 1]]),
        'z': np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]),
    }[axis]


def along_z(length: float) -> np.ndarray:
    """Return TransZ of 003."""
    out = np.eye(4)
    out[2, 3] = length
    return out


def seed_003(theta: np.ndarray) -> np.ndarray:
    """Return the pose of the force sensor in the arm's base, 003 (2.18).

    There it is called the transform from S to B, and its product has six angles for seven joints.
    The seventh axis is that of the flange, along which TransZ(0.15) goes: its RotZ is missing at
    the end, where it moves S not at all.
    """
    right = 0.5 * math.pi
    return np.linalg.multi_dot(
        [
            turn('x', theta[0]),
            turn('y', theta[1]),
            along_z(0.365),
            turn('z', theta[2]),
            turn('y', theta[3]),
            turn('y', -right),
            along_z(0.365),
            turn('z', theta[4]),
            turn('x', theta[5]),
            turn('x', right),
            along_z(0.15),
            turn('z', theta[6]),
        ]
    )


def test_workerbot_arm_is_the_one_of_003(rng: np.random.Generator) -> None:
    """Pose of S, 003 (2.18), for random angles.

    003 counts from an arm whose upper arm is square to axis 1, its elbow and its wrist bent by 90
    degrees, and turns its wrist about x; the base's z axis there is -x here, its x axis z; both
    arms are the same chain. Thus::

        q1 = t1,  q2 = t2 - 90,  q3 = t3,  q4 = 90 - t4,  q5 = 90 - t5,  q6 = -90 - t6,
        q7 = -90 - t7
    """
    robot, right = load('workerbot'), 0.5 * math.pi
    bases = robot.frame_poses(np.zeros(robot.n), ['wb_link_1_l', 'wb_link_1_r'])
    for theta in rng.uniform(-math.pi, math.pi, (50, 7)):
        t1, t2, t3, t4, t5, t6, t7 = theta
        arm = [t1, t2 - right, t3, right - t4, right - t5, -right - t6, -right - t7]
        expected = turn('y', -right) @ seed_003(theta)
        for base, sensor in zip(
            bases, robot.frame_poses(np.array(arm * 2), robot.sensors), strict=True
        ):
            found = base.actInv(sensor).homogeneous
            np.testing.assert_allclose(found, expected, rtol=0.0, atol=EXACT)


def mirrored_joints(q: np.ndarray) -> np.ndarray:
    """Return the joints of workerbot's mirror image: arms swapped, turns about z reversed."""
    left, right = np.split(q, 2)
    signs = np.array([-1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0])
    return np.concatenate((signs * right, signs * left))


def test_workerbot_is_symmetric(rng: np.random.Generator) -> None:
    """Mirrored joints give mirrored palms, and take mirrored torques against gravity."""
    robot = load('workerbot')
    data = robot.pin_model.createData()
    for q in rng.uniform(robot.lower, robot.upper, (20, robot.n)):
        image = mirrored_joints(q)
        poses = robot.frame_poses(q, robot.tips)
        images = robot.frame_poses(image, robot.tips)
        for pose, other in zip(poses, reversed(images), strict=True):
            np.testing.assert_allclose(other.translation, MIRROR @ pose.translation, atol=EXACT)
            # The y axes of the palms are turned round, so that both frames are right-handed.
            turned = MIRROR @ pose.rotation @ MIRROR
            np.testing.assert_allclose(other.rotation, turned, rtol=0.0, atol=EXACT)
        weight = pin.computeGeneralizedGravity(robot.pin_model, data, q)
        other = pin.computeGeneralizedGravity(robot.pin_model, data, image)
        round_off = 1e-10  # of torques of a hundred N m
        np.testing.assert_allclose(other, mirrored_joints(weight), rtol=0.0, atol=round_off)


def test_workerbot_hands() -> None:
    """A flat palm 0.05 m before the sensor, 0.06 m square, its face through the tip's origin."""
    robot = load('workerbot')
    assert robot.sensors == ('sensor_l', 'sensor_r')
    for sensor, palm in zip(robot.sensors, robot.tips, strict=True):
        at, tip = robot.frame_poses(robot.home, [sensor, palm])
        assert_same(at.actInv(tip), placement([0.0, 0.0, 0.05], [0.0, 0.0, 0.0]))
        (plate, plate_at), (stem, stem_at) = shapes_of(robot, palm)
        np.testing.assert_allclose(2.0 * plate.halfSide, [0.06, 0.06, 0.01])
        assert plate_at.translation[2] + plate.halfSide[2] == pytest.approx(0.0, abs=EXACT)
        assert stem_at.translation[2] + stem.halfLength == pytest.approx(-0.01)
        assert stem_at.translation[2] - stem.halfLength == pytest.approx(-0.05)
    torso = robot.pin_model.inertias[0].mass
    assert torso == pytest.approx(FACTS['workerbot']['torso']['mass'], rel=EXACT)


def test_workerbot_is_at_home_before_a_beam() -> None:
    """Of 0.08 m along y: palms 10 mm before its ends, face to face, x axes forward."""
    robot = load('workerbot')
    digits = 1e-11  # of the angles in its file
    for palm, side in zip(robot.frame_poses(robot.home, robot.tips), (1.0, -1.0), strict=True):
        np.testing.assert_allclose(palm.translation, [0.4, 0.05 * side, 0.82], atol=digits)
        np.testing.assert_allclose(palm.rotation[:, 2], [0.0, -side, 0.0], atol=digits)
        np.testing.assert_allclose(palm.rotation[:, 0], [1.0, 0.0, 0.0], atol=digits)
    assert touching(robot, robot.home) == set()


def test_workerbot_can_carry_the_beam_from_home() -> None:
    """By (0.18, 0, 0.24) m and 30 degrees about the vertical, as its file says."""
    robot = load('workerbot')
    by, angle = np.array([0.18, 0.0, 0.24]), math.pi / 6.0
    for i, (tip, side) in enumerate(zip(robot.tips, (1.0, -1.0), strict=True)):
        held = pin.SE3(turn('x', 0.5 * math.pi * side))
        held.translation = np.array([0.0, 0.04 * side, 0.0])
        beam = [
            pin.SE3(turn('z', s * angle)[:3, :3], np.array([0.4, 0.0, 0.82]) + s * by)
            for s in np.linspace(0.0, 1.0, 30)
        ]
        course = inverse_kinematics(robot, tip).along([at * held for at in beam], robot.home)
        arm = slice(7 * i, 7 * i + 7)
        assert np.minimum(course - robot.lower, robot.upper - course)[:, arm].min() > 0.42
        velocity = TipVelocity(robot, tip)
        assert min(velocity.dexterity(q).smallest for q in course) > 0.13


def test_workerbot_holds_itself_with_its_payload(rng: np.random.Generator) -> None:
    """10 kg: that of the arm which it was taken from."""
    assert_holds(load('workerbot'), 10.0, rng)


def test_lwr_flexible_joints() -> None:
    """The damping ratio is that of a motor on its gear with the link held."""
    found, facts = load('lwr').flexible_joints, FACTS['lwr']['flexible_joint']
    assert found is not None
    np.testing.assert_array_equal(found.motor_inertia, facts['motor_inertia_link_side'])
    np.testing.assert_array_equal(found.stiffness, facts['joint_stiffness_suggested'])
    for inertia, stiffness, damping in zip(
        found.motor_inertia, found.stiffness, found.damping, strict=True
    ):
        poles = np.roots([inertia, damping, stiffness])
        ratio = -poles.real / np.abs(poles)
        assert ratio == pytest.approx([facts['joint_damping_ratio_suggested']] * 2)


@pytest.mark.parametrize('name', ['sphere', 'two_link', 'yumi', 'irb120', 'workerbot'])
def test_of_other_robots_no_motors_are_known(name: str) -> None:
    assert load(name).flexible_joints is None


GIVEN = {'motor_inertia': {'joint1': 1, 'joint2': 2}, 'stiffness': {'joint1': 3, 'joint2': 4}}


@pytest.mark.parametrize(
    ('given', 'message'),
    [
        (GIVEN, 'damping_ratio: not given'),
        (
            {**GIVEN, 'damping_ratio': 0, 'stiffness': {}},
            'stiffness: not given for joint1',
        ),
        ({**GIVEN, 'damping_ratio': 0, 'motor_inertia': {'joint1': 1}}, 'not given for joint2'),
        ({**GIVEN, 'damping_ratio': 0, 'stiffness': {'joint3': 1}}, 'did you mean'),
    ],
)
def test_motors_are_given_for_every_joint_or_for_none(given: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        load('two_link', flexible_joints=msgspec.convert(given, FlexibleJointsConfig))


def test_two_link_obeys_the_textbook(rng: np.random.Generator) -> None:
    """M(q) and g(q) of the fact sheet's closed form, evaluated as it is written there."""
    gravity = 9.81
    robot = load('two_link', gravity=(0.0, 0.0, -gravity))
    data = robot.pin_model.createData()
    formulas = {
        key: text.replace('^', '**') for key, text in FACTS['two_link']['closed_form'].items()
    }
    constants = {'m1': 1, 'm2': 1, 'l1': 1, 'lc1': 0.5, 'lc2': 0.5, 'I1': 1 / 12, 'I2': 1 / 12}
    thirds = 1e-9  # the file writes 1/12 with nine digits
    for q in rng.uniform(-math.pi, math.pi, (20, 2)):
        names = constants | {'q1': q[0], 'q2': q[1], 'cos': math.cos, 'sin': math.sin}
        value = {key: eval(text, {}, names) for key, text in formulas.items()}
        mass = pin.crba(robot.pin_model, data, q)
        expected = [[value['M11'], value['M12']], [value['M12'], value['M22']]]
        np.testing.assert_allclose(mass, expected, rtol=0.0, atol=thirds)
        weight = pin.computeGeneralizedGravity(robot.pin_model, data, q)
        np.testing.assert_allclose(weight, [value['g1'], value['g2']], rtol=0.0, atol=EXACT)


def test_sphere_is_the_one_of_000() -> None:
    """1 kg, radius 0.1 m, solid; it slides along z and weighs 9.82 N."""
    robot = load('sphere')
    data = robot.pin_model.createData()
    assert robot.joint_names == ('slide',)
    assert robot.links == ('base', 'sphere')
    assert pin.crba(robot.pin_model, data, robot.home) == pytest.approx(1.0)
    weight = pin.computeGeneralizedGravity(robot.pin_model, data, robot.home)
    assert weight == pytest.approx(9.82)
    ((ball, at),) = shapes_of(robot, 'sphere')
    assert ball.radius == 0.1
    np.testing.assert_array_equal(at.translation, 0.0)
    np.testing.assert_allclose(robot.pin_model.inertias[1].inertia, np.eye(3) * 0.4 * 0.1**2)
    np.testing.assert_allclose(robot.tip_positions(np.array([0.7])), [[0.0, 0.0, 0.7]])


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(4)
