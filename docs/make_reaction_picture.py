"""Make the picture and the table of ``docs/reaction.md``.

``PYTHONPATH=benchmarks:examples python docs/make_reaction_picture.py``, or ``make pictures``.

Runs ``simloop bench reaction`` as a whole, which takes minutes, draws its picture as a PNG file in
``docs/images`` and prints its rows and figures.
"""

from __future__ import annotations

from pathlib import Path

from simloop_bench.reaction import bench_reaction

IMAGES = Path(__file__).parent / 'images'


def main() -> None:
    """Run, draw and print."""
    IMAGES.mkdir(exist_ok=True)
    result = bench_reaction(False, _tell)
    for name, draw in result.pictures.items():
        draw(IMAGES / f'{name}.png')
    for row in result.rows:
        print(row)
    for figure, value in result.figures.items():
        print(f'{figure}: {value:.3f}')


def _tell(what: str, share: float) -> None:
    print(f'{what}: {100.0 * share:.0f} %', end='\r', flush=True)


if __name__ == '__main__':
    main()
