"""Validation of a robot description: is it fit for control, and if not, what to do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass
import difflib
from functools import partial
import math
from pathlib import Path
import xml.etree.ElementTree as ET

import numpy as np

from ..core.errors import SimloopError
from ..core.values import Array
from .config import RobotConfig
from .loading import build_robot
from .model import RobotModel
from .urdf import MOVING_TYPES, find_description, lock_joint, parse_description, resolve_meshes

SMALLEST_RATIO = 1e-9
"""Least ratio of the smallest to the largest principal inertia. A wire of 1 m and 0.1 mm has 6e-8;
below that stands a zero with the round-off of the eigenvalues."""

FREE_BASE = {
    'floating': ', by which the base floats',
    'planar': ', by which the base drives about',
}
"""What joints without a motor of their own stand for."""

VECTORS = frozenset(('xyz', 'rpy', 'size', 'scale'))
"""Attributes of three numbers."""

MOST_ENDS = 8
"""Ends of a robot that a message lists."""

TRIANGLE_ROUNDING = 1e-3
"""How far, as a share of the largest one, principal inertias may break the triangle inequality: a
flat plate meets it with equality, and files give three or four digits."""


@dataclass(frozen=True)
class Problem:
    """A problem of a robot description.

    :ivar where: name of the link or joint, or the key of the robot file.
    :ivar fatal: whether it makes control impossible.
    """

    where: str
    what: str
    remedy: str
    fatal: bool = True


@dataclass(frozen=True)
class CheckedRobot:
    """Every problem of a robot; without fatal ones, the robot."""

    problems: list[Problem]
    model: RobotModel | None


def check_robot(config: RobotConfig, urdf_folder: Path | None = None) -> CheckedRobot:
    """Load a robot, and return every problem of it.

    :param urdf_folder: where a relative path starts; the working directory is tried first.
    :raises ModelError: the file is missing or is not a robot description at all.
    """
    path = find_description(config.urdf, urdf_folder)
    root = parse_description(path)
    given = deepcopy(root)
    problems: list[Problem] = [*_vectors(root)]
    for name in config.lock if not problems else ():
        lock = partial(lock_joint, root, name, config.home.get(name, 0.0))
        problems += _refusal(lock, 'robot.lock', 'correct robot.lock')
    unseen: list[str] = []
    problems += _refusal(
        lambda: unseen.extend(resolve_meshes(root, path, config.packages)),
        'mesh',
        'add the folder, or take out the mesh',
    )
    if unseen:
        what = f'{len(unseen)} visual meshes cannot be found, for instance {unseen[0]!r}'
        remedy = 'control needs none; to show them name the folder above their package in '
        remedy += 'robot.packages (check: --packages)'
        problems.append(Problem('mesh', what, remedy, fatal=False))
    tree = _Tree(root)
    problems += _structure(tree)
    for joint in tree.joints.values():
        problems += _joint(joint)
    for body in tree.bodies():
        problems += _body(body)
    problems += _tips(tree, config.tips)
    problems += _sensors(tree, config.sensors, config.tips)
    problems += _home(tree, config.home)
    loaded: list[RobotModel] = []
    if not any(problem.fatal for problem in problems):
        problems += _refusal(
            lambda: loaded.append(build_robot(config, path, given)),
            'robot',
            'correct it, then check again',
        )
    return CheckedRobot(problems, loaded[0] if loaded else None)


class _Tree:
    """The links and joints of a description, by name, and their connections."""

    def __init__(self, root: ET.Element):
        self.names = [
            (kind, element.get('name', ''))
            for kind in ('link', 'joint')
            for element in root.findall(kind)
        ]
        self.links = {element.get('name', ''): element for element in root.findall('link')}
        self.joints = {element.get('name', ''): element for element in root.findall('joint')}
        self.ends = {
            name: (_end(j, 'parent'), _end(j, 'child')) for name, j in self.joints.items()
        }
        children = {child for _, child in self.ends.values()}
        parents = {parent for parent, _ in self.ends.values()}
        self.roots = [link for link in self.links if link not in children]
        self.leaves = [link for link in self.links if link not in parents]

    def below(self, link: str, fixed_only: bool = False) -> list[str]:
        """Return ``link`` and the links below it; visits none twice."""
        found = [link] if link in self.links else []
        for name in found:
            for joint, (parent, child) in self.ends.items():
                follow = not fixed_only or self.joints[joint].get('type') == 'fixed'
                if parent == name and follow and child in self.links and child not in found:
                    found.append(child)
        return found

    def bodies(self) -> Iterator[list[ET.Element]]:
        """Yield, for every moving joint, the links that it moves as one rigid body."""
        for joint, (_, child) in self.ends.items():
            if self.joints[joint].get('type') != 'fixed' and child in self.links:
                yield [self.links[name] for name in self.below(child, fixed_only=True)]


def _end(joint: ET.Element, tag: str) -> str:
    element = joint.find(tag)
    return '' if element is None else element.get('link', '')


def _refusal(call: Callable[[], object], where: str, remedy: str) -> Iterator[Problem]:
    try:
        call()
    except SimloopError as error:
        key, _, what = str(error).partition(': ')
        if key.startswith('robot.'):
            yield Problem(key, what, f'correct {key}')
        else:
            yield Problem(where, str(error), remedy)


def _vectors(root: ET.Element) -> Iterator[Problem]:
    """Check what must be three numbers: places, angles, axes, sizes."""
    for part in (*root.findall('link'), *root.findall('joint')):
        moves = part.get('type') in MOVING_TYPES
        for element in part.iter():
            for key in VECTORS.intersection(element.attrib):
                text = element.get(key, '')
                try:
                    numbers = np.array([float(word) for word in text.split()])
                except ValueError:
                    numbers = np.empty(0)
                where = part.get('name', '')
                what = f'{key} of its <{element.tag}> is {text[:60]!r}'
                if numbers.shape != (3,) or not np.isfinite(numbers).all():
                    yield Problem(where, what, 'give three numbers')
                elif element.tag == 'axis' and moves and not numbers.any():
                    yield Problem(where, what, 'give the direction of the axis')


def _structure(tree: _Tree) -> Iterator[Problem]:
    if not tree.links:
        yield Problem('robot', 'it has no links', 'take the URDF of a robot')
    for (kind, name), count in Counter(tree.names).items():
        if count > 1:
            yield Problem(name, f'{count} {kind}s have this name', 'give each its own name')
    for joint, ends in tree.ends.items():
        for tag, link in zip(('parent', 'child'), ends, strict=True):
            if link not in tree.links:
                what = f'its {tag} link {link!r} does not exist'
                yield Problem(joint, what, f'add the link or correct the {tag}')
    for child, count in Counter(child for _, child in tree.ends.values()).items():
        if count > 1 and child in tree.links:
            what = f'{count} joints move this link; a closed chain cannot be controlled'
            yield Problem(child, what, 'keep one of the joints')
    if len(tree.roots) > 1:
        # The robot is the part with most links; the others are the problem.
        robot = max(tree.roots, key=lambda link: len(tree.below(link)))
        for link in tree.roots:
            if link != robot:
                what = f'no joint connects it to the robot, whose root is {robot!r}'
                yield Problem(link, what, 'add a (fixed) joint or remove the link')
    reached = {link for base in tree.roots for link in tree.below(base)}
    loop = [link for link in tree.links if link not in reached]
    if loop:
        what = f'the links {", ".join(loop)} are a loop without a root'
        yield Problem(loop[0], what, 'make the joints a tree that starts at one link')


def _joint(joint: ET.Element) -> Iterator[Problem]:
    name, kind = joint.get('name', ''), joint.get('type')
    if kind == 'fixed':
        return
    if kind not in MOVING_TYPES:
        yield Problem(
            name,
            f'it is a {kind} joint{FREE_BASE.get(kind or "", "")}; only fixed-base arms of '
            f'{", ".join(MOVING_TYPES)} joints can be controlled',
            'make it fixed, or lock it with robot.lock',
        )
        return
    if joint.find('mimic') is not None:
        what = 'it follows another joint (mimic), so no motor of its own moves it'
        yield Problem(name, what, 'lock it with robot.lock, or take out the mimic')
    limit = joint.find('limit')
    for key, unit in (('effort', 'N m or N'), ('velocity', 'rad/s or m/s')):
        value = _number(limit, key)
        if not math.isfinite(value) or value < 0.0:
            yield Problem(name, f'its {key} limit is not a number [{unit}]', f'correct the {key}')
        elif value == 0.0:
            remedy = f'add {key}="..." [{unit}] to its <limit>'
            yield Problem(name, f'it has no {key} limit', remedy, fatal=key == 'effort')
    if kind != 'continuous':
        lower, upper = _number(limit, 'lower'), _number(limit, 'upper')
        if not lower < upper:
            what = f'its range is empty: lower {lower:g}, upper {upper:g}'
            yield Problem(name, what, 'give lower < upper, or make it fixed or continuous')


def _body(links: list[ET.Element]) -> Iterator[Problem]:
    """Check the inertial data of the links that one joint moves."""
    first = links[0].get('name', '')
    inertials = {
        link.get('name', ''): inertial
        for link in links
        if (inertial := link.find('inertial')) is not None
    }
    if not inertials:
        yield Problem(
            first, 'it moves, but has no <inertial>', 'add its mass, centre of mass and inertia'
        )
        return
    masses = {name: _number(item.find('mass'), 'value') for name, item in inertials.items()}
    inertias = {name: _inertia(item.find('inertia')) for name, item in inertials.items()}
    for name, mass in masses.items():
        if not math.isfinite(mass) or mass < 0.0:
            yield Problem(name, f'its mass is {mass:g} kg', 'give a positive mass')
    if sum(masses.values()) == 0.0:
        yield Problem(first, 'it moves, but its mass is 0', 'give a positive mass')
    for name, inertia in inertias.items():
        # A point mass, or a mere frame, is fine on a body whose other links have inertia.
        others = (other for key, other in inertias.items() if key != name)
        if inertia.any() or not any(other.any() for other in others):
            yield from _principal(name, inertia)


def _principal(link: str, inertia: Array) -> Iterator[Problem]:
    """Check the principal inertias of a link [kg m^2] given its tensor, shape ``(3, 3)``."""
    if not np.isfinite(inertia).all():
        yield Problem(link, 'its inertia has an entry that is not a number', 'correct it')
        return
    small, middle, large = np.linalg.eigvalsh(inertia)
    shown = f'{small:.3g}, {middle:.3g}, {large:.3g} kg m^2'
    remedy = 'take the inertia about its centre of mass from CAD'
    if large <= 0.0 or small < SMALLEST_RATIO * large:
        what = f'its inertia is not positive definite: principal inertias {shown}'
        yield Problem(link, what, remedy)
    elif small + middle < (1.0 - TRIANGLE_ROUNDING) * large:
        what = f'no body has this inertia (triangle inequality): principal inertias {shown}'
        yield Problem(link, what, remedy)


def _tips(tree: _Tree, tips: Iterable[str]) -> Iterator[Problem]:
    tips = tuple(tips)
    if not tips and tree.links:
        more = f' and {len(tree.leaves) - MOST_ENDS} more' if len(tree.leaves) > MOST_ENDS else ''
        ends = ', '.join(tree.leaves[:MOST_ENDS]) + more
        what = 'no tip is given, so no motion can be given either'
        yield Problem('robot.tips', what, f'name one or more; the ends are {ends}', fatal=False)
    for tip in tips if tree.links else ():
        if tip not in tree.links:
            near = difflib.get_close_matches(tip, tree.links, n=3, cutoff=0.5) or tree.leaves
            yield Problem(
                'robot.tips', f'there is no link {tip!r}', f'take a link, as {", ".join(near)}'
            )


def _sensors(tree: _Tree, sensors: tuple[str, ...], tips: tuple[str, ...]) -> Iterator[Problem]:
    if sensors and len(sensors) != len(tips):
        what = (
            f'{len(sensors)} ({", ".join(sensors)}) for {len(tips)} of robot.tips '
            f'({", ".join(tips) or "none"})'
        )
        yield Problem(
            'robot.sensors', what, 'name one for each tip, or [] for the tips themselves'
        )
    for sensor in sensors:
        if sensor not in tree.links:
            near = difflib.get_close_matches(sensor, tree.links, n=3, cutoff=0.5) or tips
            what = f'there is no link {sensor!r}'
            yield Problem('robot.sensors', what, f'take a link, as {", ".join(near)}')


def _home(tree: _Tree, home: dict[str, float]) -> Iterator[Problem]:
    for name, value in home.items():
        if name not in tree.joints:
            valid = ', '.join(n for n, e in tree.joints.items() if e.get('type') in MOVING_TYPES)
            yield Problem('robot.home', f'there is no joint {name!r}', f'valid: {valid}')
            continue
        joint, limit = tree.joints[name], tree.joints[name].find('limit')
        lower, upper = _number(limit, 'lower'), _number(limit, 'upper')
        if joint.get('type') in ('revolute', 'prismatic') and not lower <= value <= upper:
            what = f'{name} = {value:g} is outside its range [{lower:g}, {upper:g}]'
            yield Problem('robot.home', what, 'choose a value inside')


def _number(element: ET.Element | None, key: str) -> float:
    """Return a number of an element: 0 where it is not given, NaN where it is none."""
    try:
        return float('0' if element is None else element.get(key, '0'))
    except ValueError:
        return math.nan


def _inertia(element: ET.Element | None) -> Array:
    """Return the inertia tensor [kg m^2], shape ``(3, 3)``."""
    xx, xy, xz, yy, yz, zz = (
        _number(element, key) for key in ('ixx', 'ixy', 'ixz', 'iyy', 'iyz', 'izz')
    )
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
