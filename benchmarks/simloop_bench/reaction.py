"""``simloop bench reaction``: what each reaction makes of the same collisions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import msgspec
import numpy as np

from .collision_robot import StudyRobot
from .reaction_cost import measure_cost
from .reaction_figure import Panel, draw_reactions
from .reaction_trial import REACTIONS, Collision, compare
from .result import BenchResult
from .workers import Workers

PERIOD = 1.0 / 2000.0
COLLISIONS, QUICK = 50, 3
FIRST_SEED = 90_000
"""Seeds that neither the calibration nor the collisions of ``simloop bench collision`` have."""


class Measure(msgspec.Struct, frozen=True):
    """A quantity of an ``Outcome``: its name there, and how it is shown.

    :ivar scale: from SI to the unit.
    """

    name: str
    label: str
    unit: str
    scale: float = 1.0

    @property
    def column(self) -> str:
        """Return its name with its unit."""
        return f'{self.name}_{self.unit}'.lower().replace(' ', '')


MEASURES = (
    Measure('peak_force', 'peak force', 'N'),
    Measure('impulse', 'impulse in 1 s', 'N s'),
    Measure('time_to_rest', 'time to rest', 'ms', 1e3),
    Measure('pushed', 'pushed into the obstacle', 'mm', 1e3),
    Measure('lasting_force', 'force after 1 s', 'N'),
)
Progress = Callable[[str, float], None]


def bench_reaction(
    quick: bool, progress: Progress, workers_count: int | None = None
) -> BenchResult:
    """Return the figures, rows and picture of the study.

    :param quick: a few collisions.
    :param progress: told what is being done and the share that is done.
    :param workers_count: number of processes; the results do not depend on it.
    """
    with Workers(workers_count) as workers:
        collisions = study(StudyRobot(PERIOD), QUICK if quick else COLLISIONS, workers, progress)
    cost = measure_cost(quick, partial(progress, 'cost of a step'))
    rows = [summary(collisions, kind) for kind in REACTIONS]
    tried = collisions[-1].seed + 1 - FIRST_SEED
    figures = {
        'collisions': float(len(collisions)),
        'never_noticed': float(tried - len(collisions)),
        **cost,
    }
    for kind, row in zip(REACTIONS, rows, strict=True):
        if kind != 'none':
            figures[f'{kind}_peak_over_none'] = row['peak_force_over_none']
            figures[f'{kind}_impulse_over_none'] = row['impulse_over_none']
    return BenchResult(
        figures=figures,
        rows=rows,
        details=tuple(name for name in rows[0] if name.endswith(('_p95', '_over_none'))),
        pictures={'reactions': partial(draw_reactions, panels(collisions))},
    )


def study(robot: StudyRobot, count: int, workers: Workers, progress: Progress) -> list[Collision]:
    """Return so many collisions whose force is noticed; the others are left out.

    Seeds are tried in their order, so that the same ones are found by any number of workers.
    """
    found: list[Collision] = []
    seed = FIRST_SEED
    while len(found) < count:
        missing = count - len(found)
        done = len(found) / count

        def told(share: float, done: float = done) -> None:
            progress('collisions', done + (1.0 - done) * share)

        tried = workers.run(compare, [(robot, seed + i) for i in range(missing)], told)
        found += [collision for collision in tried if collision.outcomes]
        seed += missing
    return found


def summary(collisions: Sequence[Collision], kind: str) -> dict[str, Any]:
    """Return a reaction's row: median, 95th percentile and median ratio to ``none``.

    The ratio is that of each collision, so that every collision is its own yardstick.
    """
    row: dict[str, Any] = {'reaction': kind}
    for measure in MEASURES:
        values, bare = (values_of(collisions, some, measure) for some in (kind, 'none'))
        row[measure.column] = float(np.median(values))
        row[f'{measure.column}_p95'] = float(np.quantile(values, 0.95))
        if measure.name != 'lasting_force':
            row[f'{measure.name}_over_none'] = float(np.median(values / np.maximum(bare, 1e-9)))
    row['stopped_share'] = float(np.mean([c.outcomes[kind].stopped for c in collisions]))
    return row


def panels(collisions: Sequence[Collision]) -> list[Panel]:
    """Return what the figure shows: each measure by reaction."""
    return [
        Panel(
            f'{measure.label} [{measure.unit}]',
            {kind: values_of(collisions, kind, measure) for kind in REACTIONS},
        )
        for measure in MEASURES
    ]


def values_of(collisions: Sequence[Collision], kind: str, measure: Measure) -> np.ndarray:
    """Return a measure of each collision under a reaction."""
    return measure.scale * np.array([getattr(c.outcomes[kind], measure.name) for c in collisions])
