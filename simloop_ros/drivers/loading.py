"""Drivers by name or by file."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ..core.config_messages import convert
from ..core.errors import ConfigError, UnknownNameError
from ..core.files import load_yaml
from ..core.resources import resource_folder
from ..scenario.keys import check_keys, check_leaves
from ..scenario.robot_files import is_robot_or_scenario_file, read_mapping
from ..scenario.shipped import driver_names
from .config import DriverContract, FaultConfig

LIKE = 'like'
"""Key of a driver file that names another one, whose values it has where it gives none."""


def load_driver(name: str, settings: Iterable[str] = ()) -> DriverContract:
    """Return a shipped driver, or one in a file, with settings applied.

    :param name: of ``config/drivers``, or path of a YAML file, which may be ``like`` another.
    :param settings: ``key=value`` each, value in YAML.
    :raises ConfigError: a name, key or value is not valid.
    """
    raw = _read(_file(name), ())
    for setting in settings:
        key, equals, text = setting.partition('=')
        if not equals:
            raise ConfigError(f'{setting}: not of the form key=value, for instance rate=500')
        raw |= _checked({key: load_yaml(text)}, setting)
    check_leaves(raw)
    contract = convert(raw, DriverContract, name)
    _refuse(contract, name)
    return contract


def read_faults(given: Iterable[str]) -> FaultConfig:
    """Return the faults of a stand-in, given as ``name=value``, or ``name`` for a yes.

    :raises ConfigError: a name or a value is not valid.
    """
    raw: dict[str, Any] = {}
    for fault in given:
        name, equals, text = fault.partition('=')
        raw[name] = load_yaml(text) if equals else True
    check_keys(raw, FaultConfig, '')
    check_leaves(raw)
    return convert(raw, FaultConfig, '--fault', '')


def _file(name: str) -> Path:
    if is_robot_or_scenario_file(name):
        return Path(name).expanduser()
    if name not in driver_names():
        raise UnknownNameError('driver', name, driver_names())
    return resource_folder('config') / 'drivers' / f'{name}.yaml'


def _read(path: Path, above: tuple[Path, ...]) -> dict[str, Any]:
    """Return the values of a file and of those that it is like, its own first.

    :param above: the files that are like it.
    """
    if path in above:
        raise ConfigError(f'{path}: it is like itself; name another driver')
    raw = read_mapping(path)
    like = raw.pop(LIKE, None)
    raw = _checked(raw, str(path))
    if like is None:
        return raw
    if not isinstance(like, str):
        raise ConfigError(f'{path}: like: the name of a driver is needed; {like!r} was given')
    beside = path.parent / like
    other = beside if is_robot_or_scenario_file(like) and beside.is_file() else _file(like)
    return {**_read(other, (*above, path)), **raw}


def _checked(raw: dict[str, Any], source: str) -> dict[str, Any]:
    try:
        check_keys(raw, DriverContract, '')
    except ConfigError as error:
        raise ConfigError(f'{source}: {error}') from error
    return raw


def _refuse(contract: DriverContract, name: str) -> None:
    """Raise ConfigError for values that contradict each other."""
    if len(set(contract.joints)) < len(contract.joints):
        raise ConfigError(f'{name}: joints: a name is given twice; keep one')
    for key in ('drive_gains', 'effort_limit', 'velocity_limit'):
        for joint in getattr(contract, key):
            if contract.joints and joint not in contract.joints:
                raise ConfigError(
                    f'{name}: {key}: {UnknownNameError("joint", joint, contract.joints)}'
                )
    if contract.drive_gains and contract.effort not in (None, 'current'):
        raise ConfigError(
            f'{name}: drive_gains are for effort=current, and not for effort={contract.effort}; '
            'leave them out'
        )
