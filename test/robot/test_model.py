"""Reading a robot: what becomes of its limits, meshes and joints, and what is refused."""

from __future__ import annotations

from importlib.metadata import files
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.core.errors import ConfigError, ModelError, UnknownNameError
from simloop_ros.robot.check import check_robot
from simloop_ros.robot.config import RobotConfig
from simloop_ros.robot.loading import load_robot
from simloop_ros.robot.model import RobotModel
from simloop_ros.robot.urdf import UNBOUNDED

INERTIAL = """<inertial><origin xyz="0.2 0 0"/><mass value="2"/>
  <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.02"/></inertial>"""
LIMIT = '<limit lower="-1" upper="2" velocity="3" effort="4"/>'


def arm(joint1: str = '', joint2: str = LIMIT, type1: str = 'continuous', link: str = '') -> str:
    """Return a two-joint arm with the given contents of its joints and of its last link."""
    return f"""<robot name="arm">
      <link name="base"><inertial><mass value="5"/>
        <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
      <link name="upper">{INERTIAL}</link><link name="lower">{INERTIAL}{link}</link>
      <link name="tool"/>
      <joint name="first" type="{type1}"><parent link="base"/><child link="upper"/>
        <axis xyz="0 1 0"/>{joint1}</joint>
      <joint name="second" type="revolute"><parent link="upper"/><child link="lower"/>
        <origin xyz="0.4 0 0"/><axis xyz="0 1 0"/>{joint2}</joint>
      <joint name="third" type="fixed"><parent link="lower"/><child link="tool"/>
        <origin xyz="0.3 0 0"/></joint>
    </robot>"""


def load(folder: Path, text: str, name: str = 'arm.urdf', **config: Any) -> RobotModel:
    (folder / name).write_text(text)
    return load_robot(RobotConfig(urdf=name, **config), folder)


def test_limits(tmp_path: Path) -> None:
    robot = load(tmp_path, arm())
    assert robot.joint_names == ('first', 'second')
    np.testing.assert_array_equal(robot.lower, [-UNBOUNDED, -1.0])
    np.testing.assert_array_equal(robot.upper, [UNBOUNDED, 2.0])
    np.testing.assert_array_equal(robot.velocity_limit, [np.inf, 3.0])
    np.testing.assert_array_equal(robot.effort_limit, [np.inf, 4.0])


def test_continuous_joint_has_one_position_and_its_own_limits(tmp_path: Path) -> None:
    limit = '<limit velocity="5" effort="6"/>'
    robot = load(tmp_path, arm(joint1=limit), tips=('tool',))
    assert robot.pin_model.nq == robot.pin_model.nv == 2
    assert (robot.velocity_limit[0], robot.effort_limit[0]) == (5.0, 6.0)
    # A full turn leads back to the same place.
    turned = robot.home + np.array([2.0 * np.pi, 0.0])
    expected = robot.tip_positions(robot.home)
    np.testing.assert_allclose(robot.tip_positions(turned), expected, atol=1e-14)


def test_total_mass_counts_the_base(tmp_path: Path) -> None:
    assert load(tmp_path, arm()).total_mass == 9.0


def test_tips(tmp_path: Path) -> None:
    robot = load(tmp_path, arm(), tips=('tool', 'lower'))
    # q = 0 is stretched along x; a right angle about y turns x to -z.
    np.testing.assert_allclose(robot.tip_positions(np.zeros(2)), [[0.7, 0, 0], [0.4, 0, 0]])
    down = robot.tip_positions(np.array([0.0, np.pi / 2]))
    np.testing.assert_allclose(down, [[0.4, 0, -0.3], [0.4, 0, 0]], atol=1e-15)


def test_sensors_are_where_the_kinematics_put_them_on_their_tips(tmp_path: Path) -> None:
    """At joints that are anything but zero; a tip that is its own sensor is exactly there."""
    sensor = """<link name="sensor"/><joint name="mount" type="fixed"><parent link="lower"/>
      <child link="sensor"/><origin xyz="0.2 0.1 0" rpy="0.3 -0.4 0.5"/></joint></robot>"""
    text = arm().replace('</robot>', sensor)
    robot = load(tmp_path, text, tips=('tool', 'tool'), sensors=('sensor', 'tool'))
    tip, felt = robot.frame_poses(np.array([0.7, -0.8]), ('tool', 'sensor'))
    first, second = robot.sensors_in_tips()
    np.testing.assert_allclose((tip * first).homogeneous, felt.homogeneous, atol=1e-15)
    np.testing.assert_allclose(first.translation, [-0.1, 0.1, 0.0], atol=1e-15)
    np.testing.assert_array_equal(second.homogeneous, np.eye(4))


def test_home(tmp_path: Path) -> None:
    only_above = '<limit lower="0.5" upper="2" velocity="3" effort="4"/>'
    np.testing.assert_array_equal(load(tmp_path, arm(joint2=only_above)).home, [0.0, 0.5])
    robot = load(tmp_path, arm(), home={'second': 1.5})
    np.testing.assert_array_equal(robot.home, [0.0, 1.5])


@pytest.mark.parametrize(
    ('config', 'error', 'message'),
    [
        ({'home': {'second': 2.5}}, ConfigError, r'second = 2.5 is outside its range \[-1, 2\]'),
        ({'home': {'secnd': 0.5}}, UnknownNameError, 'did you mean second'),
        ({'tips': ('tol',)}, UnknownNameError, 'did you mean tool'),
        ({'lock': ('secnd',)}, UnknownNameError, 'did you mean second'),
        ({'lock': ('first', 'second')}, ModelError, 'no moving joint'),
    ],
    ids=['home range', 'home name', 'tip', 'lock name', 'lock all'],
)
def test_refuses_config(
    tmp_path: Path, config: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        load(tmp_path, arm(), **config)


@pytest.mark.parametrize('position', [0.0, 0.7])
def test_lock_leaves_the_rest_of_the_arm_as_it_is(tmp_path: Path, position: float) -> None:
    free = load(tmp_path, arm())
    locked = load(tmp_path, arm(), lock=('second',), home={'second': position})
    assert locked.joint_names == ('first',)
    assert locked.total_mass == free.total_mass
    data, locked_data = free.pin_model.createData(), locked.pin_model.createData()
    for angle in (0.0, 0.3, -2.0):
        full = pin.crba(free.pin_model, data, np.array([angle, position]))
        part = pin.crba(locked.pin_model, locked_data, np.array([angle]))
        np.testing.assert_allclose(part, full[:1, :1])


@pytest.mark.parametrize(
    ('name', 'text', 'message'),
    [
        ('arm.urdf', '<robot name="a"><link name="b">', 'not a valid XML file'),
        ('arm.urdf', '<sdf version="1.6"/>', 'root element is <sdf>'),
        ('arm.urdf', '', 'not a valid XML file'),
        ('arm.urdf', arm(joint2=''), 'not a valid robot'),
        ('arm.urdf', arm(joint2=LIMIT.replace('"4"', '"four"')), 'not a valid robot'),
        ('arm.urdf', arm(type1='floating'), "'first' is floating"),
        ('arm.urdf', '<robot name="rock"><link name="rock"/></robot>', 'no moving joint'),
        ('arm.xacro', '<robot name="a"><link name="${b}"/></robot>', 'xacro'),
        (
            'arm.xacro',
            '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:nothing/></robot>',
            'not a valid xacro file',
        ),
        ('arm.xacro', '<robot name="a">', 'not a valid x'),
    ],
    ids=[
        'broken XML',
        'SDF',
        'empty',
        'no limit',
        'no number',
        'floating',
        'no joint',
        'xacro name',
        'xacro macro',
        'xacro XML',
    ],
)
def test_refuses_file(tmp_path: Path, name: str, text: str, message: str) -> None:
    with pytest.raises(ModelError, match=message) as caught:
        load(tmp_path, text, name)
    assert 'arm.' in str(caught.value)  # it says which file


def test_refuses_a_missing_file_a_folder_and_bytes(tmp_path: Path) -> None:
    (tmp_path / 'bytes.urdf').write_bytes(b'\xff\xfe\x00\x01')
    for name in ('none.urdf', str(tmp_path), 'bytes.urdf'):
        with pytest.raises(ModelError):
            load_robot(RobotConfig(urdf=name), tmp_path)


def test_xacro(tmp_path: Path) -> None:
    text = arm().replace('value="2"', 'value="${1 + 1}"')
    text = text.replace('<robot ', '<robot xmlns:xacro="http://www.ros.org/wiki/xacro" ')
    assert load(tmp_path, text, 'arm.urdf.xacro').total_mass == 9.0


@pytest.mark.parametrize(
    'expression',
    ['9**9**9', "'a'*10**10", '[1]*10**12', 'list(range(10**12))', 'math.factorial(10**9)'],
)
def test_an_expression_that_would_take_hours_is_refused(tmp_path: Path, expression: str) -> None:
    text = arm().replace('value="2"', f'value="${{{expression}}}"')
    with pytest.raises(ModelError, match=r'arm\.xacro: .* at most 1000000 .* are allowed'):
        load(tmp_path, text, 'arm.xacro')


def test_a_text_that_doubles_again_and_again_is_refused(tmp_path: Path) -> None:
    double = '<xacro:property name="p" lazy_eval="false" value="${p}${p}"/>'
    lines = '<xacro:property name="p" value="ab"/>' + 40 * double
    text = f'<robot name="a" xmlns:xacro="http://www.ros.org/wiki/xacro">{lines}</robot>'
    with pytest.raises(ModelError, match='at most 1000000'):
        load(tmp_path, text, 'arm.xacro')


def mesh(name: str, tag: str = 'visual') -> str:
    return arm(link=f'<{tag}><geometry><mesh filename="{name}"/></geometry></{tag}>')


@pytest.mark.parametrize('how', ['packages', 'ROS_PACKAGE_PATH', 'AMENT_PREFIX_PATH', 'above'])
def test_finds_a_package_mesh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    share = tmp_path / 'prefix' / 'share'
    (share / 'arm_description' / 'meshes').mkdir(parents=True)
    (share / 'arm_description' / 'meshes' / 'part.stl').touch()
    folder, config = tmp_path, {}
    if how == 'packages':
        config = {'packages': (str(share),)}
    elif how == 'above':
        folder = share / 'arm_description' / 'urdf'
        folder.mkdir()
    else:
        monkeypatch.setenv(how, str(share if how == 'ROS_PACKAGE_PATH' else share.parent))
    robot = load(folder, mesh('package://arm_description/meshes/part.stl'), **config)
    assert f'"{share}/arm_description/meshes/part.stl"' in robot.urdf


def test_finds_a_mesh_beside_the_file(tmp_path: Path) -> None:
    (tmp_path / 'part.stl').touch()
    for name in ('part.stl', f'file://{tmp_path}/part.stl'):
        assert f'"{tmp_path}/part.stl"' in load(tmp_path, mesh(name)).urdf


@pytest.mark.parametrize('name', ['package://nowhere/part.stl', 'part.stl'])
def test_refuses_a_missing_mesh(tmp_path: Path, name: str) -> None:
    with pytest.raises(ModelError, match=r'part.stl.*cannot be found.*robot.packages'):
        load(tmp_path, mesh(name, 'collision'))
    assert 'part.stl' not in load(tmp_path, mesh(name)).urdf  # nobody has to see the robot


def test_gravity(tmp_path: Path) -> None:
    robot = load(tmp_path, arm(), gravity=(1.0, 2.0, -3.0))
    for found in (robot, robot.with_mass_bias(0.1)):
        np.testing.assert_array_equal(found.gravity, [1.0, 2.0, -3.0])
    np.testing.assert_array_equal(load(tmp_path, arm()).gravity, [0.0, 0.0, -9.82])


def test_mass_bias_scales_all_of_the_dynamics(tmp_path: Path) -> None:
    """Inertia is linear in mass, so M, the Coriolis terms and the weight all grow by 10 %."""
    robot = load(tmp_path, arm())
    heavy = robot.with_mass_bias(0.1)
    rng = np.random.default_rng(0)
    for _ in range(5):
        q, v, a = rng.normal(size=(3, 2))
        pair = [
            pin.rnea(model.pin_model, model.pin_model.createData(), q, v, a)
            for model in (robot, heavy)
        ]
        np.testing.assert_allclose(pair[1], 1.1 * pair[0], rtol=1e-13)
        pair = [pin.crba(m.pin_model, m.pin_model.createData(), q) for m in (robot, heavy)]
        np.testing.assert_allclose(pair[1], 1.1 * pair[0], rtol=1e-13)
    assert heavy.total_mass == pytest.approx(9.9)
    assert robot.with_mass_bias(0.0) is robot
    assert robot.total_mass == 9.0


FINGERS = ('panda_finger_joint1', 'panda_finger_joint2')


@pytest.mark.parametrize(
    ('path', 'tip', 'lock', 'joints'),
    [
        ('ur_description/urdf/ur5_robot.urdf', 'tool0', (), 6),
        ('ur_description/urdf/ur10_robot.urdf', 'tool0', (), 6),
        ('kinova_description/robots/kinova.urdf', 'j2s6s200_end_effector', (), 6),
        ('xarm_description/urdf/xarm7.urdf', 'link_eef', (), 7),
        ('z1_description/urdf/z1.urdf', 'gripperMover', (), 7),
        ('so_arm_description/urdf/so100.urdf', 'jaw', (), 6),
        ('panda_description/urdf/panda.urdf', 'panda_hand_tcp', FINGERS, 7),
    ],
    ids=['ur5', 'ur10', 'kinova', 'xarm7', 'z1', 'so100', 'panda'],
)
def test_robots_of_others(path: str, tip: str, lock: tuple[str, ...], joints: int) -> None:
    listed = files('example-robot-data') or []
    urdf = next(Path(str(file.locate())) for file in listed if file.as_posix().endswith(path))
    config = RobotConfig(urdf=str(urdf), tips=(tip,), lock=lock)
    assert check_robot(config).problems == []
    robot = load_robot(config)
    assert robot.n == joints
    mass = pin.crba(robot.pin_model, robot.pin_model.createData(), robot.home)
    assert np.linalg.eigvalsh(mass).min() > 0.0
    assert np.isfinite(robot.tip_positions(robot.home)).all()


def test_a_locked_joint_is_where_its_home_says(tmp_path: Path) -> None:
    """Also on the side to which it was turned, which the inertia of the joints does not show."""
    free = load(tmp_path, arm(), tips=('tool',))
    for angle in (0.7, -0.4):
        locked = load(tmp_path, arm(), tips=('tool',), lock=('second',), home={'second': angle})
        np.testing.assert_allclose(
            locked.tip_positions(np.array([0.3])),
            free.tip_positions(np.array([0.3, angle])),
            rtol=0.0,
            atol=1e-12,
        )
