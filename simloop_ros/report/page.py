"""The table and the figures of a run."""

from __future__ import annotations

from collections.abc import Iterator
import json
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
from rich.console import Console
from rich.table import Table

from ..bimanual.planner import STOPPED
from ..core.errors import ConfigError
from ..record.events import halt_reason
from ..record.folder import HANDS_LOG
from ..record.mcap import McapReader
from .figures import Mark, draw_figures, possible_graphs
from .hand_curves import HAND_DRAWINGS, hand_curves
from .monitor_figures import draw_residual, monitor_curves
from .series import series_of
from .tip_figures import TIP_GRAPHS, tip_curves
from .units import EFFORT_UNITS, period_text, run_title

HANDS_ROWS = {
    'touched': 's',
    'internal_force_peak': 'N',
    'internal_force_settling': 's',
    'internal_force_least': 'N',
    'squeeze_error_max': 'N',
    'object_error_max': 'm',
    'object_turn_error_max': 'rad',
    'dropped': 's',
}
"""Rows of two hands in the table, with units."""
CONSEQUENCES = ('contact_end', 'collision_located', 'collision_end', 'effort_limit')
"""Events that would be printed over those that they follow from."""


def draw_run(folder: Path, every_graph: bool = False) -> list[Path]:
    """Draw the figures of the run in a folder as PNG files there, from its log and summary.

    :param every_graph: all that the log has data for, not only those that the scenario names.
    :raises ConfigError: the folder does not hold a run.
    """
    paths = []
    for graph, figure in run_figures(folder, every_graph):
        paths.append(folder / f'{graph}.png')
        figure.savefig(paths[-1])
    return paths


def run_figures(folder: Path, every_graph: bool = False) -> Iterator[tuple[str, Figure]]:
    """Yield the name of each graph of a run and its figure, see ``draw_run``."""
    try:
        summary = json.loads((folder / 'summary.json').read_text())
        units, graphs = summary['joint_units'], summary['graphs']
        title = run_title(summary['scenario'], summary['period'], summary['mass_bias'])
        marks = _marks(summary['events'])
        marks += [Mark(float(c['time']), str(c['name'])) for c in summary.get('corners', ())]
        tips = [str(tip) for tip in summary['settings']['robot']['tips']]
    except OSError as error:
        raise ConfigError(f'{folder}: not the folder of a run: no summary.json') from error
    except (ValueError, KeyError, TypeError) as error:
        raise ConfigError(f'{folder}/summary.json: not the summary of a run') from error
    log = McapReader(folder / 'log.mcap')
    if not log.rows:
        return
    series = series_of(log, log.period, log.joint_names, units)
    curves = (
        tip_curves(log, tips) if every_graph or not TIP_GRAPHS.keys().isdisjoint(graphs) else ()
    )
    elsewhere = (*HAND_DRAWINGS, 'residual')
    chosen = possible_graphs(series, curves) if every_graph else graphs
    others = [graph for graph in chosen if graph not in elsewhere]
    yield from draw_figures(others, series, title, marks, curves)
    if every_graph or 'residual' in graphs:
        yield from _residual(folder, summary, title, marks)
    wanted = [graph for graph in HAND_DRAWINGS if every_graph or graph in graphs]
    if wanted and 'internal_force_peak' in summary:
        hands = hand_curves(folder, summary)
        for graph in wanted:
            yield graph, HAND_DRAWINGS[graph](hands, title, marks)


def _residual(
    folder: Path, summary: dict[str, Any], title: str, marks: list[Mark]
) -> list[tuple[str, Figure]]:
    """Return the figure of the monitor; none without thresholds, or if they are gone."""
    if not summary['settings']['monitor']['calibration']:
        return []
    try:
        return [('residual', draw_residual(monitor_curves(folder, summary), title, marks))]
    except ConfigError:
        return []


def _marks(events: list[dict[str, Any]]) -> list[Mark]:
    """Return the marks of the figures; with a collision, without its consequences."""
    watched = any(event['kind'] == 'collision' for event in events)
    return [
        Mark(float(event['time']), _label(event))
        for event in events
        if not (watched and event['kind'] in CONSEQUENCES)
    ]


def _label(event: dict[str, Any]) -> str:
    """Return the label of a mark: of a task only its name."""
    if event['kind'] != 'task':
        return str(event['kind']).replace('_', ' ')
    return STOPPED if halt_reason(event) else str(event['doing']).partition('(')[2].rstrip(')')


def print_run(summary: dict[str, Any], folder: Path, figures: list[Path]) -> None:
    """Print the main figures of a run and where its results are."""
    print_table(summary, Console())
    names = ('summary.json', 'log.mcap', HANDS_LOG)
    print(f'results  {", ".join(str(folder / n) for n in names if (folder / n).exists())}')
    if figures:
        print(f'figures  {" ".join(str(path) for path in figures)}')


def print_table(summary: dict[str, Any], console: Console) -> None:
    """Print the main figures of a run with their units."""
    console.print(
        f'{summary["scenario"]}: {summary["robot"]}, plant {summary["plant"]}, '
        f'{period_text(summary["period"])}, {summary["duration"]:g} s',
        highlight=False,
        soft_wrap=True,
    )
    table = Table(show_header=False)
    for name, value, unit in _rows(summary):
        table.add_row(name, value if isinstance(value, str) else f'{value:.4g}', unit)
    console.print(table)
    for event in summary['events']:
        if (why := halt_reason(event)) is not None:
            console.print(f'stopped  at {event["time"]:.4g} s: {why}', soft_wrap=True)
    left = summary.get('tasks_left', ())
    if left:
        more = f' and {len(left) - 1} more' if len(left) > 1 else ''
        line = f'not done {left[0]}{more}; the run ended at {summary["duration"]:.4g} s'
        console.print(line, soft_wrap=True)
    console.print(f'digest   {summary["digest"]}', highlight=False, soft_wrap=True)


def _rows(summary: dict[str, Any]) -> Iterator[tuple[str, float | str, str]]:
    """Yield name, value and unit of each row that the run has."""
    units = sorted(set(summary['joint_units']))
    force = ' or '.join(EFFORT_UNITS[unit] for unit in units)
    known = {
        'path_error_rms': ' or '.join(units),
        'path_error_max': ' or '.join(units),
        'force_difference_rms': force,
        'force_difference_max': force,
        'velocity_difference_rms': ' or '.join(f'{unit}/s' for unit in units),
        **({'tip_error_rms': 'm', 'tip_error_max': 'm'} if 'corners' in summary else {}),
    }
    yield 'status', summary['status'], ''
    for key, unit in known.items():
        yield key.replace('_', ' '), summary[key], unit
    for tip, error in summary['tip_error_end'].items():
        yield f'{tip} from its goal', error, 'm'
    yield 'largest effort', 100.0 * summary['effort_share_max'], '% of its limit'
    yield 'steps at an effort limit', float(summary['effort_limited_steps']), ''
    if 'contact_force_max' in summary:
        yield 'contact force max', summary['contact_force_max'], 'N'
        yield 'contact force at the end', summary['contact_force_end'], 'N'
    if 'guiding_energy' in summary:
        yield 'energy from the operator', summary['guiding_energy'], 'J'
        yield 'external torque error rms', summary['external_torque_error_rms'], force
        for tip, mass in summary['effective_mass'].items():
            yield f'effective mass of {tip}', ' to '.join(map(_number, mass.values())), 'kg'
    if 'internal_force_peak' in summary:
        for key, unit in HANDS_ROWS.items():
            if summary.get(key) is not None:
                yield key.replace('_', ' '), summary[key], unit
    cost = sum(summary['step_cost_us'].values())
    if cost > 0.0:  # the nodes of a graph do not measure it
        yield 'cost per step', cost, 'us'
    yield 'real-time factor', summary['real_time_factor'], ''


def _number(value: float | None) -> str:
    """Return a number as text; the summary has ``None`` for one that is not finite."""
    return 'unknown' if value is None else f'{value:.4g}'
