"""A configuration as ROS parameters, in plain data: what wiring writes and a node reads back.

Each field of a configuration class is a parameter, ``control.law``; a section in it is a prefix,
``plant.friction.coulomb``. What ROS has no type for is written in one that it has:

- a number that may be left out is a double, and NaN where it is;
- a string that may be left out is empty where it is;
- an empty list of strings is ``['']``, because ROS cannot tell of which type ``[]`` is;
- all that is neither number, string, list of strings nor vector is a string that holds YAML.

A tagged union, as that of the planner, has the parameters of all its classes. Its tag,
``planner.kind``, decides which of them are read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache, cached_property
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import NODEFAULT, inspect

from ...core.config_types import CUSTOM, field_docs, variants
from ...core.errors import ConfigError, UnknownNameError
from .config_parameter import ConfigParameter, ParameterValue, is_empty, value_type

T = TypeVar('T', bound=msgspec.Struct)


def config_parameters(kind: type[msgspec.Struct], prefix: str) -> list[ConfigParameter]:
    """Return the parameters of a class; a prefix is as ``control`` in ``control.law``."""
    return list(_walk(kind, f'{prefix}.' if prefix else '', NODEFAULT))


def parameter_values(config: msgspec.Struct, prefix: str) -> dict[str, ParameterValue]:
    """Return a configuration as the values of parameters, by name."""
    return dict(_encode(config, f'{prefix}.' if prefix else ''))


def parse_config(kind: type[T], prefix: str, values: Mapping[str, Any]) -> T:
    """Return the configuration that parameters make; those left out have their defaults.

    :param values: values by name; names that do not begin with ``prefix.`` are ignored.
    :raises ConfigError: a name or value is not valid, or one without a default is missing.
    """
    declared = {parameter.name: parameter for parameter in config_parameters(kind, prefix)}
    start = f'{prefix}.' if prefix else ''
    for name in values:
        if name not in declared and name.startswith(start):
            raise UnknownNameError('parameter', name, declared)
    config: T = _parse(kind, start, NODEFAULT, values, declared)
    return config


def _walk(kind: Any, prefix: str, default: Any) -> Iterator[ConfigParameter]:
    """Yield the parameters of a class, those of its sections in their place.

    :param kind: the class; for a tagged union, its base class or the union itself.
    :param default: the whole of a section by default, or ``NODEFAULT``.
    """
    tagged = variants(kind)
    if not tagged:
        yield from _walk_fields(kind, prefix, default)
        return
    tag = _tag_parameter(tagged, prefix, default)
    yield tag
    found: dict[str, dict[str, ConfigParameter]] = {}
    for name, variant in tagged.items():
        own = default if isinstance(default, variant) else NODEFAULT
        for parameter in _walk_fields(variant, prefix, own):
            found.setdefault(parameter.name, {})[name] = parameter
    found.pop(tag.name, None)
    for parameters in found.values():
        yield _merged(parameters) if len(tagged) > 1 else next(iter(parameters.values()))


def _walk_fields(
    kind: type[msgspec.Struct], prefix: str, default: Any
) -> Iterator[ConfigParameter]:
    descriptions = field_docs(kind)
    for field in _fields(kind):
        name, value = f'{prefix}{field.name}', _default(field, default)
        if _is_section(field.type):
            yield from _walk(field.type, f'{name}.', value)
        else:
            yield _parameter(field, name, value, descriptions[field.name])


class _Field:
    """A field of a configuration class; msgspec finds its type anew each time it is asked."""

    def __init__(self, info: msgspec.structs.FieldInfo):
        self.name, self.type = info.name, info.type
        self.default, self.default_factory = info.default, info.default_factory

    @cached_property
    def seen(self) -> tuple[inspect.Type, bool]:
        """The type as msgspec sees it, and whether it may be left out."""
        return value_type(inspect.type_info(self.type))


@cache
def _fields(kind: type[msgspec.Struct]) -> tuple[_Field, ...]:
    return tuple(map(_Field, msgspec.structs.fields(kind)))


def _parameter(
    field: _Field, name: str, default: Any = NODEFAULT, description: str = ''
) -> ConfigParameter:
    seen, optional = field.seen
    return ConfigParameter(name, field.type, seen, optional, default, description)


def _tag_parameter(
    tagged: Mapping[str, type[msgspec.Struct]], prefix: str, default: Any
) -> ConfigParameter:
    """Return the parameter that chooses a class of a tagged union; by default the first one."""
    chosen = next((kind for kind in tagged.values() if isinstance(default, kind)), None)
    config = (chosen or next(iter(tagged.values()))).__struct_config__
    return ConfigParameter(
        name=f'{prefix}{config.tag_field}',
        annotation=_choice(tagged),
        type=inspect.StrType(),
        optional=False,
        default=config.tag,
        description=f'which of the parameters {prefix}* are read',
    )


def _merged(parameters: Mapping[str, ConfigParameter]) -> ConfigParameter:
    """Return one parameter for all classes of a tagged union that have it, by their tags.

    Where they do not agree, it is empty by default, which stands for the default of each.
    """
    tags: dict[str, list[str]] = {}
    for tag, parameter in parameters.items():
        tags.setdefault(parameter.description, []).append(tag)
    description = '; '.join(f'{", ".join(own)}: {text}' for text, own in tags.items())
    first, *others = (replace(each, description=description) for each in parameters.values())
    if all(other == first for other in others):
        return first
    choices = {choice for each in parameters.values() for choice in each.choices}
    return replace(first, annotation=_choice(choices), optional=True, default=None)


def _choice(choices: Iterable[str]) -> Any:
    return Annotated[str, msgspec.Meta(extra={'choices': tuple(choices)})]


def _encode(config: msgspec.Struct, prefix: str) -> Iterator[tuple[str, ParameterValue]]:
    tag = config.__struct_config__
    fields = _fields(type(config))
    if tag.tag_field and all(field.name != tag.tag_field for field in fields):
        yield f'{prefix}{tag.tag_field}', str(tag.tag)
    for field in fields:
        name, value = f'{prefix}{field.name}', getattr(config, field.name)
        if _is_section(field.type):
            yield from _encode(value, f'{name}.')
        else:
            yield name, _parameter(field, name).encode(value)


def _parse(
    kind: Any,
    prefix: str,
    default: Any,
    values: Mapping[str, Any],
    declared: Mapping[str, ConfigParameter],
) -> Any:
    tagged = variants(kind)
    if tagged:
        tag = _tag_parameter(tagged, prefix, default)
        chosen = tag.decode(values.get(tag.name, tag.default))
        kind = tagged[chosen if chosen in tagged else CUSTOM]
        default = default if isinstance(default, kind) else NODEFAULT
    parts = {}
    for field in _fields(kind):
        name, value = f'{prefix}{field.name}', _default(field, default)
        if _is_section(field.type):
            parts[field.name] = _parse(field.type, f'{name}.', value, values, declared)
            continue
        parameter = _parameter(field, name, value)
        given = values.get(name, NODEFAULT)
        if declared[name].optional and not parameter.optional and is_empty(given):
            given = NODEFAULT
        if given is not NODEFAULT:
            value = parameter.decode(given)
        elif value is NODEFAULT:
            raise ConfigError(f'{name}: not given, and it has no default')
        parts[field.name] = value
    return kind(**parts)


def _is_section(kind: Any) -> bool:
    """Return whether the fields of a type are parameters of their own."""
    return inspect.is_struct_type(kind) or bool(variants(kind))


def _default(field: _Field, section: Any) -> Any:
    """Return the default of a field, of a whole section that has one by default."""
    if section is not NODEFAULT:
        return getattr(section, field.name)
    if field.default_factory is not NODEFAULT:
        return field.default_factory()
    return field.default
