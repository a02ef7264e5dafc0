"""Make ``docs/scenarios.md`` from the configuration classes: ``python docs/make_keys.py``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import msgspec

from simloop_ros.bimanual.config import Grasp
from simloop_ros.bimanual.task_config import Task
from simloop_ros.core.config_types import field_docs, variants
from simloop_ros.plants.config import (
    ArmStop,
    Hand,
    HandWaypoint,
    HeldObject,
    JointPath,
    LinePath,
    Obstacle,
    Push,
    SensorFault,
    WaypointPath,
    WristSensors,
)
from simloop_ros.scenario.scenario import Scenario

PAGE = Path(__file__).parent / 'scenarios.md'
HEAD = """# Every key of a scenario

Set them in a YAML file like those in `config/scenarios`, or with `--set key=value`. SI units and
rad; on a prismatic joint m stands for rad and N for N m. This page is made by `make_keys.py`.

A key that does not exist is refused, with the valid ones. So is a key of another `planner.kind`.
If `--set planner.kind=...` changes the kind of a scenario, keys of its file that the new kind does
not have are left out, with a note.

`module:Class` stands for a class of your own, for instance `my_package.my_module:MyPlanner`. Its
`parameters` are a mapping of numbers, text, lists and mappings.
"""
ENTRIES = {
    'Each of plant.pushes': Push,
    'Each of plant.hands': Hand,
    'Path of a hand, kind: waypoints': WaypointPath,
    'Each of waypoints': HandWaypoint,
    'Path of a hand, kind: joint': JointPath,
    'Path of a hand, kind: line': LinePath,
    'Each of plant.obstacles': Obstacle,
    'What plant.object can be': HeldObject,
    'What plant.sensors can be': WristSensors,
    'Each of plant.sensors.faults': SensorFault,
    'Each of plant.stops': ArmStop,
    'Each of bimanual.object.grasps': Grasp,
    **{
        f'Each of bimanual.tasks, do: {kind.__struct_config__.tag}': kind
        for kind in get_args(Task)
    },
}
"""What stands in lists, or need not be there: heading and class."""


def page() -> str:
    """Return the page as Markdown."""
    lines = [HEAD, *_section(Scenario, '')]
    for name, kind in ENTRIES.items():
        lines += [f'## {name}', '', *_section(kind, '', f'{name}, ')]
    return '\n'.join(lines).rstrip() + '\n'


def _section(kind: Any, prefix: str, owner: str = '') -> Iterator[str]:
    """Yield a table of a class's fields, then the sections of those that are classes.

    :param owner: what headings begin with.
    """
    meanings = field_docs(kind)
    fields = msgspec.structs.fields(kind)
    yield from ('| key | default | what |', '|---|---|---|')
    for field in fields:
        if not _is_section(field.type):
            yield f'| `{prefix}{field.name}` | {_default(field)} | {meanings[field.name]} |'
    yield ''
    for field in fields:
        if _is_section(field.type):
            yield from (f'## {owner}{prefix}{field.name}', '')
            section = _union if variants(field.type) else _section
            yield from section(field.type, f'{prefix}{field.name}.', owner)


def _union(union: Any, prefix: str, owner: str = '') -> Iterator[str]:
    """Yield a table of the classes of a tagged union, then a table of each one's fields."""
    tagged = variants(union)
    first = next(iter(tagged.values()))
    tag = first.__struct_config__.tag_field
    yield from (f'| `{prefix}{tag}` | what |', '|---|---|')
    for word, kind in tagged.items():
        summary = (kind.__doc__ or '').splitlines()[0].replace('``', '`')
        yield f'| `{word}`{" (default)" if kind is first else ""} | {summary} |'
    yield ''
    for word, kind in tagged.items():
        if kind.__struct_fields__:
            yield from (f'### {owner}{prefix}{tag}: {word}', '')
            yield from _section(kind, prefix, owner)


def _is_section(kind: Any) -> bool:
    return hasattr(kind, '__struct_fields__') or bool(variants(kind))


def _default(field: msgspec.structs.FieldInfo) -> str:
    if field.default_factory is not msgspec.NODEFAULT:
        return str(field.default_factory())
    if field.default is msgspec.NODEFAULT:
        return 'required'
    if isinstance(field.default, tuple):
        return f'[{", ".join(map(str, field.default))}]'
    return 'none' if field.default is None else str(field.default)


if __name__ == '__main__':
    PAGE.write_text(page())
