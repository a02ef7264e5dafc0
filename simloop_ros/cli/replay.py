"""``simloop replay``: a log of a robot through the blocks that run live."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import msgspec
from rich.console import Console
from rich.table import Table

from ..core.errors import ConfigError
from ..logs.mapping import load_log_mapping
from ..logs.robots import read_with_robot
from ..record.folder import make_folder, write_text
from ..record.wording import effort_unit
from ..replay.identified import fitted_span, load_identified
from ..replay.injection import load_injection
from ..replay.monitoring import Span
from ..replay.replay import KINDS, Replay, ReplaySettings, replay
from ..replay.summary import replay_summary
from ..report.progress import progress_bar
from ..report.replay_page import (
    CONTACTS_HEAD,
    FIT_HEAD,
    TRIALS_HEAD,
    contact_rows,
    fit_rows,
    replay_page,
    trial_rows,
)
from ..robot.model import RobotModel


def call(options: argparse.Namespace) -> int:
    """Replay a log, write its results and print them."""
    settings = _settings(options)
    mapping = None if options.map is None else load_log_mapping(options.map)
    recording, model = read_with_robot(options.log, options.robot, mapping)
    identified = None
    if options.identified is not None:
        identified = load_identified(options.identified, model)
        fitted = fitted_span(options.identified, options.log)
        settings = msgspec.structs.replace(settings, fitted=fitted)
    injection = None
    if options.inject is not None:
        injection = load_injection(options.inject, model, recording.duration)
    folder = options.out or Path('runs') / 'replay'
    make_folder(folder)
    with progress_bar(Console(stderr=True)) as bar:
        task = bar.add_task(f'replay of {options.log.name}', total=1.0, factor='')

        def tell(what: str, share: float) -> None:
            bar.update(task, completed=share, factor=what)

        found = replay(recording, model, settings, identified, injection, tell)
    summary = replay_summary(found, options.robot, str(options.identified or ''), injection)
    figures = [] if options.no_figures else _draw(found, summary, folder, model)
    text = json.dumps(summary, indent=1) + '\n'
    write_text(folder / 'summary.json', text)
    write_text(folder / 'report.html', replay_page(summary, figures))
    if options.json is not None:
        make_folder(options.json.parent)
        write_text(options.json, text)
    _print(summary, found, folder)
    return 0


def _settings(options: argparse.Namespace) -> ReplaySettings:
    rate = options.false_alarms_per_hour
    if not 0.0 < rate < float('inf'):
        raise ConfigError(f'--false-alarms-per-hour: {rate:g} is not a positive number')
    return ReplaySettings(
        signal=options.signal,
        kinds=tuple(dict.fromkeys(options.monitor)) or KINDS,
        calibrate_on=read_span(options.calibrate_on, '--calibrate-on'),
        alarms_per_hour=rate,
    )


def read_span(text: str, option: str) -> Span:
    """Return a part of a log, given as shares ``A:B``.

    :raises ConfigError: it is none, or nothing is left beside it.
    """
    try:
        begin, end = (float(part) for part in text.split(':'))
    except ValueError as error:
        raise ConfigError(
            f'{option}: {text!r} is not of the form A:B, for instance 0:0.5, the first half'
        ) from error
    if not 0.0 <= begin < end <= 1.0 or end - begin >= 1.0:
        raise ConfigError(
            f'{option}: {text}: two shares of the log are needed, growing, between 0 and 1, and '
            'not all of it'
        )
    return Span(begin, end)


def _draw(found: Replay, summary: dict[str, Any], folder: Path, model: RobotModel) -> list[str]:
    """Draw the figures; return the names of their files."""
    from ..report.replay_figures import replay_figures  # with matplotlib

    title = f'{Path(summary["log"]).name}, {summary["robot"]}'
    names = []
    for name, figure in replay_figures(found, title, effort_unit(model.joint_units)):
        names.append(f'{name}.png')
        figure.savefig(folder / names[-1])
    return names


def _print(summary: dict[str, Any], found: Replay, folder: Path) -> None:
    console = Console(markup=False)

    def say(line: str) -> None:
        console.print(line, highlight=False, soft_wrap=True)

    def show(title: str, head: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
        table = Table(*head, title=title, title_justify='left')
        for row in rows:
            table.add_row(*row)
        console.print(table)

    begin, end = summary['calibrated_on']
    say(f'{summary["log"]}: {summary["rows"]} samples, {summary["duration"]:.4g} s')
    say(f'stamps   {found.stamps.line()}')
    for note in summary['notes']:
        say(f'note     {note}')
    model = f'identified ({summary["identified"]})' if summary['identified'] else 'URDF as it is'
    show(f'torque [N m], {summary["signal"]}; model: {model}', FIT_HEAD, fit_rows(summary))
    fit = summary['identified_on']
    fitted = f', model from {100 * fit[0]:g} to {100 * fit[1]:g} %' if fit else ''
    say(f'thresholds from {100 * begin:g} to {100 * end:g} % of the log{fitted}; judged: the rest')
    for kind, run in summary['monitors'].items():
        say(f'{kind}: {run["verdict"]}')
    trials, contacts = trial_rows(summary), contact_rows(summary)
    if trials:
        show('INJECTED contacts, at random times', TRIALS_HEAD, trials)
    if contacts:
        show('INJECTED contacts, at given times', CONTACTS_HEAD, contacts)
    say(f'results  {folder / "report.html"}, {folder / "summary.json"}')
