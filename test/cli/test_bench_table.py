"""The table of a benchmark: what misses its limit, and units as people write them."""

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
    assert command.bench('loop', quick=True) == 1
    lines = capsys.readouterr().out.splitlines()
    marked = {name for name in figures for line in lines if name in line and 'missed' in line}
    assert marked == {'low', 'high', 'lost'}


@pytest.mark.parametrize(('value', 'status'), [(2.0, 0), (3.0, 1)])
def test_the_status_says_whether_the_limits_are_met(
    monkeypatch: pytest.MonkeyPatch, value: float, status: int
) -> None:
    limits = {'high': Limit(at_most=2.5)}
    result = BenchResult(figures={'high': value, 'free': 9.0}, rows=[{'n': 1}], limits=limits)
    monkeypatch.setitem(command.BENCHES, 'loop', lambda _quick, _tell: result)
    assert command.bench('loop', quick=True) == status


@pytest.mark.parametrize(
    ('name', 'expected'),
    [
        ('ripple_nm', 'ripple [N m]'),
        ('impulse_ns', 'impulse [N s]'),
        ('lwr_force_largest_n', 'lwr force largest [N]'),
        ('tip_rms_um', 'tip rms [um]'),
        ('rate_hz', 'rate [Hz]'),
        ('composed_steps_per_s', 'composed steps per s'),
        ('us_per_step', 'us per step'),
        ('n', 'n'),
        ('bare_calls', 'bare calls'),
    ],
)
def test_units_are_written_as_people_do(name: str, expected: str) -> None:
    assert command.heading(name) == expected
