"""Every key of a scenario, described from the configuration classes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
import difflib
from fnmatch import fnmatchcase
import re
from typing import Any, NamedTuple

import msgspec
from msgspec import inspect

from ..core.config_types import choices, field_docs
from ..core.errors import ConfigError
from .scenario import Scenario
from .shipped import robot_names

EACH = '[]'
"""After the name of a list, for the keys of each of its entries: ``plant.pushes[].force``."""
NAMED = '.<name>'
"""The same after a mapping: ``admittance.joints.<name>.mass``."""
REQUIRED, NONE = 'required', 'none'
YES_OR_NO, LIST = 'true or false', 'list of'
ROBOT = (
    'name of a shipped robot, a robot file of yours (`./my_robot.yaml`; paths in it start beside '
    'it), or a section with the keys below.'
)
LIKE = 'name or file of a robot of which the other keys of this section change a part.'


@dataclass(frozen=True)
class ScenarioKey:
    """One key of a scenario.

    :ivar name: with its sections, for instance ``plant.friction.coulomb``.
    :ivar section: what it belongs to, for instance ``plant.friction`` or ``planner.kind: online``.
    :ivar kind: type of its value in words, for instance ``number > 0``.
    :ivar unit: of the value; empty for none.
    :ivar default: as it is written in a file, ``none``, or ``required``.
    :ivar choices: every valid text; empty where any is.
    :ivar meaning: one sentence.
    """

    name: str
    section: str
    kind: str
    unit: str
    default: str
    choices: tuple[str, ...]
    meaning: str

    @property
    def is_list(self) -> bool:
        """Return whether the value is a list."""
        return self.kind.startswith(LIST)


class _Structs(NamedTuple):
    """The classes that a type is made of; none for a plain value.

    :ivar suffix: of the names of their keys, where they are in a list or mapping.
    :ivar optional: whether there may be none of them.
    """

    classes: list[Any]
    suffix: str
    optional: bool


def scenario_keys() -> tuple[ScenarioKey, ...]:
    """Return every key of a scenario, section by section."""
    first, *others = _keys(Scenario, '', '')
    robots = robot_names()
    robot = ScenarioKey('robot', '', 'text', '', REQUIRED, robots, ROBOT)
    like = ScenarioKey('robot.like', 'robot', 'text', '', NONE, robots, LIKE)
    # A file's name is that of its scenario.
    named = replace(first, default='that of the file')
    at = next(i for i, key in enumerate(others) if key.section == 'robot')
    return tuple(dict.fromkeys((named, *others[:at], robot, like, *others[at:])))


def find_keys(pattern: str) -> tuple[ScenarioKey, ...]:
    """Return the keys whose names have a text in them, or match a pattern with ``*`` or ``?``.

    :raises ConfigError: there is none; with the nearest names.
    """
    keys = scenario_keys()
    glob = pattern if re.search(r'[*?]', pattern) else f'*{pattern}*'
    # Brackets belong to the names of lists.
    glob = glob.lower().replace('[', '[[]')
    found = tuple(key for key in keys if fnmatchcase(key.name.lower(), glob))
    if not found:
        names = {key.name for key in keys} | {key.name.rpartition('.')[2] for key in keys}
        near = difflib.get_close_matches(pattern, sorted(names), n=3, cutoff=0.5)
        hint = f'did you mean {" or ".join(near)}? ' if near else ''
        raise ConfigError(f'no key matches {pattern!r}: {hint}"simloop keys" lists all of them')
    return found


def _keys(kind: Any, prefix: str, section: str) -> Iterator[ScenarioKey]:
    """Yield the keys of a class: its values first, then its sections."""
    meanings = field_docs(kind)
    below: list[tuple[_Structs, str]] = []
    for field in msgspec.structs.fields(kind):
        structs, name = _structs(field.type), f'{prefix}{field.name}'
        if structs.classes:
            below.append((structs, f'{name}{structs.suffix}'))
        if not structs.classes or structs.suffix or structs.optional:
            yield _key(name, section, field, meanings[field.name])
    for structs, name in below:
        if structs.classes[0].__struct_config__.tag_field:
            yield from _tagged_keys(structs, name)
        else:
            yield from _keys(structs.classes[0], f'{name}.', name)


def _tagged_keys(structs: _Structs, section: str) -> Iterator[ScenarioKey]:
    """Yield the tag of a union of classes, then the keys of each of them."""
    tag = f'{section}.{structs.classes[0].__struct_config__.tag_field}'
    words = {kind.__struct_config__.tag: kind for kind in structs.classes}
    default = REQUIRED if structs.suffix or structs.optional else next(iter(words))
    meaning = ' '.join(f'`{word}`: {_summary(kind)}' for word, kind in words.items())
    yield ScenarioKey(tag, section, _one_of(words), '', default, tuple(words), meaning)
    for word, kind in words.items():
        for key in _keys(kind, f'{section}.', f'{tag}: {word}'):
            if key.name != tag:
                yield key


def _key(name: str, section: str, field: Any, meaning: str) -> ScenarioKey:
    unit = re.search(r'\[([^\]]+)\]', meaning)
    kind = _in_words(inspect.type_info(field.type))
    words = choices(field.type) or (('true', 'false') if kind == YES_OR_NO else ())
    return ScenarioKey(
        name, section, kind, unit[1] if unit else '', _default(field), words, meaning
    )


def _structs(kind: Any) -> _Structs:
    """Return the classes that a type is made of."""
    parts = _members(inspect.type_info(kind))
    suffix = ''
    for part in list(parts):
        if isinstance(part, inspect.VarTupleType):
            inner, mark = part.item_type, EACH
        elif isinstance(part, inspect.DictType):
            inner, mark = part.value_type, NAMED
        else:
            continue
        if any(isinstance(member, inspect.StructType) for member in _members(inner)):
            parts += _members(inner)
            suffix = mark
    found = [part.cls for part in parts if isinstance(part, inspect.StructType)]
    return _Structs(found, suffix, any(isinstance(part, inspect.NoneType) for part in parts))


def _members(info: inspect.Type) -> list[inspect.Type]:
    return list(info.types) if isinstance(info, inspect.UnionType) else [info]


def _in_words(info: inspect.Type) -> str:
    """Return a type in words."""
    match info:
        case inspect.Metadata(extra={'choices': words}):
            return _one_of(words)
        case inspect.Metadata(type=inner):
            return _in_words(inner)
        case inspect.UnionType(types=parts):
            words = [_in_words(part) for part in parts if not isinstance(part, inspect.NoneType)]
            return ' or '.join(dict.fromkeys(words))
        case inspect.BoolType():
            return YES_OR_NO
        case inspect.IntType() | inspect.FloatType():
            return _number(info)
        case inspect.LiteralType(values=words):
            return _one_of(words)
        case inspect.VarTupleType(item_type=item):
            return f'{LIST} {_in_words(item).removeprefix("one of ")}'
        case inspect.TupleType(item_types=items):
            return f'{len(items)} x {_in_words(items[0])}'
        case inspect.DictType(value_type=value):
            return f'{_in_words(value)} by name'
        case inspect.StructType():
            return 'section'
        case inspect.StrType():
            return 'text'
    return 'value'


def _one_of(words: Iterable[Any]) -> str:
    return f'one of {", ".join(map(str, words))}'


def _number(info: inspect.IntType | inspect.FloatType) -> str:
    limits = (('>', info.gt), ('>=', info.ge), ('<', info.lt), ('<=', info.le))
    given = ', '.join(f'{sign} {limit:.6g}' for sign, limit in limits if limit is not None)
    word = 'whole number' if isinstance(info, inspect.IntType) else 'number'
    return f'{word} {given}'.rstrip()


def _default(field: Any) -> str:
    if field.default_factory is not msgspec.NODEFAULT:
        return str(field.default_factory())
    if field.default is msgspec.NODEFAULT:
        return REQUIRED
    if isinstance(field.default, bool):
        return str(field.default).lower()
    if isinstance(field.default, tuple):
        return f'[{", ".join(map(str, field.default))}]'
    return NONE if field.default is None else str(field.default)


def _summary(kind: Any) -> str:
    return (kind.__doc__ or '').splitlines()[0].replace('``', '`')
