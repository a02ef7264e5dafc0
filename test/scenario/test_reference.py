"""Every key is described: what ``simloop keys``, the page of keys and completion are made of."""

from __future__ import annotations

import msgspec
import pytest

from simloop_ros.core.errors import ConfigError
from simloop_ros.scenario.loading import load_scenario
from simloop_ros.scenario.reference import (
    EACH,
    NAMED,
    NONE,
    REQUIRED,
    ScenarioKey,
    find_keys,
    scenario_keys,
)
from simloop_ros.scenario.scenario import Scenario

KEYS = {key.name: key for key in scenario_keys()}


def leaves(value: object, prefix: str = '') -> set[str]:
    """Return the names of all values of a scenario."""
    if isinstance(value, dict) and value:
        return {name for key, item in value.items() for name in leaves(item, f'{prefix}.{key}')}
    return {prefix.lstrip('.')}


def test_every_value_of_a_scenario_has_a_key() -> None:
    written = msgspec.to_builtins(load_scenario('lwr_guiding'))
    of_joints = ('robot.', 'admittance.joints.', 'admittance.elbows.')
    names = {name for name in leaves(written) if not name.startswith(of_joints)}
    assert len(names) > 60
    assert names <= set(KEYS)


@pytest.mark.parametrize('key', scenario_keys(), ids=lambda key: f'{key.section} {key.name}')
def test_a_key_is_described(key: ScenarioKey) -> None:
    assert key.meaning
    assert key.kind != 'value'
    if 'list of' not in key.kind and key.default not in (REQUIRED, NONE) and key.choices:
        assert key.default in key.choices


def test_a_default_can_be_set() -> None:
    """What is printed as the default is what a file would say."""
    plain = [
        key
        for key in scenario_keys()
        if key.section.split('.')[0] in ('control', 'plant', 'safety', 'monitor', 'reaction')
        and EACH not in key.name
        and NAMED not in key.name
        and not key.name.startswith(('plant.object', 'plant.sensors', 'plant.torque_sensors'))
        and key.default not in (NONE, '')
    ]
    settings = [f'{key.name}={key.default}' for key in plain]
    changed = load_scenario('step', ['robot=two_link', *settings])
    assert changed == load_scenario('step', ['robot=two_link'])
    assert len(settings) > 25


def test_units_and_types() -> None:
    assert (KEYS['plant.noise'].kind, KEYS['plant.noise'].unit) == ('number >= 0', 'rad')
    assert KEYS['plant.pushes[].force'].kind == '3 x number'
    assert KEYS['plant.pushes'].is_list
    assert KEYS['admittance.joints.<name>.mass'].unit == 'kg m^2'
    assert 'guiding' in KEYS['planner.kind'].choices
    assert KEYS['plant.hands[].path.kind'].default == REQUIRED
    assert 'yumi' in KEYS['robot'].choices


def test_patterns() -> None:
    assert {key.name for key in find_keys('plant.friction.')} == {
        'plant.friction.coulomb',
        'plant.friction.viscous',
    }
    assert {key.name for key in find_keys('*.PUSHES[].f*')} == {'plant.pushes[].force'}
    with pytest.raises(ConfigError, match='did you mean'):
        find_keys('planner.mvoe')


def test_the_fields_of_a_scenario_come_first() -> None:
    names = [key.name for key in scenario_keys()]
    assert names[0] == msgspec.structs.fields(Scenario)[0].name
    assert len(set(scenario_keys())) == len(scenario_keys())
