import hashlib

from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
import numpy as np
import pytest

from simloop_ros.record.columns import COLUMNS
from simloop_ros.record.log import LogReader, LogWriter

any_float = st.floats(width=64)  # NaN, infinities and -0.0 included


def write(path, rows):
    with LogWriter(path, rows.shape[2]) as writer:
        for row in rows:
            writer.append(row)
        assert writer.rows == len(rows)
    return LogReader(path, rows.shape[2])


@given(rows=hnp.arrays(np.float64, hnp.array_shapes(min_dims=1, max_dims=1), elements=any_float))
def test_round_trip_is_bitwise(tmp_path_factory, rows):
    rows = np.broadcast_to(rows[:, None, None], (len(rows), 8, 3)).copy()
    reader = write(tmp_path_factory.mktemp('log') / 'raw', rows)
    assert reader.rows == len(rows)
    assert reader.read().tobytes() == rows.tobytes()


def test_pieces_are_the_whole(tmp_path):
    rows = np.random.default_rng(0).standard_normal((3000, 8, 2))
    reader = write(tmp_path / 'raw', rows)
    blocks = list(reader.chunks(rows=700))
    assert [len(block) for block in blocks] == [700, 700, 700, 700, 200]
    assert np.concatenate(blocks).tobytes() == rows.tobytes()


@given(start=st.integers(-60, 60), stop=st.integers(-60, 60), stride=st.integers(1, 60))
def test_read_is_a_slice(tmp_path_factory, start, stop, stride):
    rows = np.arange(50.0 * 8).reshape(50, 8, 1)
    reader = write(tmp_path_factory.mktemp('log') / 'raw', rows)
    np.testing.assert_array_equal(reader.read(start, stop, stride), rows[start:stop:stride])


def test_read_with_stride_crosses_blocks(tmp_path):
    rows = np.arange(9001.0 * 8).reshape(9001, 8, 1)
    reader = write(tmp_path / 'raw', rows)
    for stride in (1, 7, 4096, 5000):
        np.testing.assert_array_equal(reader.read(5, None, stride), rows[5::stride])


def test_a_row_is_copied_when_it_is_appended(tmp_path):
    column = np.ones(2)
    with LogWriter(tmp_path / 'raw', 2) as writer:
        writer.append([column] * 8)
        column[:] = 5.0
    assert (LogReader(tmp_path / 'raw', 2).read() == 1.0).all()


def test_arrays_of_another_layout_are_converted(tmp_path):
    row = np.arange(16.0).reshape(8, 2)
    with LogWriter(tmp_path / 'raw', 2) as writer:
        writer.append(np.asfortranarray(row))
        writer.append(row.astype(np.int64))
        writer.append(row.astype('>f8'))
    np.testing.assert_array_equal(LogReader(tmp_path / 'raw', 2).read(), [row] * 3)


@pytest.mark.parametrize('dtype', [np.float64, np.int64])
def test_a_column_of_the_wrong_length_is_refused(tmp_path, dtype):
    with LogWriter(tmp_path / 'raw', 2) as writer:
        columns = [np.zeros(2, dtype)] * 7 + [np.zeros(3, dtype)]
        with pytest.raises(ValueError, match=r'row has 128 bytes|true_position has shape'):
            writer.append(columns)
        assert writer.rows == 0


def test_a_row_cut_short_does_not_count(tmp_path):
    reader = write(tmp_path / 'raw', np.ones((4, 8, 2)))
    with open(reader.path, 'r+b') as file:
        file.truncate(3 * 128 + 17)
    assert LogReader(reader.path, 2).rows == 3


def test_the_file_is_the_rows_bytes(tmp_path):
    rows = np.random.default_rng(0).standard_normal((10, len(COLUMNS), 4))
    reader = write(tmp_path / 'raw', rows)
    assert hashlib.sha256(reader.path.read_bytes()).digest() == hashlib.sha256(rows).digest()
