"""The configuration of a node: its parameters, and which of them may change when."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TypeVar

import msgspec
from rcl_interfaces.msg import SetParametersResult
from rclpy.node import Node
from rclpy.parameter import Parameter

from ...core.errors import SimloopError
from ..pacing.config import GraphConfig
from .parameters import changed_config, check_change, declare_config, read_config

T = TypeVar('T', bound=msgspec.Struct)


class LiveParameters:
    """Sections of a configuration as parameters of a node.

    Until ``read`` all may change; then only the live ones, until ``clear``.

    :param sections: class of each section, by the prefix of its parameters.
    :param live: parameters that may change while the node is configured.
    :param check: raises SimloopError if the block cannot take over a changed section.
    :param apply: called when live parameters have changed.
    """

    def __init__(
        self,
        node: Node,
        sections: Mapping[str, type[msgspec.Struct]],
        live: Collection[str],
        check: Callable[[msgspec.Struct], None],
        apply: Callable[[], None],
    ):
        self._node = node
        self._kinds: dict[str, type[msgspec.Struct]] = {'': GraphConfig, **sections}
        self._live = live
        self._check_section = check
        self._apply = apply
        self._configs: dict[str, msgspec.Struct] = {}
        for prefix, kind in self._kinds.items():
            declare_config(node, kind, prefix)
        node.add_on_set_parameters_callback(self._check)

    def read(self) -> None:
        """Take over the present parameters.

        :raises ConfigError: a value is not valid, or one without a default is missing.
        """
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
            self._apply()

    def _check(self, changed: list[Parameter]) -> SetParametersResult:
        reason = ''
        for prefix, kind in self._kinds.items():
            reason = reason or check_change(self._node, kind, prefix, changed)
        if self._configs and not reason:
            fixed = [parameter.name for parameter in changed if self._is_fixed(parameter.name)]
            if fixed:
                reason = (
                    f'{fixed[0]} cannot change while the node is configured: deactivate it and '
                    'clean it up first (ros2 lifecycle set)'
                )
            elif self._any_live(changed):
                reason = self._refusal(changed)
        return SetParametersResult(successful=not reason, reason=reason)

    def _refusal(self, changed: list[Parameter]) -> str:
        """Return why the block cannot take over a change; empty if it can."""
        try:
            for prefix, kind in self._kinds.items():
                self._check_section(changed_config(self._node, kind, prefix, changed))
        except SimloopError as error:
            return str(error)
        return ''

    def _any_live(self, changed: list[Parameter]) -> bool:
        return any(parameter.name in self._live for parameter in changed)

    def _is_fixed(self, name: str) -> bool:
        own = any(name.startswith(f'{prefix}.') for prefix in self._kinds if prefix)
        return (own or name in GraphConfig.__struct_fields__) and name not in self._live
