"""The recorder of a run: logs and events while it goes on, results at its end."""

from __future__ import annotations

from collections.abc import Callable
import json
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from ..loop.step_record import StepRecord
from .columns import TRUE_POSITION, hands_row, row_reader
from .events import EventRecorder
from .facts import RunFacts
from .folder import (
    HANDS_LOG,
    LOG,
    RAW_HANDS,
    RAW_LIVE,
    RAW_LOG,
    RAW_STAMPS,
    SUMMARY,
    write_text,
)
from .hands_log import AXES, HANDS_COLUMNS
from .live_log import LiveLogWriter, read_live_log
from .log import LogReader, LogWriter
from .log_topics import EFFECTIVE_MASS
from .mcap import DerivedTopic, write_mcap
from .run_folder import RunFolder
from .summary import summarise
from .timing import RunTiming


class RunRecorder:
    """Takes the record of every step; use it as a context, which closes the logs at its end.

    :param folder: for the results.
    :param live: for what a graph adds to the log.
    """

    def __init__(self, facts: RunFacts, folder: RunFolder, live: LiveLogWriter | None = None):
        self.facts = facts
        self.folder = folder
        self.live = live
        self.events = EventRecorder(facts.scenario)
        path = folder.path
        self._log = LogWriter(path / RAW_LOG, facts.model.n, facts.columns)
        self._row = row_reader(facts.columns)
        self._hands = (
            None if facts.plan is None else LogWriter(path / RAW_HANDS, len(AXES), HANDS_COLUMNS)
        )

    def __enter__(self) -> RunRecorder:
        return self

    def __exit__(self, *_: object) -> None:
        with self.folder.storing():
            self._log.close()
        with self.folder.storing():
            if self._hands is not None:
                self._hands.close()
        with self.folder.storing():
            if self.live is not None:
                self.live.close()

    @property
    def rows(self) -> int:
        """Return the number of steps recorded so far."""
        return self._log.rows

    def take(self, record: StepRecord) -> None:
        """Record a step."""
        self._log.append(self._row(record))
        if self._hands is not None:
            self._hands.append(hands_row(record))
        self.events.take(record)

    def write(
        self,
        elapsed: float,
        costs: dict[str, float],
        progress: Callable[[float], None] | None = None,
        timing: RunTiming | None = None,
    ) -> dict[str, Any]:
        """Write ``summary.json`` and ``log.mcap``, and return the summary.

        What cannot be written is noted in the folder: then the raw logs are kept, of which
        ``write_logs`` makes the others later. The other parameters are those of ``summarise``.

        :param progress: gets the share of the log that is written, 0 to 1.
        """
        self.__exit__()
        folder, facts = self.folder, self.facts
        logs = RawLogs(facts, folder.path)
        with np.errstate(over='ignore', invalid='ignore'):
            summary = summarise(
                facts, logs.joints, logs.hands, self.events, elapsed, costs, timing
            )
        content = _as_json(summary)
        folder.release_reserve()
        with folder.storing():
            write_text(folder.path / SUMMARY, json.dumps(content, indent=2) + '\n')
        with folder.storing():
            write_logs(logs, content, progress)
        return summary


class RawLogs:
    """The raw logs of a run in a folder, of as many steps as all of them have in full."""

    def __init__(self, facts: RunFacts, folder: Path):
        self.facts = facts
        self.folder = folder
        self.joints = LogReader(folder / RAW_LOG, facts.model.n, facts.columns)
        self.hands: LogReader | None = None
        self.live = read_live_log(folder)
        if self.live.stamps is not None:
            self.joints.rows = min(self.joints.rows, len(self.live.stamps))
        if facts.plan is not None:
            self.hands = LogReader(folder / RAW_HANDS, len(AXES), HANDS_COLUMNS)
            self.joints.rows = self.hands.rows = min(self.joints.rows, self.hands.rows)


def write_logs(
    logs: RawLogs, summary: dict[str, Any], progress: Callable[[float], None] | None = None
) -> None:
    """Write ``log.mcap``, and ``hands.mcap`` of two hands, and remove the raw logs.

    :param summary: of the run, as JSON has it.
    """
    facts, folder = logs.facts, logs.folder
    metadata = {'scenario': facts.scenario.name, 'summary': json.dumps(summary)}
    period, urdf, names = facts.scenario.period, facts.model.urdf, facts.model.joint_names
    if logs.hands is not None:
        write_mcap(
            logs.hands,
            folder / HANDS_LOG,
            AXES,
            period,
            metadata,
            urdf,
            live=msgspec.structs.replace(logs.live, messages=()),
            groups=facts.model.tips,
        )
    write_mcap(
        logs.joints,
        folder / LOG,
        names,
        period,
        metadata,
        urdf,
        progress,
        _derived(facts),
        logs.live,
    )
    (folder / RAW_LOG).unlink()
    for name in (RAW_HANDS, RAW_LIVE, RAW_STAMPS):
        (folder / name).unlink(missing_ok=True)


def _derived(facts: RunFacts) -> tuple[DerivedTopic, ...]:
    """Return the topics that a guided robot has beside its columns."""
    masses = facts.tip_masses
    if masses is None:
        return ()
    return (
        DerivedTopic(
            EFFECTIVE_MASS, masses.tips, lambda block: masses.along(block[:, TRUE_POSITION])
        ),
    )


def _as_json(value: Any) -> Any:
    """Return the value with null for infinities and NaN, which JSON does not have."""
    if isinstance(value, dict):
        return {key: _as_json(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_as_json(item) for item in value]
    return None if isinstance(value, float) and not np.isfinite(value) else value
