"""From a YAML file, and ``--set`` on the command line, to a scenario."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
import logging
from pathlib import Path
import re
from typing import Any

import msgspec
import yaml

from ..core.config_types import CUSTOM, is_class_name, variants
from ..core.errors import ConfigError, UnknownNameError
from ..core.resources import resource_folder
from ..planning.config import PlannerConfig
from ..robot.config import RobotConfig
from .keys import check_keys, check_leaves, key_types, variant
from .renamed import rename_old, renamed_setting
from .scenario import Scenario
from .shipped import scenario_names

LOGGER = logging.getLogger(__name__)
PLANNERS = variants(PlannerConfig)
"""Classes of the planner's section, by ``planner.kind``."""
DEFAULT_PLANNER = next(iter(PLANNERS))
Setting = tuple[str, Any]
"""Key and value of ``--set``."""


class _Loader(yaml.SafeLoader):
    """YAML 1.1, but ``1e-5`` is a number, as in YAML 1.2, and nothing contains itself."""

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:  # noqa: ARG002
        """Return the value of a node, constructed at once, which finds a node in itself."""
        if node in self.recursive_objects:
            raise yaml.constructor.ConstructorError(problem='it contains itself')
        return super().construct_object(node, deep=True)


_Loader.add_implicit_resolver(
    'tag:yaml.org,2002:float',
    re.compile(r'^[-+]?(\d+\.?\d*|\.\d+)[eE][-+]?\d+$'),
    list('-+.0123456789'),
)


_UNREADABLE = (yaml.YAMLError, ValueError, RecursionError)
"""Exceptions for YAML that is not valid, or nested too deep."""


def load_scenario(name: str, settings: Iterable[str] = ()) -> Scenario:
    """Return a shipped scenario, or one in a file, with settings applied.

    A setting may change ``planner.kind``: keys of the file that the new kind does not have are
    left out, with a note in the log.

    :param name: name of a scenario, or path of a YAML file.
    :param settings: ``a.b=value`` each, value in YAML.
    :raises ConfigError: a name, key or value is not valid.
    """
    if name.endswith(('.yaml', '.yml')):
        path = Path(name)
    elif name in scenario_names():
        path = _folder('scenarios') / f'{name}.yaml'
    else:
        raise UnknownNameError('scenario', name, scenario_names())
    raw = {'name': path.stem, **_read(path, Scenario)}
    given = [renamed_setting(*_read_setting(setting)) for setting in settings]
    kind = _planner_kind(raw, given)
    _leave_out_keys(raw, kind, given, path.name)
    for key, value in given:
        _apply(raw, key, value, kind)
        _expand_robot(raw)
    if not isinstance(raw.get('robot'), dict) or 'urdf' not in raw['robot']:
        raise ConfigError(
            f'{path.stem}: no robot given; add --set robot.urdf=FILE --set robot.tips=[LINK], or '
            f'--set robot=NAME with one of {", ".join(_names("robots"))}'
        )
    check_leaves(raw)
    tag = {'kind': CUSTOM, 'class': kind} if is_class_name(kind) else {'kind': kind}
    try:
        return msgspec.convert(_with_planner(raw, tag), Scenario)
    except msgspec.ValidationError as error:
        text, _, where = str(error).partition(' - at `$')
        raise ConfigError(f'{where.rstrip("`").lstrip(".") or path.stem}: {text}') from error


def robot_config(name: str) -> RobotConfig:
    """Return the configuration of a shipped robot."""
    raw = {'robot': name}
    _expand_robot(raw)
    return msgspec.convert(raw['robot'], RobotConfig)


def _folder(kind: str) -> Path:
    return resource_folder('config') / kind


def _names(kind: str) -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in _folder(kind).glob('*.yaml')))


def _read(path: Path, kind: type[msgspec.Struct]) -> dict[str, Any]:
    try:
        raw = yaml.load(path.read_text(), _Loader)
    except OSError as error:
        raise ConfigError(f'{path}: cannot be read: {error.strerror}') from error
    except _UNREADABLE as error:
        raise ConfigError(f'{path}: not valid YAML: {" ".join(str(error).split())}') from error
    if not isinstance(raw, dict):
        raise ConfigError(f'{path}: not a mapping of keys to values')
    if kind is Scenario:
        rename_old(raw)
        _expand_robot(raw)
        check_keys(_with_planner(raw, {'kind': _planner_kind(raw)}), kind, '')
    else:
        check_keys(raw, kind, '')
    return raw


def _expand_robot(raw: dict[str, Any]) -> None:
    """Replace the name of a shipped robot by its configuration.

    ``{like: NAME, home: ...}`` is a shipped robot with another home.
    """
    robot = raw.get('robot')
    changes: dict[str, Any] = {}
    if isinstance(robot, dict) and 'like' in robot:
        changes = {key: value for key, value in robot.items() if key != 'like'}
        robot = str(robot['like'])
    if isinstance(robot, str):
        if robot not in _names('robots'):
            raise UnknownNameError('robot', robot, _names('robots'))
        raw['robot'] = {**_read(_folder('robots') / f'{robot}.yaml', RobotConfig), **changes}


def _read_setting(setting: str) -> Setting:
    key, equals, text = setting.partition('=')
    if not equals or not key:
        raise ConfigError(f'--set {setting}: not of the form key=value, for instance period=0.001')
    try:
        return key, yaml.load(text, _Loader)
    except _UNREADABLE as error:
        why = getattr(error, 'problem', None) or str(error)
        raise ConfigError(f'--set {key}: {text[:60]!r} is not valid YAML: {why}') from error


def _apply(raw: dict[str, Any], key: str, value: Any, planner: Any) -> None:
    """Put a value into a scenario.

    :param planner: ``planner.kind`` once all settings are applied.
    """
    *sections, last = key.split('.')
    nested: Any = {last: value}
    for section in reversed(sections):
        nested = {section: nested}
    if key != 'robot':
        check_keys(_with_planner(nested, {'kind': planner}), Scenario, '')
    target = raw
    for section in sections:
        if not isinstance(target.get(section), dict):
            target[section] = {}
        target, nested = target[section], nested[section]
    target.update(nested)


def _planner_kind(raw: Mapping[str, Any], given: Sequence[Setting] = ()) -> Any:
    """Return ``planner.kind`` with settings applied, or the default."""
    kind = DEFAULT_PLANNER
    for key, value in (('planner', raw.get('planner')), *given):
        if key == 'planner':
            kind = value.get('kind', DEFAULT_PLANNER) if isinstance(value, dict) else kind
        elif key == 'planner.kind':
            kind = value
    return kind


def _with_planner(raw: Mapping[str, Any], keys: Mapping[str, Any]) -> dict[str, Any]:
    """Return a scenario with keys of its planner's section set, if it has one."""
    planner = raw.get('planner')
    return {**raw, 'planner': {**planner, **keys}} if isinstance(planner, dict) else {**raw}


def _leave_out_keys(
    raw: Mapping[str, Any], kind: Any, given: Sequence[Setting], source: str
) -> None:
    """Remove the planner's keys that another kind, chosen by a setting, does not have.

    A key stays if both kinds have it with the same type.

    :param source: where the keys were given, for the note about them.
    """
    planner, replaced = raw.get('planner'), {key for key, _ in given}
    if not isinstance(planner, dict) or not isinstance(kind, str) or 'planner' in replaced:
        return
    old, new = (variant(PLANNERS, tag) for tag in (_planner_kind(raw), kind))
    if old is None or new is None or old is new:
        return
    before, after = key_types(old), key_types(new)
    left_out = [key for key in planner if key in before and before[key] != after.get(key)]
    for key in left_out:
        del planner[key]
    lost = [key for key in left_out if f'planner.{key}' not in replaced]
    if lost:
        LOGGER.warning(
            'note: %s of %s left out: not for planner.kind %s',
            ', '.join(f'planner.{key}' for key in lost),
            source,
            kind,
        )
