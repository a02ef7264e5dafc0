"""Broken lines can be found where they should be, and the hunt tells who survives."""

from __future__ import annotations

from pathlib import Path
import shlex

from mutants import PACKAGE, Mutant, hunt, load_mutants
import pytest

ROOT = Path(__file__).parents[2]
ROOMS = {path.name for path in (ROOT / PACKAGE).iterdir() if (path / '__init__.py').exists()}
MUTANTS = load_mutants()


@pytest.mark.parametrize('mutant', MUTANTS, ids=lambda mutant: f'{mutant.file}: {mutant.old[:40]}')
def test_a_mutant_can_be_made_and_has_tests(mutant: Mutant) -> None:
    assert compile(mutant.broken(ROOT), mutant.file, 'exec')
    for tests in shlex.split(mutant.tests):
        file, *names = tests.split('::')
        assert (ROOT / file).exists()
        for name in names:
            assert f'def {name}(' in (ROOT / file).read_text()


def test_every_room_has_mutants() -> None:
    assert {mutant.file.partition('/')[0] for mutant in MUTANTS} == ROOMS
    assert len(MUTANTS) == len(set(MUTANTS)) >= 60


def test_who_is_killed_and_who_survives(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / PACKAGE / 'law.py'
    source.parent.mkdir()
    (source.parent / '__init__.py').touch()
    source.write_text('def law(x):\n    return 2.0 * x if x > 0.0 else 0.0\n')
    test = 'from simloop_ros.law import law\n\ndef test_law():\n    assert law(1.5) == 3.0\n'
    (tmp_path / 'test_law.py').write_text(test)
    killed = Mutant('law.py', '2.0 * x', '-2.0 * x', 'test_law.py', 'wrong sign')
    survivor = Mutant('law.py', 'x > 0.0', 'x >= 1.0', 'test_law.py', 'wrong limit')
    unclear = Mutant('law.py', '0.0', '1.0', 'test_law.py', 'which of the two?')
    untested = Mutant('law.py', '2.0 * x', '3.0 * x', 'test_lost.py', 'no such test')
    assert hunt(tmp_path, [killed, survivor, unclear, untested], workers=2) == 1
    _, _, summary = capsys.readouterr().out.partition('\n\n')
    first, *problems = summary.splitlines()
    assert first == '1 of 4 mutants killed'
    assert problems[0] == "NOT FOUND  law.py: 2 times, not once: '0.0'"
    assert problems[1].startswith('FAILS UNBROKEN  test_lost.py: ')
    assert problems[2] == "SURVIVES  law.py: 'x > 0.0' -> 'x >= 1.0'"
    assert '2.0 * x if x > 0.0' in source.read_text(), 'only a copy is broken'
