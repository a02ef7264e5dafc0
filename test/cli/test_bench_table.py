"""The table of a benchmark marks what misses its limit."""

from __future__ import annotations

from math import nan

import pytest

from simloop_bench import command
from simloop_bench.result import BenchResult, Limit


def test_a_figure_beyond_its_limit_is_marked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    figures = {'low': 1.0, 'fine': 2.0, 'high': 3.0, 'lost': nan, 'free': 9.0}
    limit = Limit(at_least=1.5, at_most=2.5)
    limits = dict.fromkeys(('low', 'fine', 'high', 'lost'), limit)
    result = BenchResult(figures=figures, rows=[{'n': 1}], limits=limits)
    monkeypatch.setitem(command.BENCHES, 'loop', lambda _quick, _tell: result)
    assert command.bench('loop', quick=True) == 0
    lines = capsys.readouterr().out.splitlines()
    marked = {name for name in figures for line in lines if name in line and 'missed' in line}
    assert marked == {'low', 'high', 'lost'}
