"""What rviz shows: the frames and topics of all who take part fit together."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import yaml

from simloop_ros.core.errors import ModelError, UnknownNameError
from simloop_ros.core.resources import resource_folder
from simloop_ros.ros.launch.view import (
    read_description,
    root_link,
    sliders,
    view_robot,
    view_scenario,
)
from simloop_ros.ros.launch.wiring import NodeSpec
from simloop_ros.ros.messages.description import with_mesh_addresses

ROOTS = {'sphere': 'base', 'two_link': 'base', 'yumi': 'yumi_body', 'lwr': 'lwr_base_link'}
NAMESPACES = ['', '/left/arm']


def resolved(node: NodeSpec, topic: str) -> str:
    """Return the topic that a node uses in the end, as ROS resolves names."""
    name = dict(node.remappings).get(topic, topic)
    return name if name.startswith('/') else f'{node.namespace}/{name}'


def displays() -> dict[str, dict[str, Any]]:
    """Return the displays of the rviz configuration, by name."""
    text = (resource_folder('config') / 'rviz' / 'simloop.rviz').read_text()
    shown = yaml.safe_load(text)['Visualization Manager']['Displays']
    return {display['Name']: display for display in shown}


def test_what_is_shown() -> None:
    kinds = [display['Class'] for display in displays().values()]
    assert sorted(kind.removeprefix('rviz_default_plugins/') for kind in kinds) == [
        'Grid',
        'MarkerArray',
        'RobotModel',
        'RobotModel',
        'TF',
    ]


@pytest.mark.parametrize('namespace', NAMESPACES)
def test_robot_and_ghost(namespace: str) -> None:
    urdf = read_description('yumi')
    robot, ghost, static, rviz = view_scenario(urdf, namespace, use_sim_time=True)
    assert resolved(robot, 'joint_states') == f'{namespace}/joint_states'
    assert resolved(ghost, 'joint_states') == f'{namespace}/control_state'
    for node in (robot, ghost):
        assert node.parameters['robot_description'] == urdf
        assert node.parameters['use_sim_time'] is True
    assert robot.parameters['frame_prefix'] == ''
    prefix = ghost.parameters['frame_prefix']
    frames = dict(zip(static.arguments[::2], static.arguments[1::2], strict=True))
    assert frames == {'--frame-id': 'yumi_body', '--child-frame-id': f'{prefix}yumi_body'}

    shown = displays()
    models = [shown['Robot'], shown['Ghost (control simulation)']]
    for display, node in zip(models, (robot, ghost), strict=True):
        # rviz puts a slash between the prefix and the link.
        assert display['TF Prefix'] == node.parameters['frame_prefix'].rstrip('/')
        topic = display['Description Topic']['Value']
        assert f'{rviz.namespace}/{topic}' == f'{node.namespace}/robot_description'
        assert display['Description Topic']['Durability Policy'] == 'Transient Local'
    assert models[1]['Alpha'] < models[0]['Alpha']
    topic = shown['Contacts and wrenches']['Topic']['Value']
    assert f'{rviz.namespace}/{topic}' == f'{namespace}/markers'


@pytest.mark.parametrize('namespace', NAMESPACES)
def test_all_share_the_transforms_of_their_namespace(namespace: str) -> None:
    for node in view_scenario(read_description('sphere'), namespace, use_sim_time=False):
        assert resolved(node, '/tf') == f'{namespace}/tf'
        assert resolved(node, '/tf_static') == f'{namespace}/tf_static'


@pytest.mark.parametrize('robot', ROOTS)
def test_rviz_stands_on_the_root_link(robot: str) -> None:
    urdf = read_description(robot)
    assert root_link(urdf) == ROOTS[robot]
    _, rviz = view_robot(urdf, '')
    options = dict(zip(rviz.arguments[::2], rviz.arguments[1::2], strict=True))
    assert options['-f'] == ROOTS[robot]
    assert Path(options['-d']).is_file()


def test_sliders_move_the_robot() -> None:
    states, _ = view_robot(read_description('sphere'), '/left')
    assert resolved(sliders('/left'), 'joint_states') == resolved(states, 'joint_states')


def test_meshes_are_addresses(tmp_path: Path) -> None:
    (tmp_path / 'part.stl').touch()
    file = tmp_path / 'robot.urdf'
    file.write_text(
        '<robot name="r"><link name="a"><visual><geometry><mesh filename="part.stl"/>'
        '</geometry></visual></link></robot>'
    )
    (mesh,) = ET.fromstring(read_description(str(file))).iter('mesh')
    assert mesh.get('filename') == f'file://{tmp_path.resolve()}/part.stl'


def test_a_description_without_meshes_stays() -> None:
    urdf = read_description('sphere')
    assert ET.canonicalize(with_mesh_addresses(urdf)) == ET.canonicalize(urdf)


def test_robots_that_are_not_there() -> None:
    with pytest.raises(UnknownNameError, match='did you mean yumi'):
        read_description('yummi')
    with pytest.raises(ModelError, match='no such robot description'):
        read_description('nowhere.urdf')


def test_a_ring_has_no_root() -> None:
    joint = '<joint name="{0}{1}"><parent link="{0}"/><child link="{1}"/></joint>'
    links = '<link name="a"/><link name="b"/>'
    ring = f'<robot name="r">{links}{joint.format("a", "b")}{joint.format("b", "a")}</robot>'
    with pytest.raises(ModelError, match="'r' has no link"):
        root_link(ring)
