"""A robot description for other programs: topic ``robot_description``."""

from __future__ import annotations

from xml.etree import ElementTree as ET


def with_mesh_addresses(urdf: str) -> str:
    """Return a description whose meshes are ``file://`` addresses; rviz takes no bare paths.

    :param urdf: description whose meshes are absolute paths.
    """
    root = ET.fromstring(urdf)
    for mesh in root.iter('mesh'):
        mesh.set('filename', f'file://{mesh.get("filename")}')
    return ET.tostring(root, encoding='unicode')
