"""``examples/two_link.py``, run as a newcomer runs it, and the page that quotes it."""

from __future__ import annotations

from itertools import pairwise
import os
from pathlib import Path
import re
import runpy
import subprocess
import sys

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / 'examples' / 'two_link.py'
PAGE = ROOT / 'docs' / 'dynamics.md'
EQUAL = 1e-12
PAIR = re.compile(r'^(D\d+|(?:Lagr\.|N\.-E\.) \d) +(\S+) +(\S+) +(\S+)$', re.MULTILINE)


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the example without a screen."""
    environment = {key: value for key, value in os.environ.items() if 'DISPLAY' not in key}
    environment |= {'PYTHONPATH': str(ROOT), 'OPENBLAS_NUM_THREADS': '1'}
    return subprocess.run(
        [sys.executable, str(EXAMPLE), *arguments],
        capture_output=True,
        text=True,
        env=environment,
        timeout=120,
    )


@pytest.fixture(scope='module')
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp('two_link') / 'new'


@pytest.fixture(scope='module')
def output(folder: Path) -> str:
    done = run(str(folder))
    assert done.returncode == 0, done.stderr
    assert done.stderr == ''
    return done.stdout


def test_every_term_is_there_and_equals_pinocchio(output: str) -> None:
    pairs = PAIR.findall(output)
    terms = {label for label, *_ in pairs}
    ij = {f'D{i}{j}' for i in (1, 2) for j in (1, 2)}
    assert terms >= ij | {f'{term}{k}' for term in ij for k in (1, 2)} | {'D1', 'D2'}
    assert len(pairs) == 14 + 4
    assert all(ours == theirs and float(away) < EQUAL for _, ours, theirs, away in pairs)


def test_pictures_are_written(output: str, folder: Path) -> None:
    for name in ('swing.png', 'energy.png'):
        assert str(folder / name) in output
        assert (folder / name).read_bytes()[:8] == b'\x89PNG\r\n\x1a\n'


def test_energy_errors_fall_with_the_step(output: str) -> None:
    rows = [line.split() for line in output.splitlines() if line.startswith('1/')]
    first, fourth = ([float(row[column]) for row in rows] for column in (1, 2))
    for errors, factor in ((first, 2.0), (fourth, 16.0)):
        for coarse, fine in pairwise(errors):
            assert coarse / fine == pytest.approx(factor, rel=0.1)


def test_page_quotes_the_example(output: str) -> None:
    """All but the differences, which are rounding and may be another machine's."""
    said, printed = (
        PAIR.sub(r'\1 \2 \3', text).splitlines() for text in (PAGE.read_text(), output)
    )
    lines = [line for line in printed if line and not line.startswith('written')]
    assert len(lines) > 35
    assert not [line for line in lines if line not in said]


def test_page_has_the_tables_of_its_pictures() -> None:
    script = runpy.run_path(str(ROOT / 'docs' / 'make_dynamics_pictures.py'))
    said = PAGE.read_text().splitlines()
    rows = [*script['move_rows'](), *script['missing_rows']()]
    assert len(rows) == 8
    assert not [row for row in rows if row not in said]


def test_computed_torque_is_exact_only_with_the_right_model() -> None:
    """The page's zero is no accident of the comparison: a millionth of mass already shows."""
    controlled = runpy.run_path(str(ROOT / 'docs' / 'make_dynamics_pictures.py'))['controlled']
    exact, heavier = controlled(())[1], controlled((), 1e-6)[1]
    assert np.abs(exact).max() < EQUAL
    assert 1e-8 < np.abs(heavier).max() < 1e-6


def test_page_has_its_pictures_and_links() -> None:
    links = re.findall(r'\]\(([^)]+)\)', PAGE.read_text())
    assert len([link for link in links if link.endswith('.png')]) == 5
    assert not [link for link in links if not (PAGE.parent / link).is_file()]


def call(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    """Run the example in this process, and return its status."""
    monkeypatch.setattr(sys, 'argv', [str(EXAMPLE), *arguments])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(EXAMPLE), run_name='__main__')
    return int(ended.value.code or 0)


def test_another_pose(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ('--theta', '-2', '3', '--velocity', '9', '-9')
    assert call(monkeypatch, str(tmp_path), *arguments) == 0
    shown = capsys.readouterr().out
    assert 'at theta = (-2, 3) rad' in shown
    assert all(float(away) < EQUAL for *_, away in PAIR.findall(shown))


@pytest.mark.parametrize(
    ('arguments', 'message'),
    [
        (('--theta', 'nan', '0'), 'two_link: --theta nan 0.0: give two finite numbers\n'),
        (('--velocity', '1'), 'expected 2 arguments'),
        ((str(EXAMPLE),), 'two_link: .*File exists; name another\n'),
    ],
    ids=['nan', 'one number', 'a file'],
)
def test_bad_input(
    arguments: tuple[str, ...],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert call(monkeypatch, *arguments) == 2
    assert re.search(message, capsys.readouterr().err)
