"""Keys that a person changes while the robot moves: those that a graph lets change, too."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np

from ...assembly.motion import LIVE_KEYS, Motion
from ...core.config_messages import convert
from ...core.config_types import choices, field_docs
from ...core.errors import UnknownNameError
from ...core.files import load_yaml
from ...guiding.compliance import compliance
from ...guiding.config import AdmittanceConfig
from ...robot.model import RobotModel
from ...scenario.scenario import Scenario
from ..description import LiveKey


class LiveKeys:
    """The keys of a scenario that act on its motion at once.

    :ivar changed: whether one was changed.
    """

    def __init__(self, scenario: Scenario, model: RobotModel, motion: Motion):
        self._model, self._motion = model, motion
        self._configs: dict[str, msgspec.Struct] = {
            'monitor': scenario.monitor,
            'admittance': scenario.admittance,
        }
        acts = {
            'monitor': motion.reactive is not None,
            'admittance': motion.guided is not None or motion.reactive is not None,
        }
        self._sections = [section for section in self._configs if acts[section]]
        self.changed = False

    @property
    def keys(self) -> tuple[LiveKey, ...]:
        """Return those that a line of text can hold, with their present values."""
        return tuple(
            LiveKey(f'{section}.{field.name}', value, choices(field.type), docs[field.name])
            for section in self._sections
            for config in [self._configs[section]]
            for docs in [field_docs(type(config))]
            for field in msgspec.structs.fields(config)
            if f'{section}.{field.name}' in LIVE_KEYS
            and isinstance(value := getattr(config, field.name), (str, float, bool))
        )

    def set(self, name: str, text: str) -> None:
        """Change a key.

        :raises ConfigError: there is no such key, or the value is not valid.
        """
        section, _, field = name.partition('.')
        if name not in LIVE_KEYS or section not in self._sections:
            raise UnknownNameError('live key', name, [key.name for key in self.keys])
        config = self._configs[section]
        raw: dict[str, Any] = {**msgspec.to_builtins(config), field: load_yaml(text)}
        changed = convert(raw, type(config), section)
        if isinstance(changed, AdmittanceConfig):
            compliance(changed, self._model.joint_names, torque_error=np.zeros(self._model.n))
        configs: dict[str, Any] = {**self._configs, section: changed}
        self._motion.configure(configs['monitor'], configs['admittance'])
        self._configs = configs
        self.changed = True
