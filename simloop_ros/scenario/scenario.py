"""A scenario: typed data from a YAML file and from ``--set`` on the command line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
import math
from pathlib import Path
import re
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec
import yaml

from ..bimanual.config import BimanualConfig
from ..collision.config import MonitorConfig
from ..control.config import ControlConfig
from ..core.config_types import NonNegative, Period, Positive, Seed
from ..core.errors import ConfigError, UnknownNameError
from ..core.resources import resource_folder
from ..guiding.config import AdmittanceConfig
from ..planning.config import PlannerConfig
from ..plants.config import PlantConfig
from ..reaction.config import ReactionConfig
from ..robot.config import RobotConfig
from ..safety.config import SafetyConfig
from .renamed import rename_old

HandsGraph = Literal['internal_force', 'path_correction', 'hand_positions', 'carried_object']
Graph = Literal[
    'force_comparison',
    'force_difference',
    'path_comparison',
    'path_difference',
    'velocity_comparison',
    'velocity_difference',
    'external_torque',
    'tip_path_3d',
    'tip_path_plane',
    'joint_angles',
    'joint_velocities',
    HandsGraph,
]
SIX_GRAPHS: tuple[Graph, ...] = get_args(Graph)[:6]
"""Those of 000, section 6.2, which every run can draw."""
HANDS_GRAPHS: tuple[HandsGraph, ...] = get_args(HandsGraph)
"""Those of 003, chapter 4, of two hands on one object."""


class Scenario(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """All that a run depends on.

    :ivar name: name of the scenario.
    :ivar description: one line about it.
    :ivar period: length h of one step [s].
    :ivar duration: simulated time [s]; the planned motion and ``rest`` where none is given.
    :ivar rest: time at the goal after a planned motion [s].
    :ivar seed: of the random generator.
    :ivar graphs: the figures to draw: the six of 000 section 6.2; where a hand guides the robot,
        ``external_torque``; those of 002 section VII, ``tip_path_3d``, ``tip_path_plane``,
        ``joint_angles`` and ``joint_velocities``; those of 003 chapter 4 for two hands,
        ``internal_force``, ``path_correction``, ``hand_positions`` and ``carried_object``.
    """

    name: Annotated[str, msgspec.Meta(pattern=r'^[\w. -]+$')]
    description: str
    robot: RobotConfig
    period: Period = 0.005
    duration: Positive | None = None
    rest: NonNegative = 0.5
    seed: Seed = 0
    planner: PlannerConfig = PlannerConfig()
    control: ControlConfig = ControlConfig()
    plant: PlantConfig = PlantConfig()
    safety: SafetyConfig = SafetyConfig()
    monitor: MonitorConfig = MonitorConfig()
    reaction: ReactionConfig = ReactionConfig()
    admittance: AdmittanceConfig = AdmittanceConfig()
    bimanual: BimanualConfig = BimanualConfig()
    graphs: tuple[Graph, ...] = SIX_GRAPHS

    def resolved_control(self) -> ControlConfig:
        """Return the control with the choices that depend on the plant made."""
        return self.control.resolved(
            noisy=self.plant.encoder_error > 0.0, flexible=self.plant.flexible_joints
        )

    def wrist_tare(self, *, simulated: bool = True) -> float | None:
        """Return in which time a monitor learns the bias of wrist sensors [s]; None without any.

        Whatever the hands do, a monitor with thresholds is told what they feel, as it was when it
        was calibrated.

        :param simulated: whether the robot is: a real one has sensors if two hands need them.
        """
        felt = self.plant.sensors is not None if simulated else self.planner.kind == 'bimanual'
        return self.bimanual.tare_time if felt else None


class _Loader(yaml.SafeLoader):
    """YAML 1.1, but ``1e-5`` is a number, as in YAML 1.2, and nothing contains itself."""

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:  # noqa: ARG002
        """Return what a node stands for; all of it at once, which finds a node in itself."""
        if node in self.recursive_objects:
            raise yaml.constructor.ConstructorError(problem='it contains itself')
        return super().construct_object(node, deep=True)


_Loader.add_implicit_resolver(
    'tag:yaml.org,2002:float',
    re.compile(r'^[-+]?(\d+\.?\d*|\.\d+)[eE][-+]?\d+$'),
    list('-+.0123456789'),
)


_UNREADABLE = (yaml.YAMLError, ValueError, RecursionError)
"""What YAML that is not valid, or nested too deep, is refused with."""


def scenario_names() -> tuple[str, ...]:
    """Return the names of the shipped scenarios."""
    return _names('scenarios')


def scenario_descriptions() -> dict[str, str]:
    """Return the one-line description of each shipped scenario."""
    folder = _folder('scenarios')
    return {
        name: _read(folder / f'{name}.yaml', Scenario)['description'] for name in scenario_names()
    }


def load_scenario(name: str, settings: Iterable[str] = ()) -> Scenario:
    """Return a shipped scenario, or one in a file, with settings applied.

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
    for setting in settings:
        _apply(raw, setting)
        _expand_robot(raw)
    if not isinstance(raw.get('robot'), dict) or 'urdf' not in raw['robot']:
        raise ConfigError(
            f'{path.stem}: no robot given; add --set robot.urdf=FILE --set robot.tips=[LINK], or '
            f'--set robot=NAME with one of {", ".join(_names("robots"))}'
        )
    for where, value in _leaves(raw):
        if isinstance(value, float) and not math.isfinite(value):
            raise ConfigError(f'{where}: {value} is not a finite number')
    try:
        return msgspec.convert(raw, Scenario)
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
    _check_keys(raw, kind, '')
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


def _apply(raw: dict[str, Any], setting: str) -> None:
    key, equals, text = setting.partition('=')
    if not equals or not key:
        raise ConfigError(f'--set {setting}: not of the form key=value, for instance period=0.001')
    try:
        value = yaml.load(text, _Loader)
    except _UNREADABLE as error:
        why = getattr(error, 'problem', None) or str(error)
        raise ConfigError(f'--set {key}: {text[:60]!r} is not valid YAML: {why}') from error
    *sections, last = key.split('.')
    nested: Any = {last: value}
    for section in reversed(sections):
        nested = {section: nested}
    rename_old(nested)
    if key != 'robot':
        _check_keys(nested, Scenario, '')
    target = raw
    for section in sections:
        if not isinstance(target.get(section), dict):
            target[section] = {}
        target, nested = target[section], nested[section]
    target.update(nested)


def _check_keys(raw: Mapping[Any, Any], kind: Any, where: str) -> None:
    """Refuse a key that the type does not have, or a word that is not one of its choices."""
    fields = {field.encode_name: field.type for field in msgspec.structs.fields(kind)}
    tag = kind.__struct_config__.tag_field
    for key, value in raw.items():
        if key == tag:
            continue
        if key not in fields:
            raise UnknownNameError('key', f'{where}{key}', (where + name for name in fields))
        _check_value(value, fields[key], f'{where}{key}')


def _check_value(value: Any, kind: Any, where: str) -> None:
    """Check the keys of a section or of a list of them, or that a word is one of its choices."""
    parts = tuple(_parts(kind))
    sections = [part for part in parts if hasattr(part, '__struct_fields__')]
    if isinstance(value, list):
        for entry in {get_args(part)[0] for part in parts if get_origin(part) is tuple}:
            for i, item in enumerate(value):
                _check_value(item, entry, f'{where}[{i}]')
        return
    if isinstance(value, dict) and parts and all(get_origin(part) is tuple for part in parts):
        raise ConfigError(
            f'{where}: a list is given as a whole, for instance {where}=[...]; {value!r} is none'
        )
    if sections and sections[0].__struct_config__.tag_field and value is not None:
        _check_keys(value, _tagged(value, sections, where), f'{where}.')
    elif sections and isinstance(value, dict):
        _check_keys(value, sections[0], f'{where}.')
    choices = _choices(kind)
    if choices and isinstance(value, str) and value not in choices:
        raise ConfigError(f'{where}: {UnknownNameError("value", value, choices)}')


def _tagged(value: Any, sections: Iterable[Any], where: str) -> Any:
    """Return the kind of section that the word in its tag, for instance ``do``, is for."""
    kinds = {section.__struct_config__.tag: section for section in sections}
    tag = next(iter(kinds.values())).__struct_config__.tag_field
    if not isinstance(value, dict) or tag not in value:
        words = ', '.join(sorted(kinds))
        raise ConfigError(f'{where}: no {tag} in {value!r}; give {{{tag}: ...}}, one of {words}')
    word = value[tag]
    if not isinstance(word, str) or word not in kinds:
        raise ConfigError(f'{where}.{tag}: {UnknownNameError("value", str(word), kinds)}')
    return kinds[word]


def _parts(kind: Any) -> Iterator[Any]:
    """Yield the types that a type is a choice of, without what limits them."""
    if get_origin(kind) is Annotated:
        yield from _parts(get_args(kind)[0])
    elif get_origin(kind) in (Union, UnionType):
        for part in get_args(kind):
            yield from _parts(part)
    else:
        yield kind


def _choices(kind: Any) -> tuple[str, ...]:
    """Return the words that a type allows, if it is a choice of words or a list of them."""
    if get_origin(kind) is Literal:
        return get_args(kind)
    return tuple(word for part in get_args(kind) for word in _choices(part))


def _leaves(value: Any, where: str = '') -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _leaves(item, f'{where}.{key}' if where else str(key))
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield from _leaves(item, f'{where}[{i}]')
    else:
        yield where, value
