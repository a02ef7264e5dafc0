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
from ..record.wording import effort_unit, moment
from .figures import Mark, draw_figures, possible_graphs
from .hand_curves import HAND_DRAWINGS, hand_curves
from .monitor_figures import draw_residual, monitor_curves
from .series import series_of
from .tip_figures import TIP_GRAPHS, tip_curves
from .units import period_text, run_title

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
LOCKED_MASS = 1e5
"""Effective mass from which a tip is locked in that direction [kg]: the robot is stretched."""
MOST_EVENTS = 12
"""Number of events that are printed."""
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
        takes_positions = summary['settings']['plant']['takes'] == 'position'
    except OSError as error:
        raise ConfigError(f'{folder}: not the folder of a run: no summary.json') from error
    except (ValueError, KeyError, TypeError) as error:
        raise ConfigError(f'{folder}/summary.json: not the summary of a run') from error
    log = McapReader(folder / 'log.mcap')
    if not log.rows:
        return
    series = series_of(log, log.period, log.joint_names, units, takes_positions=takes_positions)
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
    """Print the verdict, the main figures of a run with their units, and its events."""

    def say(line: str) -> None:
        console.print(line, highlight=False, soft_wrap=True, markup=False)

    say(
        f'{summary["scenario"]}: {summary["robot"]}, plant {summary["plant"]}, '
        f'{period_text(summary["period"])}, {summary["duration"]:g} s'
    )
    for line in summary['verdict']:
        say(line)
    table = Table(show_header=False)
    for name, value, unit in _rows(summary):
        table.add_row(name, value if isinstance(value, str) else f'{value:.4g}', unit)
    console.print(table)
    events = summary['events']
    for event in events[:MOST_EVENTS]:
        say(f'{moment(event["time"], summary["period"]):>9}  {event_words(event)}')
    if len(events) > MOST_EVENTS:
        say(f'{"":>9}  {len(events) - MOST_EVENTS} more events in summary.json')
    say(f'digest   {summary["digest"]}')


def event_words(event: dict[str, Any]) -> str:
    """Return an event in words, without its time."""
    link = event.get('link')
    match event['kind']:
        case 'contact':
            return f'{link} touches {event["obstacle"]}, {event["force"]:.3g} N'
        case 'contact_end':
            return f'{link} leaves {event["obstacle"]}'
        case 'collision':
            return f'the monitor reports a collision: {event["nature"]}'
        case 'collision_located':
            return f'located on {link}'
        case 'collision_end':
            return 'the monitor reports the end of the collision'
        case 'push_start' | 'push_end':
            return f'push on {link} {"begins" if event["kind"] == "push_start" else "ends"}'
        case 'hand_start' | 'hand_end':
            return f'a hand {"takes" if event["kind"] == "hand_start" else "leaves"} {link}'
        case 'effort_limit':
            return 'first step at an effort limit'
        case 'task':
            return str(event['doing'])
        case 'stop' | 'divergence':
            return str(event['message'])
    return str(event['kind']).replace('_', ' ')


def _rows(summary: dict[str, Any]) -> Iterator[tuple[str, float | str, str]]:
    """Yield name, value and unit of each row that the run has."""
    units = sorted(set(summary['joint_units']))
    force = effort_unit(units)
    surrogate = summary['settings']['plant']['takes'] == 'position'
    path = ' or '.join(units)
    known = {
        **({'true_path_error_rms': path, 'true_path_error_max': path} if surrogate else {}),
        'path_error_rms': path,
        'path_error_max': path,
        'force_difference_rms': force,
        'force_difference_max': force,
        'velocity_difference_rms': ' or '.join(f'{unit}/s' for unit in units),
        **({'tip_error_rms': 'm', 'tip_error_max': 'm'} if 'corners' in summary else {}),
    }
    yield 'status', summary['status'], ''
    for key, unit in known.items():
        name = key.removeprefix('true_').replace('_', ' ')
        if surrogate and not key.startswith('tip'):
            name += ' of the robot' if key.startswith('true') else ' of its surrogate'
        yield name, summary[key], unit
    for tip, error in summary['tip_error_end'].items():
        yield f'{tip} from its goal', error, 'm'
    whose = ' of its surrogate' if surrogate else ''
    yield f'largest effort{whose}', 100.0 * summary['effort_share_max'], '% of its limit'
    yield 'steps at an effort limit', float(summary['effort_limited_steps']), ''
    if 'contact_force_max' in summary:
        yield 'contact force max', summary['contact_force_max'], 'N'
        yield 'contact force at the end', summary['contact_force_end'], 'N'
    if 'guiding_energy' in summary:
        yield 'energy from the operator', summary['guiding_energy'], 'J'
        yield 'external torque error rms', summary['external_torque_error_rms'], force
        for tip, mass in summary['effective_mass'].items():
            yield f'effective mass of {tip}', *_masses(list(mass.values()))
    if 'internal_force_peak' in summary:
        for key, unit in HANDS_ROWS.items():
            if summary.get(key) is not None:
                yield key.replace('_', ' '), summary[key], unit
    factor = summary['real_time_factor']
    if factor > 0.0:
        yield 'time per step', 1e6 * summary['period'] / factor, 'us'
    yield 'real-time factor', factor, ''


def _masses(values: list[float | None]) -> tuple[str, str]:
    """Return effective masses [kg] as text and unit; ``None`` stands for an infinite one."""
    known = [value for value in values if value is not None and value <= LOCKED_MASS]
    if len(known) == len(values):
        return ' to '.join(f'{value:.4g}' for value in known), 'kg'
    locked = 'locked in this direction'
    words = [f'{value:.4g} kg' if value in known else locked for value in values]
    return ' to '.join(dict.fromkeys(words)), ''
