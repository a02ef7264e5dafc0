"""A recorded run as a source of frames."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from ...core.errors import ConfigError, SimloopError
from ..actions import Action, Pause, Play, Reset, Seek, SetSpeed, Step
from ..description import Description
from ..frame import Frame, Progress
from ..source import PageNotice
from .playback import FASTEST, SLOWEST, Playback
from .recorded_frames import RecordedFrames
from .recorded_run import open_run


class RecordedSource:
    """Plays the run of a folder, or of a log: at any time, at any speed.

    :param clock: real time [s].
    :raises SimloopError: it is no run, or one that cannot be read, with the reason.
    """

    def __init__(self, path: Path, clock: Callable[[], float]):
        run = open_run(path)
        self._frames = RecordedFrames(run)
        self._clock = clock
        self._period, self._rows = run.period, run.log.rows
        self._playback = Playback(run.log.rows * run.period)
        self._description = self._frames.describe()
        self._notices: list[PageNotice] = []
        self._shown: tuple[float, Progress] | None = None
        self._status = str(run.summary.get('status', 'ended'))

    @property
    def duration(self) -> float:
        """Return how long the run is [s]."""
        return self._playback.duration

    def description(self) -> Description:
        """Return the scene."""
        return self._description

    def frame(self) -> Frame | None:
        """Return the present moment; ``None`` while it is the one of the last call."""
        playback = self._playback
        playback.look(self._clock())
        progress = self._progress(playback.time)
        if self._shown is not None and self._shown == (playback.time, progress):
            return None
        self._shown = playback.time, progress
        try:
            return self._frames.at(self._row(playback.time), progress)
        except SimloopError as error:
            playback.pause()
            self._notices.append(PageNotice(str(error), 'error'))
            return None

    def frame_at(self, time: float) -> Frame:
        """Return the frame of a time [s], whatever the playback does.

        :raises SimloopError: the log was damaged in the meantime.
        """
        return self._frames.at(self._row(time), self._progress(time))

    def notices(self) -> tuple[PageNotice, ...]:
        """Return what there is to say."""
        notices, self._notices = tuple(self._notices), []
        return notices

    def send(self, action: Action) -> None:
        """Take an action; what cannot be done with a recorded run becomes a notice."""
        try:
            self._take(action)
        except SimloopError as error:
            self._notices.append(PageNotice(str(error), 'error'))

    def close(self) -> None:
        """Do nothing: no file stays open."""

    def _take(self, action: Action) -> None:
        playback, h = self._playback, self._period
        match action:
            case Play():
                playback.play()
            case Pause():
                playback.pause()
            case Step():
                playback.pause()
                playback.seek((self._row(playback.time) + 1 + action.count) * h)
            case SetSpeed():
                if action.factor and not SLOWEST <= action.factor <= FASTEST:
                    raise ConfigError(
                        f'speed: {action.factor:g}; {SLOWEST:g} to {FASTEST:g}, or 0 for as fast '
                        'as it goes'
                    )
                playback.speed = action.factor
            case Reset():
                playback.seek(0.0)
            case Seek():
                if not np.isfinite(action.time):
                    raise ConfigError(f'time: {action.time:g}; 0 to {self.duration:g} s')
                playback.seek(action.time)
            case _:
                raise ConfigError(
                    f'{type(action).__name__}: not in a recorded run, which has happened already'
                )

    def _row(self, time: float) -> int:
        """Return the last row of the log that has ended at a time [s]; -1 before the first."""
        return min(int(time / self._period * (1.0 + 1e-12) + 1e-6), self._rows) - 1

    def _progress(self, time: float) -> Progress:
        playback = self._playback
        ended = self._status if time >= playback.duration else ''
        return Progress(
            playing=playback.playing,
            speed=playback.speed,
            factor=playback.factor,
            late_share=0.0,
            earliest=0.0,
            latest=playback.duration,
            ended=ended,
        )
