"""``simloop completion``: the script with which a shell completes ``simloop``."""

from __future__ import annotations

import argparse

from ..core.errors import MissingDependencyError


def call(options: argparse.Namespace) -> int:
    """Print the script of a shell."""
    try:
        import argcomplete
    except ImportError as error:
        raise MissingDependencyError(
            'completion: argcomplete is not installed; pip install argcomplete, or '
            'apt install python3-argcomplete'
        ) from error
    print(argcomplete.shellcode(['simloop'], shell=options.shell))
    return 0
