"""``simloop identify``: what a robot is, from logs of its motion."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace
import json
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from rich.console import Console
import yaml

from ..collision.explanation import Explanation, nothing_learnt
from ..core.errors import ConfigError, LogError
from ..identification.drive_gains import estimate_gains
from ..identification.identified_robot import identified_config, identified_urdf
from ..identification.identify import Identification, Step, identify
from ..identification.low_pass import FilterForm
from ..identification.motion import Stretch, usable_cutoff
from ..identification.payload import PayloadEstimate, identify_payload
from ..identification.validation import Comparison, compare
from ..logs.mapping import LogMapping, load_log_mapping
from ..logs.plausibility import check_recording
from ..logs.recording import RobotRecording
from ..logs.robots import read_with_config
from ..logs.segments import uniform_segments
from ..record.folder import make_folder, write_text
from ..report.identification_figures import AFTER, BEFORE, draw_identification, save_figure
from ..report.identification_table import identification_lines, identification_table
from ..report.progress import progress_bar
from ..robot.config import RobotConfig
from ..robot.model import RobotModel

STEPS = 8
"""Number of steps of the two identifications."""


@dataclass(frozen=True)
class Logs:
    """What is identified from.

    :ivar config: of the robot, with the joints locked that the log does not tell about.
    :ivar fitted: parts that are fitted.
    :ivar judged: the others; empty if there are none.
    :ivar first: all of the first log, for the figures.
    :ivar until: time of the first log up to which it is fitted [s].
    :ivar notes: what is to be said about the logs.
    """

    model: RobotModel
    config: RobotConfig
    fitted: tuple[Stretch, ...]
    judged: tuple[Stretch, ...]
    first: tuple[Stretch, ...]
    until: float
    notes: tuple[str, ...]


def call(options: argparse.Namespace) -> int:
    """Identify a robot, write its files and print how well they explain the log."""
    share = fit_share(options.fit_on)
    if not 0.0 < options.cutoff < np.inf:
        raise ConfigError(f'--cutoff: {options.cutoff:g} is not a positive number')
    if options.unloaded and not options.payload_on:
        raise ConfigError('--unloaded: say with --payload-on LINK what carries the payload')
    mapping = None if options.map is None else load_log_mapping(options.map)
    logs = read_logs(options.logs, options.robot, mapping, share, options.signal)
    alone: tuple[Stretch, ...] = ()
    if options.unloaded:
        empty = read_logs(options.unloaded, options.robot, mapping, (0.0, 1.0), options.signal)
        if empty.model.joint_names != logs.model.joint_names:
            raise LogError('--unloaded: its joints are not those of the log with the payload')
        alone = empty.fitted
    make_folder(options.out)
    gains = None
    if options.drive_gains:
        gains = estimate_gains(logs.model, alone or logs.fitted, options.cutoff)
        logs = replace(logs, fitted=gains.applied(logs.fitted), judged=gains.applied(logs.judged))
        alone = gains.applied(alone)
    console = Console(markup=False, highlight=False, soft_wrap=True)
    with progress_bar(Console(stderr=True)) as bar:
        task = bar.add_task('identifying', total=STEPS, factor='')
        summary, explanation, comparison = _identify(
            options, logs, alone, lambda what: bar.update(task, advance=1.0, factor=what)
        )
    if gains is not None:
        summary['drive_gains'] = {
            'gains': gains.gains.tolist(),
            'relative_errors': [x if np.isfinite(x) else None for x in gains.errors.tolist()],
            'told': gains.told.tolist(),
        }
    summary['logs'] = [str(path) for path in options.logs]
    if options.unloaded:
        summary['unloaded_logs'] = [str(path) for path in options.unloaded]
    summary['robot'], summary['fit_on'] = logs.model.name, options.fit_on
    _write(options.out, logs.model, logs.config, explanation, summary)
    _draw(options.out, logs, comparison)
    if options.json is not None:
        write_text(options.json, json.dumps(main_figures(summary), indent=2) + '\n')
    for note in logs.notes:
        console.print(f'note: {note}')
    console.print(identification_table(summary))
    for line in identification_lines(summary):
        console.print(line)
    console.print(f'results  {options.out}')
    return 0


def fit_share(text: str) -> tuple[float, float]:
    """Return begin and end of the part that is fitted, as shares of a log.

    :raises ConfigError: they are not.
    """
    try:
        begin, end = (float(part) for part in text.split(':'))
    except ValueError as error:
        raise ConfigError(
            f'--fit-on {text}: two shares are needed, for instance 0:0.5 for the first half'
        ) from error
    if not 0.0 <= begin < end <= 1.0:
        raise ConfigError(f'--fit-on {text}: shares from 0 to 1 are needed, the smaller one first')
    return begin, end


def read_logs(
    paths: Sequence[Path],
    robot: str,
    mapping: LogMapping | None,
    share: tuple[float, float],
    signal: str | None,
) -> Logs:
    """Read logs of one robot, and split each of them.

    :param signal: ``measured`` or ``command``; what the log has where none is given.
    :raises LogError: a log cannot be read, is not of this robot, or has no torques.
    """
    model = config = None
    fitted: list[Stretch] = []
    judged: list[Stretch] = []
    notes: list[str] = []
    shown: tuple[Stretch, ...] = ()
    until = 0.0
    for path in paths:
        recording, found, own = read_with_config(path, robot, mapping)
        if model is not None and found.joint_names != model.joint_names:
            raise LogError(
                f'{path}: other joints than those of {paths[0]}: {", ".join(found.joint_names)}; '
                'identify them one by one'
            )
        model, config = model or found, config or own
        notes += [*recording.notes, *check_recording(recording, model)]
        first, last = (edge * recording.duration for edge in share)
        until = until or last
        whole = stretches_of(recording, signal)
        shown = shown or tuple(whole)
        for stretch in whole:
            fitted.append(stretch.between(first, last))
            judged += [stretch.between(-1.0, first), stretch.between(last, np.inf)]
    assert model is not None
    assert config is not None
    return Logs(
        model, config, tuple(fitted), tuple(judged), shown, until, tuple(dict.fromkeys(notes))
    )


def stretches_of(recording: RobotRecording, signal: str | None) -> list[Stretch]:
    """Return the parts of a recording between its gaps, with their torques.

    A torque that was sent acts in the period before its row, so it belongs to the row before.

    :raises LogError: there are no torques.
    """
    found = []
    for segment in uniform_segments(recording):
        part = segment.recording
        measured = part.effort if signal != 'command' else None
        command = part.command if signal != 'measured' else None
        if measured is not None:
            found.append(Stretch(segment.start, segment.period, part.position, measured))
        elif command is not None:
            found.append(Stretch(segment.start, segment.period, part.position[:-1], command[1:]))
        else:
            what = 'torques' if signal is None else f'{signal} torques'
            raise LogError(
                f'{recording.source}: no {what} in the log: nothing can be identified; record '
                'effort in joint_states, or name its columns in a mapping (--map)'
            )
    return found


def _identify(
    options: argparse.Namespace, logs: Logs, alone: Sequence[Stretch], step: Step
) -> tuple[dict[str, Any], Explanation, Comparison]:
    """Return the summary, the robot and the comparison of the whole log.

    :param alone: logs without the payload.
    """
    model, cutoff = logs.model, options.cutoff
    before = nothing_learnt(model)
    found: dict[FilterForm, Identification | PayloadEstimate] = {}
    rms: dict[FilterForm, Comparison] = {}
    forms: tuple[FilterForm, ...] = ('causal', 'zero_phase')
    held_out = sum(stretch.duration for stretch in logs.judged) > 0.0
    for form in forms:
        if options.payload_on:
            found[form] = identify_payload(
                model, logs.fitted, options.payload_on, cutoff, form, step, alone
            )
        else:
            found[form] = identify(model, logs.fitted, cutoff, form, step)
        both = {BEFORE: before, AFTER: found[form].explanation}
        if held_out:
            rms[form] = compare(model, both, logs.judged, cutoff, form)
    result = found['causal']
    fitted = compare(model, {AFTER: result.explanation}, logs.fitted, cutoff)
    comparison = compare(model, {BEFORE: before, AFTER: result.explanation}, logs.first, cutoff)
    summary: dict[str, Any] = {
        'joints': list(model.joint_names),
        'units': list(model.effort_units),
        'cutoff': usable_cutoff(max(each.period for each in logs.fitted), cutoff),
        'fitted_rms': fitted.rms(AFTER).tolist(),
        'torque_rms': None,
        'urdf_rms': comparison.rms(BEFORE).tolist(),
        'held_out_rms': None,
        'zero_phase_rms': None,
    }
    if held_out:
        causal = rms['causal']
        summary['torque_rms'] = causal.measured_rms.tolist()
        summary['urdf_rms'] = causal.rms(BEFORE).tolist()
        summary['held_out_rms'] = causal.rms(AFTER).tolist()
        even = rms['zero_phase']
        summary['zero_phase_rms'] = even.rms(AFTER).tolist()
        # Filters that look ahead end before the log does.
        same = causal.at(even.time).rms(AFTER)
        summary['causal_over_zero_phase'] = (same / even.rms(AFTER)).tolist()
    if isinstance(result, PayloadEstimate):
        summary['payload'] = {
            'link': result.link,
            'mass': result.mass,
            'mass_error': result.mass_error,
            'center': result.centre.tolist(),
            'center_error': result.centre_error.tolist(),
            'robot_spread': result.spread,
        }
    else:
        summary |= _parameters(result)
    return summary, result.explanation, comparison


def _parameters(result: Identification) -> dict[str, Any]:
    """Return the parameters of an identification, each with its standard error."""
    base = result.base
    order = np.argsort(base.base, kind='stable')
    return {
        'condition': result.condition,
        'noise': result.noise.tolist(),
        'friction': [[term.kind for term in own] for own in result.terms],
        'parameters': [
            {
                'name': base.description(k),
                'value': float(result.values[k]),
                'least_squares': float(result.free[k]),
                'standard_error': float(result.errors[k]),
            }
            for k in order.tolist()
        ],
        'not_told_by_this_log': list(result.untold),
        'not_told_by_any_motion': list(base.without_effect),
    }


def main_figures(summary: dict[str, Any]) -> dict[str, Any]:
    """Return what ``--json`` writes."""
    keys = (
        'robot',
        'logs',
        'unloaded_logs',
        'fit_on',
        'joints',
        'units',
        'cutoff',
        'torque_rms',
        'urdf_rms',
        'fitted_rms',
        'held_out_rms',
        'zero_phase_rms',
        'causal_over_zero_phase',
        'payload',
    )
    return {key: summary[key] for key in keys if key in summary}


def _write(
    folder: Path,
    model: RobotModel,
    config: RobotConfig,
    explanation: Explanation,
    summary: dict[str, Any],
) -> None:
    """Write the identified robot and the summary."""
    urdf = folder / 'identified.urdf'
    write_text(urdf, identified_urdf(model, config, explanation))
    robot = identified_config(model, config, explanation, urdf.name)
    named = {'joint_names': model.joint_names, 'explanation': explanation}
    for name, value in (('robot.yaml', robot), ('identified.yaml', named)):
        raw = msgspec.to_builtins(value)
        write_text(folder / name, yaml.safe_dump(raw, sort_keys=False, default_flow_style=None))
    write_text(folder / 'summary.json', json.dumps(summary, indent=2) + '\n')


def _draw(folder: Path, logs: Logs, comparison: Comparison) -> None:
    model = logs.model
    title = f'{model.name}: {len(comparison.time)} rows after causal filters'
    pairs = zip(model.joint_names, model.effort_units, strict=True)
    for joint, (name, unit) in enumerate(pairs):
        figure = draw_identification(comparison, joint, name, unit, logs.until, title)
        save_figure(figure, folder / f'{name.replace("/", "_")}.png')
