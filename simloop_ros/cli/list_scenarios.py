"""``simloop list``: the scenarios, one line each."""

from __future__ import annotations

import argparse

from ..scenario.shipped import scenario_descriptions


def call(_: argparse.Namespace) -> int:
    """Print every scenario with its description."""
    descriptions = scenario_descriptions()
    width = max(map(len, descriptions))
    for name, description in descriptions.items():
        print(f'{name:{width}}  {description}')
    return 0
