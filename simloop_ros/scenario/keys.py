"""Checks of keys and choices against a configuration class."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
import math
from typing import Any, get_args, get_origin

import msgspec

from ..core.config_messages import members
from ..core.config_types import CUSTOM, check_choice, choices, is_class_name
from ..core.errors import ConfigError, UnknownNameError


def check_keys(
    raw: Mapping[Any, Any], kind: Any, where: str, others: Mapping[str, Any] | None = None
) -> None:
    """Refuse a key that the type does not have, or a value that is not one of its choices.

    :param others: the other classes of a tagged union, by their tags.
    """
    types, tag = key_types(kind), kind.__struct_config__.tag_field
    of = f' of {where}{tag} {raw[tag]}' if tag else ''
    for key, value in raw.items():
        if key == tag:
            continue
        if key in types:
            _check_value(value, types[key], f'{where}{key}', of)
            continue
        valid = [where + name for name in (*types, *([tag] if tag else []))]
        owners = [name for name, other in (others or {}).items() if key in key_types(other)]
        if owners:
            raise ConfigError(
                f'{where}{key} is not a key{of}; leave it out, or set {where}{tag}='
                f'{" or ".join(owners)}; valid: {", ".join(sorted(valid))}'
            )
        section, dot, name = str(key).partition('.')
        if dot and section in types:
            raise ConfigError(
                f'{where}{key}: in a file a section has its keys inside: '
                f'{section}: {{{name}: ...}}'
            )
        raise UnknownNameError(f'key{of}', f'{where}{key}', valid)


def _check_value(value: Any, kind: Any, where: str, of: str = '') -> None:
    """Check the keys of a section or of a list of them, or that a value is one of its choices.

    :param of: which class of a tagged union the value is of, for messages.
    """
    parts = tuple(members(kind))
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
        tagged = {section.__struct_config__.tag: section for section in sections}
        check_keys(value, _tagged(value, tagged, where), f'{where}.', tagged)
    elif sections and isinstance(value, dict):
        check_keys(value, sections[0], f'{where}.')
    valid = choices(kind)
    if valid and isinstance(value, str):
        check_choice(where, value, valid, f'value{of}')


def _tagged(value: Any, kinds: Mapping[str, Any], where: str) -> Any:
    """Return the class of a section by its tag, for instance ``do``."""
    tag = next(iter(kinds.values())).__struct_config__.tag_field
    if not isinstance(value, dict) or tag not in value:
        valid = ', '.join(sorted(kinds))
        raise ConfigError(f'{where}: no {tag} in {value!r}; give {{{tag}: ...}}, one of {valid}')
    chosen = str(value[tag])
    check_choice(f'{where}.{tag}', chosen, tuple(kinds))
    return variant(kinds, chosen)


def variant(kinds: Mapping[str, Any], tag: str) -> Any:
    """Return the class for a tag, or that for a class of the user; ``None`` if unknown."""
    return kinds.get(CUSTOM if is_class_name(tag) else tag)


def key_types(kind: Any) -> dict[str, Any]:
    """Return the types of a class's fields by their keys, without that of its tag."""
    tag = kind.__struct_config__.tag_field
    fields = msgspec.structs.fields(kind)
    return {field.encode_name: field.type for field in fields if field.name != tag}


def check_leaves(raw: Any) -> None:
    """Refuse what JSON cannot hold: numbers that are not finite, dates, keys that are no text.

    :raises ConfigError: with the key.
    """
    for where, value in _leaves(raw):
        if isinstance(value, float) and not math.isfinite(value):
            raise ConfigError(f'{where}: {value} is not a finite number')
        if value is not None and not isinstance(value, (str, int, float)):
            raise ConfigError(f'{where}: {value} is neither number nor text; write it in quotes')


def _leaves(value: Any, where: str = '') -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str):
                inside = f'{where}: ' if where else ''
                raise ConfigError(f'{inside}the key {key!r} is no text: write it in quotes')
            yield from _leaves(item, f'{where}.{key}' if where else str(key))
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield from _leaves(item, f'{where}[{i}]')
    else:
        yield where, value
