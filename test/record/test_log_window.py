"""Any rows of a log are those of the whole log."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest

from simloop_ros.core.errors import ConfigError
from simloop_ros.record import log_window, mcap
from simloop_ros.record.columns import COLUMNS
from simloop_ros.record.log import LogArray
from simloop_ros.record.log_window import LogWindow
from simloop_ros.record.mcap import McapReader, write_mcap

ROWS, N = 257, 2


@pytest.fixture(scope='module')
def written(tmp_path_factory):
    """Return a log of many chunks, and its rows."""
    path = tmp_path_factory.mktemp('window') / 'log.mcap'
    rows = np.random.default_rng(1).normal(size=(ROWS, len(COLUMNS), N))
    patch = pytest.MonkeyPatch()
    patch.setattr(mcap, '_CHUNK_BYTES', 5_000)
    write_mcap(LogArray(rows), path, ('a', 'b'), 0.01, {'scenario': 's'}, '<robot name="r"/>')
    patch.undo()
    return path, rows


@settings(max_examples=60)
@given(first=st.integers(-3, ROWS + 3), count=st.integers(-2, ROWS + 3))
def test_rows_are_those_of_the_log(written, first, count):
    path, rows = written
    window = LogWindow(McapReader(path))
    last = first + count
    np.testing.assert_array_equal(window.read(first, last), rows[max(0, first) : max(0, last)])


def test_few_chunks_are_kept(written):
    path, rows = written
    log = McapReader(path)
    window = LogWindow(log)
    assert len(log.chunk_counts) > 3 * log_window.KEPT_CHUNKS
    for i in np.random.default_rng(2).integers(0, ROWS, 200):
        np.testing.assert_array_equal(window.read(int(i), int(i) + 1)[0], rows[i])
        assert len(window._kept) <= log_window.KEPT_CHUNKS


def test_damage_in_the_middle_is_one_line(written, tmp_path):
    path, _ = written
    data = bytearray(path.read_bytes())
    chunk = McapReader(path)._summary.chunk_indexes[-1]
    data[chunk.chunk_start_offset + chunk.chunk_length // 2] ^= 0xFF
    broken = tmp_path / 'broken.mcap'
    broken.write_bytes(bytes(data))
    with pytest.raises(ConfigError, match='not a complete log') as caught:
        LogWindow(McapReader(broken)).read(0, ROWS)
    assert '\n' not in str(caught.value)
