"""JSON schema of scenario and robot files: editors complete and check them with it."""

from __future__ import annotations

from collections.abc import Iterator
import json
from typing import Any

import msgspec
from msgspec import inspect

from ..core.config_types import field_docs
from ..planning.config import CustomPlannerConfig, OnlineConfig
from ..robot.config import RobotConfig
from .reference import LIKE, ROBOT
from .scenario import Scenario
from .shipped import robot_names

DIALECT = 'https://json-schema.org/draft/2020-12/schema'
FILES: dict[str, type[msgspec.Struct]] = {'scenario': Scenario, 'robot': RobotConfig}
Schema = dict[str, Any]
CLASS = field_docs(CustomPlannerConfig)['kind']


def file_schema(kind: str) -> Schema:
    """Return the schema of a kind of file.

    :param kind: ``scenario`` or ``robot``.
    """
    schema = class_schema(kind, FILES[kind])
    if kind == 'scenario':
        _as_written(schema['$defs'])
    return schema


def class_schema(kind: str, struct: type[msgspec.Struct]) -> Schema:
    """Return the schema of a class whose values are files of some kind."""
    (root,), parts = msgspec.json.schema_components([struct], ref_template='#/$defs/{name}')
    for part in _structs(inspect.type_info(struct)):
        _describe(parts[part.__name__], part)
    return {'$schema': DIALECT, 'title': f'simloop_ros {kind}', **root, '$defs': parts}


def schema_text(schema: Schema) -> str:
    """Return a schema as it is written to ``config/schema``, one class per line."""
    parts = schema.pop('$defs')
    lines = (f'{json.dumps(name)}: {json.dumps(part)}' for name, part in parts.items())
    head = json.dumps(schema, indent=1).removesuffix('\n}')
    body = ',\n  '.join(lines)
    return f'{head},\n "$defs": {{\n  {body}\n }}\n}}\n'


def _structs(info: Any) -> Iterator[type[msgspec.Struct]]:
    """Yield the classes that a type is made of, itself among them."""
    if isinstance(info, inspect.StructType):
        yield info.cls
        inner = [field.type for field in info.fields]
    else:
        names = ('type', 'item_type', 'value_type')
        inner = [getattr(info, name) for name in names if hasattr(info, name)]
        inner += getattr(info, 'types', ())
    for part in inner:
        yield from _structs(part)


def _describe(part: Schema, struct: type[msgspec.Struct]) -> None:
    """Put the texts of a class into its schema, and leave out what editors do not need."""
    part.pop('title', None)
    part['description'] = (struct.__doc__ or '').splitlines()[0].replace('``', '`')
    texts = field_docs(struct)
    for name, value in part['properties'].items():
        if name in texts:
            value['description'] = texts[name]
        if isinstance(value.get('default'), dict) and value['default']:
            del value['default']
        for choice in (value, *value.get('anyOf', ())):
            choice.pop('discriminator', None)
            if 'pattern' in choice:
                choice['pattern'] = _portable(choice['pattern'])


def _portable(pattern: str) -> str:
    """Return a pattern as JSON schemas have it, which know no other marks of the ends."""
    return pattern.replace(r'\A', '^').replace(r'\Z', '$')


def _as_written(parts: dict[str, Schema]) -> None:
    """Change what a file may have and a ``Scenario`` has not, which the loader puts in place."""
    scenario = parts['Scenario']
    # The file gives its name, --set the robot of the scenario for any robot.
    scenario['required'] = ['description']
    robot, names = parts['RobotConfig'], list(robot_names())
    like = {'description': LIKE, 'examples': names, 'type': 'string'}
    robot['properties'] = {'like': like, **robot['properties']}
    robot['anyOf'] = [{'required': [key]} for key in ('urdf', 'like')]
    del robot['required']
    scenario['properties']['robot'] = {
        'description': ROBOT,
        'anyOf': [{'type': 'string', 'examples': names}, {'$ref': '#/$defs/RobotConfig'}],
    }
    world = scenario['properties']['world']
    scenario['properties']['world'] = {
        'description': world.get('description', ''),
        'anyOf': [{'type': 'string'}, {'$ref': '#/$defs/WorldConfig'}],
    }
    parts[OnlineConfig.__name__]['required'] = []  # the kind where none is given
    custom = parts[CustomPlannerConfig.__name__]
    properties = custom['properties']
    properties['kind'] = {**properties.pop('class'), 'description': CLASS}
    custom['required'] = ['kind']
