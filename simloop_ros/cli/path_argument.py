"""Paths and ports on the command line."""

from __future__ import annotations

from argparse import ArgumentTypeError
import os
from pathlib import Path


def path_argument(text: str) -> Path:
    """Return a path; shells leave the ``~`` of ``--out=~/results`` as it is."""
    return Path(os.path.expanduser(text))


def port_argument(text: str) -> int:
    """Return a TCP port; 0 is any that is free."""
    if not text.isascii() or not text.isdigit() or int(text) > 65535:
        raise ArgumentTypeError(f'{text!r} is no port: 0 to 65535, 0 for any that is free')
    return int(text)
