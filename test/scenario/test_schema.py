"""The JSON schemas accept what the loader accepts, and refuse what it refuses."""

from __future__ import annotations

from functools import cache
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from simloop_ros.core.errors import ConfigError
from simloop_ros.core.resources import resource_folder
from simloop_ros.drivers.schema import KINDS
from simloop_ros.scenario.loading import load_scenario
from simloop_ros.scenario.schema import file_schema

CONFIG = resource_folder('config')
SHIPPED = [path for kind in KINDS for path in sorted((CONFIG / f'{kind}s').glob('*.yaml'))]
VALID: dict[str, Any] = {
    'no kind of planner': {'planner': {'move': [[0, 0, 1]]}},
    'a planner of the user': {'planner': {'kind': 'mine:Planner', 'parameters': {'a': [1]}}},
    'an engine of the user': {'plant': {'engine': 'mine:Plant'}},
    'a robot like another': {'robot': {'like': 'two_link', 'home': {'joint1': 1}}},
    'no duration': {'duration': None},
}
INVALID: dict[str, Any] = {
    'an unknown key': {'plnt': {}},
    'an unknown key of a section': {'plant': {'mas_bias': 0.1}},
    'text for a number': {'period': 'fast'},
    'beyond a limit': {'period': 2},
    'a key of another planner': {'planner': {'kind': 'guiding', 'move': []}},
    'no such engine': {'plant': {'engine': 'unreal'}},
    'a vector of two': {'planner': {'move': [[0, 1]]}},
    'no such task': {'bimanual': {'tasks': [{'do': 'dance'}]}},
    'robot without urdf': {'robot': {'tips': ['tip']}},
}


@cache
def checked(schema: str) -> Any:
    """Return the validator of a schema that is valid itself."""
    jsonschema.Draft202012Validator.check_schema(json.loads(schema))
    return jsonschema.Draft202012Validator(json.loads(schema))


@pytest.fixture(scope='module')
def validator() -> Any:
    return checked(json.dumps(file_schema('scenario')))


@pytest.mark.parametrize('path', SHIPPED, ids=lambda path: path.stem)
def test_shipped_files_are_valid_and_name_their_schema(path: Path) -> None:
    first, *_ = path.read_text().splitlines()
    schema = path.parent / first.partition('$schema=')[2]
    checked(schema.read_text()).validate(yaml.safe_load(path.read_text()))


@pytest.mark.parametrize('name', VALID)
def test_accepts(name: str, validator: Any, tmp_path: Any) -> None:
    raw = {'description': 'd', 'robot': 'two_link', **VALID[name]}
    validator.validate(raw)
    (tmp_path / 'mine.yaml').write_text(yaml.safe_dump(raw))
    load_scenario(str(tmp_path / 'mine.yaml'))


@pytest.mark.parametrize('name', INVALID)
def test_refuses(name: str, validator: Any, tmp_path: Any) -> None:
    raw = {'description': 'd', 'robot': 'two_link', **INVALID[name]}
    assert not validator.is_valid(raw)
    (tmp_path / 'mine.yaml').write_text(yaml.safe_dump(raw))
    with pytest.raises(ConfigError):
        load_scenario(str(tmp_path / 'mine.yaml'))


def test_every_key_has_a_description() -> None:
    parts = file_schema('scenario')['$defs']
    sections = ('planner', 'control', 'plant', 'safety', 'monitor', 'reaction')
    for name, part in parts.items():
        for key, value in part['properties'].items():
            if '$ref' not in value and 'enum' not in value and key not in sections:
                assert value.get('description'), f'{name}.{key}'
