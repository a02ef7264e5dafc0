"""Runs at the same time do not see each other."""

from __future__ import annotations

import os
from pathlib import Path
import subprocess
import sys

SCRIPT = Path(__file__).parents[2] / 'benchmarks' / 'concurrent_runs.py'


def test_concurrent_runs_have_the_digests_of_lone_ones() -> None:
    """Three in the default folder, three in one that only one gets, and one that is killed."""
    done = subprocess.run(
        [sys.executable, str(SCRIPT), '--quick'],
        capture_output=True,
        text=True,
        env={**os.environ, 'PYTHONPATH': os.pathsep.join(filter(None, sys.path))},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    rows = [line.split() for line in done.stdout.splitlines()[1:]]
    assert [row[-1] for row in rows] == ['0', '0']  # nothing was wrong
    assert [int(row[-4]) >= 1 for row in rows] == [True, True]  # complete
