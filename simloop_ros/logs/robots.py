"""The robot of a log: one of ours, a description, or one of ``example-robot-data``."""

from __future__ import annotations

from collections.abc import Sequence
import difflib
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

import msgspec

from ..core.errors import ConfigError, LogError, UnknownNameError
from ..core.resources import resource_folder
from ..robot.config import RobotConfig
from ..robot.fit_robot import load_fit_robot
from ..robot.loading import load_robot
from ..robot.model import RobotModel
from ..scenario.robot_files import DESCRIPTIONS, YAML, robot_config
from ..scenario.shipped import robot_names
from .mapping import LogMapping
from .reading import aligned, log_names, read_log
from .recording import RobotRecording

EXAMPLES = 'example-robot-data'
"""A pip package with descriptions of robots."""
ALIKE = 0.6
"""How alike a joint of the log and one that is missing are (difflib) to be taken for the same."""


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


def robot_of_log(config: RobotConfig, joints: Sequence[str], source: str) -> RobotModel:
    """Return the robot with those joints only that a log has; the others are locked at home.

    A gripper, for instance, is often not in the log of its arm.

    :param joints: of the log, by the model's names; empty for all of the model.
    :param source: the log, for messages.
    :raises LogError: the log has none of the robot's joints.
    :raises ModelError: the robot is not fit for control.
    """
    if not joints:
        return load_fit_robot(config)
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
    return load_fit_robot(msgspec.structs.replace(config, lock=(*config.lock, *missing)))


def read_with_robot(
    path: Path, robot: str, mapping: LogMapping | None = None
) -> tuple[RobotRecording, RobotModel]:
    """Return a log and its robot; joints of the robot that the log does not have are locked.

    :param robot: see ``named_robot``.
    :raises LogError: the log cannot be read, or is not of this robot.
    """
    config = named_robot(robot)
    whole = load_robot(config, resource_folder('urdf'))
    raw = read_log(path, mapping, whole.joint_names)
    model = robot_of_log(config, log_names(raw, mapping), str(path))
    recording = aligned(raw, model, mapping)
    locked = [name for name in whole.joint_names if name not in model.joint_names]
    if locked:
        note = f'not in the log, and held where home puts them: {", ".join(locked)}'
        recording = msgspec.structs.replace(recording, notes=(*recording.notes, note))
    return recording, model
