"""Where the package's robots, scenarios and launch files are, however it was installed."""

from __future__ import annotations

from collections.abc import Iterator
import os
from pathlib import Path
import site
import sys

from .errors import SimloopError, UnknownNameError

PACKAGE = 'simloop_ros'
KINDS = ('urdf', 'config', 'launch')


def resource_folder(kind: str) -> Path:
    """Return the package's folder of that kind.

    The source tree comes first, so that an editable installation and a clone use their own files;
    then the ``share`` folder of the prefix that this very module is installed in, then those of
    the other prefixes in use.

    :param kind: ``urdf``, ``config`` or ``launch``.
    :raises SimloopError: the files were not installed.
    """
    if kind not in KINDS:
        raise UnknownNameError('kind of resource', kind, KINDS)
    package = Path(__file__).resolve().parents[1]
    for share in _shares(package):
        if (share / kind).is_dir():
            return share / kind
    raise SimloopError(
        f'no share/{PACKAGE}/{kind} belongs to the package in {package}, nor to a prefix in '
        'AMENT_PREFIX_PATH: install the package again, with pip or colcon'
    )


def _shares(package: Path) -> Iterator[Path]:
    """Yield the folders that may hold the resources, the likeliest first."""
    if (package.parent / 'package.xml').is_file():
        yield package.parent
    # <prefix>/lib/python3.x/site-packages/simloop_ros, or <target>/simloop_ros
    prefixes = [*package.parents]
    prefixes += map(Path, filter(None, os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep)))
    prefixes += [Path(sys.prefix), Path(site.getuserbase())]
    for prefix in dict.fromkeys(prefixes):
        yield prefix / 'share' / PACKAGE
