"""Make the picture of what isolation says against what is right, for docs/collision.md.

``PYTHONPATH=benchmarks python docs/make_isolation_picture.py [FILE]``: from the file that
``python benchmarks/isolation.py --json FILE`` wrote; without one, the study is run first, which
takes half an hour.
"""

from __future__ import annotations

from pathlib import Path
import sys

from isolation import Size, by_condition, study
import msgspec

from simloop_bench.isolation_contacts import ROBOTS
from simloop_bench.isolation_judge import Judged
from simloop_bench.isolation_reliability import draw_reliability, reliability

IMAGES = Path(__file__).parent / 'images'


def main() -> None:
    """Draw the picture."""
    if len(sys.argv) > 1:
        raw = Path(sys.argv[1]).read_bytes()
        versions = msgspec.json.decode(raw, type=dict[str, Judged])
    else:
        versions = study(ROBOTS, Size())
    own = by_condition(versions['this'])
    names = ('as calibrated', 'friction +30 %', 'friction -30 %', 'touch')
    curves = {name: reliability(own[name]) for name in names if name in own}
    title = 'probability of the named link: said, and right (bars: 95 % of chance, with counts)'
    draw_reliability(curves, title, IMAGES / 'isolation_calibration.png')


if __name__ == '__main__':
    main()
