"""What ``simloop bench`` does: run a benchmark, print its tables, draw its pictures."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
import json
from pathlib import Path

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from simloop_ros.core.errors import ConfigError, UnknownNameError
from simloop_ros.record.folder import make_folder, write_text

from .bimanual import bench_bimanual
from .collision import bench_collision
from .collision_conditions import bench_conditions
from .controllers import bench_controllers
from .graph import bench_graph
from .guiding import bench_guiding
from .guiding_realtime import bench_guiding_realtime
from .kinematics import bench_kinematics
from .lateness import bench_lateness
from .loop import bench_loop
from .reaction import bench_reaction
from .realtime import bench_realtime
from .result import BenchResult, Limit
from .view import bench_view

BENCHES = {
    'loop': bench_loop,
    'graph': bench_graph,
    'realtime': bench_realtime,
    'lateness': bench_lateness,
    'guiding_realtime': bench_guiding_realtime,
    'collision': bench_collision,
    'reaction': bench_reaction,
    'guiding': bench_guiding,
    'controllers': bench_controllers,
    'kinematics': bench_kinematics,
    'bimanual': bench_bimanual,
    'view': bench_view,
}
UNITS = {
    **{unit: unit for unit in ('s', 'ms', 'us', 'm', 'mm', 'um', 'rad', 'mrad', 'deg', 'kg')},
    'n': 'N',
    'nm': 'N m',
    'ns': 'N s',
    'j': 'J',
    'hz': 'Hz',
    'percent': '%',
}
"""Last part of a name -> the unit that it stands for."""
PADDING = 3
"""Characters between two columns of a table: a line, and room on either side."""


def bench(
    name: str,
    quick: bool = False,
    json_file: Path | None = None,
    recorded: Sequence[Path] = (),
    conditions: tuple[str, str] | None = None,
) -> int:
    """Run a benchmark and print its table; the status is 1 if a figure is beyond its limit.

    Such figures are marked. The file has them all.

    :param name: one of ``BENCHES``.
    :param quick: fewer and shorter rounds.
    :param json_file: where to write the figures.
    :param recorded: traces that ``lateness`` replays, too.
    :param conditions: ``collision`` of robots that change: which robot and which condition only,
        empty for all.
    """
    if name not in BENCHES:
        raise UnknownNameError('benchmark', name, BENCHES)
    if recorded and name != 'lateness':
        raise ConfigError(f'bench {name}: only lateness replays a trace')
    if conditions is not None and name != 'collision':
        raise ConfigError(f'bench {name}: only collision has conditions')
    run = partial(bench_lateness, recorded=recorded) if recorded else BENCHES[name]
    if conditions is not None:
        run = partial(bench_conditions, robot=conditions[0], only=conditions[1])
    if json_file:
        make_folder(json_file.parent)
        if json_file.is_dir():
            raise ConfigError(f'{json_file}: is a folder; name a file')
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(name, total=1.0)
        result = run(
            quick,
            lambda what, share: bar.update(task, description=f'{name}: {what}', completed=share),
        )
    _print(name, result, Console(markup=False))
    if json_file:
        content = {
            'bench': name,
            'quick': quick,
            'figures': result.figures,
            'rows': result.rows,
        }
        write_text(json_file, json.dumps(content, indent=2) + '\n')
    for picture in _draw(result, json_file.parent if json_file else Path('runs')):
        print(picture)
    met = [result.limits.get(name, Limit()).met(v) for name, v in result.figures.items()]
    return 0 if all(met) else 1


def _draw(result: BenchResult, folder: Path) -> list[Path]:
    """Draw the pictures of a benchmark that has any."""
    if result.pictures:
        make_folder(folder)
    paths = []
    for name, draw in result.pictures.items():
        paths.append(folder / f'{name}.png')
        draw(paths[-1])
    return paths


def _print(name: str, result: BenchResult, console: Console) -> None:
    named = dict.fromkeys(column for row in result.rows for column in row)
    columns = [column for column in named if column not in result.details]
    rows = Table(title=f'bench {name}', title_justify='left')
    needed = 1
    for column in columns:
        words = heading(column).split() + [_cell(row.get(column)) for row in result.rows]
        width = max(map(len, words))
        rows.add_column(heading(column), width=width)
        needed += width + PADDING
    for row in result.rows:
        rows.add_row(*(_cell(row.get(column)) for column in columns))
    figures = Table('figure', 'value', 'limit')
    for figure, value in result.figures.items():
        limit = result.limits.get(figure, Limit())
        missed = '' if limit.met(value) else '  missed'
        figures.add_row(heading(figure), _figure(value), f'{limit}{missed}')
    # A table that is cut off is of no use: better lines that are too long for the screen.
    console.width = max(console.width, needed)
    console.print(rows)
    console.print(figures)


def heading(name: str) -> str:
    """Return a name as people write it: ``ripple [N m]`` for ``ripple_nm``, ``steps per s``."""
    stem, _, last = name.rpartition('_')
    unit = UNITS.get(last, '') if stem else ''
    if not unit:
        return name.replace('_', ' ')
    words = stem.replace('_', ' ')
    return f'{words} {unit}' if words.endswith(' per') else f'{words} [{unit}]'


def _figure(value: float) -> str:
    """Return a figure with three decimals, or two digits if it is too small for them."""
    return f'{value:.3f}' if value == 0.0 or abs(value) >= 1e-3 else f'{value:.1e}'


def _cell(value: str | float | None) -> str:
    if value is None:
        return ''
    if not isinstance(value, float):
        return str(value)
    return f'{value:.2f}' if value == 0.0 or abs(value) >= 5e-3 else f'{value:.1e}'
