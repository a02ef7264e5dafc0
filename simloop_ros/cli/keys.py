"""``simloop keys``: every key of a scenario, with type, unit, default and meaning."""

from __future__ import annotations

import argparse
from dataclasses import replace
import shutil
import textwrap

from ..scenario.reference import REQUIRED, ScenarioKey, find_keys

INDENT = '    '


def call(options: argparse.Namespace) -> int:
    """Print the keys that match a pattern; alike ones of several kinds once."""
    alike: dict[ScenarioKey, list[str]] = {}
    for key in find_keys(options.pattern):
        alike.setdefault(replace(key, section=''), []).append(key.section)
    width = shutil.get_terminal_size().columns
    for key, sections in alike.items():
        print(_headline(key, sections))
        print(textwrap.fill(key.meaning, width, initial_indent=INDENT, subsequent_indent=INDENT))
    return 0


def _headline(key: ScenarioKey, sections: list[str]) -> str:
    """Return name, default, type, unit, and the kinds that have this key."""
    unit = f' [{key.unit}]' if key.unit else ''
    tags = [section.partition(': ') for section in sections if ': ' in section]
    of = f'; for {tags[0][0]} {", ".join(tag[2] for tag in tags)}' if tags else ''
    if key.default == REQUIRED:
        return f'{key.name}   ({REQUIRED}; {key.kind}{unit}{of})'
    default = key.default if key.default else "''"
    return f'{key.name} = {default}   ({key.kind}{unit}{of})'
