"""What came out of a replay, as plain data for ``summary.json``."""

from __future__ import annotations

from collections.abc import Sequence
import math
from typing import Any

import msgspec

from .explained import JointFit
from .injection import InjectionConfig
from .monitoring import MonitorRun
from .replay import Replay

REAL = (
    'Positions, torques and everything under explained and monitors are of the recorded robot; '
    'nothing is added.'
)
INJECTED = (
    'INJECTED: the torque of a force on a link, J^T f, was taken from the recorded torque, and '
    'the recorded motion was left as it is. No one touched the robot there.'
)


def replay_summary(
    found: Replay, robot: str, identified: str, injection: InjectionConfig | None
) -> dict[str, Any]:
    """Return the summary of a replay; numbers that are not finite are ``null``.

    :param robot: as it was named.
    :param identified: file of the identified robot, or empty.
    """
    settings, recording = found.settings, found.recording
    summary = {
        'log': recording.source,
        'robot': robot,
        'joints': list(recording.joint_names),
        'rows': recording.rows,
        'duration': recording.duration,
        'period': found.period,
        'segments': found.segments,
        'stamps': msgspec.to_builtins(found.stamps),
        'notes': [*recording.notes, *found.hints],
        'signal': found.signal,
        'identified': identified or None,
        'calibrated_on': [settings.calibrate_on.begin, settings.calibrate_on.end],
        'identified_on': None
        if settings.fitted is None
        else [settings.fitted.begin, settings.fitted.end],
        'false_alarms_per_hour_wanted': settings.alarms_per_hour,
        'real': REAL,
        'explained': _fits(found.fits),
        'explained_by_urdf': _fits(found.urdf_fits or found.fits),
        'monitors': {run.kind: _monitor(run) for run in found.runs},
    }
    if injection is not None:
        summary['injected'] = {
            'meaning': INJECTED,
            'settings': msgspec.to_builtins(injection),
            'sensitivity': msgspec.to_builtins(found.sensitivity),
            'contacts': msgspec.to_builtins(found.found),
        }
    plain: dict[str, Any] = _finite(summary)
    return plain


def _fits(fits: Sequence[JointFit]) -> list[dict[str, Any]]:
    return [msgspec.to_builtins(fit) for fit in fits]


def _monitor(run: MonitorRun) -> dict[str, Any]:
    return {
        'verdict': run.rate.line(),
        'rate': msgspec.to_builtins(run.rate),
        'alarms': msgspec.to_builtins(run.alarms),
        'alarms_while_calibrating': len(run.calibrating),
    }


def _finite(value: Any) -> Any:
    """Return plain data in which numbers that JSON does not have are ``None``."""
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
