"""Values that a configuration does not allow, in words: what is needed, what was given."""

from __future__ import annotations

from collections.abc import Iterator
import re
from types import UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

import msgspec

from .config_types import NAME_PATTERN, field_docs
from .errors import ConfigError

WORDS = {
    'float': 'a number',
    'int': 'a whole number',
    'str': 'a text',
    'bool': 'true or false',
    'array': 'a list',
    'object': 'a section of keys and values',
    'null': 'null',
}
"""Names of types in messages of msgspec, in words."""
NAME_WORDS = '; letters, digits, dots, spaces, - and _ are, first a letter, a digit or _'
"""``NAME_PATTERN`` in words."""
LONGEST_VALUE = 60
"""Characters of a value that a message shows."""
T = TypeVar('T')


def convert(raw: Any, kind: type[T], source: str, root: str = '', *, strict: bool = True) -> T:
    """Return plain data as a configuration.

    :param source: what the data is from, for faults of the whole.
    :param root: key of the whole, before those inside it.
    :param strict: whether a text is never a number.
    :raises ConfigError: a value is not allowed, with its key, what is needed, and what was given.
    """
    try:
        return msgspec.convert(raw, kind, strict=strict)
    except msgspec.ValidationError as error:
        text, _, path = str(error).partition(' - at `$')
        steps: list[str | int] = [
            name or (int(index) if index.isdigit() else '')
            for name, index in re.findall(r'\.([^.\[`]+)|\[([^\]]*)\]', path)
        ]
        where, value, unit = _follow(raw, kind, steps, root)
        raise ConfigError(f'{where or source}: {_words(text, value, unit)}') from error


def _words(text: str, value: Any, unit: str) -> str:
    """Return a message of msgspec in words.

    :param value: what was given.
    :param unit: of the value, empty where it has none.
    """
    missing = re.match(r'Object missing required field `(.*)`', text)
    if missing:
        return f'the key {missing[1]} is missing; add it'
    unknown = re.match(r'Object contains unknown field `(.*)`', text)
    if unknown:
        return f'the key {unknown[1]} is not known; leave it out'
    if re.search('matching regex', text):
        allowed = NAME_WORDS if repr(NAME_PATTERN) in text else ''
        return f'{_shown(value)} has characters that are not allowed here{allowed}'
    expected = re.match(r'Expected `([^`]*)`(.*?)(, got `.*`)?$', text)
    if not expected:
        return f'{text[:1].lower()}{text[1:]}: {_shown(value)} was given'
    names, limit = expected[1].split(' | '), expected[2].partition(', got')[0]
    needed = ' or '.join(WORDS.get(name, name) for name in names)
    measure = f' [{unit}]' if unit and {'float', 'int', 'array'} & set(names) else ''
    return f'{needed}{limit}{measure} is needed; {_shown(value)} was given'


def _shown(value: Any) -> str:
    names: dict[type, str] = {str: 'the text ', list: 'the list ', dict: 'the section '}
    kind = names.get(type(value), '')
    if value is None or isinstance(value, bool):
        return str({None: 'null', True: 'true', False: 'false'}[value])
    text = repr(value)
    return kind + (text if len(text) <= LONGEST_VALUE else f'{text[:LONGEST_VALUE]}...')


def _follow(value: Any, kind: Any, steps: list[str | int], where: str) -> tuple[str, Any, str]:
    """Return the key, the value and the unit at the end of a path; '' stands for any entry."""
    unit = ''
    for step in steps:
        parts = list(members(kind))
        if isinstance(step, int):
            where, value = f'{where}[{step}]', value[step]
            entries = [get_args(part) for part in parts if get_origin(part) is tuple]
            kind = entries[0][step if entries[0][-1] is not Ellipsis else 0] if entries else Any
        elif step == '':
            types = [get_args(part)[1] for part in parts if get_origin(part) is dict]
            kind = types[0] if types else Any
            step = next((key for key, item in value.items() if not _fits(item, kind)), '')
            where, value = f'{where}.{step}', value.get(step)
        else:
            where, value = f'{where}.{step}' if where else step, value[step]
            kind, unit = _field(parts, step)
    return where, value, unit


def _field(parts: list[Any], name: str) -> tuple[Any, str]:
    """Return type and unit of a field, of the first class that has it."""
    for part in parts:
        for field in getattr(part, '__struct_fields__', ()) and msgspec.structs.fields(part):
            if field.encode_name == name:
                units = re.findall(r'\[([^\]\d][^\]]*)\]', field_docs(part).get(field.name, ''))
                return field.type, units[-1] if units else ''
    return Any, ''


def _fits(value: Any, kind: Any) -> bool:
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError:
        return False
    return True


def members(kind: Any) -> Iterator[Any]:
    """Yield the members of a union of types, without their limits."""
    if get_origin(kind) is Annotated:
        yield from members(get_args(kind)[0])
    elif get_origin(kind) in (Union, UnionType):
        for part in get_args(kind):
            yield from members(part)
    else:
        yield kind
