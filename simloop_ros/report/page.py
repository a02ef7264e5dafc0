"""The figures of a run."""

from __future__ import annotations

from collections.abc import Iterator
import json
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from ..bimanual.planner import STOPPED
from ..core.errors import ConfigError
from ..record.events import halt_reason
from ..record.mcap import McapReader
from .figures import GRAPHS, Mark, draw_figures, possible_graphs
from .hand_curves import HAND_DRAWINGS, hand_curves
from .monitor_figures import draw_residual, monitor_curves
from .series import series_of
from .tip_figures import TIP_GRAPHS, tip_curves
from .units import run_title

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
    if len(log.joint_names) != len(units):
        raise ConfigError(
            f'{folder}: log.mcap is of another run than summary.json: it has '
            f'{len(log.joint_names)} joints, not {len(units)}'
        )
    if not log.rows:
        return
    series = series_of(log, log.period, log.joint_names, units, takes_positions=takes_positions)
    curves = (
        tip_curves(log, tips) if every_graph or not TIP_GRAPHS.keys().isdisjoint(graphs) else ()
    )
    elsewhere = (*HAND_DRAWINGS, 'residual')
    possible = possible_graphs(series, curves)
    chosen = possible if every_graph else graphs
    # What nobody has published is not in the log: the torque of a sensor that is silent.
    logged = [graph for graph in chosen if graph in possible or graph not in GRAPHS]
    others = [graph for graph in logged if graph not in elsewhere]
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
