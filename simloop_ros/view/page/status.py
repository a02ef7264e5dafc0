"""How a run goes, in words."""

from __future__ import annotations

import numpy as np

from ..frame import Force, Frame, Progress, ShownAlarm

TRUE = {'mouse': 'you', 'hand': 'hand', 'contact': 'contact', 'push': 'push', 'ball': 'ball'}
NOTHING = '&nbsp;'


def status_text(frame: Frame) -> str:
    """Return the state of a run as Markdown: always as many lines, so that no button moves."""
    lines = (
        f'**{frame.time:.2f} s** · {_pace(frame.progress)}',
        frame.progress.ended or frame.activity or NOTHING,
        _alarm(frame.alarm),
        _forces([force for force in frame.forces if force.kind != 'estimated']),
        _forces([force for force in frame.forces if force.kind == 'estimated'], 'estimated'),
    )
    return '  \n'.join(lines)


def _pace(progress: Progress) -> str:
    if not progress.playing:
        return 'paused'
    late = f' · {100.0 * progress.late_share:.1f} % late' if progress.late_share >= 5e-4 else ''
    return f'{progress.factor:.2f} × real time{late}'


def _alarm(alarm: ShownAlarm | None) -> str:
    """Return what the collision monitor says."""
    if alarm is None:
        return NOTHING
    if alarm.kind == 'none':
        return f'no contact · residual {100.0 * max(0.0, alarm.margin):.0f} %'
    where = f' on {alarm.link} ({100.0 * alarm.probability:.0f} %)' if alarm.link else ''
    late = '' if alarm.delay is None else f' · after {1e3 * alarm.delay:.0f} ms'
    return f'**{alarm.kind}**{where}{late}'


def _forces(forces: list[Force], word: str = '') -> str:
    """Return forces with their links, the largest first."""
    sizes = sorted(
        ((float(np.linalg.norm(force.vector)), force) for force in forces), key=lambda f: -f[0]
    )
    texts = [
        f'{word or TRUE[force.kind]} {size:.1f} N' + (f' on {force.link}' if force.link else '')
        for size, force in sizes[:1]
    ]
    more = f' · {len(sizes) - 1} more' if len(sizes) > 1 else ''
    return (texts[0] + more) if texts else NOTHING
