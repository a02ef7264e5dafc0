"""Where ROS packages may be: in the environment, and above a robot description."""

from __future__ import annotations

from collections.abc import Iterator
import os
from pathlib import Path


def package_folders(path: Path) -> Iterator[Path]:
    """Yield the folders that may hold a package which a description names.

    Those of ``ROS_PACKAGE_PATH``, the ``share`` of each prefix of ``AMENT_PREFIX_PATH``, and those
    above the description, which usually lies inside the package.

    :param path: of the description.
    """
    for variable, inside in (('ROS_PACKAGE_PATH', ''), ('AMENT_PREFIX_PATH', 'share')):
        for folder in filter(None, os.environ.get(variable, '').split(os.pathsep)):
            yield Path(folder) / inside
    yield from path.parents
