"""A recorded run as its files have it."""

from __future__ import annotations

from dataclasses import dataclass
import json
from pathlib import Path
from typing import Any
import xml.etree.ElementTree as ET

import msgspec

from ...assembly.assemble import REAL_ROBOT, run_facts, started_facts
from ...assembly.recover import complete_logs
from ...core.errors import ConfigError, ModelError, SimloopError
from ...core.values import Array
from ...record.columns import TRUE_POSITION
from ...record.facts import RunFacts
from ...record.folder import HANDS_LOG, LOG
from ...record.hands_log import HANDS_COLUMNS
from ...record.log_window import LogWindow
from ...record.mcap import McapReader
from ...robot.config import RobotConfig
from ...robot.fit_robot import load_fit_robot
from ...robot.loading import build_robot
from ...robot.model import RobotModel
from ...scenario.scenario import Scenario


@dataclass(frozen=True)
class RecordedRun:
    """Log, facts and events of a run.

    :ivar source: file of the log.
    :ivar columns: names of the columns of ``log``.
    :ivar hands: log of two hands, if there is one.
    :ivar summary: of the run.
    :ivar notes: what there is to say about it, one line each.
    """

    source: Path
    facts: RunFacts
    columns: tuple[str, ...]
    log: LogWindow
    hands: LogWindow | None
    summary: dict[str, Any]
    notes: tuple[str, ...]

    @property
    def period(self) -> float:
        """Return the length of one step [s]."""
        return self.facts.scenario.period

    @property
    def events(self) -> list[dict[str, Any]]:
        """Return the events of the run in the order of time."""
        return list(self.summary['events'])


def open_run(path: Path) -> RecordedRun:
    """Open the folder of a run, or its log.

    The robot is that of the log; only where meshes of it are not found, it is read again from the
    file that the scenario names.

    :raises SimloopError: it is neither, the log is cut off, or the robot cannot be read.
    """
    log = McapReader(_log_file(path))
    if log.columns == HANDS_COLUMNS:
        raise ConfigError(f'{path}: the log of two hands; name the folder, or {LOG} beside it')
    if not log.rows:
        raise ConfigError(f'{path}: the log has no steps')
    summary, scenario = _settings(log)
    model, notes = _robot(log, scenario.robot)
    window = LogWindow(log)
    first = window.read(0, 1)[0, TRUE_POSITION]
    facts, more = _facts(scenario, model, summary, first)
    verdict = tuple(str(line) for line in summary.get('verdict', ()))
    return RecordedRun(
        log.path,
        facts,
        log.columns,
        window,
        _hands(log),
        summary,
        (*verdict, *notes, *more, *_unlogged(scenario)),
    )


def _log_file(path: Path) -> Path:
    if path.is_dir():
        complete_logs(path)
        if not (path / LOG).is_file():
            raise ConfigError(f'{path}: not the folder of a run: no {LOG}')
        return path / LOG
    if not path.exists():
        raise ConfigError(f'{path}: not there; name the folder of a run, or its {LOG}')
    return path


def _settings(log: McapReader) -> tuple[dict[str, Any], Scenario]:
    """Return summary and scenario of a run, which its log has as metadata."""
    try:
        summary = json.loads(log.metadata['summary'])
        scenario = msgspec.convert(summary['settings'], Scenario)
        list(summary['events'])
    except (ValueError, KeyError, TypeError, msgspec.MsgspecError) as error:
        raise ConfigError(
            f'{log.path}: its scenario cannot be read, it is of another version of simloop: run '
            f'it again ({error})'
        ) from error
    return summary, msgspec.structs.replace(scenario, period=log.period)


def _robot(log: McapReader, config: RobotConfig) -> tuple[RobotModel, tuple[str, ...]]:
    """Return the robot of a run, and what there is to say about it."""
    # Joints that were locked are fixed in the log already.
    home = {name: at for name, at in config.home.items() if name in log.joint_names}
    fixed = msgspec.structs.replace(config, lock=(), home=home)
    friction = {name: of for name, of in config.friction.items() if name in log.joint_names}
    fixed = msgspec.structs.replace(fixed, friction=friction)
    try:
        model = build_robot(fixed, Path(config.urdf), ET.fromstring(log.description))
        said: tuple[str, ...] = ()
    except (ModelError, ET.ParseError) as error:
        try:
            model = load_fit_robot(config)
        except SimloopError as second:
            raise ModelError(f'{log.path}: its robot cannot be read: {error}') from second
        said = (f'robot read again from {config.urdf}: {error}',)
    if model.joint_names != log.joint_names:
        raise ModelError(
            f'{log.path}: its joints are {", ".join(log.joint_names)}, but those of '
            f'{config.urdf} are {", ".join(model.joint_names)} by now'
        )
    return model, said


def _facts(
    scenario: Scenario, model: RobotModel, summary: dict[str, Any], first: Array
) -> tuple[RunFacts, tuple[str, ...]]:
    """Return the facts of a run; without goals and paths where they are not known any more.

    :param first: position after the first step [rad], shape ``(n,)``.
    """
    simulated = summary.get('plant') != REAL_ROBOT
    try:
        facts = run_facts(scenario, simulated=simulated, model=model)
        return (facts if simulated else started_facts(facts, first)), ()
    except SimloopError as error:
        facts = RunFacts(
            scenario,
            model,
            str(summary.get('plant')),
            str(summary.get('rollback')),
            int(summary.get('steps', 0)),
            None,
            simulated=simulated,
        )
        return facts, (f'goals and paths are not shown: {error}',)


def _hands(log: McapReader) -> LogWindow | None:
    """Return the log of two hands of the same run, if it is beside that of the joints."""
    path = log.path.with_name(HANDS_LOG)
    if not path.is_file():
        return None
    hands = McapReader(path)
    same = hands.metadata == log.metadata and hands.rows == log.rows
    return LogWindow(hands) if same and hands.columns == HANDS_COLUMNS else None


def _unlogged(scenario: Scenario) -> tuple[str, ...]:
    flying = [each.name for each in scenario.plant.obstacles if each.mass > 0.0]
    if not flying:
        return ()
    return (f'{", ".join(flying)}: shown where it starts, its way is not in the log',)
