"""Is what is said with 90 % right in 90 % of the cases?"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from matplotlib.figure import Figure
import msgspec
import numpy as np

from .isolation_judge import Said

EDGES = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)
"""Between the bins of said probabilities."""


class Bin(msgspec.Struct, frozen=True):
    """Contacts whose link was said with about the same probability.

    :ivar said: mean of the said probabilities.
    :ivar right: share of right links.
    :ivar error: standard error of that share, if what was said is true.
    """

    low: float
    high: float
    count: int
    said: float
    right: float
    error: float


def reliability(said: Sequence[Said]) -> list[Bin]:
    """Return the bins that are not empty."""
    p = np.array([each.probability for each in said])
    right = np.array([each.right for each in said], float)
    bins = []
    for low, high in pairwise(EDGES):
        own = (p >= low) & ((p < high) | (high == EDGES[-1]))
        if own.any():
            spread = float(np.sqrt((p[own] * (1.0 - p[own])).sum()) / own.sum())
            mean, share = float(p[own].mean()), float(right[own].mean())
            bins.append(Bin(low, high, int(own.sum()), mean, share, spread))
    return bins


def calibration_error(bins: Sequence[Bin]) -> float:
    """Return the mean distance of said and observed shares, by their counts."""
    total = sum(each.count for each in bins)
    return sum(each.count * abs(each.said - each.right) for each in bins) / max(1, total)


def expected_error(bins: Sequence[Bin]) -> float:
    """Return what ``calibration_error`` is about if all that was said is true: so few contacts."""
    total = sum(each.count for each in bins)
    normal = np.sqrt(2.0 / np.pi)  # mean size of a normal variable
    return float(sum(each.count * normal * each.error for each in bins) / max(1, total))


def log_score(said: Sequence[Said]) -> float:
    """Return the mean of ``-log p`` of what happened: small for sharp and honest probabilities."""
    p = np.clip([each.probability for each in said], 1e-6, 1.0 - 1e-6)
    right = np.array([each.right for each in said])
    return float(-np.mean(np.where(right, np.log(p), np.log(1.0 - p))))


def draw_reliability(curves: dict[str, list[Bin]], title: str, path: Path) -> None:
    """Draw observed against said shares, one panel for each curve."""
    figure = Figure(figsize=(3.2 * len(curves), 3.6), layout='constrained')
    for i, (name, bins) in enumerate(curves.items()):
        axes = figure.add_subplot(1, len(curves), i + 1)
        axes.plot((0.0, 1.0), (0.0, 1.0), color='0.6', linewidth=0.8)
        x, y = [b.said for b in bins], [b.right for b in bins]
        axes.errorbar(
            x, y, yerr=[1.96 * b.error for b in bins], fmt='o-', color='C0', markersize=4
        )
        for each in bins:
            axes.annotate(
                str(each.count),
                (each.said, each.right),
                xytext=(4, -10),
                textcoords='offset points',
                fontsize=7,
            )
        error = 100.0 * calibration_error(bins)
        axes.set_title(f'{name}\ncalibration error {error:.1f} %', fontsize=9)
        axes.set_xlabel('said')
        if i == 0:
            axes.set_ylabel('right')
        axes.set_xlim(-0.02, 1.04)
        axes.set_ylim(0.0, 1.05)
        axes.grid(alpha=0.3)
    figure.suptitle(title, fontsize=10)
    figure.savefig(path, dpi=110)
