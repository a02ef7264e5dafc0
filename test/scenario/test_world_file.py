"""The known world of a scenario: in it, or in a file of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from simloop_ros.core.errors import ConfigError
from simloop_ros.plants.config import Obstacle
from simloop_ros.scenario.contradictions import refuse_contradictions
from simloop_ros.scenario.loading import load_scenario
from simloop_ros.world.config import SphereBody

BALL = '{kind: sphere, name: ball, position: [1, 0, 0], radius: 0.1}'
SCENARIO = 'description: a test\nrobot: sphere\nworld: world.yaml\n'


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    path = tmp_path / 'mine.yaml'
    path.write_text(SCENARIO)
    return path


def test_a_world_file_is_beside_the_scenario(scenario: Path) -> None:
    scenario.with_name('world.yaml').write_text(f'bodies:\n  - {BALL}\n')
    (body,) = load_scenario(str(scenario)).world.bodies
    assert body == SphereBody(name='ball', position=(1.0, 0.0, 0.0), radius=0.1)


def test_a_world_file_by_setting_is_in_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / 'here.yaml').write_text(f'bodies: [{BALL}]')
    monkeypatch.chdir(tmp_path)
    assert load_scenario('irb120_around', ['world=here.yaml']).world.bodies[0].name == 'ball'


@pytest.mark.parametrize(
    ('text', 'reason'),
    [
        ('bodys: []', r'world\.yaml: unknown key .world\.bodys.: did you mean world\.bodies'),
        (f'bodies: [{BALL.replace("radius", "radios")}]', r'bodies\[0\]\.radios.*radius'),
        (f'bodies: [{BALL.replace("sphere", "ball")}]', r'kind: unknown .*box, cylinder, sphere'),
        ('bodies: [{name: ball, radius: 1}]', 'no kind'),
        (f'bodies: [{BALL.replace("0.1", "-0.1")}]', 'radius'),
        ('- 1', 'has no keys'),
    ],
)
def test_a_world_file_is_read_strictly(scenario: Path, text: str, reason: str) -> None:
    scenario.with_name('world.yaml').write_text(text)
    with pytest.raises(ConfigError, match=reason):
        load_scenario(str(scenario))


def test_a_world_file_that_is_not_there_is_named(scenario: Path) -> None:
    with pytest.raises(ConfigError, match=r'world\.yaml'):
        load_scenario(str(scenario))


def test_a_world_is_a_file_or_a_section() -> None:
    with pytest.raises(ConfigError, match='a YAML file or a section with bodies'):
        load_scenario('irb120_around', ['world=kitchen'])


@pytest.mark.parametrize(
    'setting',
    [
        f'world.bodies=[{BALL}, {BALL}]',
        'plant.obstacles=[{kind: box, name: post, position: [2, 0, 0]}]',
    ],
)
def test_names_tell_bodies_apart(setting: str) -> None:
    with pytest.raises(ConfigError, match='the name of another body or obstacle'):
        refuse_contradictions(load_scenario('irb120_around', [setting]))


def test_a_plant_with_contact_has_the_world_and_its_own_surprises() -> None:
    extra = 'plant.obstacles=[{kind: box, name: surprise, position: [2, 0, 0]}]'
    scenario = load_scenario('irb120_around', [extra])
    assert [each.name for each in scenario.plant_in_world.obstacles] == ['surprise', 'post']
    assert [each.name for each in scenario.world.bodies] == ['post']
    post = scenario.plant_in_world.obstacles[1]
    assert post == Obstacle('cylinder', 'post', (0.33, 0.0, 0.35), radius=0.03, height=0.7)


def test_a_plant_without_contact_has_no_world() -> None:
    scenario = load_scenario('irb120_around', ['plant.engine=pinocchio'])
    assert scenario.plant_in_world.obstacles == ()
    assert [each.name for each in scenario.obstacles] == ['post']
