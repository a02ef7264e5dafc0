"""Robots by name or by file: those that are shipped, and those of the user."""

from __future__ import annotations

from collections.abc import Sequence
import os
from pathlib import Path
from typing import Any, NoReturn

from ..core.config_messages import convert
from ..core.errors import ConfigError, UnknownNameError
from ..core.files import load_yaml, read_text
from ..core.resources import resource_folder
from ..robot.config import RobotConfig
from .keys import check_keys, check_leaves
from .shipped import robot_names

YAML = ('.yaml', '.yml')
"""Endings of the names of scenario and robot files."""
DESCRIPTIONS = ('.urdf', '.xacro')
"""Endings of the names of robot descriptions."""


def robot_config(name: str) -> RobotConfig:
    """Return the configuration of a robot.

    :param name: of a shipped robot, of a robot file (YAML), or of a URDF or xacro file.
    :raises ConfigError: there is none of this name, or its file is not valid.
    """
    if name.endswith(DESCRIPTIONS):
        return RobotConfig(urdf=name)
    raw: dict[str, Any] = {'robot': name}
    expand_robot(raw)
    check_leaves(raw)
    return convert(raw['robot'], RobotConfig, 'robot', 'robot')


def is_robot_or_scenario_file(name: str) -> bool:
    """Return whether a name is that of a YAML file."""
    return name.endswith(YAML)


def refuse_name(
    what: str, name: str, valid: Sequence[str], endings: Sequence[str] = YAML
) -> NoReturn:
    """Refuse a name that is neither shipped nor that of a file which may be read.

    :param what: ``scenario`` or ``robot``.
    :param endings: of the names of such files.
    :raises ConfigError: with what is wrong about the file, or with the valid names.
    """
    path = os.path.expanduser(name)
    if os.path.isdir(path):
        raise ConfigError(f'{name}: a folder, not a {what}; name a {what} file in it')
    if os.path.lexists(path) or '/' in name or Path(name).suffix:
        raise ConfigError(
            f'{name}: not a {what} file: its name must end with {", ".join(endings)}; or give the '
            f'name of a shipped {what}, as {valid[0]}'
        )
    raise UnknownNameError(what, name, valid)


def read_mapping(path: Path) -> dict[str, Any]:
    """Return the keys and values of a YAML file.

    :raises ConfigError: it cannot be read, or has none.
    """
    text = read_text(path)
    try:
        raw = load_yaml(text)
    except ConfigError as error:
        raise ConfigError(f'{path}: {error}') from error
    if not isinstance(raw, dict):
        raise ConfigError(
            f'{path}: not a scenario, robot, driver or task file: it has no keys with values'
        )
    return raw


def expand_robot(raw: dict[str, Any], source: Path | None = None) -> None:
    """Replace the name or the file of a robot by its configuration.

    ``{like: NAME, home: ...}`` is a robot with another home. Paths start at the file that has
    them.

    :param raw: a scenario; changed in place.
    :param source: the file of the scenario; without one, paths start at the working directory.
    :raises ConfigError: there is no such robot, or its file is not valid.
    """
    robot = raw.get('robot')
    changes: dict[str, Any] = {}
    if isinstance(robot, dict):
        changes = {key: value for key, value in robot.items() if key != 'like'}
        _start_at(source, changes)
        robot = robot.get('like', changes)
    if isinstance(robot, str):
        robot = {**_read_robot(_robot_file(robot, source)), **changes}
    if robot is not None and not isinstance(robot, dict):
        raise ConfigError(
            f'robot: a name, a file or a section with urdf is needed; {robot!r} was given'
        )
    raw['robot'] = robot
    if robot is None:
        del raw['robot']


def file_beside(name: str, source: Path | None) -> Path:
    """Return the path of a file that another one names; without that, of the working directory."""
    path = Path(name).expanduser()
    return path if source is None else source.parent / path


def _robot_file(name: str, source: Path | None) -> Path:
    if is_robot_or_scenario_file(name):
        return file_beside(name, source)
    if name.endswith(DESCRIPTIONS):
        raise ConfigError(f'robot: {name} is a robot description; set robot.urdf={name}')
    if name not in robot_names():
        refuse_name('robot', name, robot_names(), (*YAML, *DESCRIPTIONS))
    return resource_folder('config') / 'robots' / f'{name}.yaml'


def _read_robot(path: Path) -> dict[str, Any]:
    raw = read_mapping(path)
    try:
        check_keys(raw, RobotConfig, 'robot.')
    except ConfigError as error:
        raise ConfigError(f'{path}: {error}') from error
    _start_at(path, raw)
    return raw


def _start_at(source: Path | None, robot: dict[str, Any]) -> None:
    """Make the paths of a robot that exist beside a file absolute."""
    if source is None:
        return

    def absolute(name: Any) -> Any:
        if not isinstance(name, str):
            return name
        beside = source.parent / Path(name).expanduser()
        return str(beside.resolve()) if beside.exists() else name

    if 'urdf' in robot:
        robot['urdf'] = absolute(robot['urdf'])
    if isinstance(robot.get('packages'), list):
        robot['packages'] = [absolute(folder) for folder in robot['packages']]
