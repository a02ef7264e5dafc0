"""The table of a run: verdict, main figures, events."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from ..record.events import halt_reason, is_disturbed
from ..record.folder import HANDS_LOG
from ..record.wording import effort_unit, moment
from .units import period_text

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
LOCKED = 'locked in this direction'
LOCKED_NOTE = f'{LOCKED}: at that posture, as of a stretched arm, no joint moves its tip that way'
MOST_EVENTS = 12
"""Number of events that are printed."""
MAIN_EVENTS = ('contact', 'collision', 'push_start', 'hand_start', 'stop', 'divergence')
"""Kinds of events that are printed before any other."""


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
    if any(str(cell).startswith(LOCKED) for cell in table.columns[1].cells):
        say(LOCKED_NOTE)
    events = summary['events']
    for event in main_events(events):
        say(f'{moment(event["time"], summary["period"]):>9}  {event_words(event)}')
    if len(events) > MOST_EVENTS:
        say(f'{"":>9}  {len(events) - MOST_EVENTS} more events in summary.json')
    say(f'digest   {summary["digest"]}')


def main_events(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the events that are printed, in their order: if there are too many, the main ones."""

    def is_lesser(k: int) -> bool:
        return events[k]['kind'] not in MAIN_EVENTS and halt_reason(events[k]) is None

    ranked = sorted(range(len(events)), key=is_lesser)
    return [events[k] for k in sorted(ranked[:MOST_EVENTS])]


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
        axis = _axis(summary['settings']['admittance']['mass_direction'])
        for tip, mass in summary['effective_mass'].items():
            yield f'effective mass of {tip} along {axis}', *_masses(list(mass.values()))
    if 'internal_force_peak' in summary:
        begin, settling = summary['touched'] or 0.0, summary.get('internal_force_settling') or 0.0
        again = is_disturbed(summary['events'], begin, begin + settling)
        for key, unit in HANDS_ROWS.items():
            if summary.get(key) is not None and not (again and key.endswith('settling')):
                yield key.replace('_', ' '), summary[key], unit
    factor = summary['real_time_factor']
    if factor > 0.0:
        yield 'time per step', 1e6 * summary['period'] / factor, 'us'
    yield 'real-time factor', factor, ''


def _axis(direction: list[float]) -> str:
    """Return a direction in words: the name of an axis, or its three numbers."""
    along = [name for name, part in zip('xyz', direction, strict=True) if part]
    return along[0] if len(along) == 1 else f'({", ".join(f"{x:g}" for x in direction)})'


def _masses(values: list[float | None]) -> tuple[str, str]:
    """Return effective masses [kg] as text and unit; ``None`` stands for an infinite one."""
    known = [value for value in values if value is not None and value <= LOCKED_MASS]
    if len(known) == len(values):
        return ' to '.join(f'{value:.4g}' for value in known), 'kg'
    words = [f'{value:.4g} kg' if value in known else LOCKED for value in values]
    return ' to '.join(dict.fromkeys(words)), ''
