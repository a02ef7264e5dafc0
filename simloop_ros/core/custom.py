"""Classes of the user that a configuration names as ``module:Class``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
import os
import sys
from typing import Any, TypeVar

from .errors import ConfigError

T = TypeVar('T')


def build_custom(
    key: str, name: str, base: Callable[..., T], parameters: Mapping[str, Any], *arguments: Any
) -> T:
    """Build an object of a user's class.

    The module is looked for on Python's path and in the working directory.

    :param key: of the configuration, for error messages: ``planner.kind``.
    :param base: that the class has to derive from.
    :param parameters: given to the class by name, after the ``arguments``.
    :raises ConfigError: there is no such class, or it does not take these parameters.
    """
    module_name, _, class_name = name.partition(':')
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
    if not (isinstance(kind, type) and isinstance(base, type) and issubclass(kind, base)):
        raise ConfigError(
            f'{key}: {name}: {module.__file__} has no class {class_name} that derives from '
            f'simloop_ros.{getattr(base, "__name__", base)}'
        )
    try:
        built: Any = kind(*arguments, **parameters)
        return built
    except TypeError as error:
        raise ConfigError(f'{key}: {name}: {error}; see the parameters of its key') from error
