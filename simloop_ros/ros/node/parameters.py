"""Parameters of a node, declared from the configuration classes of its block."""

from __future__ import annotations

from collections.abc import Iterable
import math
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from rcl_interfaces.msg import (
    FloatingPointRange,
    IntegerRange,
    ParameterDescriptor,
    SetParametersResult,
)
from rclpy.exceptions import InvalidParameterTypeException, InvalidParameterValueException
from rclpy.node import Node
from rclpy.parameter import Parameter

from ...core.errors import ConfigError, SimloopError
from ..pacing.config import GraphConfig
from .config_parameter import BOUNDS, ConfigParameter
from .parameter_values import config_parameters, parse_config

if TYPE_CHECKING:
    from .block_node import BlockNode

T = TypeVar('T', bound=msgspec.Struct)
LARGEST_DOUBLE = math.nextafter(math.inf, 0.0)
INTEGER_RANGE = (-(2**63), 2**63 - 1)


def declare_config(node: Node, kind: type[msgspec.Struct], prefix: str) -> None:
    """Declare a parameter for every field of a configuration class.

    A field without a default is declared by its type only: ``read_config`` asks for its value.

    :raises ConfigError: the node was given a value of a wrong type or out of range.
    """
    for parameter in config_parameters(kind, prefix):
        form = Parameter.Type[parameter.form]
        has_default = parameter.default is not msgspec.NODEFAULT
        default: Any = parameter.encode(parameter.default) if has_default else form
        try:
            declared = node.declare_parameter(parameter.name, default, _descriptor(parameter))
        except InvalidParameterTypeException as error:
            hint = ' (a double has a point, as 1.0)' if 'DOUBLE' in parameter.form else ''
            raise ConfigError(f'{error}{hint}') from error
        except InvalidParameterValueException as error:
            raise ConfigError(str(error)) from error
        # An empty list in a parameter file arrives as no value at all.
        if has_default and declared.type_ is Parameter.Type.NOT_SET:
            if form is not Parameter.Type.STRING_ARRAY:
                raise ConfigError(f'{parameter.name}: given without a value, expected {form.name}')
            node.set_parameters([Parameter(parameter.name, form, parameter.encode(()))])


def read_config(node: Node, kind: type[T], prefix: str) -> T:
    """Return the configuration that the node's parameters make, or raise ConfigError."""
    return changed_config(node, kind, prefix, ())


def changed_config(node: Node, kind: type[T], prefix: str, changed: Iterable[Parameter]) -> T:
    """Return the configuration as it would be after a change of parameters; raises ConfigError."""
    names = [parameter.name for parameter in config_parameters(kind, prefix)]
    present = {name: node.get_parameter_or(name) for name in names}
    present |= {parameter.name: parameter for parameter in changed if parameter.name in present}
    return parse_config(
        kind,
        prefix,
        {
            name: parameter.value
            for name, parameter in present.items()
            if parameter.type_ is not Parameter.Type.NOT_SET
        },
    )


def _descriptor(parameter: ConfigParameter) -> ParameterDescriptor:
    descriptor = ParameterDescriptor(
        description=parameter.description + (' (as YAML)' if parameter.is_text else ''),
        additional_constraints=_constraints(parameter),
    )
    # rclpy holds the NaN of a number that is left out to be out of range.
    if parameter.limits and not parameter.optional:
        if parameter.form == 'INTEGER':
            descriptor.integer_range = [_integer_range(parameter.limits)]
        else:
            descriptor.floating_point_range = [_floating_point_range(parameter.limits)]
    return descriptor


def _constraints(parameter: ConfigParameter) -> str:
    parts = []
    if parameter.choices:
        each = 'each ' if parameter.form == 'STRING_ARRAY' else ''
        parts.append(f'{each}one of {", ".join(parameter.choices)}')
    if parameter.optional:
        parts += [f'{BOUNDS[name]} {bound}' for name, bound in parameter.limits.items()]
        parts.append(f'{".nan" if parameter.form == "DOUBLE" else "empty"} where none is given')
    return '; '.join(parts)


def _floating_point_range(limits: dict[str, float]) -> FloatingPointRange:
    """Return a closed range; an open end is at the next number inside."""
    low, high = limits.get('ge', -LARGEST_DOUBLE), limits.get('le', LARGEST_DOUBLE)
    if 'gt' in limits:
        low = math.nextafter(limits['gt'], math.inf)
    if 'lt' in limits:
        high = math.nextafter(limits['lt'], -math.inf)
    return FloatingPointRange(from_value=float(low), to_value=float(high))


def _integer_range(limits: dict[str, float]) -> IntegerRange:
    low, high = limits.get('ge', INTEGER_RANGE[0]), limits.get('le', INTEGER_RANGE[1])
    if 'gt' in limits:
        low = limits['gt'] + 1
    if 'lt' in limits:
        high = limits['lt'] - 1
    return IntegerRange(from_value=int(low), to_value=int(high))


class LiveParameters:
    """Sections of a configuration as parameters of a node.

    Until ``read`` all may change; then only the live ones, until ``clear``.

    """

    def __init__(self, node: BlockNode):
        self._node = node
        self._kinds: dict[str, type[msgspec.Struct]] = {'': GraphConfig, **node.SECTIONS}
        self._configs: dict[str, msgspec.Struct] = {}
        for prefix, kind in self._kinds.items():
            declare_config(node, kind, prefix)
        node.add_on_set_parameters_callback(self._check)

    def read(self) -> None:
        """Take over the present parameters; raises ConfigError as ``read_config``."""
        self._configs = {
            prefix: read_config(self._node, kind, prefix) for prefix, kind in self._kinds.items()
        }

    def clear(self) -> None:
        """Allow all parameters to change."""
        self._configs = {}

    def config(self, kind: type[T], prefix: str) -> T:
        """Return a section, as it was when it was read or changed last."""
        config = self._configs[prefix]
        assert isinstance(config, kind)
        return config

    def take_over(self, changed: list[Parameter]) -> None:
        """Apply live parameters that have changed."""
        if self._configs and self._any_live(changed):
            self.read()
            self._node.apply_live()

    def _check(self, changed: list[Parameter]) -> SetParametersResult:
        node = self._node
        if not any(self._is_own(parameter.name) for parameter in changed):
            return SetParametersResult(successful=True)  # rclpy has some for every topic
        try:
            configs = [
                changed_config(node, kind, prefix, changed) for prefix, kind in self._kinds.items()
            ]
            fixed = [
                parameter.name
                for parameter in changed
                if self._is_own(parameter.name) and parameter.name not in node.LIVE
            ]
            if self._configs and fixed:
                raise ConfigError(
                    f'{fixed[0]} cannot change while the node is configured: deactivate it and '
                    'clean it up first (ros2 lifecycle set)'
                )
            for config in configs if self._configs and self._any_live(changed) else ():
                node.check_live(config)
        except SimloopError as error:
            return SetParametersResult(successful=False, reason=str(error))
        return SetParametersResult(successful=True)

    def _any_live(self, changed: list[Parameter]) -> bool:
        return any(parameter.name in self._node.LIVE for parameter in changed)

    def _is_own(self, name: str) -> bool:
        prefixes = tuple(f'{prefix}.' for prefix in self._kinds if prefix)
        return name.startswith(prefixes) or name in GraphConfig.__struct_fields__
