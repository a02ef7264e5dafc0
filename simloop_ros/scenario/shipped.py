"""Which scenarios, robots, drivers and tasks are shipped. It loads no configuration class."""

from __future__ import annotations

import yaml

from ..core.resources import resource_folder

FAST_LOADER = getattr(yaml, 'CSafeLoader', yaml.SafeLoader)
"""The parser in C, where PyYAML was built with it."""


def scenario_names() -> tuple[str, ...]:
    """Return the names of the shipped scenarios."""
    return _names('scenarios')


def robot_names() -> tuple[str, ...]:
    """Return the names of the shipped robots."""
    return _names('robots')


def driver_names() -> tuple[str, ...]:
    """Return the names of the shipped drivers."""
    return _names('drivers')


def task_names() -> tuple[str, ...]:
    """Return the names of the shipped tasks."""
    return _names('tasks')


def scenario_descriptions() -> dict[str, str]:
    """Return the one-line description of each shipped scenario."""
    folder = resource_folder('config') / 'scenarios'
    texts = {name: (folder / f'{name}.yaml').read_text() for name in scenario_names()}
    return {name: yaml.load(text, FAST_LOADER)['description'] for name, text in texts.items()}


def _names(kind: str) -> tuple[str, ...]:
    folder = resource_folder('config') / kind
    return tuple(sorted(path.stem for path in folder.glob('*.yaml')))
