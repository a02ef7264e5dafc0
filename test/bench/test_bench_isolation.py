"""The tables of isolation: what is said against what is right; contacts as files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from simloop_bench.isolation_contacts import Collision, Seen
from simloop_bench.isolation_files import read_collisions, write_collisions
from simloop_bench.isolation_judge import Said
from simloop_bench.isolation_reliability import (
    calibration_error,
    draw_reliability,
    expected_error,
    log_score,
    reliability,
)
from simloop_ros.collision.observation import Observation
from simloop_ros.core.values import JointState


def said(probabilities: np.ndarray, right: np.ndarray) -> list[Said]:
    return [
        Said('arm', 'touch', 5, bool(r), bool(r), float(p))
        for p, r in zip(probabilities, right, strict=True)
    ]


def drawn(bias: float) -> list[Said]:
    """Return links that are right with the said probability less a bias."""
    rng = np.random.default_rng(0)
    p = rng.uniform(0.4, 1.0, 4000)
    return said(p, rng.random(4000) < p - bias)


def test_honest_probabilities_have_no_calibration_error():
    bins = reliability(drawn(0.0))
    assert sum(each.count for each in bins) == 4000
    assert calibration_error(bins) < 2.0 * expected_error(bins)
    assert all(each.low <= each.said <= each.high for each in bins)


def test_a_boast_is_seen():
    bins = reliability(drawn(0.2))
    assert calibration_error(bins) == pytest.approx(0.2, abs=0.02)
    assert log_score(drawn(0.2)) > log_score(drawn(0.0))


def test_a_share_has_its_bin():
    (only,) = reliability(said(np.array([0.92, 0.94, 0.91, 0.93]), np.array([1, 1, 0, 1])))
    assert (only.low, only.high, only.count, only.right) == (0.9, 0.95, 4, 0.75)


def test_the_picture_is_drawn(tmp_path: Path):
    draw_reliability({'all': reliability(drawn(0.0))}, 'title', tmp_path / 'curve.png')
    assert (tmp_path / 'curve.png').stat().st_size > 1000


def test_collisions_come_back_from_their_file(tmp_path: Path):
    rng = np.random.default_rng(1)

    def step(i: int) -> Seen:
        a, b, c, d, e, f = rng.normal(size=(6, 3))
        return Seen(
            Observation(0.1 * i, a, b, c, JointState(d, e), f), float(i), rng.normal(size=3)
        )

    written = [
        Collision(2, 3, np.eye(3)[i], 1, [step(k) for k in range(count)])
        for i, count in enumerate((4, 2))
    ]
    write_collisions(tmp_path / 'some.npz', written)
    for old, new in zip(written, read_collisions(tmp_path / 'some.npz'), strict=True):
        assert (new.joint, new.depth, new.first) == (old.joint, old.depth, old.first)
        np.testing.assert_array_equal(new.direction, old.direction)
        for seen, observation, force in zip(old.steps, new.observations, new.forces, strict=True):
            assert (observation.time, force) == (seen.observation.time, seen.force)
            np.testing.assert_array_equal(observation.effort, seen.observation.effort)
            np.testing.assert_array_equal(
                observation.state.velocity, seen.observation.state.velocity
            )
            np.testing.assert_array_equal(
                observation.rollback_effort, seen.observation.rollback_effort
            )
