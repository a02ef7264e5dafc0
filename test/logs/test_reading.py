"""Logs of every kind are read as what was written, and bad ones are refused in one line."""

from __future__ import annotations

import msgspec
import numpy as np
import pinocchio as pin
import pytest
from robot_logs import recording

from simloop_ros.core.errors import ConfigError, LogError
from simloop_ros.logs.mapping import LogMapping, SignalMapping
from simloop_ros.logs.reading import aligned, read_log, read_recording
from simloop_ros.logs.recording import RawLog
from simloop_ros.record.columns import COLUMNS
from simloop_ros.record.log import LogArray
from simloop_ros.record.mcap import write_mcap


@pytest.fixture(scope='module')
def lwr(shipped):
    return shipped('lwr')


def raw_of(made, **changes):
    fields = ('source', 'joint_names', 'time', 'position', 'velocity', 'effort')
    return RawLog(**{**{name: getattr(made, name) for name in fields}, **changes})


def test_our_log_gives_measured_positions_and_commands(lwr, tmp_path):
    rows = np.random.default_rng(0).normal(size=(20, len(COLUMNS), lwr.n))
    path = tmp_path / 'log.mcap'
    write_mcap(LogArray(rows), path, lwr.joint_names, 0.002, {}, '<robot name="x"/>')
    for source in (path, tmp_path):
        found = read_recording(source, lwr)
        np.testing.assert_array_equal(found.position, rows[:, COLUMNS.index('measured_position')])
        np.testing.assert_array_equal(found.command, rows[:, COLUMNS.index('effort')])
        np.testing.assert_allclose(found.time, 0.002 * np.arange(20), atol=1e-9)
        assert found.effort is None


def test_joints_are_taken_by_name(lwr):
    made = recording(lwr, 0.1)
    order = np.random.default_rng(1).permutation(lwr.n)
    names = tuple(f'arm/{lwr.joint_names[i]}' for i in order)
    raw = raw_of(
        made,
        joint_names=(*names, 'gripper'),
        position=np.column_stack((made.position[:, order], np.zeros(made.rows))),
        velocity=np.column_stack((made.velocity[:, order], np.zeros(made.rows))),
        effort=np.column_stack((made.effort[:, order], np.zeros(made.rows))),
    )
    found = aligned(raw, lwr, LogMapping(prefix='arm/'))
    np.testing.assert_array_equal(found.position, made.position)
    np.testing.assert_array_equal(found.effort, made.effort)
    renamed = {name: name.removeprefix('arm/') for name in names}
    again = aligned(raw, lwr, LogMapping(rename=renamed))
    np.testing.assert_array_equal(again.velocity, made.velocity)


def test_a_wrong_name_of_a_joint_is_told_with_the_nearest(lwr):
    made = recording(lwr, 0.1)
    wrong = tuple(name.replace('a3', 'b3') for name in lwr.joint_names)
    with pytest.raises(LogError, match=r"'lwr_a3_joint': did you mean lwr_b3_joint"):
        aligned(raw_of(made, joint_names=wrong), lwr)


def test_efforts_become_torques_by_their_meaning(lwr):
    made = recording(lwr, 0.2)
    data = lwr.pin_model.createData()
    gravity = np.array(
        [pin.rnea(lwr.pin_model, data, q, 0 * q, 0 * q).copy() for q in made.position]
    )
    without = raw_of(made, effort=made.effort - gravity)
    found = aligned(without, lwr, LogMapping(effort_means='torque_without_gravity'))
    np.testing.assert_allclose(found.effort, made.effort, atol=1e-9)
    gains = {name: 2.0 + i for i, name in enumerate(lwr.joint_names)}
    current = raw_of(made, effort=made.effort / np.array(list(gains.values())))
    found = aligned(current, lwr, LogMapping(effort_means='current', drive_gains=gains))
    np.testing.assert_allclose(found.effort, made.effort, atol=1e-9)
    assert aligned(raw_of(made), lwr, LogMapping(effort_means='none')).effort is None
    few = LogMapping(effort_means='current', drive_gains={lwr.joint_names[0]: 1.0})
    with pytest.raises(ConfigError, match=f'none for {lwr.joint_names[1]}'):
        aligned(current, lwr, few)


def test_rows_without_numbers_are_located_counted_and_left_out(lwr):
    made = recording(lwr, 0.2)
    position, effort = made.position.copy(), made.effort.copy()
    position[3, 1] = effort[7, 0] = effort[8, 2] = np.nan
    found = aligned(raw_of(made, position=position, effort=effort), lwr)
    assert found.rows == made.rows - 3
    assert found.notes == (
        f'3 of {made.rows} rows have no number (NaN) in position, effort: rows 3, 7, 8; they are '
        'left out, as gaps',
    )
    nothing = raw_of(made, position=np.full_like(position, np.nan))
    with pytest.raises(LogError, match='position are NaN'):
        aligned(nothing, lwr)
    # An effort that is not there at all is none, and no reason to drop every row.
    assert aligned(raw_of(made, effort=np.full_like(effort, np.nan)), lwr).effort is None


def test_what_is_no_log_is_refused_with_what_one_is(lwr, tmp_path):
    with pytest.raises(LogError, match='not there'):
        read_recording(tmp_path / 'nothing.db3', lwr)
    with pytest.raises(LogError, match='folder without a bag'):
        read_recording(tmp_path, lwr)
    (tmp_path / 'x.pdf').write_text('')
    with pytest.raises(LogError, match='must end with'):
        read_recording(tmp_path / 'x.pdf', lwr)
    (tmp_path / 'x.csv').write_text('')
    with pytest.raises(LogError, match='empty'):
        read_recording(tmp_path / 'x.csv', lwr)


def test_a_folder_of_files_is_read_by_its_mapping(lwr, tmp_path):
    made = recording(lwr, 0.1)
    np.savetxt(tmp_path / 't.txt', 1e3 * made.time)
    np.savetxt(tmp_path / 'q.txt', np.degrees(made.position).ravel())
    np.savetxt(tmp_path / 'tau.txt', made.effort)
    mapping = LogMapping(
        time=SignalMapping(file='t.txt', unit='ms'),
        position=SignalMapping(file='q.txt', layout='stacked', unit='deg'),
        effort=SignalMapping(file='tau.txt'),
    )
    for path in (tmp_path, tmp_path / 'tau.txt'):
        found = read_recording(path, lwr, mapping)
        np.testing.assert_allclose(found.time, made.time, atol=1e-12)
        np.testing.assert_allclose(found.position, made.position, atol=1e-12)
        np.testing.assert_allclose(found.effort, made.effort, atol=1e-12)
    short = msgspec.structs.replace(mapping, joints=lwr.joint_names[:-1])
    with pytest.raises(LogError, match='no whole number of samples of 6 joints'):
        read_log(tmp_path, short)
