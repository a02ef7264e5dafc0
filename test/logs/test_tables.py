"""Tables of text and numpy files."""

from __future__ import annotations

import numpy as np
import pytest

from simloop_ros.core.errors import ConfigError, LogError
from simloop_ros.logs.mapping import LogMapping, SignalMapping
from simloop_ros.logs.tables import read_table, read_tables

JOINTS = ('one', 'two')
TABLE = np.random.default_rng(0).normal(size=(30, 5))


def test_a_csv_with_joint_names_needs_no_mapping(tmp_path):
    path = tmp_path / 'log.csv'
    head = 'time,two,one,two.effort,one.effort'
    np.savetxt(path, TABLE, delimiter=',', header=head, comments='')
    found = read_tables(path, None, JOINTS)
    assert found.joint_names == ('two', 'one')
    np.testing.assert_allclose(found.time, TABLE[:, 0])
    np.testing.assert_allclose(found.position, TABLE[:, 1:3])
    np.testing.assert_allclose(found.effort, TABLE[:, 3:])
    assert found.velocity is None


def test_a_csv_without_stamps_is_said_to_have_none(tmp_path):
    path = tmp_path / 'log.csv'
    np.savetxt(path, TABLE[:, :2], delimiter=',', header='one,two', comments='')
    with pytest.raises(LogError, match=r'no column time, so the log has no stamps.*rate'):
        read_tables(path, None, JOINTS)


@pytest.mark.parametrize('delimiter', [',', ';', '\t', ' '])
def test_columns_by_pattern_name_and_number_are_the_same(tmp_path, delimiter):
    path = tmp_path / 'log.txt'
    names = ('t', 'q/one', 'q/two', 'tau/one', 'tau/two')
    np.savetxt(path, TABLE, delimiter=delimiter, header=delimiter.join(names), comments='')
    by_pattern = LogMapping(
        time=SignalMapping(columns=('t',)),
        position=SignalMapping(columns='q/{joint}'),
        effort=SignalMapping(columns='tau/{joint}'),
    )
    by_name = LogMapping(
        joints=JOINTS,
        time=SignalMapping(columns=('t',)),
        position=SignalMapping(columns=('q/one', 'q/two')),
        effort=SignalMapping(columns=('tau/one', 'tau/two')),
    )
    by_number = LogMapping(
        time=SignalMapping(columns=(0,)),
        position=SignalMapping(columns=(1, 2)),
        effort=SignalMapping(columns=(3, 4)),
    )
    for mapping in (by_pattern, by_name, by_number):
        found = read_tables(path, mapping, JOINTS)
        assert found.joint_names == JOINTS
        np.testing.assert_allclose(found.position, TABLE[:, 1:3])
        np.testing.assert_allclose(found.effort, TABLE[:, 3:])


def test_numpy_files(tmp_path):
    arrays = {'time': TABLE[:, 0], 'position': TABLE[:, 1:3], 'effort': TABLE[:, 3:]}
    np.savez(tmp_path / 'log.npz', joint_names=np.array(['two', 'one']), **arrays)
    found = read_tables(tmp_path / 'log.npz', None, JOINTS)
    assert found.joint_names == ('two', 'one')
    np.testing.assert_array_equal(found.effort, TABLE[:, 3:])
    np.save(tmp_path / 'log.npy', TABLE)
    mapping = LogMapping(rate=100.0, position=SignalMapping(columns=(3, 4)))
    found = read_tables(tmp_path / 'log.npy', mapping, JOINTS)
    np.testing.assert_array_equal(found.position, TABLE[:, 3:])
    np.testing.assert_allclose(found.time, 0.01 * np.arange(30))
    np.savez(tmp_path / 'bare.npz', q=TABLE)
    with pytest.raises(LogError, match='no array time; it has q'):
        read_tables(tmp_path / 'bare.npz', None, JOINTS)
    (tmp_path / 'cut.npz').write_bytes((tmp_path / 'log.npz').read_bytes()[:200])
    with pytest.raises(LogError, match='cut off'):
        read_tables(tmp_path / 'cut.npz', None, JOINTS)


def test_empty_cells_are_no_numbers(tmp_path):
    path = tmp_path / 'log.csv'
    path.write_text('time,one\n0,1\n0.1,\n0.2,3\n')
    values = read_table(path).values
    np.testing.assert_array_equal(values[:, 1], [1.0, np.nan, 3.0])


@pytest.mark.parametrize(
    ('text', 'words'),
    [
        ('', 'empty'),
        ('time,one\n', 'empty'),
        ('time,one\n0,1\n1\n', 'columns changed from 2 to 1 at row 2'),
        ('time,one\n0,1\n1,x\n', "could not convert string 'x'"),
        ('time,one,two\n0,1\n', '3 names of columns for 2 columns'),
    ],
)
def test_what_is_wrong_with_a_table_is_said(tmp_path, text, words):
    path = tmp_path / 'log.csv'
    path.write_text(text)
    with pytest.raises(LogError, match=words) as refused:
        read_table(path)
    assert '\n' not in str(refused.value)


@pytest.mark.parametrize(
    ('mapping', 'words'),
    [
        (LogMapping(rate=1.0, position=SignalMapping(columns=('a', 'onne'))), 'did you mean one'),
        (LogMapping(rate=1.0, position=SignalMapping(columns=(1, 7))), 'no column 7; it has 3'),
        (LogMapping(rate=1.0, position=SignalMapping()), '3 columns for 2 joints'),
        (LogMapping(position=SignalMapping(columns=(1, 2))), 'no stamps'),
        (LogMapping(rate=1.0), 'where the positions are'),
        (
            LogMapping(rate=1.0, position=SignalMapping(columns=(1, 2), file='b.csv')),
            'cannot be read',
        ),
    ],
)
def test_a_mapping_that_does_not_fit_is_refused(tmp_path, mapping, words):
    path = tmp_path / 'log.csv'
    path.write_text('a,one,two\n0,1,2\n1,2,3\n')
    with pytest.raises((LogError, ConfigError), match=words):
        read_tables(path, mapping, JOINTS)


def test_files_of_different_length_are_refused(tmp_path):
    np.savetxt(tmp_path / 'q.txt', TABLE[:, :2])
    np.savetxt(tmp_path / 't.txt', TABLE[:-1, 0])
    mapping = LogMapping(time=SignalMapping(file='t.txt'), position=SignalMapping(file='q.txt'))
    with pytest.raises(LogError, match='29 samples of time for 30 of position'):
        read_tables(tmp_path, mapping, JOINTS)
