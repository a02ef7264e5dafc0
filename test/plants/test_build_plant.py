"""From config to plant."""

import subprocess
import sys

import numpy as np
import pytest

from simloop_ros.core.errors import ConfigError, MissingDependencyError
from simloop_ros.plants.build import ENGINES, build_plant
from simloop_ros.plants.config import Obstacle, PlantConfig
from simloop_ros.plants.pybullet_plant import PyBulletPlant

H = 0.005
RNG = np.random.default_rng(0)


def test_the_default_is_pinocchio_without_notes(arm):
    built = build_plant(PlantConfig(), arm, H, RNG)
    assert (built.engine, built.notes) == ('pinocchio', ())


def test_every_engine_of_the_config_can_be_built(engine, arm):
    assert set(ENGINES) == {'pinocchio', 'pybullet', 'mujoco'}
    built = build_plant(PlantConfig(engine=engine), arm, H, RNG)
    assert (built.engine, built.notes) == (engine, ())
    built.plant.close()


def test_pinocchio_refuses_obstacles(ball):
    with pytest.raises(ConfigError, match='pybullet or mujoco'):
        build_plant(PlantConfig(obstacles=(Obstacle(kind='plane'),)), ball, H, RNG)


def test_a_plane_needs_a_normal(ball):
    plane = Obstacle(kind='plane', name='wall', normal=(0.0, 0.0, 0.0))
    with pytest.raises(ConfigError, match='wall'):
        build_plant(PlantConfig(engine='mujoco', obstacles=(plane,)), ball, H, RNG)


@pytest.mark.parametrize('obstacles', [(), (Obstacle(kind='plane'),)])
def test_without_pybullet_mujoco_stands_in(monkeypatch, ball, obstacles):
    monkeypatch.setitem(sys.modules, 'pybullet', None)
    with pytest.raises(MissingDependencyError, match=r'simloop_ros\[pybullet\].*mujoco'):
        PyBulletPlant(ball, H)
    built = build_plant(PlantConfig(engine='pybullet', obstacles=obstacles), ball, H, RNG)
    assert built.engine == 'mujoco'
    assert len(built.notes) == 1
    assert 'mujoco' in built.notes[0]


@pytest.mark.parametrize('step', [0.005, 0.0025, 0.001, 0.005 / 3, 0.005 / 7])
def test_steps_that_fit(ball, step):
    build_plant(PlantConfig(step=step), ball, H, RNG)


@pytest.mark.parametrize(
    ('step', 'nearest'), [(0.002, '0.0025'), (0.01, '0.005'), (0.0051, '0.005'), (1.0, '0.005')]
)
def test_steps_that_do_not_fit(ball, step, nearest):
    with pytest.raises(ConfigError) as caught:
        build_plant(PlantConfig(step=step), ball, H, RNG)
    assert f'period {H} ' in str(caught.value)
    assert f'step {step:g} ' in str(caught.value)
    assert str(caught.value).endswith(f' {nearest} s')


def test_the_model_that_is_passed_in_keeps_its_mass(arm):
    mass = arm.total_mass
    build_plant(PlantConfig(mass_bias=0.5), arm, H, RNG)
    assert arm.total_mass == mass


def test_no_engine_is_imported_before_it_is_asked_for():
    code = (
        'import sys, simloop_ros.plants.build, simloop_ros.plants.pybullet_plant, '
        'simloop_ros.plants.mujoco_plant; '
        'sys.exit(bool({"pybullet", "mujoco"} & set(sys.modules)))'
    )
    assert subprocess.run([sys.executable, '-c', code], check=False).returncode == 0
