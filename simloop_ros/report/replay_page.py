"""The page of a replay: one HTML file with tables and figures beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

STYLE = (
    'body{font:15px/1.5 sans-serif;max-width:62em;margin:2em auto;padding:0 1em;color:#222}'
    'table{border-collapse:collapse;margin:1em 0}td,th{border:1px solid #ccc;padding:.2em .7em;'
    'text-align:right}td:first-child,th:first-child{text-align:left}img{max-width:100%}'
    '.injected{border-left:4px solid #B81D13;padding-left:1em}.note{color:#B81D13}'
)
Rows = Sequence[Sequence[str]]
FIT_HEAD = ('joint', 'torque rms', 'error rms of the URDF', 'error rms', 'explained')
TRIALS_HEAD = ('link', 'force', 'trials', 'found', 'median delay', '95 % delay', 'monitor')

DESCRIPTION = 'the robot description as it is'
CONTACTS_HEAD = ('link', 'at', 'force', 'delay', 'monitor')


def fit_rows(summary: dict[str, Any]) -> list[tuple[str, ...]]:
    """Return the rows of the table of torques, as texts [N m]."""
    pairs = zip(summary['explained'], summary['explained_by_urdf'], strict=True)
    return [
        (
            own['joint'],
            f'{own["rms"]:.3g}',
            f'{urdf["error_rms"]:.3g}',
            f'{own["error_rms"]:.3g}',
            f'{100.0 * own["explained"]:.1f} %',
        )
        for own, urdf in pairs
    ]


def trial_rows(summary: dict[str, Any]) -> list[tuple[str, ...]]:
    """Return the rows of the table of injected contacts, as texts."""
    return [
        (
            row['link'],
            f'{row["force"]:g} N',
            str(row['trials']),
            _share(row['share']),
            _delay(row['median_delay']),
            _delay(row['p95_delay']),
            row['monitor'],
        )
        for row in summary.get('injected', {}).get('sensitivity', ())
    ]


def contact_rows(summary: dict[str, Any]) -> list[tuple[str, ...]]:
    """Return the rows of the table of contacts injected at given times, as texts."""
    return [
        (
            row['link'],
            f'{row["time"]:.4g} s',
            f'{row["force"]:.3g} N',
            'missed' if row['delay'] is None else _delay(row['delay']),
            row['monitor'],
        )
        for row in summary.get('injected', {}).get('contacts', ())
    ]


def replay_page(summary: dict[str, Any], figures: Sequence[str]) -> str:
    """Return the page.

    :param figures: names of the picture files beside it.
    """
    return '\n'.join(
        (
            '<!doctype html><html lang="en"><head><meta charset="utf-8">',
            f'<title>{escape(summary["log"])}</title><style>{STYLE}</style></head><body>',
            *_head(summary),
            *_torques(summary, figures),
            *_monitors(summary, figures),
            *_injected(summary, figures),
            '</body></html>\n',
        )
    )


def _head(summary: dict[str, Any]) -> Iterator[str]:
    yield f'<h1>{escape(summary["log"])}</h1>'
    begin, end = summary['calibrated_on']
    model = summary['identified']
    lines = [
        f'robot {summary["robot"]}: {len(summary["joints"])} joints, '
        f'{summary["rows"]} samples, {summary["duration"]:.4g} s in {summary["segments"]} part(s) '
        f'without gaps, resampled to {1.0 / summary["period"]:.5g} Hz',
        f'torques: {summary["signal"]}; model: '
        + (f'identified{_part(summary["identified_on"])}, {model}' if model else DESCRIPTION),
        f'thresholds come from {100 * begin:g} to {100 * end:g} % of the log, for '
        f'{summary["false_alarms_per_hour_wanted"]:g} false alarms per hour; all results below '
        'are of what is left',
        summary['real'],
    ]
    yield from (f'<p>{escape(line)}</p>' for line in lines)
    yield from (f'<p class="note">{escape(note)}</p>' for note in summary['notes'])


def _part(span: Sequence[float] | None) -> str:
    return '' if span is None else f' from {100 * span[0]:g} to {100 * span[1]:g} % of the log'


def _torques(summary: dict[str, Any], figures: Sequence[str]) -> Iterator[str]:
    yield '<h2>Twin against robot</h2>'
    yield '<p>Torques [N m], low-pass filtered; causal filters only.</p>'
    yield table_html(FIT_HEAD, fit_rows(summary))
    yield from _images(figures, ('torques.png', 'torque_errors.png'))


def _monitors(summary: dict[str, Any], figures: Sequence[str]) -> Iterator[str]:
    yield '<h2>Monitors on the log as it is</h2>'
    for kind, found in summary['monitors'].items():
        yield f'<h3>{escape(kind)}</h3><p>{escape(found["verdict"])}</p>'
        rows = [
            (f'{a["start"]:.3f} s', f'{a["end"]:.3f} s', f'{a["share"]:.2f}', a['joint'])
            for a in found['alarms']
        ]
        if rows:
            yield table_html(('alarm from', 'to', 'largest residual / threshold', 'joint'), rows)
        yield from _images(figures, (f'{kind}.png',))


def _injected(summary: dict[str, Any], figures: Sequence[str]) -> Iterator[str]:
    if 'injected' not in summary:
        return
    yield '<div class="injected"><h2>INJECTED contacts</h2>'
    yield f'<p>{escape(summary["injected"]["meaning"])}</p>'
    trials, contacts = trial_rows(summary), contact_rows(summary)
    if trials:
        yield '<h3>INJECTED at random times</h3>' + table_html(TRIALS_HEAD, trials)
    if contacts:
        yield '<h3>INJECTED at given times</h3>' + table_html(CONTACTS_HEAD, contacts)
    yield from _images(figures, [name for name in figures if name.endswith('_injected.png')])
    yield '</div>'


def _images(figures: Sequence[str], wanted: Sequence[str]) -> Iterator[str]:
    for name in wanted:
        if name in figures:
            yield f'<p><img src="{escape(name)}" alt="{escape(name)}"></p>'


def table_html(head: Sequence[str], rows: Rows) -> str:
    """Return a table."""
    lines = [''.join(f'<th>{escape(cell)}</th>' for cell in head)]
    lines += [''.join(f'<td>{escape(cell)}</td>' for cell in row) for row in rows]
    return '<table>' + ''.join(f'<tr>{line}</tr>' for line in lines) + '</table>'


def _share(value: float | None) -> str:
    return '-' if value is None else f'{100.0 * value:.0f} %'


def _delay(value: float | None) -> str:
    return '-' if value is None else f'{1e3 * value:.3g} ms'
