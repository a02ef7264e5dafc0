"""The recorder of a run: logs and events while it goes on, results at its end."""

from __future__ import annotations

from collections.abc import Callable
import json
from pathlib import Path
from typing import Any

import numpy as np

from ..loop.step_record import StepRecord
from .columns import TRUE_POSITION, hands_row, row_reader
from .events import EventRecorder
from .facts import RunFacts
from .folder import HANDS_LOG, LOG, RAW_HANDS, RAW_LOG, SUMMARY, clean_folder, write_text
from .hands_log import AXES, HANDS_COLUMNS
from .log import LogReader, LogWriter
from .mcap import DerivedTopic, write_mcap
from .summary import summarise

EFFECTIVE_MASS = '/effective_mass'
"""Topic of the log: a JointState whose joints are the tips and whose effort is the mass [kg]."""


class RunRecorder:
    """Takes the record of every step; use it as a context, which removes the raw logs at its end.

    :param folder: for the results; those of an earlier run are removed.
    """

    def __init__(self, facts: RunFacts, folder: Path):
        self.facts = facts
        self.folder = folder
        self.events = EventRecorder(facts.scenario)
        clean_folder(folder)
        self._raw, self._raw_hands = folder / RAW_LOG, folder / RAW_HANDS
        self._log = LogWriter(self._raw, facts.model.n, facts.columns)
        self._row = row_reader(facts.columns)
        self._hands = (
            None if facts.plan is None else LogWriter(self._raw_hands, len(AXES), HANDS_COLUMNS)
        )

    def __enter__(self) -> RunRecorder:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()
        self._raw.unlink(missing_ok=True)
        self._raw_hands.unlink(missing_ok=True)

    @property
    def rows(self) -> int:
        """Return the number of steps recorded so far."""
        return self._log.rows

    def take(self, record: StepRecord) -> None:
        """Record a step."""
        self._log.append(*self._row(record))
        if self._hands is not None:
            self._hands.append(*hands_row(record))
        self.events.take(record)

    def write(
        self,
        elapsed: float,
        costs: dict[str, float],
        progress: Callable[[float], None] | None = None,
    ) -> dict[str, Any]:
        """Write ``log.mcap`` and ``summary.json``, and return the summary.

        The parameters are those of ``summarise``.

        :param progress: gets the share of the log that is written, 0 to 1.
        """
        self._close()
        facts, folder = self.facts, self.folder
        log = LogReader(self._raw, facts.model.n, facts.columns)
        hands = None
        if self._hands is not None:
            hands = LogReader(self._raw_hands, len(AXES), HANDS_COLUMNS)
        with np.errstate(over='ignore', invalid='ignore'):
            summary = summarise(facts, log, hands, self.events, elapsed, costs)
        content = _as_json(summary)
        metadata = {'scenario': facts.scenario.name, 'summary': json.dumps(content)}
        period, urdf = facts.scenario.period, facts.model.urdf
        names = facts.model.joint_names
        write_mcap(log, folder / LOG, names, period, metadata, urdf, progress, _derived(facts))
        if hands is not None:
            write_mcap(hands, folder / HANDS_LOG, AXES, period, metadata, urdf)
        write_text(folder / SUMMARY, json.dumps(content, indent=2) + '\n')
        return summary

    def _close(self) -> None:
        self._log.close()
        if self._hands is not None:
            self._hands.close()


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
