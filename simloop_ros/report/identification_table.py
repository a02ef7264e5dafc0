"""The table of an identification, and what is to be said about it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.table import Table

MOST_NAMES = 6
"""Number of parameters that a line names."""
LARGE_CONDITION = 1e3
"""Condition number beyond which a motion is a poor one for an identification."""

WELL_KNOWN = 0.1
"""Largest standard error of a payload, as a part of its mass, that is called well known."""


def identification_table(summary: dict[str, Any]) -> Table:
    """Return rms torque errors of each joint: by the description, and identified."""
    judged = summary['held_out_rms'] is not None
    where = 'held out' if judged else 'fitted, nothing is held out'
    table = Table(
        'joint',
        'by the URDF',
        'identified',
        *(('zero-phase',) if judged else ()),
        'friction',
        title=f'{summary["robot"]}: rms of the torque that is not explained ({where})',
        title_justify='left',
        caption=f'causal filters, {summary["cutoff"]:g} Hz; zero-phase: fit and judgement with '
        'filters that look ahead, to compare'
        if judged
        else None,
    )
    after = summary['held_out_rms'] if judged else summary['fitted_rms']
    friction = summary.get('friction') or [[]] * len(after)
    for i, name in enumerate(summary['joints']):
        unit = summary['units'][i]
        values = [summary['urdf_rms'][i], after[i]]
        if judged:
            values.append(summary['zero_phase_rms'][i])
        table.add_row(name, *(f'{value:.3g} {unit}' for value in values), ', '.join(friction[i]))
    return table


def identification_lines(summary: dict[str, Any]) -> list[str]:
    """Return what is to be said below the table."""
    lines = []
    payload = summary.get('payload')
    if payload:
        x, y, z = payload['center']
        error = max(payload['center_error'])
        lines += [
            f'payload  {payload["mass"]:.4g} kg (standard error {payload["mass_error"]:.2g}), '
            f'centre in {payload["link"]}: ({x:.4f}, {y:.4f}, {z:.4f}) m (at most {error:.2g})',
            _about_the_robot(payload),
        ]
        if payload['mass_error'] > WELL_KNOWN * payload['mass']:
            lines.append('payload  its mass is not told well by this: see the standard error')
    drives = summary.get('drive_gains')
    if drives:
        pairs = zip(summary['joints'], drives['gains'], drives['told'], strict=True)
        words = (
            f'{name} {gain:.4g}' if told else f'{name} not told' for name, gain, told in pairs
        )
        lines.append(f'drives   factor by the masses of the description: {", ".join(words)}')
    if 'parameters' not in summary:
        return lines
    lines.append(
        f'motion   condition number {summary["condition"]:.3g} of {len(summary["parameters"])} '
        'parameters'
        + (': poor; see simloop excite' if summary['condition'] > LARGE_CONDITION else '')
    )
    for key, heading in (
        ('not_told_by_this_log', 'not told by this log, as in the URDF'),
        ('not_told_by_any_motion', 'not told by any motion of these joints, as in the URDF'),
    ):
        if summary[key]:
            lines.append(f'{heading}: {_listed(summary[key])}')
    return lines


def _about_the_robot(payload: dict[str, Any]) -> str:
    """Return what the payload was told apart from."""
    if payload['robot_spread'] is None:
        return 'payload  the robot itself is that of the logs without payload'
    return (
        f'payload  no log without payload was given: the robot itself is as described within '
        f'{100.0 * payload["robot_spread"]:g} %, and what is wrong about its last link is taken '
        'for payload; a log of the same robot without it is better: --unloaded LOG'
    )


def _listed(names: Sequence[str]) -> str:
    shown = '; '.join(names[:MOST_NAMES])
    more = len(names) - MOST_NAMES
    return f'{shown}; and {more} more in summary.json' if more > 0 else shown
