"""The robot, its ghost and the markers: nodes of other packages for rviz, or a page; as data."""

from __future__ import annotations

import sys
from xml.etree import ElementTree as ET

from ...core.errors import ModelError
from ...core.resources import resource_folder
from ...robot.urdf import find_description, parse_description, resolve_meshes
from ...scenario.robot_files import robot_config
from ..messages.description import with_mesh_addresses
from .wiring import NodeSpec

GHOST = 'ghost'
"""Namespace and first part of the frames of the ghost, the robot of the control simulation."""
STATE_PUBLISHER = 'robot_state_publisher'
SLIDERS = 'joint_state_publisher_gui'
OWN_TF = (('/tf', 'tf'), ('/tf_static', 'tf_static'))
"""Two robots may have links of the same name, so that each namespace has its own transforms."""


def page_command(namespace: str) -> tuple[str, ...]:
    """Return the command that shows the graph of a namespace in the browser."""
    named = ('--namespace', namespace) if namespace else ()
    return (sys.executable, '-m', 'simloop_ros.cli.main', 'view', '--graph', *named)


def view_scenario(urdf: str, namespace: str, *, use_sim_time: bool) -> tuple[NodeSpec, ...]:
    """Return the nodes that show a robot and, as a ghost, its control state.

    :param urdf: see ``with_mesh_addresses``.
    """
    root = root_link(urdf)
    states, rviz = view_robot(urdf, namespace, use_sim_time=use_sim_time)
    ghost = _state_publisher(
        urdf,
        f'{namespace}/{GHOST}',
        namespace,
        use_sim_time=use_sim_time,
        frame_prefix=f'{GHOST}/',
        joint_states=f'{namespace}/control_state',
    )
    joint = NodeSpec(
        package='tf2_ros',
        executable='static_transform_publisher',
        name='ghost_transform_publisher',
        namespace=namespace,
        parameters={},
        remappings=OWN_TF,
        arguments=('--frame-id', root, '--child-frame-id', f'{GHOST}/{root}'),
    )
    return states, ghost, joint, rviz


def view_robot(
    urdf: str, namespace: str, *, use_sim_time: bool = False
) -> tuple[NodeSpec, NodeSpec]:
    """Return the nodes that show a robot by its joint states."""
    config = resource_folder('config') / 'rviz' / 'simloop.rviz'
    rviz = NodeSpec(
        package='rviz2',
        executable='rviz2',
        name='rviz2',
        namespace=namespace,
        parameters={'use_sim_time': use_sim_time},
        remappings=OWN_TF,
        arguments=('-d', str(config), '-f', root_link(urdf)),
    )
    return _state_publisher(urdf, namespace, namespace, use_sim_time=use_sim_time), rviz


def sliders(namespace: str) -> NodeSpec:
    """Return the node that publishes joint states from sliders."""
    return NodeSpec(package=SLIDERS, executable=SLIDERS, namespace=namespace, parameters={})


def read_description(robot: str) -> str:
    """Return the description of a shipped robot, or a URDF or xacro file, for other programs."""
    config = robot_config(robot)
    path = find_description(config.urdf, resource_folder('urdf'))
    root = parse_description(path)
    resolve_meshes(root, path, config.packages)
    return with_mesh_addresses(ET.tostring(root, encoding='unicode'))


def root_link(urdf: str) -> str:
    """Return the link that no joint moves, the frame of the world; else raise ModelError."""
    robot = ET.fromstring(urdf)
    children = {child.get('link') for child in robot.findall('joint/child')}
    for link in robot.findall('link'):
        name = link.get('name', '')
        if name not in children:
            return name
    raise ModelError(f'robot {robot.get("name")!r} has no link that is not the child of a joint')


def _state_publisher(
    urdf: str,
    namespace: str,
    namespace_of_tf: str,
    *,
    use_sim_time: bool,
    frame_prefix: str = '',
    joint_states: str = 'joint_states',
) -> NodeSpec:
    return NodeSpec(
        package=STATE_PUBLISHER,
        executable=STATE_PUBLISHER,
        name=STATE_PUBLISHER,
        namespace=namespace,
        parameters={
            'robot_description': urdf,
            'frame_prefix': frame_prefix,
            'use_sim_time': use_sim_time,
        },
        remappings=(
            ('joint_states', joint_states),
            *((topic, f'{namespace_of_tf}/{own}') for topic, own in OWN_TF),
        ),
    )
