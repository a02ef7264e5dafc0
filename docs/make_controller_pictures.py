"""Make pictures and tables of ``docs/controllers.md``.

``PYTHONPATH=benchmarks:examples python docs/make_controller_pictures.py``, or ``make pictures``.

Runs the whole comparison, which takes minutes, draws its pictures as PNG files in ``docs/images``
and prints the tables of the page and the figures.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from simloop_bench.controller_motions import CONTROLLERS
from simloop_bench.controllers import (
    CLAIM_MASS_ERROR,
    CLAIM_NOISE,
    bench_controllers,
)

IMAGES = Path(__file__).parent / 'images'
CONDITION = 'rate_hz', 'friction'
PAIRS = ('tip_rms_um', 'tip_max_um'), ('ripple_nm', 'effort_percent')
"""Measures that share a table."""
NOISE = f'{CLAIM_NOISE:g}'


def main() -> None:
    """Run, draw and print."""
    IMAGES.mkdir(exist_ok=True)
    result = bench_controllers(False, _tell)
    for name, draw in result.pictures.items():
        draw(IMAGES / f'{name}.png')
    claimed = [
        row
        for row in result.rows
        if row['mass_error'] == CLAIM_MASS_ERROR and row['noise'] == NOISE
    ]
    for pair in PAIRS:
        print(f'\n{" / ".join(pair)}: mass +{CLAIM_MASS_ERROR:.0%}, noise {NOISE}\n')
        print('\n'.join(_table(claimed, pair)))
    print('\nunstable:')
    for row in result.rows:
        if row['unstable']:
            print(row)
    for figure, value in result.figures.items():
        print(f'{figure}: {value:.3f}')


def _table(rows: list[dict[str, Any]], pair: tuple[str, str]) -> Iterator[str]:
    """Yield the lines of a Markdown table: a line per condition, a column per controller."""
    yield '| motion | Hz | friction | ' + ' | '.join(f'`{name}`' for name in CONTROLLERS) + ' |'
    yield '|' + '---|' * (3 + len(CONTROLLERS))
    for first in range(0, len(rows), len(CONTROLLERS)):
        line = rows[first : first + len(CONTROLLERS)]
        cells = [' / '.join(_cell(row[measure]) for measure in pair) for row in line]
        where = [str(line[0][key]) for key in CONDITION]
        yield '| ' + ' | '.join([f'`{line[0]["motion"]}`', *where, *cells]) + ' |'


def _cell(value: float | None) -> str:
    """Return three digits; nothing for a run that diverged."""
    return '-' if value is None else f'{value:.0f}' if value >= 100.0 else f'{value:.3g}'


def _tell(what: str, share: float) -> None:
    print(f'{what}: {100.0 * share:.0f} %', end='\r', flush=True)


if __name__ == '__main__':
    main()
