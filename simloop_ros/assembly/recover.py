"""The log of a run whose disk was full, from what was kept of it."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec

from ..core.errors import ConfigError, StorageError
from ..record.folder import RAW_LOG, SUMMARY
from ..record.run_recorder import RawLogs, write_logs
from ..scenario.scenario import Scenario
from .assemble import REAL_ROBOT, run_facts


def complete_logs(folder: Path) -> None:
    """Write ``log.mcap`` of a run of which only the raw log was kept; else do nothing.

    :raises ConfigError: there is no summary of the run.
    :raises StorageError: there is still no room.
    """
    if not (folder / RAW_LOG).is_file():
        return
    try:
        summary = json.loads((folder / SUMMARY).read_text())
        scenario = msgspec.convert(summary['settings'], Scenario)
        simulated = summary['plant'] != REAL_ROBOT
    except (OSError, ValueError, KeyError, TypeError, msgspec.MsgspecError) as error:
        raise ConfigError(
            f'{folder}: {RAW_LOG} cannot be read without the {SUMMARY} of its run'
        ) from error
    try:
        write_logs(RawLogs(run_facts(scenario, simulated=simulated), folder), summary)
    except OSError as error:
        raise StorageError(f'{folder}: the log cannot be written: {error.strerror}') from error
