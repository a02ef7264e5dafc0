"""The ``simloop launch`` commands of the documentation run, in lockstep."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pages import commands, words
import pytest

from simloop_ros.cli.main import make_parser
from simloop_ros.ros.launch.options import NO_PLANT, ROBOT_TOPICS

LONGEST = 120.0  # a run of a moment, on a busy machine [s]


def needs_a_robot(command: str) -> bool:
    options = make_parser('launch').parse_args(words(command))
    given = [getattr(options, name) for name in (*ROBOT_TOPICS, 'robotstudio', 'driver')]
    return any(given) or options.plant == NO_PLANT


@pytest.mark.long
@pytest.mark.parametrize('command', [c for c in commands('launch') if not needs_a_robot(c)])
def test_graphs_of_the_pages_run_for_a_moment(graph: Any, tmp_path: Path, command: str) -> None:
    options = make_parser('launch').parse_args(words(command))
    timed = ('--realtime', '--trace', str(options.trace))
    given = [word for word in words(command)[1:] if word not in timed]
    short = ('--set', 'duration=0.1', '--no-figures', '--out', str(tmp_path / 'out'))
    process = graph.launch(*given, *short)
    assert process.wait(LONGEST) == 0, graph.output
    summary = json.loads((tmp_path / 'out' / 'summary.json').read_text())
    assert (summary['status'], summary['duration']) == ('ended', 0.1)
