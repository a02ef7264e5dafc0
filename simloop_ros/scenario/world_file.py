"""The known world of a scenario in a file of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..core.errors import ConfigError
from ..world.config import WorldConfig
from .keys import check_keys
from .robot_files import file_beside, is_robot_or_scenario_file, read_mapping


def expand_world(raw: dict[str, Any], source: Path | None = None) -> None:
    """Replace the name of a file by the world in it.

    :param raw: a scenario; changed in place.
    :param source: the file of the scenario, beside which it is; without one, it is in the working
        directory.
    :raises ConfigError: there is no such file, or it is not valid.
    """
    name = raw.get('world')
    if not isinstance(name, str):
        return
    if not is_robot_or_scenario_file(name):
        raise ConfigError(f'world: {name!r} given; a YAML file or a section with bodies is needed')
    path = file_beside(name, source)
    world = read_mapping(path)
    try:
        check_keys(world, WorldConfig, 'world.')
    except ConfigError as error:
        raise ConfigError(f'{path}: {error}') from error
    raw['world'] = world
