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

import array
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
import math
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import NODEFAULT, inspect

from ...core.config_messages import convert
from ...core.config_types import CUSTOM, check_choice, choices, field_docs, variants
from ...core.errors import ConfigError, UnknownNameError
from ...core.files import load_yaml

ParameterValue = bool | int | float | str | list[str] | list[float]
Form = Literal['BOOL', 'INTEGER', 'DOUBLE', 'STRING', 'STRING_ARRAY', 'DOUBLE_ARRAY']
"""Types of ROS parameters, by their names in ``rclpy.Parameter.Type``."""
BOUNDS = {'gt': '>', 'ge': '>=', 'lt': '<', 'le': '<='}


@dataclass(frozen=True)
class ConfigParameter:
    """One parameter: a field of a configuration class, or of a section in it.

    :ivar name: full name, as ``plant.friction.coulomb``.
    :ivar annotation: the type that the class gives to the field.
    :ivar type: that type as msgspec sees it, without ``None`` if ``optional``.
    :ivar optional: whether a number or string may be left out.
    :ivar default: default in the configuration, or ``NODEFAULT``.
    """

    name: str
    annotation: Any
    type: inspect.Type
    optional: bool
    default: Any
    description: str

    @property
    def form(self) -> Form:
        """The type of the ROS parameter."""
        match self.type:
            case inspect.BoolType():
                return 'BOOL'
            case inspect.IntType():
                return 'DOUBLE' if self.optional else 'INTEGER'
            case inspect.FloatType():
                return 'DOUBLE'
            case inspect.VarTupleType(item_type=item) if _is_string(item):
                return 'STRING_ARRAY'
            case inspect.TupleType(item_types=items) if all(
                isinstance(item, inspect.FloatType) for item in items
            ):
                return 'DOUBLE_ARRAY'
        return 'STRING'

    @property
    def is_text(self) -> bool:
        """Whether the parameter is a string that holds YAML."""
        return self.form == 'STRING' and not _is_string(self.type)

    @property
    def choices(self) -> tuple[str, ...]:
        """The strings that are allowed, if it is a choice of strings or a list of them."""
        return tuple(sorted(choices(self.annotation)))

    @property
    def limits(self) -> dict[str, float]:
        """The bounds of a number that are given, by their names in ``msgspec.Meta``."""
        given = {name: getattr(self.type, name, None) for name in BOUNDS}
        return {name: bound for name, bound in given.items() if bound is not None}

    def encode(self, value: Any) -> ParameterValue:
        """Return a value of the field as that of a parameter."""
        if self.is_text:
            return msgspec.json.encode(value).decode()
        match self.form:
            case 'DOUBLE':
                return math.nan if value is None else float(value)
            case 'STRING':
                return '' if value is None else value
            case 'STRING_ARRAY':
                return list(value) or ['']
            case 'DOUBLE_ARRAY':
                return [float(number) for number in value]
        return value

    def decode(self, given: Any) -> Any:
        """Return the value of the field for one of the parameter, or raise ConfigError."""
        if self.optional and is_empty(given):
            return None
        value = convert(
            self._plain(given), self.annotation, self.name, self.name, strict=not self.is_text
        )
        if not _is_finite(msgspec.to_builtins(value)):
            raise ConfigError(f'{self.name}: {given!r} is not finite')
        return value

    def _plain(self, given: Any) -> Any:
        """Return what was given as plain data for msgspec, without ROS's ways of writing it."""
        if self.is_text and isinstance(given, str):
            return self._read(given)
        if isinstance(given, (list, tuple, array.array)):
            given = [] if list(given) == [''] else list(given)
        for item in given if isinstance(given, list) else [given]:
            if self.choices and isinstance(item, str):
                check_choice(self.name, item, self.choices)
        if isinstance(self.type, inspect.IntType) and isinstance(given, float):
            return int(given) if given.is_integer() else given
        return given

    def _read(self, text: str) -> Any:
        """Read JSON, which has characters that YAML refuses; or YAML."""
        try:
            return msgspec.json.decode(text)
        except (msgspec.DecodeError, RecursionError):
            pass
        try:
            return load_yaml(text)
        except ConfigError as error:
            raise ConfigError(f'{self.name}: {text[:60]!r}: {error}') from error


def value_type(kind: inspect.Type) -> tuple[inspect.Type, bool]:
    """Return the type without ``None`` and true for an optional number or string, else false."""
    kind = _bare(kind)
    if isinstance(kind, inspect.UnionType):
        given = [_bare(part) for part in kind.types if not isinstance(part, inspect.NoneType)]
        is_number = isinstance(given[0], (inspect.FloatType, inspect.IntType))
        if len(given) == 1 < len(kind.types) and (is_number or _is_string(given[0])):
            return given[0], True
    return kind, False


def _bare(kind: inspect.Type) -> inspect.Type:
    return kind.type if isinstance(kind, inspect.Metadata) else kind


def _is_string(kind: inspect.Type) -> bool:
    if isinstance(kind, inspect.LiteralType):
        return all(isinstance(value, str) for value in kind.values)
    return isinstance(kind, inspect.StrType)


def _is_finite(value: Any) -> bool:
    if isinstance(value, dict):
        return all(map(_is_finite, value.values()))
    if isinstance(value, (list, tuple)):
        return all(map(_is_finite, value))
    return not isinstance(value, float) or math.isfinite(value)


def is_empty(given: Any) -> bool:
    """Return whether a value stands for none: an empty text or NaN."""
    return given == '' or (isinstance(given, float) and math.isnan(given))


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
