"""The benchmark measures what it says; no test asserts a time."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from simloop_bench import bimanual, workers
from simloop_ros.bimanual.internal_force import WrenchSplit, checked_points, split
from simloop_ros.cli.main import main

EXACT = [name for name in bimanual.LIMITS if name.endswith('relative')]


def test_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, 'cores', lambda: 1)  # no other processes
    path = tmp_path / 'bench.json'
    assert main(['bench', 'bimanual', '--quick', '--json', str(path)]) in (0, 1)
    content = json.loads(path.read_text())
    figures = content['figures']
    for name in (*EXACT, 'step_us'):
        assert figures[name] > 0.0
    for name in EXACT:
        assert figures[name] <= 1e-12
    cases = {row['case'] for row in content['rows'] if row['part'] == 'grasps'}
    assert cases == {f'{hands} hands, {kind}' for hands in (2, 3, 4) for kind in bimanual.POINTS}
    # What issue 7 asks for; a hold that is none would have settled at once, or never.
    assert 0.02 < figures['hold_settling_s'] < 0.5
    assert figures['hold_least_n'] > 0.0
    assert 0.0 < figures['carry_squeeze_error_n'] < 1.0
    assert 0.0 < figures['carry_path_error_mm'] < 1.0
    assert 0.0 < figures['carry_turn_error_mrad'] < 25.0


@pytest.mark.parametrize('kind', bimanual.POINTS)
def test_no_kind_of_points_is_refused(kind: str) -> None:
    rng = np.random.default_rng(1)
    for hands in bimanual.HANDS:
        for _ in range(50):
            checked_points(bimanual.POINTS[kind](hands, rng))


def test_a_wrong_split_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def crooked(points: np.ndarray, wrenches: np.ndarray) -> WrenchSplit:
        parts = split(points, wrenches)
        off = 1e-9 * np.ones_like(wrenches)
        return WrenchSplit(
            parts.internal + off, parts.moving - off, parts.press, parts.squeeze, parts.total
        )

    monkeypatch.setattr(bimanual, 'split', crooked)
    found = bimanual._errors(3, bimanual.POINTS['anywhere'], 20, np.random.default_rng(2))
    for name in EXACT:
        assert found[name] > 1e-10
