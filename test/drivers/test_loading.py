"""Driver files: every shipped one is valid, and a mistake is refused with what is meant."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from simloop_ros.core.errors import ConfigError
from simloop_ros.drivers.config import FaultConfig
from simloop_ros.drivers.loading import load_driver, read_faults
from simloop_ros.scenario.shipped import driver_names

E_SERIES = ('ur3e', 'ur5e', 'ur10e', 'ur16e', 'ur20', 'ur30')


def test_the_drivers_are_there() -> None:
    others = {'fr3', 'lbr_iiwa', 'abb_egm', 'kinova_gen3', 'generic', 'topic_based'}
    assert set(driver_names()) == {*others, *E_SERIES}


@pytest.mark.parametrize('name', driver_names())
def test_a_shipped_driver_is_valid_and_its_limits_are_of_its_joints(name: str) -> None:
    driver = load_driver(name)
    assert driver.description
    assert driver.command_topic.endswith('commands')
    for limits in (driver.effort_limit, driver.velocity_limit):
        assert not limits or tuple(limits) == driver.joints


@pytest.mark.parametrize('name', E_SERIES)
def test_the_e_series_differs_in_limits_only(name: str) -> None:
    own, first = load_driver(name), load_driver('ur5e')
    limits = ('description', 'effort_limit', 'velocity_limit')
    alike = {key: getattr(first, key) for key in limits}
    assert msgspec.structs.replace(own, **alike) == first
    assert own.effort is None  # current or torque, by version: asked, not guessed


def test_settings_change_values_and_the_prefix_is_before_every_joint() -> None:
    driver = load_driver('fr3', ['prefix=left_', 'rate=500'])
    assert driver.full_joints[0] == 'left_joint1'
    assert driver.short_name('left_joint1') == 'joint1'
    assert driver.rate == 500.0


def test_a_file_may_be_like_another_one(tmp_path: Path) -> None:
    (tmp_path / 'base.yaml').write_text('like: ur5e\nprefix: left_\n')
    mine = tmp_path / 'mine.yaml'
    mine.write_text('like: base.yaml\neffort: current\n')
    driver = load_driver(str(mine))
    assert (driver.prefix, driver.effort, driver.rate) == ('left_', 'current', 500.0)


@pytest.mark.parametrize(
    ('text', 'words'),
    [
        ('like: ur5e\nrat: 3', "unknown key 'rat': did you mean rate"),
        ('like: ur5e\nrate: fast', 'rate: a number'),
        ('like: ur5e\neffort: amps', "unknown value 'amps'"),
        ('like: ur55e', "unknown driver 'ur55e': did you mean ur5e"),
        ('like: self.yaml', 'it is like itself'),
        ('like: 3', 'the name of a driver is needed'),
        ('takes: effort', 'the key description is missing'),
        ('like: ur5e\njoints: [a, a]', 'a name is given twice'),
        (
            'like: ur5e\neffort_limit: {elbow: 3}',
            "unknown joint 'elbow': did you mean elbow_joint",
        ),
        ('like: fr3\ndrive_gains: {joint1: 3}', 'drive_gains are for effort=current'),
        ('[1]', 'not a scenario, robot, driver or task file'),
    ],
)
def test_a_mistake_is_refused(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / 'self.yaml'
    file.write_text(text)
    with pytest.raises(ConfigError) as error:
        load_driver(str(file))
    assert words in str(error.value)


def test_faults_are_read_strictly() -> None:
    assert read_faults(['lost=0.2', 'order']) == FaultConfig(lost=0.2, order=True)
    for given, words in (('los=1', 'did you mean lost'), ('lost=1', '< 1'), ('rate', 'number')):
        with pytest.raises(ConfigError, match=words):
            read_faults([given])
