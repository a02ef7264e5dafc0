"""The robot of a log: one of ours, a description, or one of ``example-robot-data``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
import difflib
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

import msgspec
import numpy as np

from ..core.errors import ConfigError, LogError, UnknownNameError
from ..core.resources import resource_folder
from ..robot.config import RobotConfig
from ..robot.fit_robot import load_fit_robot
from ..robot.loading import load_robot
from ..robot.model import RobotModel
from ..robot.urdf import find_description, parse_description
from ..scenario.robot_files import DESCRIPTIONS, YAML, robot_config
from ..scenario.shipped import robot_names
from .mapping import LogMapping
from .reading import aligned, log_names, read_log
from .recording import RawLog, RobotRecording

EXAMPLES = 'example-robot-data'
"""A pip package with descriptions of robots."""
ALIKE = 0.6
"""How alike a joint of the log and one that is missing are (difflib) to be taken for the same."""
STILL = 2e-3
"""Range of a joint that does not move in a log [rad or m]."""
LIGHT = 0.05
"""Share of the robot's mass beyond a joint up to which it may be held though it moves: a finger's
motion is nothing to the arm."""


def named_robot(name: str) -> RobotConfig:
    """Return the configuration of a robot.

    :param name: of a shipped robot, of a YAML, URDF or xacro file, or of a robot of the pip
        package ``example-robot-data``, as ``panda`` or ``ur10``.
    :raises ConfigError: there is none of this name.
    """
    if name.endswith((*YAML, *DESCRIPTIONS)) or name in robot_names() or '/' in name:
        return robot_config(name)
    examples = example_robots()
    if name in examples:
        return RobotConfig(urdf=str(examples[name]))
    try:
        return robot_config(name)
    except UnknownNameError as error:
        hint = '' if examples else f' (for more, pip install {EXAMPLES})'
        known = UnknownNameError('robot', name, (*robot_names(), *examples))
        raise ConfigError(f'{known}, or a URDF, xacro or YAML file{hint}') from error


def example_robots() -> dict[str, Path]:
    """Return the descriptions of ``example-robot-data`` by name; none if it is not installed.

    The name is that of the file, without ``_robot``.
    """
    try:
        listed = files(EXAMPLES) or []
    except PackageNotFoundError:
        return {}
    paths = [Path(str(file.locate())) for file in listed if str(file).endswith('.urdf')]
    return {path.stem.removesuffix('_robot'): path for path in sorted(paths, reverse=True)}


def robot_of_log(
    config: RobotConfig, joints: Sequence[str], source: str, held: Mapping[str, float] = {}
) -> RobotModel:
    """Return the robot with those joints only that a log has; the others are locked at home.

    A gripper, for instance, is often not in the log of its arm.

    :param joints: of the log, by the model's names; empty for all of the model.
    :param source: the log, for messages.
    :param held: joints of the log that are locked all the same, and where [rad or m].
    :raises LogError: the log has none of the robot's joints.
    :raises ModelError: the robot is not fit for control.
    """
    return load_fit_robot(locked_config(config, joints, source, held))


def locked_config(
    config: RobotConfig, joints: Sequence[str], source: str, held: Mapping[str, float] = {}
) -> RobotConfig:
    """Return a robot's configuration with the joints locked that a log does not tell about.

    See ``robot_of_log``.
    """
    if not joints and not held:
        return config
    whole = load_robot(config, resource_folder('urdf'))
    there = [name for name in whole.joint_names if name in joints]
    if not there:
        raise LogError(
            f'{source}: {UnknownNameError("joint of the log", joints[0], whole.joint_names)}: is '
            f'it a log of {whole.name}? Other names: rename or prefix in a mapping (--map)'
        )
    missing = tuple(name for name in whole.joint_names if name not in joints)
    strange = [name for name in joints if name not in whole.joint_names]
    for name in strange:
        if difflib.get_close_matches(name, missing, n=1, cutoff=ALIKE):
            raise LogError(
                f'{source}: {UnknownNameError("joint of the log", name, whole.joint_names)}: '
                'say what it is called in a mapping (--map, rename or prefix)'
            )
    return msgspec.structs.replace(
        config,
        lock=tuple(dict.fromkeys((*config.lock, *missing, *held))),
        home={**config.home, **held},
    )


def read_with_robot(
    path: Path, robot: str, mapping: LogMapping | None = None
) -> tuple[RobotRecording, RobotModel]:
    """Return a log and its robot; joints of the robot that the log does not tell are locked.

    :param robot: see ``named_robot``.
    :raises LogError: the log cannot be read, or is not of this robot.
    """
    recording, model, _ = read_with_config(path, robot, mapping)
    return recording, model


def read_with_config(
    path: Path, robot: str, mapping: LogMapping | None = None
) -> tuple[RobotRecording, RobotModel, RobotConfig]:
    """Return a log, its robot, and the configuration of that, with its locked joints."""
    config = named_robot(robot)
    whole = load_robot(config, resource_folder('urdf'))
    raw = read_log(path, mapping, whole.joint_names)
    names = log_names(raw, mapping)
    held = _held(raw, names, whole, _followers(config))
    config = locked_config(config, names, str(path), held)
    model = load_fit_robot(config)
    recording = aligned(raw, model, mapping)
    locked = [name for name in whole.joint_names if name not in names]
    notes = []
    if locked:
        notes.append(f'not in the log, and held where home puts them: {", ".join(locked)}')
    if held:
        where = ', '.join(f'{name} at {value:.4g}' for name, value in held.items())
        notes.append(f'without torques of their own in the log, and held: {where}')
    recording = msgspec.structs.replace(recording, notes=(*recording.notes, *notes))
    return recording, model, config


def _followers(config: RobotConfig) -> set[str]:
    """Return the joints that follow another one (mimic)."""
    root = parse_description(find_description(config.urdf, resource_folder('urdf')))
    joints = root.findall('joint')
    return {joint.get('name', '') for joint in joints if joint.find('mimic') is not None}


def _held(
    raw: RawLog, names: Sequence[str], model: RobotModel, followers: set[str]
) -> dict[str, float]:
    """Return the joints of a log that are no part of the arm, and where they mostly are.

    Fingers, for instance: they follow another joint, or have no torque in the log while others
    have, and stand still or are light.
    """
    there = {name: i for i, name in enumerate(names) if name in model.joint_names}
    quiet: set[str] = set()
    if raw.effort is not None:
        quiet = {name for name, i in there.items() if not np.nan_to_num(raw.effort[:, i]).any()}
    found = {}
    for name, i in there.items():
        position = raw.position[np.isfinite(raw.position[:, i]), i]
        if not position.size:
            continue
        still = float(np.ptp(position)) < STILL
        idle = name in quiet and len(quiet) < len(there)
        if name in followers or (idle and (still or _share_beyond(model, name) < LIGHT)):
            found[name] = float(np.median(position))
    return found


def _share_beyond(model: RobotModel, joint: str) -> float:
    """Return the part of the robot's mass that a joint moves."""
    robot = model.pin_model
    beyond = robot.subtrees[robot.getJointId(joint)]
    masses = np.array([body.mass for body in robot.inertias])
    return float(masses[list(beyond)].sum() / (masses.sum() or 1.0))
