"""``simloop list``: the scenarios, one line each."""

from __future__ import annotations

import argparse

from ..loop.scenario import scenario_descriptions


def add_parser(subparsers: argparse._SubParsersAction) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser('list', help='scenarios, one line each')
    parser.set_defaults(call=list_scenarios)


def list_scenarios(_: argparse.Namespace) -> int:
    """Print every scenario with its description."""
    descriptions = scenario_descriptions()
    width = max(map(len, descriptions))
    for name, description in descriptions.items():
        print(f'{name:{width}}  {description}')
    return 0
