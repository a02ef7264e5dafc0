"""Paths on the command line."""

from __future__ import annotations

import os
from pathlib import Path


def path_argument(text: str) -> Path:
    """Return a path; shells leave the ``~`` of ``--out=~/results`` as it is."""
    return Path(os.path.expanduser(text))
