"""A robot description for other programs: topic ``robot_description``."""

from __future__ import annotations

from xml.etree import ElementTree as ET


def with_mesh_addresses(urdf: str) -> str:
    """Return a description with absolute mesh paths as ``file://``; rviz takes no bare paths."""
    root = ET.fromstring(urdf)
    for mesh in root.iter('mesh'):
        mesh.set('filename', f'file://{mesh.get("filename")}')
    return ET.tostring(root, encoding='unicode')
