"""Does a test notice a broken line? ``python benchmarks/mutants.py [--workers N] [--only WORD]``.

Breaks the lines of ``mutants.yaml`` one at a time in a copy of the source tree, runs the tests
that should notice, and lists the mutants that survive. First the unbroken tests have to pass.
``--since COMMIT`` takes only those in files that have changed since then.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
import os
from pathlib import Path
from queue import SimpleQueue
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

import msgspec

HERE = Path(__file__).resolve().parent
PACKAGE = 'simloop_ros'
IGNORED = shutil.ignore_patterns('.*', '__pycache__', 'runs', 'build', 'install', '*.egg-info')
"""What is not copied: no test needs it."""
PYTEST = ('-m', 'pytest', '-x', '-q', '-p', 'no:cacheprovider')
PLUGINS = ('-p', 'hypothesispytest', '--hypothesis-seed=0')
"""The only plugin, and no dice."""
PASSED, FAILED = 0, 1
"""Exit statuses of pytest; all others say that the tests could not be run."""
LONGEST_RUN = 300.0
"""Time after which tests count as failed: a mutant may have no end [s]."""


class Mutant(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A broken line.

    :ivar file: in the package, for instance ``control/laws.py``.
    :ivar old: text that occurs exactly once in it.
    :ivar new: text in its place.
    :ivar tests: those that should notice, as arguments of pytest.
    :ivar why: what would go wrong.
    """

    file: str
    old: str
    new: str
    tests: str
    why: str

    def broken(self, root: Path) -> str:
        """Return the broken text of the file.

        :raises ValueError: the old text does not occur exactly once.
        """
        text = (root / PACKAGE / self.file).read_text()
        if text.count(self.old) != 1:
            raise ValueError(f'{self.file}: {text.count(self.old)} times, not once: {self.old!r}')
        return text.replace(self.old, self.new)


class Run(msgspec.Struct, frozen=True):
    """A run of tests: unbroken, or with a mutant."""

    tests: str
    mutant: Mutant | None = None


class Outcome(msgspec.Struct, frozen=True):
    """The exit status of pytest, and what its last lines say."""

    status: int
    text: str


def load_mutants(path: Path = HERE / 'mutants.yaml') -> list[Mutant]:
    """Return all mutants."""
    return msgspec.yaml.decode(path.read_bytes(), type=list[Mutant])


def hunt(root: Path, mutants: Sequence[Mutant], workers: int = 1) -> int:
    """Run the tests of each mutant; print how each ends, and return 1 if any is not killed.

    :param root: source tree, which is copied.
    """
    problems, broken = [], []
    for mutant in mutants:
        try:
            mutant.broken(root)
            broken.append(Run(mutant.tests, mutant))
        except (OSError, ValueError) as error:  # noqa: PERF203
            problems.append(f'NOT FOUND  {error}')
    with tempfile.TemporaryDirectory() as scratch:
        folders: SimpleQueue[Path] = SimpleQueue()
        for i in range(workers):
            folders.put(shutil.copytree(root, Path(scratch, str(i), root.name), ignore=IGNORED))
        failing = set()
        for run, outcome in _outcomes(folders, [*dict.fromkeys(Run(r.tests) for r in broken)]):
            if outcome.status != PASSED:
                failing.add(run.tests)
                problems.append(f'FAILS UNBROKEN  {run.tests}: {outcome.text}')
        killed = 0
        for run, outcome in _outcomes(folders, [r for r in broken if r.tests not in failing]):
            killed += outcome.status == FAILED
            if outcome.status != FAILED and run.mutant is not None:
                m, word = run.mutant, 'SURVIVES' if outcome.status == PASSED else 'CANNOT RUN'
                problems.append(
                    f'{word}  {m.file}: {m.old!r} -> {m.new!r}\n    {m.why}; {m.tests}: '
                    f'{outcome.text}'
                )
    print(f'\n{killed} of {len(mutants)} mutants killed', *problems, sep='\n')
    return 1 if problems else 0


def _outcomes(folders: SimpleQueue[Path], runs: Sequence[Run]) -> Iterator[tuple[Run, Outcome]]:
    """Yield each run with its outcome, as they end, and print them."""
    begin = time.monotonic()
    with ThreadPoolExecutor(max(1, folders.qsize())) as pool:
        futures = {pool.submit(_run, folders, run): run for run in runs}
        for done, future in enumerate(as_completed(futures), 1):
            run, outcome = futures[future], future.result()
            left = (time.monotonic() - begin) / done * (len(runs) - done)
            what = f'{run.mutant.file}: {run.mutant.why}' if run.mutant else 'unbroken'
            print(f'[{done}/{len(runs)}, {left / 60.0:.1f} min left] {what}: {outcome.text}')
            sys.stdout.flush()
            yield run, outcome


def _run(folders: SimpleQueue[Path], run: Run) -> Outcome:
    """Run tests in a folder that nobody else uses."""
    folder = folders.get()
    try:
        if run.mutant is None:
            return _pytest(folder, run.tests)
        path = folder / PACKAGE / run.mutant.file
        original = path.read_bytes()
        path.write_text(run.mutant.broken(folder))
        try:
            return _pytest(folder, run.tests)
        finally:
            path.write_bytes(original)
    finally:
        folders.put(folder)


def _pytest(folder: Path, tests: str) -> Outcome:
    environment = {
        **os.environ,
        'PYTHONPATH': str(folder),
        # A mutant may have the size and the second of change of its original.
        'PYTHONDONTWRITEBYTECODE': '1',
        'PYTEST_DISABLE_PLUGIN_AUTOLOAD': '1',
    }
    begin = time.monotonic()
    try:
        done = subprocess.run(
            [sys.executable, *PYTEST, *PLUGINS, *shlex.split(tests)],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=LONGEST_RUN,
        )
    except subprocess.TimeoutExpired:
        return Outcome(FAILED, f'no end within {LONGEST_RUN:g} s')
    lines = [line for line in done.stdout.splitlines() if line.startswith(('FAILED', 'ERROR'))]
    said = lines[0].partition(' - ')[0] if lines else f'{tests} ends with {done.returncode}'
    return Outcome(done.returncode, f'{said} ({time.monotonic() - begin:.1f} s)')


def changed_since(commit: str) -> set[str]:
    """Return the files of the source tree that have changed since a commit."""
    asked = ('git', 'diff', '--name-only', commit)
    listed = subprocess.run(asked, cwd=HERE, capture_output=True, text=True, check=True)
    return set(listed.stdout.split())


def main() -> int:
    """Run all mutants, or some; 1 if any survives."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--workers', metavar='N', type=int, default=2, help='runs at a time [2]')
    parser.add_argument(
        '--only', metavar='WORD', default='', help='those whose file has this word'
    )
    parser.add_argument(
        '--since', metavar='COMMIT', default='', help='those whose file has changed since then'
    )
    options = parser.parse_args()
    chosen = [mutant for mutant in load_mutants() if options.only in mutant.file]
    if options.since:
        changed = changed_since(options.since)
        chosen = [mutant for mutant in chosen if f'{PACKAGE}/{mutant.file}' in changed]
    return hunt(HERE.parent, chosen, options.workers)


if __name__ == '__main__':
    raise SystemExit(main())
