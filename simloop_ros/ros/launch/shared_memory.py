"""Files that a killed process leaves in shared memory.

Under ``ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST`` Fast DDS uses shared memory whatever transport is
asked for. A process that ends cleanly removes its files there; one that is killed cannot.
"""

from __future__ import annotations

from contextlib import suppress
import os
from pathlib import Path

FOLDER = Path('/dev/shm')
PATTERNS = ('fastdds_*', 'sem.fastdds_*')


def remove_orphans() -> list[str]:
    """Remove this user's Fast DDS files that no process uses any more; return their names."""
    files = [path for pattern in PATTERNS for path in FOLDER.glob(pattern)]
    used = _used_files()  # after the list: whoever made a file of it has it open by now
    removed = []
    for path in files:
        with suppress(OSError):
            if str(path) not in used and path.stat().st_uid == os.getuid():
                path.unlink()
                removed.append(path.name)
    return removed


def _used_files() -> set[str]:
    """Return the files in the folder that some process has mapped or open."""
    found = set()
    for process in Path('/proc').glob('[0-9]*'):
        with suppress(OSError):
            for line in (process / 'maps').read_text().splitlines():
                found.add(line.partition('/')[1] + line.partition('/')[2])
        with suppress(OSError):
            for descriptor in (process / 'fd').iterdir():
                with suppress(OSError):
                    found.add(os.readlink(descriptor))
    return {name for name in found if name.startswith(str(FOLDER))}
