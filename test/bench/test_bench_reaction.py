"""The study of reactions: its numbers, and that they do not depend on who computes them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from simloop_bench.collision_robot import StudyRobot
from simloop_bench.reaction import FIRST_SEED, MEASURES, panels, study, summary
from simloop_bench.reaction_figure import draw_reactions
from simloop_bench.reaction_trial import REACTIONS, Collision, Outcome, compare
from simloop_bench.workers import Workers

RUNS = 2
ROBOT = StudyRobot(1.0 / 500.0)


def collision(seed: int, force: float) -> Collision:
    """Return a collision whose numbers are one for ``none``, and half of it for the others."""
    outcomes = {
        kind: Outcome(
            peak_force=part * force,
            impulse=part * force,
            time_to_rest=part,
            pushed=part * 1e-3,
            lasting_force=0.0,
            stopped=False,
        )
        for kind in REACTIONS
        for part in [1.0 if kind == 'none' else 0.5]
    }
    return Collision(seed, 'link', 1e4, 0.5, 0.3, outcomes)


def test_a_row_has_median_percentile_and_ratio() -> None:
    collisions = [collision(i, float(force)) for i, force in enumerate(range(1, 102))]
    row = summary(collisions, 'hold')
    assert row['peak_force_n'] == 25.5
    assert row['peak_force_n_p95'] == 48.0
    assert row['peak_force_over_none'] == 0.5
    assert row['time_to_rest_ms'] == 500.0
    assert summary(collisions, 'none')['impulse_over_none'] == 1.0


def test_the_picture_is_drawn_where_forces_are_nothing_too(tmp_path: Path) -> None:
    path = tmp_path / 'reactions.png'
    draw_reactions(panels([collision(i, 10.0 + i) for i in range(5)]), path)
    assert path.read_bytes().startswith(b'\x89PNG')


def test_the_same_collisions_whoever_computes_them() -> None:
    seen: list[float] = []
    with Workers(1) as one:
        alone = study(ROBOT, RUNS, one, lambda _, share: seen.append(share))
    with Workers(2) as two:
        shared = study(ROBOT, RUNS, two, lambda *_: None)
    assert alone == shared
    assert seen[-1] == 1.0
    assert seen == sorted(seen)
    for found in alone:
        assert set(found.outcomes) == set(REACTIONS)
        none = found.outcomes['none']
        for kind, outcome in found.outcomes.items():
            values = np.array([getattr(outcome, measure.name) for measure in MEASURES])
            assert np.isfinite(values).all()
            assert (values >= 0.0).all()
            assert outcome.peak_force <= none.peak_force, kind


def test_a_collision_that_nobody_notices_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    import simloop_bench.reaction_trial as trial

    monkeypatch.setattr(trial, 'NOTICED', 1e6)
    monkeypatch.setattr(trial, 'REACTIONS', ('none',))
    assert compare(ROBOT, FIRST_SEED).outcomes == {}
