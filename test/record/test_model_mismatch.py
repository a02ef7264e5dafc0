"""Mass and friction from a log: what was put into the plant comes out, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

from simloop_ros.assembly.assemble import Assembly, assemble
from simloop_ros.record.columns import stacked
from simloop_ros.record.findings import mismatch_words
from simloop_ros.record.log import LogArray
from simloop_ros.record.model_mismatch import ModelMismatch, find_mismatch
from simloop_ros.robot.model import RobotModel
from simloop_ros.scenario.loading import load_scenario

Find = Callable[..., ModelMismatch | None]


@cache
def logged(scenario: str, *settings: str) -> tuple[Assembly, LogArray]:
    prepared = assemble(load_scenario(scenario, settings))
    records = [prepared.loop.step() for _ in range(prepared.facts.steps)]
    prepared.loop.plant.close()
    return prepared, LogArray(stacked(records))


def everywhere(times: np.ndarray) -> np.ndarray:
    return np.ones(len(times), dtype=np.bool_)


@pytest.fixture
def find() -> Find:
    """Return what finds the mismatch of a whole run."""

    def found(scenario: str, *settings: str, free: Callable = everywhere) -> ModelMismatch | None:
        prepared, log = logged(scenario, *settings)
        return find_mismatch(prepared.facts.model, log, prepared.facts.scenario.period, free)

    return found


@pytest.mark.parametrize('bias', [0.1, -0.03])
@pytest.mark.parametrize('scenario', ['sphere_step', 'yumi_offline'])
def test_a_mass_error_is_found(find: Find, scenario: str, bias: float) -> None:
    found = find(scenario, f'plant.mass_bias={bias}')
    assert found is not None
    assert found.mass == pytest.approx(bias, rel=1e-3)
    assert found.friction == {}


def test_a_mass_error_is_found_in_spite_of_noise(find: Find) -> None:
    found = find('yumi_offline', 'plant.mass_bias=0.1', 'plant.noise=1e-5')
    assert found is not None
    assert found.mass is not None
    assert found.mass_uncertainty is not None
    assert abs(found.mass - 0.1) < max(found.mass_uncertainty, 1e-3)


def test_friction_is_found_and_is_no_mass(find: Find) -> None:
    """The sphere goes up only: its friction acts as its weight does, but not at rest."""
    for scenario, joints in (('sphere_offline', 1), ('yumi_offline', 14)):
        found = find(scenario, 'plant.friction.coulomb=0.2')
        assert found is not None
        assert found.mass is None
        assert len(found.friction) == joints
        assert list(found.friction.values()) == pytest.approx([0.2] * joints, rel=0.02)


def test_both_are_told_apart(find: Find) -> None:
    found = find('sphere_offline', 'plant.friction.coulomb=0.2', 'plant.mass_bias=0.05')
    assert found is not None
    assert found.mass == pytest.approx(0.05, rel=1e-2)
    assert found.friction['slide'] == pytest.approx(0.2, rel=0.05)


def test_nothing_is_found_where_there_is_nothing(find: Find) -> None:
    assert find('yumi_offline') is None


def test_a_push_is_neither_mass_nor_friction(find: Find) -> None:
    push = 'plant.pushes=[{link: yumi_link_7_l, start: 0.7, duration: 0.2, force: [0, 0, -30]}]'
    assert find('yumi_offline', push) is None
    found = find('yumi_offline', push, 'plant.mass_bias=0.1', free=lambda times: times < 0.65)
    if found is not None:  # a quarter of the run is little
        assert found.mass in (None, pytest.approx(0.1, rel=1e-2))


def test_too_little_of_a_run_says_nothing(find: Find) -> None:
    assert find('yumi_offline', 'plant.mass_bias=0.1', free=lambda times: times < 0.3) is None


@pytest.mark.parametrize(
    ('mass', 'about'), [(0.1, '10'), (-0.25, '25'), (1.04, '100'), (10.0, '1000')]
)
def test_a_share_is_written_as_people_do(two_link: RobotModel, mass: float, about: str) -> None:
    mismatch = ModelMismatch(mass=mass, mass_uncertainty=None, friction={})
    assert f'is about {about} % ' in mismatch_words(mismatch, two_link)
