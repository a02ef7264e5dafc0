"""Each kind of planner has its own keys; a class of the user has its parameters."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import msgspec
import pytest

from simloop_ros.core.config_types import variants
from simloop_ros.core.errors import ConfigError, UnknownNameError
from simloop_ros.planning.config import (
    AnyPlannerConfig,
    CartesianConfig,
    CustomPlannerConfig,
    GuidingConfig,
    HoldConfig,
    OfflineConfig,
    OnlineConfig,
    PlannerConfig,
)
from simloop_ros.scenario.contradictions import refuse_contradictions
from simloop_ros.scenario.loading import load_scenario
from simloop_ros.scenario.scenario import Scenario

OWN = 'my_package.my_module:MyPlanner'


def test_the_union_holds_every_kind_and_begins_with_the_default() -> None:
    kinds = variants(PlannerConfig)
    assert tuple(kinds.values()) == get_args(AnyPlannerConfig)
    assert load_scenario('step', ['robot=sphere']).planner == next(iter(kinds.values()))()


def test_a_kind_that_is_left_out_is_online(tmp_path: Path) -> None:
    path = tmp_path / 'mine.yaml'
    path.write_text('description: mine\nrobot: sphere\nplanner: {move: [[0, 0, 1]]}')
    planner = load_scenario(str(path)).planner
    assert planner == OnlineConfig(move=((0.0, 0.0, 1.0),))
    assert planner.kind == 'online'
    path.write_text('description: mine\nrobot: sphere')
    assert load_scenario(str(path)).planner == OnlineConfig()
    assert load_scenario(str(path), ['planner.leash=3']).planner == OnlineConfig(leash=3.0)
    whole = load_scenario('sphere_offline', ['planner={move: [[0, 0, 2]]}']).planner
    assert whole == OnlineConfig(move=((0.0, 0.0, 2.0),))


@pytest.mark.parametrize(
    ('scenario', 'setting', 'reason'),
    [
        (
            'sphere_step',
            'planner.corners=[[0, 0, 1]]',
            r'^planner\.corners is not a key of planner\.kind online; .* set '
            r'planner\.kind=cartesian; valid: .*planner\.kind, planner\.leash',
        ),
        (
            'sphere_offline',
            'planner.leash=1',
            'planner.kind offline; .*planner.kind=online; valid',
        ),
        (
            'irb120_rectangle',
            'planner.move=[[0, 0, 1]]',
            r'planner\.kind cartesian; .*=online or offline or free; valid: planner\.closed',
        ),
        (
            'yumi_hold',
            'planner.move=[[0, 0, 1]]',
            r'planner\.kind bimanual; .* valid: planner\.ki',
        ),
        ('lwr_tcp', 'planner.threshold=1', r'planner\.kind hold; .* planner\.kind=guiding; valid'),
        ('lwr_tcp', 'planner.parameters={}', r'planner\.kind=module:Class; valid: planner\.kind$'),
        ('sphere_guiding', 'planner={move: [], kind: guiding}', r'planner\.move is not a key of'),
        (
            'irb120_rectangle',
            'planner.profile=jerk_limited',
            "planner.profile: unknown value of planner.kind cartesian 'jerk_limited': valid: quin",
        ),
        (
            'sphere_step',
            'planner.profile=quintic',
            "planner.profile: unknown value of planner.kind online 'quintic': valid: constant_acc",
        ),
    ],
)
def test_a_key_of_another_kind_is_refused(scenario: str, setting: str, reason: str) -> None:
    with pytest.raises(ConfigError, match=reason):
        load_scenario(scenario, [setting])


def test_a_misspelt_key_gives_those_of_its_kind() -> None:
    with pytest.raises(UnknownNameError, match=r'did you mean planner\.threshold') as caught:
        load_scenario('sphere_guiding', ['planner.treshold=1'])
    assert set(caught.value.valid) == {'planner.kind', 'planner.threshold', 'planner.tare_time'}


def test_a_file_is_held_to_its_own_kind(tmp_path: Path) -> None:
    path = tmp_path / 'mine.yaml'
    path.write_text('description: mine\nrobot: sphere\nplanner: {kind: hold, move: [[0, 0, 1]]}')
    with pytest.raises(ConfigError, match=r'planner\.move is not a key of planner\.kind hold'):
        load_scenario(str(path), ['planner.kind=offline'])


def test_another_kind_with_the_same_keys_takes_them_all(caplog: pytest.LogCaptureFixture) -> None:
    online = load_scenario('yumi_step').planner
    offline = load_scenario('yumi_step', ['planner.kind=offline']).planner
    assert isinstance(online, OnlineConfig)
    assert offline == OfflineConfig(move=online.move, keep='position')
    assert not caplog.messages


@pytest.mark.parametrize(
    ('scenario', 'settings', 'expected', 'note'),
    [
        (
            'yumi_step',
            ['planner.kind=hold'],
            HoldConfig(),
            'note: planner.move, planner.keep of yumi_step.yaml left out: not for '
            'planner.kind hold',
        ),
        (
            'sphere_collision',
            ['planner.kind=offline'],
            OfflineConfig(
                move=((0.0, 0.0, 1.0),), keep='position', acceleration=0.1, max_velocity=1.0
            ),
            'note: planner.leash of sphere_collision.yaml left out: not for planner.kind offline',
        ),
        (
            'sphere_offline',
            ['planner.threshold=2', 'planner.kind=guiding'],
            GuidingConfig(threshold=2.0),
            'note: planner.move, planner.keep, planner.acceleration, planner.max_velocity of '
            'sphere_offline.yaml left out: not for planner.kind guiding',
        ),
        (
            'sphere_offline',
            [f'planner.kind={OWN}', 'planner.parameters.gain=3'],
            CustomPlannerConfig(kind=OWN, parameters={'gain': 3}),
            'note: planner.move, planner.keep, planner.acceleration, planner.max_velocity of '
            f'sphere_offline.yaml left out: not for planner.kind {OWN}',
        ),
        ('sphere_offline', ['planner={kind: hold}'], HoldConfig(), None),
        ('sphere_step', ['planner.kind=hold', 'planner={kind: guiding}'], GuidingConfig(), None),
        ('sphere_step', ['planner.kind=online', 'planner={kind: hold}'], HoldConfig(), None),
    ],
)
def test_keys_of_the_file_that_a_new_kind_does_not_have_are_left_out(
    caplog: pytest.LogCaptureFixture,
    scenario: str,
    settings: list[str],
    expected: PlannerConfig,
    note: str | None,
) -> None:
    assert load_scenario(scenario, settings).planner == expected
    assert caplog.messages == ([note] if note else [])


def test_a_profile_of_the_old_kind_is_left_out(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / 'mine.yaml'
    path.write_text('description: mine\nrobot: sphere\nplanner: {profile: jerk_limited}')
    offline = load_scenario(str(path), ['planner.kind=offline']).planner
    assert offline == OfflineConfig(profile='jerk_limited')
    settings = ['planner.kind=cartesian', 'planner.profile=trapezoidal']
    assert load_scenario(str(path), settings).planner == CartesianConfig(profile='trapezoidal')
    assert not caplog.messages
    assert load_scenario(str(path), settings[:1]).planner == CartesianConfig()
    assert 'planner.profile of mine.yaml left out' in caplog.text


@pytest.mark.parametrize(
    'settings',
    [
        ['planner.kind=hold', 'planner.move=[[0, 0, 1]]'],
        ['planner.move=[[0, 0, 1]]', 'planner.kind=hold'],
        ['planner={move: [[0, 0, 1]]}', 'planner.kind=hold'],
        ['planner={kind: offline, move: [[0, 0, 1]]}', 'planner.kind=hold'],
        ['planner={kind: hold, move: [[0, 0, 1]]}'],
    ],
)
def test_what_was_set_is_refused_where_the_kind_does_not_have_it(settings: list[str]) -> None:
    with pytest.raises(ConfigError, match=r'planner\.move is not a key of planner\.kind hold'):
        load_scenario('sphere_step', settings)


@pytest.mark.parametrize('kind', ['5', '[1]', 'null', 'a:', ':B', '"a:B c"', 'a-b:C', '1a:B'])
def test_what_is_no_kind_is_refused(kind: str) -> None:
    with pytest.raises(ConfigError, match=r'^planner\.kind: .*valid: .*module:Class, offline'):
        load_scenario('sphere_step', [f'planner.kind={kind}'])


@pytest.mark.parametrize('planner', ['5', 'hold', '[1]'])
def test_a_planner_that_is_no_mapping_is_refused(planner: str) -> None:
    with pytest.raises(ConfigError, match=r'^planner: '):
        load_scenario('sphere_step', [f'planner={planner}'])


def test_a_class_of_the_user_with_its_parameters(tmp_path: Path) -> None:
    path = tmp_path / 'mine.yaml'
    path.write_text(
        f'description: mine\nrobot: sphere\nplanner: {{kind: {OWN}, '
        'parameters: {gain: 1e-5, steps: [1, {a: null}], active: true}}'
    )
    scenario = load_scenario(str(path), ['planner.parameters.name=x'])
    parameters = {'gain': 1e-5, 'steps': [1, {'a': None}], 'active': True, 'name': 'x'}
    assert scenario.planner == CustomPlannerConfig(kind=OWN, parameters=parameters)
    assert scenario.planner.kind == OWN
    assert msgspec.json.decode(msgspec.json.encode(scenario), type=Scenario) == scenario
    assert load_scenario(str(path), ['planner.kind=hold']).planner == HoldConfig()


@pytest.mark.parametrize(
    ('text', 'reason'),
    [
        ('[1]', r'^planner\.parameters: a section of keys'),
        ('{a: .nan}', r'^planner\.parameters\.a: nan is not a finite number'),
        ('{a: [2020-01-01]}', r'^planner\.parameters\.a\[0\]: .* is neither number nor text'),
        ('{a: {1: 2}}', r'^planner\.parameters\.a: the key 1 is no text'),
    ],
)
def test_parameters_are_what_json_has_a_form_for(text: str, reason: str) -> None:
    with pytest.raises(ConfigError, match=reason):
        load_scenario(
            'step', ['robot=sphere', f'planner.kind={OWN}', f'planner.parameters={text}']
        )


@pytest.mark.parametrize(
    ('section', 'key', 'shipped'),
    [('control', 'law', 'pid'), ('plant', 'engine', 'mujoco'), ('monitor', 'kind', None)],
)
def test_other_blocks_may_be_classes_of_the_user(
    section: str, key: str, shipped: str | None
) -> None:
    settings = [f'{section}.{key}=my_module:Mine', f'{section}.parameters={{gain: 2}}']
    scenario = load_scenario('sphere_step', settings)
    refuse_contradictions(scenario)
    config = getattr(scenario, section)
    assert (getattr(config, key), config.parameters) == ('my_module:Mine', {'gain': 2})
    assert msgspec.json.decode(msgspec.json.encode(scenario), type=Scenario) == scenario
    with pytest.raises(ConfigError, match=rf'{section}\.{key}: .*valid: .*module:Class'):
        load_scenario('sphere_step', [f'{section}.{key}=my_module.Mine'])
    with pytest.raises(msgspec.ValidationError, match=rf'{section}\.{key}'):
        msgspec.json.decode(msgspec.json.encode(scenario).replace(b':Mine', b''), type=Scenario)
    settings[0] = f'{section}.{key}={shipped}' if shipped else 'seed=1'
    with pytest.raises(ConfigError, match=rf'^{section}\.parameters are for a class of the user'):
        refuse_contradictions(load_scenario('sphere_step', settings))
