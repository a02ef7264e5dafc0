"""Whatever happens to a run, nothing of another one is lost, and results are whole."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
import json
import os
from pathlib import Path
import signal
import subprocess
import sys

import pytest

from simloop_ros.core.errors import ConfigError
from simloop_ros.record.run_folder import RESERVE, RunFolder

HOLDER = """
import sys, time
from pathlib import Path
from simloop_ros.record.run_folder import RunFolder
folder = RunFolder(Path(sys.argv[1]), numbered=sys.argv[2] == 'numbered')
(folder.path / 'log.raw').write_text('rows')
print(folder.path, flush=True)
time.sleep(60)
"""


def publish(place: Path, text: str, *, numbered: bool = False) -> RunFolder:
    """Publish a run whose digest is a text."""
    with RunFolder(place, numbered=numbered) as folder:
        fill(folder, text)
        folder.publish()
    return folder


def fill(folder: RunFolder, text: str) -> None:
    content = json.dumps({'scenario': 'x', 'digest': text})
    (folder.path / 'summary.json').write_text(content)


def digest(folder: Path) -> str:
    return str(json.loads((folder / 'summary.json').read_text())['digest'])


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


@pytest.fixture
def killed(tmp_path: Path) -> Callable[[str], Path]:
    """Return what gives the folder aside of a run in ``tmp_path/out`` that was killed."""

    def call(kind: str) -> Path:
        process = subprocess.Popen(
            [sys.executable, '-c', HOLDER, str(tmp_path / 'out'), kind],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, 'PYTHONPATH': os.pathsep.join(filter(None, sys.path))},
        )
        assert process.stdout is not None
        path = Path(process.stdout.readline().strip())
        process.send_signal(signal.SIGKILL)
        process.communicate()
        return path

    return call


def test_numbered_runs_stay_and_the_link_leads_to_the_newest(tmp_path: Path) -> None:
    for text in 'abc':
        folder = publish(tmp_path / 'runs' / 'x', text, numbered=True)
    assert folder.place == tmp_path / 'runs' / 'x-0003'
    assert folder.link == tmp_path / 'runs' / 'x'
    assert names(tmp_path / 'runs') == {'x', 'x-0001', 'x-0002', 'x-0003'}
    assert [digest(tmp_path / 'runs' / f'x-000{n}') for n in (1, 2, 3)] == list('abc')
    assert digest(tmp_path / 'runs' / 'x') == 'c'
    assert names(folder.place) == {'summary.json'}


def test_numbers_grow_where_a_run_was_removed(tmp_path: Path) -> None:
    (tmp_path / 'x-9999').mkdir()
    (tmp_path / 'x-12').mkdir()  # not a number of ours
    assert publish(tmp_path / 'x', 'a', numbered=True).place.name == 'x-10000'


def test_a_folder_of_an_older_version_gets_a_number(tmp_path: Path) -> None:
    publish(tmp_path / 'x', 'old')
    publish(tmp_path / 'x', 'new', numbered=True)
    assert (digest(tmp_path / 'x-0001'), digest(tmp_path / 'x')) == ('old', 'new')
    assert (tmp_path / 'x').is_symlink()


def test_something_else_in_the_place_of_the_link_stays(tmp_path: Path) -> None:
    (tmp_path / 'x').mkdir()
    (tmp_path / 'x' / 'mine.txt').write_text('mine')
    folder = publish(tmp_path / 'x', 'a', numbered=True)
    assert (folder.place, folder.link) == (tmp_path / 'x-0001', None)
    assert names(tmp_path / 'x') == {'mine.txt'}


def test_a_named_folder_keeps_what_was_there(tmp_path: Path) -> None:
    out = tmp_path / 'out'
    publish(out, 'a')
    (out / 'notes.txt').write_text('mine')
    folder = publish(out, 'b')
    assert folder.earlier == tmp_path / 'out-0001'
    assert (digest(tmp_path / 'out-0001'), digest(out)) == ('a', 'b')
    assert (tmp_path / 'out-0001' / 'notes.txt').read_text() == 'mine'
    assert names(tmp_path) == {'out', 'out-0001'}


def test_a_named_folder_takes_the_place_of_the_link(tmp_path: Path) -> None:
    publish(tmp_path / 'x', 'a', numbered=True)
    publish(tmp_path / 'x', 'b')
    assert (digest(tmp_path / 'x-0001'), digest(tmp_path / 'x')) == ('a', 'b')


def test_a_link_of_the_user_leads_to_the_results(tmp_path: Path) -> None:
    (tmp_path / 'disk').mkdir()
    (tmp_path / 'out').symlink_to('disk')
    folder = publish(tmp_path / 'out', 'a')
    assert folder.place == tmp_path / 'out'
    assert digest(tmp_path / 'disk') == 'a'
    assert (tmp_path / 'out').is_symlink()


def test_what_is_no_run_is_refused_and_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in (('summary.json', '[1]'), ('mine.txt', 'mine')):
        folder = tmp_path / name.partition('.')[0]
        folder.mkdir()
        (folder / name).write_text(text)
        with pytest.raises(ConfigError, match=rf'something other than a run \({name}\); name a'):
            RunFolder(folder)
        assert names(folder) == {name}
    (tmp_path / 'file').touch()
    with pytest.raises(ConfigError, match='is a file'):
        RunFolder(tmp_path / 'file')
    (tmp_path / 'empty').mkdir()
    monkeypatch.chdir(tmp_path / 'empty')
    with pytest.raises(ConfigError, match='working folder'):
        RunFolder(Path('.'))
    with pytest.raises(ConfigError, match='mount point, which stays; name a folder in it'):
        RunFolder(Path('/'))
    with pytest.raises(ConfigError, match='nothing can be created there, so name another'):
        RunFolder(Path('/proc'))
    with pytest.raises(ConfigError, match='/proc/run: cannot be written: nothing can be created'):
        RunFolder(Path('/proc/run'))
    assert names(tmp_path) == {'summary', 'mine', 'file', 'empty'}


def test_what_comes_there_during_the_run_stays(tmp_path: Path) -> None:
    with RunFolder(tmp_path / 'out') as folder:
        fill(folder, 'a')
        (tmp_path / 'out').mkdir()
        (tmp_path / 'out' / 'mine.txt').write_text('mine')
        assert folder.publish() == tmp_path / 'out-0001'
    assert names(tmp_path / 'out') == {'mine.txt'}
    assert digest(tmp_path / 'out-0001') == 'a'


def test_a_folder_in_use_is_refused_until_its_run_ends(tmp_path: Path) -> None:
    out = tmp_path / 'out'
    with RunFolder(out):
        with pytest.raises(ConfigError, match='in use by a run that goes on'):
            RunFolder(out)
        publish(tmp_path / 'other', 'a')
    assert names(tmp_path) == {'other'}  # a run without results leaves nothing
    publish(out, 'b')


@pytest.mark.parametrize('kind', ['numbered', 'named'])
def test_what_a_killed_run_left_is_removed_by_the_next(
    tmp_path: Path, killed: Callable[[str], Path], kind: str
) -> None:
    numbered = kind == 'numbered'
    left = killed(kind)
    assert {'log.raw', RESERVE} <= names(left)
    with RunFolder(tmp_path / 'out', numbered=numbered) as running:
        assert 'log.raw' not in names(running.path)
        assert numbered is not left.exists()  # a named one has its place
    assert names(tmp_path) == set()


def test_runs_that_are_published_at_once_get_a_number_each(tmp_path: Path) -> None:
    count = 24
    with ThreadPoolExecutor(8) as pool:
        done = pool.map(lambda k: publish(tmp_path / 'x', str(k), numbered=True), range(count))
        placed = {k: folder.place for k, folder in enumerate(done)}
    assert len(set(placed.values())) == count
    assert all(digest(place) == str(k) for k, place in placed.items())
    assert (tmp_path / 'x').readlink() == Path(f'x-{count:04}')
    assert len(names(tmp_path)) == count + 1


def test_of_runs_that_start_at_once_in_one_folder_exactly_one_wins(tmp_path: Path) -> None:
    out = tmp_path / 'out'

    def claim(_: int) -> RunFolder | None:
        try:
            return RunFolder(out)
        except ConfigError:
            return None

    for _ in range(20):
        with ThreadPoolExecutor(8) as pool:
            (winner,) = [folder for folder in pool.map(claim, range(8)) if folder]
        fill(winner, 'won')
        winner.publish()
    assert len(names(tmp_path)) == 20
