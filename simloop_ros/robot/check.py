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

from ..core.errors import SimloopError
from .config import RobotConfig
from .link_check import body, shapes, vectors
from .loading import build_robot
from .model import RobotModel
from .problem import Problem, given, number
from .urdf import MOVING_TYPES, find_description, lock_joint, parse_description, resolve_meshes

FREE_BASE = {
    'floating': ', by which the base floats',
    'planar': ', by which the base drives about',
}
"""What joints without a motor of their own stand for."""

MOST_TURN = 8.0 * math.pi
"""Angle from which the end of a range is hardly meant in radians [rad]."""

MOST_ENDS = 8
"""Ends of a robot that a message lists."""


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
    problems: list[Problem] = [*vectors(root)]
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
    problems += shapes(root) if not problems else ()
    problems += [
        Problem('robot.packages', f'there is no folder {name}', 'correct it', fatal=False)
        for name in config.packages
        if not Path(name).expanduser().is_dir()
    ]
    tree = _Tree(root)
    problems += _structure(tree)
    for joint in tree.joints.values():
        problems += _joint(joint)
    for links in tree.bodies():
        problems += body(links)
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
        self.names = [('robot', root.get('name', ''))]
        self.names += [
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

    def moved_ends(self) -> list[str]:
        """Return the links at the ends that a joint moves, those with most such joints first."""
        above = {child: joint for joint, (_, child) in self.ends.items()}
        counts = {}
        for leaf in self.leaves:
            link, passed = leaf, set[str]()
            count = 0
            while link in above and link not in passed:
                passed.add(link)
                count += self.joints[above[link]].get('type') in MOVING_TYPES
                link = self.ends[above[link]][0]
            counts[leaf] = count
        moved = [leaf for leaf in self.leaves if counts[leaf]] or self.leaves
        return sorted(moved, key=lambda leaf: -counts[leaf])

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


def _structure(tree: _Tree) -> Iterator[Problem]:
    if not tree.links:
        yield Problem('robot', 'it has no links', 'take the URDF of a robot')
    for (kind, name), count in Counter(tree.names).items():
        if not name:
            what = f'a {kind} has no name' if count == 1 else f'{count} {kind}s have no name'
            yield Problem('robot', what, 'add name="..."')
        elif count > 1:
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
            f'it is a {kind or "typeless"} joint{FREE_BASE.get(kind or "", "")}; only fixed-base '
            f'arms of {", ".join(MOVING_TYPES)} joints can be controlled',
            'make it fixed, or lock it with robot.lock',
        )
        return
    if joint.find('mimic') is not None:
        what = 'it follows another joint (mimic), so no motor of its own moves it'
        yield Problem(name, what, 'lock it with robot.lock, or take out the mimic')
    limit = joint.find('limit')
    for key, unit in (('effort', 'N m or N'), ('velocity', 'rad/s or m/s')):
        value = number(limit, key)
        if not math.isfinite(value):
            yield Problem(name, f'its {key} limit is not a number [{unit}]', f'correct the {key}')
        elif value < 0.0:
            what = f'its {key} limit is {value:g} [{unit}]'
            yield Problem(name, what, 'give its size: it holds in both directions')
        elif value == 0.0:
            remedy = f'add {key}="..." [{unit}] to its <limit>'
            yield Problem(name, f'it has no {key} limit', remedy, fatal=key == 'effort')
    if kind != 'continuous':
        lower, upper = number(limit, 'lower'), number(limit, 'upper')
        if not (math.isfinite(lower) and math.isfinite(upper)):
            what = f'its range is not of numbers: {given(limit, "lower")}, {given(limit, "upper")}'
            yield Problem(name, what, 'give lower and upper in numbers [rad or m]')
        elif not lower < upper:
            what = f'its range is empty: lower {lower:g}, upper {upper:g}'
            yield Problem(name, what, 'give lower < upper, or make it fixed or continuous')
        elif kind == 'revolute' and max(-lower, upper) > MOST_TURN:
            what = f'its range is {lower:g} to {upper:g} rad, many turns'
            remedy = 'is it in degrees? give radians, or make it continuous'
            yield Problem(name, what, remedy, fatal=False)


def _tips(tree: _Tree, tips: Iterable[str]) -> Iterator[Problem]:
    tips = tuple(tips)
    if not tips and tree.links:
        ends = tree.moved_ends()
        more = f' and {len(ends) - MOST_ENDS} more' if len(ends) > MOST_ENDS else ''
        names = ', '.join(ends[:MOST_ENDS]) + more
        what = 'no tip is given, so no motion can be given either'
        yield Problem('robot.tips', what, f'name one or more; the ends are {names}', fatal=False)
    for tip, count in Counter(tips).items():
        if count > 1:
            yield Problem('robot.tips', f'{tip} is named twice', 'name it once')
    for tip in dict.fromkeys(tips) if tree.links else ():
        if tip not in tree.links:
            near = difflib.get_close_matches(tip, tree.links, n=3, cutoff=0.5)
            near = near or tree.moved_ends()[:MOST_ENDS]
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
        lower, upper = number(limit, 'lower'), number(limit, 'upper')
        if joint.get('type') in ('revolute', 'prismatic') and not lower <= value <= upper:
            what = f'{name} = {value:g} is outside its range [{lower:g}, {upper:g}]'
            yield Problem('robot.home', what, 'choose a value inside')
