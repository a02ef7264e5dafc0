"""``simloop schema``: the JSON schema of scenario, robot, driver and task files, for editors."""

from __future__ import annotations

import argparse

from ..drivers.schema import schema_of
from ..scenario.schema import schema_text


def call(options: argparse.Namespace) -> int:
    """Print a schema."""
    print(schema_text(schema_of(options.kind)), end='')
    return 0
