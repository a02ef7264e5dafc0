"""Named postures of a robot, from the SRDF files of MoveIt."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
import math
from pathlib import Path
import xml.etree.ElementTree as ET

from ..core.errors import ModelError
from ..core.files import read_text
from .urdf import parse_description

FOLDERS = ('.', 'srdf', '../srdf', '../config')
"""Where an SRDF file lies, from the folder of the URDF."""
FREE_POSE = 7
"""Number of values that a group state has for a base that floats: position and quaternion."""


@dataclass(frozen=True)
class Semantics:
    """What SRDF files say about a robot.

    :ivar postures: by name, position by joint [rad or m].
    :ivar floating: name of the joint by which the base floats; empty if it does not.
    :ivar foreign: names of postures without a joint of the robot.
    """

    postures: dict[str, dict[str, float]]
    floating: str = ''
    foreign: tuple[str, ...] = ()


def find_srdf(urdf: Path) -> list[Path]:
    """Return the SRDF files beside a robot description, or in its package."""
    folders = dict.fromkeys((urdf.parent / folder).resolve() for folder in FOLDERS)
    return [path for folder in folders for path in sorted(folder.glob('*.srdf'))]


def read_semantics(paths: Iterable[Path], urdf: Path) -> Semantics:
    """Return what files say about a robot: those with its name, or all if none has it.

    States of the same name, of several groups, are one posture; joints that the robot does not
    have are left out.

    :raises SimloopError: a file is not valid, or has a value that is not a number.
    """
    robot = parse_description(urdf)
    joints = {joint.get('name', '') for joint in robot.findall('joint')}
    roots = [_root(path) for path in paths]
    own = [root for root in roots if root.get('name') == robot.get('name')] or roots
    postures: dict[str, dict[str, float]] = {}
    floating = ''
    for root in own:
        for virtual in root.findall('virtual_joint'):
            if virtual.get('type') in ('floating', 'planar'):
                floating = floating or virtual.get('name', '')
        for state in root.findall('group_state'):
            for joint in state.findall('joint'):
                name, values = joint.get('name', ''), _numbers(joint.get('value', ''))
                if name in joints and not values:
                    raise ModelError(
                        f'posture {state.get("name", "")} of the SRDF file: {name} is at '
                        f'{joint.get("value", "")!r}; give a number [rad or m]'
                    )
                if name in joints and len(values) == 1:
                    postures.setdefault(state.get('name', ''), {}).setdefault(name, values[0])
                elif len(values) == FREE_POSE:
                    floating = floating or name
    named = {state.get('name', '') for root in own for state in root.findall('group_state')}
    return Semantics(postures, floating, tuple(sorted(named - postures.keys())))


def _root(path: Path) -> ET.Element:
    try:
        return ET.fromstring(read_text(path))
    except ET.ParseError as error:
        raise ModelError(f'{path}: not a valid SRDF file: {error}') from error


def _numbers(text: str) -> list[float]:
    try:
        numbers = [float(word) for word in text.split()]
    except ValueError:
        return []
    return numbers if all(map(math.isfinite, numbers)) else []
