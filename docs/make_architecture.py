"""Draw the rooms of the package from their imports: ``python docs/make_architecture.py [FILE]``.

A room is a folder of ``simloop_ros``. Its layer is one above the highest room that it imports, so
every import goes down; a cycle is an error.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from graphlib import TopologicalSorter
from pathlib import Path
import sys

from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / 'simloop_ros'
PURPOSE = {
    'core': 'values, errors',
    'robot': 'description, model',
    'maths': 'shared formulas',
    'kinematics': 'forward, inverse',
    'world': 'bodies, distances',
    'planning': 'setpoints',
    'control': 'twin, laws, rollback',
    'plants': 'engines, faults',
    'safety': 'gates, brakes',
    'collision': 'monitors, isolation',
    'guiding': 'admittance',
    'bimanual': 'two arms, one object',
    'reaction': 'planner decorators',
    'scenario': 'typed data, loading',
    'teaching': 'tasks from a hand',
    'identification': 'a robot from its logs',
    'logs': 'logs of robots',
    'replay': 'monitors on logs',
    'goals': 'goals while it runs',
    'loop': 'the nine steps',
    'record': 'log, events, summary',
    'assembly': 'scenario to blocks',
    'calibration': 'thresholds',
    'robotstudio': 'ABB controllers',
    'drivers': 'contracts, stand-ins',
    'report': 'figures, tables',
    'ros': 'transport, pacing, launch',
    'nodes': 'one per block',
    'view': 'page in the browser',
    'cli': 'simloop',
}
WIDTH, HEIGHT, GAP = 2.1, 0.72, 0.35
"""Size of a box and the least space between two, in units of the drawing."""


SHIFT = {'scenario': 1.6, 'planning': -1.6, 'ros': 1.0}
"""Boxes that are moved sideways, so that no arrow runs behind them."""


def room_of(path: Path) -> str:
    """Return the folder of the package that a module is in; empty for the package itself."""
    parts = path.relative_to(PACKAGE).parts
    return parts[0] if len(parts) > 1 else ''


def imported(path: Path) -> set[str]:
    """Return the rooms that a module imports."""
    package = ('simloop_ros', *path.relative_to(PACKAGE).parts[:-1])
    rooms = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level:
            above = package[: len(package) - node.level + 1]
            full = (*above, *(node.module or '').split('.'))
            names = [full] if node.module else [(*above, alias.name) for alias in node.names]
            rooms |= {name[1] for name in names if len(name) > 1 and (PACKAGE / name[1]).is_dir()}
    return rooms


def read_rooms() -> tuple[dict[str, set[str]], dict[str, tuple[int, int]]]:
    """Return what each room imports, and its numbers of files and lines."""
    below: dict[str, set[str]] = defaultdict(set)
    files, lines = defaultdict(int), defaultdict(int)
    for path in sorted(PACKAGE.rglob('*.py')):
        room = room_of(path)
        if not room:
            continue
        below[room] |= imported(path) - {room}
        text = path.read_text()
        files[room] += bool(text.strip())
        lines[room] += len(text.splitlines())
    return dict(below), {room: (files[room], lines[room]) for room in below}


def layers_of(below: dict[str, set[str]]) -> dict[str, int]:
    """Return the layer of each room; raises ``graphlib.CycleError`` where there is a cycle."""
    layer: dict[str, int] = {}
    for room in TopologicalSorter(below).static_order():
        layer[room] = 1 + max((layer[other] for other in below.get(room, ())), default=-1)
    return layer


def essential(below: dict[str, set[str]]) -> list[tuple[str, str]]:
    """Return the imports that no chain of other imports implies."""
    reached: dict[str, set[str]] = {}
    for room in TopologicalSorter(below).static_order():
        others = below.get(room, set())
        reached[room] = others.union(*(reached[other] for other in others))
    return [
        (room, other)
        for room, others in below.items()
        for other in others
        if not any(other in reached[third] for third in others)
    ]


def draw(path: Path) -> None:
    """Draw the rooms into a file."""
    below, counts = read_rooms()
    layer = layers_of(below)
    rows: dict[int, list[str]] = defaultdict(list)
    for room in sorted(layer, key=lambda room: (layer[room], room)):
        rows[layer[room]].append(room)
    widest = max(len(row) for row in rows.values())
    place = {
        room: (
            (i - 0.5 * (len(row) - 1)) * (WIDTH + GAP) + SHIFT.get(room, 0.0),
            number * (HEIGHT + 2.0 * GAP),
        )
        for number, row in rows.items()
        for i, room in enumerate(row)
    }
    figure = Figure(figsize=(12.0, 13.0), layout='constrained')
    axes = figure.subplots()
    for room, other in essential(below):
        (x0, y0), (x1, y1) = place[room], place[other]
        axes.annotate(
            '',
            (x1, y1 + 0.5 * HEIGHT),
            (x0, y0 - 0.5 * HEIGHT),
            arrowprops={'arrowstyle': '-|>', 'color': 'tab:blue', 'shrinkA': 0, 'shrinkB': 0},
            zorder=1,
        )
    for room, (x, y) in place.items():
        box = FancyBboxPatch(
            (x - 0.5 * WIDTH, y - 0.5 * HEIGHT),
            WIDTH,
            HEIGHT,
            boxstyle='round,pad=0.02,rounding_size=0.08',
            facecolor='lavender' if room not in ('ros', 'nodes') else 'moccasin',
            edgecolor='black',
            lw=0.8,
            zorder=2,
        )
        axes.add_patch(box)
        number, size = counts[room]
        axes.text(x, y + 0.2, room, ha='center', va='center', weight='bold', fontsize=10, zorder=3)
        axes.text(x, y - 0.02, PURPOSE.get(room, ''), ha='center', va='center', fontsize=7.5)
        text = f'{number} files, {size} lines'
        axes.text(x, y - 0.23, text, ha='center', va='center', fontsize=7.5, color='dimgray')
    half = 0.5 * widest * (WIDTH + GAP)
    axes.set_xlim(-half, half)
    axes.set_ylim(-HEIGHT, max(y for _, y in place.values()) + HEIGHT)
    axes.set_axis_off()
    total = sum(size for _, size in counts.values())
    axes.set_title(
        f'simloop_ros: {len(counts)} rooms, {total} lines; every import goes down, no cycle.\n'
        'An arrow is an import that no chain of other arrows implies; '
        'orange: rooms that import ROS (of view only its part graph does).'
    )
    figure.savefig(path, dpi=110)


if __name__ == '__main__':
    given = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / 'docs/images/architecture.png'
    draw(given)
    print(given)
