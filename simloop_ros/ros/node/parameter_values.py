"""A configuration as ROS parameters, in plain data: what wiring writes and a node reads back.

Each field of a configuration class is a parameter, ``control.law``; a section in it is a prefix,
``plant.friction.coulomb``. What ROS has no type for is written in one that it has:

- a number that may be left out is a double, and NaN where it is;
- a string that may be left out is empty where it is;
- an empty list of strings is ``['']``, because ROS cannot tell of which type ``[]`` is;
- all that is neither number, string, list of strings nor vector is a string that holds YAML.
"""

from __future__ import annotations

import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
import math
from operator import attrgetter
from typing import Any, Literal, TypeVar

import msgspec
from msgspec import NODEFAULT, inspect

from ...core.config_types import field_docs
from ...core.errors import ConfigError, UnknownNameError

ParameterValue = bool | int | float | str | list[str] | list[float]
Form = Literal['BOOL', 'INTEGER', 'DOUBLE', 'STRING', 'STRING_ARRAY', 'DOUBLE_ARRAY']
"""Types of ROS parameters, by their names in ``rclpy.Parameter.Type``."""
T = TypeVar('T', bound=msgspec.Struct)
BOUNDS = {'gt': '>', 'ge': '>=', 'lt': '<', 'le': '<='}


@dataclass(frozen=True)
class ConfigParameter:
    """One parameter: a field of a configuration class, or of a section in it.

    :ivar name: full name, as ``plant.friction.coulomb``.
    :ivar path: the field from the configuration on, as ``friction.coulomb``.
    :ivar annotation: the type that the class gives to the field.
    :ivar type: that type as msgspec sees it, without ``None`` if ``optional``.
    :ivar optional: whether a number or string may be left out.
    :ivar default: default in the configuration, or ``NODEFAULT``.
    :ivar description: of the field, from the docstring of the class.
    """

    name: str
    path: str
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
        kind = self.type.item_type if isinstance(self.type, inspect.VarTupleType) else self.type
        values = kind.values if isinstance(kind, inspect.LiteralType) else ()
        return tuple(value for value in values if isinstance(value, str))

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
        """Return the value of the field.

        :param given: value of the parameter.
        :raises ConfigError: it is not valid.
        """
        if self.optional and (given == '' or (isinstance(given, float) and math.isnan(given))):
            return None
        try:
            value = msgspec.convert(self._plain(given), self.annotation, strict=not self.is_text)
        except (msgspec.DecodeError, ValueError, RecursionError) as error:
            text, _, where = ' '.join(str(error).split()).partition(' - at `$')
            reason = f'{text[:1].lower()}{text[1:]}'
            raise ConfigError(
                f'{self.name}{where.rstrip("`")}: {given!r} is not valid: {reason}'
            ) from error
        if not _is_finite(msgspec.to_builtins(value)):
            raise ConfigError(f'{self.name}: {given!r} is not finite')
        return value

    def _plain(self, given: Any) -> Any:
        """Return what was given as plain data for msgspec, without ROS's ways of writing it."""
        if self.is_text and isinstance(given, str):
            return _read(given)
        if isinstance(given, (list, tuple, array.array)):
            given = [] if list(given) == [''] else list(given)
        for item in given if isinstance(given, list) else [given]:
            if self.choices and isinstance(item, str) and item not in self.choices:
                raise ConfigError(f'{self.name}: {UnknownNameError("value", item, self.choices)}')
        if isinstance(self.type, inspect.IntType) and isinstance(given, float):
            return int(given) if given.is_integer() else given
        return given


def config_parameters(kind: type[msgspec.Struct], prefix: str) -> list[ConfigParameter]:
    """Return the parameters of a configuration class.

    :param prefix: what their names begin with, ``control`` for ``control.law``; may be empty.
    """
    return list(_walk(kind, f'{prefix}.' if prefix else '', '', NODEFAULT))


def parameter_values(config: msgspec.Struct, prefix: str) -> dict[str, ParameterValue]:
    """Return a configuration as the values of parameters, by name."""
    return {
        parameter.name: parameter.encode(attrgetter(parameter.path)(config))
        for parameter in config_parameters(type(config), prefix)
    }


def parse_config(kind: type[T], prefix: str, values: Mapping[str, Any]) -> T:
    """Return the configuration that parameters make; those left out have their defaults.

    :param values: values by name; names that do not begin with ``prefix.`` are ignored.
    :raises ConfigError: a name or value is not valid, or one without a default is missing.
    """
    parameters = config_parameters(kind, prefix)
    names = {parameter.name for parameter in parameters}
    for name in values:
        if name not in names and name.startswith(f'{prefix}.' if prefix else ''):
            raise UnknownNameError('parameter', name, names)
    fields = {}
    for parameter in parameters:
        if parameter.name in values:
            fields[parameter.path] = parameter.decode(values[parameter.name])
        elif parameter.default is NODEFAULT:
            raise ConfigError(f'{parameter.name}: not given, and it has no default')
        else:
            fields[parameter.path] = parameter.default
    return _assemble(kind, fields, '')


def _walk(
    kind: type[msgspec.Struct], prefix: str, section: str, default: Any
) -> Iterator[ConfigParameter]:
    """Yield the parameters of a class, those of its sections in their place.

    :param default: the whole of a section by default, or ``NODEFAULT``.
    """
    descriptions = field_docs(kind)
    for field in msgspec.structs.fields(kind):
        path = f'{section}{field.name}'
        value = _default(field) if default is NODEFAULT else getattr(default, field.name)
        if inspect.is_struct_type(field.type):
            yield from _walk(field.type, prefix, f'{path}.', value)
        else:
            seen, optional = _value_type(inspect.type_info(field.type))
            yield ConfigParameter(
                name=f'{prefix}{path}',
                path=path,
                annotation=field.type,
                type=seen,
                optional=optional,
                default=value,
                description=descriptions[field.name],
            )


def _assemble(kind: type[T], fields: Mapping[str, Any], section: str) -> T:
    parts = {}
    for field in msgspec.structs.fields(kind):
        path = f'{section}{field.name}'
        is_section = inspect.is_struct_type(field.type)
        parts[field.name] = (
            _assemble(field.type, fields, f'{path}.') if is_section else fields[path]
        )
    return kind(**parts)


def _default(field: msgspec.structs.FieldInfo) -> Any:
    if field.default_factory is not NODEFAULT:
        return field.default_factory()
    return field.default


def _value_type(kind: inspect.Type) -> tuple[inspect.Type, bool]:
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


def _read(text: str) -> Any:
    """Read YAML; JSON first, which is YAML, but has numbers like ``1e-5`` that PyYAML misses."""
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return msgspec.yaml.decode(text)


def _is_finite(value: Any) -> bool:
    if isinstance(value, dict):
        return all(map(_is_finite, value.values()))
    if isinstance(value, (list, tuple)):
        return all(map(_is_finite, value))
    return not isinstance(value, float) or math.isfinite(value)
