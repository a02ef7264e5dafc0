"""Classes of the user that a configuration names as ``module:Class``."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
import os
import sys
from typing import Any, TypeVar

from .errors import ConfigError

T = TypeVar('T')
SEPARATOR = ':'


def is_custom(name: str | None) -> bool:
    """Return whether a name stands for a class of the user."""
    return name is not None and SEPARATOR in name


def build_custom(
    key: str, name: str, base: type[T], parameters: Mapping[str, Any], *arguments: Any
) -> T:
    """Build an object of a user's class.

    The module is looked for on Python's path and in the working directory.

    :param key: of the configuration, for error messages: ``planner.kind``.
    :param base: that the class has to derive from.
    :param parameters: given to the class by name, after the ``arguments``.
    :raises ConfigError: there is no such class, or it does not take these parameters.
    """
    module_name, _, class_name = name.partition(SEPARATOR)
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())
    try:
        module = import_module(module_name)
    except ImportError as error:
        raise ConfigError(
            f'{key}: {name}: {error}; put the module into the working directory, install it, or '
            'add its folder to PYTHONPATH'
        ) from error
    kind = getattr(module, class_name, None)
    if not (isinstance(kind, type) and issubclass(kind, base)):
        raise ConfigError(
            f'{key}: {name}: {module.__file__} has no class {class_name} that derives from '
            f'simloop_ros.{base.__name__}'
        )
    try:
        return kind(*arguments, **parameters)
    except TypeError as error:
        raise ConfigError(f'{key}: {name}: {error}; see the parameters of its key') from error
