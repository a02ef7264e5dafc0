"""One field of a configuration as a ROS parameter: its type, its bounds, its value."""

from __future__ import annotations

import array
from dataclasses import dataclass
import math
from typing import Any, Literal

import msgspec
from msgspec import inspect

from ...core.config_messages import convert
from ...core.config_types import check_choice, choices
from ...core.errors import ConfigError
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
