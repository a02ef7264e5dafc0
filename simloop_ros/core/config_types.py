"""Types of configuration values, and the documentation of their classes."""

from __future__ import annotations

import inspect
import re
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec

from .errors import ConfigError, UnknownNameError

Positive = Annotated[float, msgspec.Meta(gt=0.0)]
NonNegative = Annotated[float, msgspec.Meta(ge=0.0)]
Period = Annotated[float, msgspec.Meta(ge=1e-6, le=1.0)]
Seed = Annotated[int, msgspec.Meta(ge=0)]
Vector = tuple[float, float, float]
ReactionKind = Literal['none', 'stop', 'hold', 'retreat', 'float', 'comply']
"""How a robot can respond to a contact."""
EffortMeaning = Literal['torque', 'torque_without_gravity', 'current', 'none']
"""What ``effort`` in the joint states of a robot is."""
CUSTOM = 'module:Class'
"""Stands for a class of the user where choices are listed."""
CLASS_PATTERN = r'[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*'
NAME_PATTERN = r'^\w[\w. -]*$'
"""Of names that become those of folders."""
ClassName = Annotated[str, msgspec.Meta(pattern=rf'\A{CLASS_PATTERN}\Z')]
"""A class of the user, for instance ``my_package.my_module:MyPlanner``."""
Parameters = dict[str, Any]
"""Values for a class of the user, by name: numbers, text, lists and mappings, as in JSON."""


def one_of_or_class(*names: str) -> msgspec.Meta:
    """Return the limits of a text that is one of some names, or a class of the user."""
    pattern = rf'\A({"|".join(map(re.escape, names))}|{CLASS_PATTERN})\Z'
    return msgspec.Meta(
        pattern=pattern,
        extra={'choices': (*names, CUSTOM)},
        extra_json_schema={'anyOf': [{'enum': list(names)}, {'pattern': f'^{CLASS_PATTERN}$'}]},
    )


def choices(kind: Any) -> tuple[str, ...]:
    """Return the strings that a type allows, if it is a choice of strings or a list of them.

    A class of the user is listed as ``module:Class``.
    """
    if get_origin(kind) is Literal:
        return tuple(value for value in get_args(kind) if isinstance(value, str))
    if isinstance(kind, msgspec.Meta):
        return (kind.extra or {}).get('choices', ())
    return tuple(choice for part in get_args(kind) for choice in choices(part))


def is_class_name(text: str) -> bool:
    """Return whether a text has the form ``module:Class``."""
    return re.fullmatch(CLASS_PATTERN, text) is not None


def check_choice(where: str, value: str, valid: tuple[str, ...], what: str = 'value') -> None:
    """Refuse a string that is not among the valid ones.

    :param where: the key that it was given for.
    :raises ConfigError: with the valid ones.
    """
    if value not in valid and not (CUSTOM in valid and is_class_name(value)):
        raise ConfigError(f'{where}: {UnknownNameError(what, value, valid)}')


def variants(kind: Any) -> dict[str, type[msgspec.Struct]]:
    """Return the classes of a tagged union by their tags; none for any other type.

    :param kind: the union, or a base class, which stands for all its subclasses.
    """
    if get_origin(kind) in (Union, UnionType):
        classes = list(get_args(kind))
    elif isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        classes = _leaves(kind)
    else:
        return {}
    configs = [getattr(part, '__struct_config__', None) for part in classes]
    if not all(config and config.tag_field for config in configs):
        return {}
    return {part.__struct_config__.tag: part for part in classes}


def _leaves(kind: type[msgspec.Struct]) -> list[type[msgspec.Struct]]:
    below = [leaf for subclass in kind.__subclasses__() for leaf in _leaves(subclass)]
    return below or [kind]


def field_docs(kind: type[msgspec.Struct]) -> dict[str, str]:
    """Return the ``:ivar x:`` texts of a class and its bases by field, one line each."""
    found = [
        pair
        for base in reversed(kind.__mro__)
        for pair in re.findall(
            r':ivar (\w+): (.*?)(?=\n:|\Z)', inspect.cleandoc(base.__doc__ or ''), re.DOTALL
        )
    ]
    return {name: ' '.join(text.split()).replace('``', '`') for name, text in found}
