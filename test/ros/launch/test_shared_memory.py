"""What a killed process leaves is removed; what a living one uses is not."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from simloop_ros.ros.launch.graph import FOLDER, remove_orphans

pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason='no shared memory here')
LIVING = """
import mmap, os, sys
with open(sys.argv[1], 'wb+') as file:
    file.truncate(4096)
    mapped = mmap.mmap(file.fileno(), 4096)
kept = open(sys.argv[2], 'wb')
print('ready', flush=True)
sys.stdin.read()
"""


def test_only_files_that_nobody_uses_are_removed() -> None:
    names = [f'fastdds_test_{os.getpid()}_{kind}' for kind in ('mapped', 'open')]
    names += [f'sem.fastdds_test_{os.getpid()}', f'other_test_{os.getpid()}']
    mapped, kept, orphan, other = (FOLDER / name for name in names)
    orphan.touch()
    other.touch()
    living = subprocess.Popen(
        [sys.executable, '-c', LIVING, str(mapped), str(kept)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        assert living.stdout is not None
        assert living.stdin is not None
        assert living.stdout.readline() == b'ready\n'
        assert orphan.name in remove_orphans()
        assert mapped.exists()
        assert kept.exists()
        assert other.exists()
        assert not orphan.exists()
        living.kill()
        living.wait()
        assert {mapped.name, kept.name} <= set(remove_orphans())
        assert other.exists()
    finally:
        living.kill()
        living.communicate()
        for path in (mapped, kept, orphan, other):
            path.unlink(missing_ok=True)
