"""From a YAML file, and ``--set`` on the command line, to a scenario."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
import logging
from pathlib import Path
from typing import Any

from ..core.config_messages import convert
from ..core.config_types import CUSTOM, is_class_name, variants
from ..core.errors import ConfigError
from ..core.files import load_yaml
from ..core.resources import resource_folder
from ..planning.config import PlannerConfig
from .keys import check_keys, check_leaves, key_types, variant
from .renamed import rename_old, renamed_setting
from .robot_files import expand_robot, is_robot_or_scenario_file, read_mapping, refuse_name
from .scenario import Scenario
from .shipped import robot_names, scenario_names
from .world_file import expand_world

LOGGER = logging.getLogger(__name__)
PLANNERS = variants(PlannerConfig)
"""Classes of the planner's section, by ``planner.kind``."""
DEFAULT_PLANNER = next(iter(PLANNERS))
Setting = tuple[str, Any]
"""Key and value of ``--set``."""


def load_scenario(name: str, settings: Iterable[str] = ()) -> Scenario:
    """Return a shipped scenario, or one in a file, with settings applied.

    A setting may change ``planner.kind``: keys of the file that the new kind does not have are
    left out, with a note in the log.

    :param name: name of a scenario, or path of a YAML file.
    :param settings: ``a.b=value`` each, value in YAML.
    :raises ConfigError: a name, key or value is not valid.
    """
    path = _scenario_file(name)
    raw = {'name': path.stem, **_read(path)}
    given = [renamed_setting(*_read_setting(setting)) for setting in settings]
    kind = _planner_kind(raw, given)
    _leave_out_keys(raw, kind, given, path.name)
    for key, value in given:
        _apply(raw, key, value, kind)
        expand_robot(raw)
        expand_world(raw)
    if not isinstance(raw.get('robot'), dict) or 'urdf' not in raw['robot']:
        raise ConfigError(
            f"{path.stem}: no robot given; add --set robot.urdf=FILE --set 'robot.tips=[LINK]', "
            f'or --set robot=NAME with one of {", ".join(robot_names())}'
        )
    check_leaves(raw)
    tag = {'kind': CUSTOM, 'class': kind} if is_class_name(kind) else {'kind': kind}
    return convert(_with_planner(raw, tag), Scenario, path.stem)


def _scenario_file(name: str) -> Path:
    """Return the file of a shipped scenario, or that of the user.

    :raises ConfigError: it is neither.
    """
    if name in scenario_names():
        return resource_folder('config') / 'scenarios' / f'{name}.yaml'
    if not is_robot_or_scenario_file(name):
        refuse_name('scenario', name, scenario_names())
    return Path(name).expanduser()


def _read(path: Path) -> dict[str, Any]:
    """Return a scenario as it is in its file, with its robot written out."""
    raw = read_mapping(path)
    rename_old(raw)
    expand_robot(raw, path)
    _find_wrenches(raw, path)
    expand_world(raw, path)
    check_keys(_with_planner(raw, {'kind': _planner_kind(raw)}), Scenario, '')
    return raw


def _find_wrenches(raw: Mapping[str, Any], path: Path) -> None:
    """Let the path of a file of wrenches begin at the folder of the scenario's file."""
    plant = raw.get('plant')
    if isinstance(plant, dict) and isinstance(plant.get('wrenches'), str) and plant['wrenches']:
        plant['wrenches'] = str(path.parent / plant['wrenches'])


def _read_setting(setting: str) -> Setting:
    key, equals, text = setting.partition('=')
    if not equals or not key:
        raise ConfigError(f'--set {setting}: not of the form key=value, for instance period=0.001')
    try:
        return key, load_yaml(text)
    except ConfigError as error:
        raise ConfigError(f'--set {key}: {text[:60]!r}: {error}') from error


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
