"""``simloop schema``: the JSON schema of scenario and robot files, for editors."""

from __future__ import annotations

import argparse

from ..scenario.schema import schema_text


def call(options: argparse.Namespace) -> int:
    """Print a schema."""
    print(schema_text(options.kind), end='')
    return 0
