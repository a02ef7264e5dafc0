"""Wrist sensors: statistics of their errors, and their faults."""

import numpy as np
import pytest

from simloop_ros.core.errors import ConfigError, UnknownNameError
from simloop_ros.core.values import JointState

H = 0.001


@pytest.fixture(scope='module')
def pair(load):
    """Return two arms that turn, one tip each, without gravity."""
    links = ''.join(
        f"""<link name="{name}"><inertial><mass value="1"/>
        <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
        <joint name="turn_{name}" type="continuous"><parent link="base"/><child link="{name}"/>
        <axis xyz="0 0 1"/></joint>"""
        for name in ('left', 'right')
    )
    return load(
        f'<robot name="pair"><link name="base"/>{links}</robot>',
        tips=('left', 'right'),
        gravity=(0.0, 0.0, 0.0),
    )


def readings(plant, steps):
    seen = []
    for _ in range(steps):
        plant.step(np.zeros(2))
        seen.append(plant.report().wrenches)
    return np.array(seen)


def test_without_sensors_nothing_is_read(build, pair):
    plant = build(pair, H)
    assert plant.report().wrenches is None
    assert plant.report().true_wrenches is None


def test_perfect_sensors_of_empty_hands_read_nothing(build, pair):
    plant = build(pair, H, sensors={})
    assert np.array_equal(plant.report().wrenches, np.zeros((2, 6)))
    assert np.array_equal(plant.report().true_wrenches, np.zeros((2, 6)))
    assert not readings(plant, 5).any()


def test_noise_has_its_deviation_and_no_mean_or_memory(build, pair):
    """The bounds are five standard errors of 4000 draws."""
    seen = readings(build(pair, H, sensors={'noise': 0.5, 'torque_noise': 0.02}), 4000)
    deviation = np.tile([0.5] * 3 + [0.02] * 3, (2, 1))
    assert seen.std(axis=0) == pytest.approx(deviation, rel=5 / np.sqrt(2 * 4000))
    assert np.all(np.abs(seen.mean(axis=0)) < 5 * deviation / np.sqrt(4000))
    columns = seen.reshape(4000, 12)
    together = np.corrcoef(np.hstack([columns[1:], columns[:-1]]).T) - np.eye(24)
    assert np.abs(together).max() < 5 / np.sqrt(4000)


def test_bias_has_its_size_and_stays(build, pair):
    seen = readings(build(pair, H, sensors={'bias': 2.0, 'torque_bias': 0.1}), 20)
    assert np.array_equal(seen, np.tile(seen[0], (20, 1, 1)))
    assert np.linalg.norm(seen[0, :, :3], axis=1) == pytest.approx([2.0, 2.0], rel=1e-12)
    assert np.linalg.norm(seen[0, :, 3:], axis=1) == pytest.approx([0.1, 0.1], rel=1e-12)
    assert abs(seen[0, 0, :3] @ seen[0, 1, :3]) < 3.99


def test_bias_has_no_favourite_direction(build, pair):
    """The mean of 2n unit vectors is about 1/sqrt(2n) long; the bound is four times it."""
    n = 100
    vectors = np.concatenate(
        [build(pair, H, seed, sensors={'bias': 1.0}).report().wrenches[:, :3] for seed in range(n)]
    )
    assert np.linalg.norm(vectors.mean(axis=0)) < 4 / np.sqrt(2 * n)


def test_one_reading_per_step(build, pair):
    plant = build(pair, H, sensors={'noise': 1.0})
    first = plant.report().wrenches
    assert np.array_equal(plant.report().wrenches, first)
    plant.step(np.zeros(2))
    assert not np.array_equal(plant.report().wrenches, first)


def test_seeds_and_start(build, pair):
    config = {'noise': 1.0, 'bias': 1.0}
    first, same, other = (build(pair, H, seed, sensors=config) for seed in (1, 1, 2))
    seen = readings(first, 5)
    assert np.array_equal(seen, readings(same, 5))
    assert not np.array_equal(seen, readings(other, 5))
    first.start(JointState(pair.home, np.zeros(2)))
    assert np.array_equal(readings(first, 5), seen)


def test_encoders_draw_the_same_numbers_with_sensors_and_without(build, pair):
    plants = build(pair, H, 3, noise=0.1), build(pair, H, 3, noise=0.1, sensors={'noise': 1.0})
    for _ in range(5):
        for plant in plants:
            plant.step(np.zeros(2))
        assert np.array_equal(plants[0].observe(), plants[1].observe())


def test_a_lost_sensor_reads_nothing_from_its_time_on(build, pair):
    fault = {'tip': 'right', 'kind': 'lost', 'start': 0.01}
    seen = readings(build(pair, H, sensors={'noise': 1.0, 'faults': [fault]}), 20)
    assert np.isfinite(seen[:, 0]).all()
    # The first of them is read after one step.
    assert np.isfinite(seen[:9, 1]).all()
    assert np.isnan(seen[9:, 1]).all()


def test_a_frozen_sensor_repeats_its_last_reading(build, pair):
    fault = {'tip': 'left', 'kind': 'frozen', 'start': 0.01}
    seen = readings(build(pair, H, sensors={'noise': 1.0, 'faults': [fault]}), 20)
    assert np.array_equal(seen[8:, 0], np.tile(seen[8, 0], (12, 1)))
    assert not np.array_equal(seen[7, 0], seen[8, 0])
    assert len(np.unique(seen[:, 1, 0])) == 20


def test_a_fault_of_one_sensor_does_not_change_the_other(build, pair):
    fault = {'tip': 'left', 'kind': 'lost', 'start': 0.0}
    whole, broken = (
        readings(build(pair, H, sensors={'noise': 1.0, 'faults': faults}), 9)
        for faults in ([], [fault])
    )
    assert np.array_equal(whole[:, 1], broken[:, 1])


def test_refusals(build, pair, fork):
    lost = {'tip': 'left', 'kind': 'lost', 'start': 0.0}
    with pytest.raises(ConfigError, match='no tips'):
        build(fork, H, sensors={})
    with pytest.raises(UnknownNameError, match='lefd'):
        build(pair, H, sensors={'faults': [{**lost, 'tip': 'lefd'}]})
    with pytest.raises(ConfigError, match='fails twice'):
        build(pair, H, sensors={'faults': [lost, lost]})
