"""A log of a robot through the blocks that run live."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import msgspec

from ..calibration.config import ALARMS_PER_HOUR
from ..collision.calibration import Calibration
from ..collision.disturbance_observer import DisturbanceObserver
from ..collision.explanation import Explanation, nothing_learnt
from ..collision.momentum_observer import MomentumObserver
from ..core.errors import ConfigError, LogError, UnknownNameError
from ..core.values import Array, Flags
from ..logs.plausibility import check_recording
from ..logs.recording import RobotRecording, Signal
from ..logs.segments import Segment, Stamps, examine_stamps, uniform_segments
from ..robot.model import RobotModel
from .explained import Curves, JointFit, joint_fits, torque_curves
from .injection import InjectionConfig
from .monitoring import REPLAYED, MonitorRun, Span, calibrate_on, run_monitor
from .observing import Seen, seen
from .sensitivity import Found, Sensitivity, adder, found_contacts, random_trials

KINDS = (DisturbanceObserver.kind, MomentumObserver.kind)
"""Monitors of a replay where none are named."""
FIRST_HALF = Span(0.0, 0.5)
"""Part of a log that thresholds come from where none is named."""
Tell = Callable[[str, float], None]
"""Gets what is being done, and the share of it."""


class ReplaySettings(msgspec.Struct, frozen=True, kw_only=True):
    """What is done with a log.

    :ivar signal: which torques; ``None`` for the measured ones, or the commanded ones where there
        are no others.
    :ivar kinds: of monitors.
    :ivar calibrate_on: part of the log that thresholds come from; the rest is judged.
    :ivar fitted: part of the log that the robot was identified from, which is not judged either;
        ``None`` for none.
    :ivar alarms_per_hour: rate that the thresholds are for.
    :ivar period: to resample to [s]; the median of the log's where none is given.
    """

    signal: Signal | None = None
    kinds: tuple[str, ...] = KINDS
    calibrate_on: Span = FIRST_HALF
    fitted: Span | None = None
    alarms_per_hour: float = ALARMS_PER_HOUR
    period: float | None = None

    def used(self, time: Array, duration: float) -> Flags:
        """Return which times [s] of a log something came from: they are not judged."""
        used = self.calibrate_on.holds(time, duration)
        return used if self.fitted is None else used | self.fitted.holds(time, duration)


class Replay(msgspec.Struct, frozen=True, kw_only=True):
    """What came out.

    :ivar fits: of the judged part, by joint.
    :ivar urdf_fits: the same for the robot's description as it is; empty where that is ``fits``.
    :ivar runs: by monitor, without injected contacts.
    :ivar injected_runs: the same with the INJECTED contacts at given times.
    :ivar sensitivity: of the INJECTED contacts at random times.
    :ivar found: of the INJECTED contacts at given times.
    """

    recording: RobotRecording
    stamps: Stamps
    period: float
    segments: int
    signal: Signal
    settings: ReplaySettings
    hints: tuple[str, ...]
    curves: Curves
    fits: tuple[JointFit, ...]
    urdf_fits: tuple[JointFit, ...]
    calibration: Calibration
    runs: tuple[MonitorRun, ...]
    injected_runs: tuple[MonitorRun, ...] = ()
    sensitivity: tuple[Sensitivity, ...] = ()
    found: tuple[Found, ...] = ()


def replay(
    recording: RobotRecording,
    model: RobotModel,
    settings: ReplaySettings,
    explanation: Explanation | None = None,
    injection: InjectionConfig | None = None,
    tell: Tell = lambda *_: None,
) -> Replay:
    """Compare a log with a model, and run monitors over it.

    :param explanation: the identified robot; the model as it is where none is given.
    :raises LogError: the log cannot be used for this.
    """
    for kind in settings.kinds:
        if kind not in REPLAYED:
            raise UnknownNameError('monitor of a replay', kind, REPLAYED)
    signal = choose_signal(recording, settings.signal)
    hints = (*check_recording(recording, model), *_overlap_hint(settings))
    stamps = examine_stamps(recording.time, recording.source)
    segments = uniform_segments(recording, settings.period)
    urdf = nothing_learnt(model)
    used = explanation or urdf
    if len(used.coulomb) != model.n:
        raise ConfigError(
            f'--identified: made for {len(used.coulomb)} joints; the log and the robot have '
            f'{model.n}'
        )
    tell('torques', 0.0)
    torques = _torques(segments, model, (used, urdf), settings, signal, recording.duration)
    # Monitors without an explanation of their own have the identified inertias, too.
    known = model if explanation is None else replace(model, pin_model=used.corrected(model))
    parts = [seen(segment, known, signal) for segment in segments]
    times = settings.calibrate_on.times(recording.duration)
    tell('thresholds', 0.0)
    calibration = calibrate_on(parts, known, used, times, settings.alarms_per_hour, settings.kinds)
    every = _monitors(parts, known, calibration, settings, recording.duration, injection, tell)
    return Replay(
        recording=recording,
        stamps=stamps,
        period=segments[0].period,
        segments=len(segments),
        signal=signal,
        settings=settings,
        hints=hints,
        calibration=calibration,
        **torques,
        **every,
    )


def _torques(
    segments: Sequence[Segment],
    model: RobotModel,
    explanations: tuple[Explanation, Explanation],
    settings: ReplaySettings,
    signal: Signal,
    duration: float,
) -> dict[str, Any]:
    """Return the fields of a replay about its torques.

    :param explanations: the one that is used, and that of the description; the same where
        nothing was identified.
    :param duration: of the log [s].
    """
    used, urdf = explanations
    curves = torque_curves(segments, model, used, signal)
    judged = ~settings.used(curves.time, duration)
    if not judged.any():
        raise LogError(
            'nothing is left to judge: the robot was identified from one part of the log and '
            'thresholds come from the rest; fit on less (simloop identify --fit-on), or '
            '--calibrate-on less'
        )
    urdf_fits: tuple[JointFit, ...] = ()
    if used is not urdf:
        plain = torque_curves(segments, model, urdf, signal)
        urdf_fits = joint_fits(plain, model.joint_names, judged)
    fits = joint_fits(curves, model.joint_names, judged)
    return {'curves': curves, 'fits': fits, 'urdf_fits': urdf_fits}


def _overlap_hint(settings: ReplaySettings) -> tuple[str, ...]:
    fitted, calibrated = settings.fitted, settings.calibrate_on
    if fitted is None or min(fitted.end, calibrated.end) <= max(fitted.begin, calibrated.begin):
        return ()
    return (
        f'thresholds come from {100 * calibrated.begin:g} to {100 * calibrated.end:g} % of the '
        f'log, and the robot was identified from {100 * fitted.begin:g} to {100 * fitted.end:g} '
        '%: residuals are smaller there, so thresholds may be too low; a longer log can have '
        'both apart (--calibrate-on)',
    )


def choose_signal(recording: RobotRecording, asked: Signal | None) -> Signal:
    """Return which torques of a recording are used.

    :raises LogError: it does not have them.
    """
    if asked is not None and recording.torque(asked) is None:
        there = 'command' if asked == 'measured' else 'measured'
        other = recording.torque('command' if asked == 'measured' else 'measured') is not None
        hint = f'; it has the other ones: --signal {there}' if other else ''
        raise LogError(f'{recording.source}: no {asked} torques in the log{hint}')
    if asked is not None:
        return asked
    if recording.effort is not None:
        return 'measured'
    if recording.command is not None:
        return 'command'
    raise LogError(
        f'{recording.source}: no efforts in the log: its messages or columns have positions only; '
        'record the effort of the joint states, or name its columns in the mapping (effort: ...)'
    )


def _monitors(
    parts: Sequence[Seen],
    model: RobotModel,
    calibration: Calibration,
    settings: ReplaySettings,
    duration: float,
    injection: InjectionConfig | None,
    tell: Tell,
) -> dict[str, Any]:
    """Return the fields of a replay that come from its monitors."""

    def used(time: Array) -> Flags:
        return settings.used(time, duration)

    runs: list[MonitorRun] = []
    with_contacts: list[MonitorRun] = []
    sensitivity: list[Sensitivity] = []
    found: list[Found] = []
    for kind in settings.kinds:
        words = kind.replace('_', ' ')
        run = run_monitor(kind, parts, model, calibration, used, progress=partial(tell, words))
        runs.append(run)
        if injection is None:
            continue
        if injection.contacts:
            added = adder(injection.contacts, model)
            pushed = run_monitor(kind, parts, model, calibration, used, added)
            with_contacts.append(pushed)
            found += found_contacts(injection.contacts, pushed, parts, model)
        if injection.random is not None:
            sensitivity += random_trials(
                injection.random,
                kind,
                parts,
                model,
                calibration,
                run,
                partial(tell, f'injected contacts, {words}'),
            )
    return {
        'runs': tuple(runs),
        'injected_runs': tuple(with_contacts),
        'sensitivity': tuple(sensitivity),
        'found': tuple(found),
    }
