"""A recorded run as one page that needs no server."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
import re

import msgspec
import numpy as np
import viser

from ...record.folder import write_text
from ..frame import Frame
from ..recorded.recorded_source import RecordedSource
from .camera import FOV, view_of
from .scene import Scene

RATE = 30.0
"""Frames per second of the run."""
MOST_FRAMES = 9000
"""Frames of a page; of a longer run it has fewer per second."""
SAID_ABOVE = 0.12
"""Height of the words over the robot [m]."""


class Exported(msgspec.Struct, frozen=True):
    """A page that was written.

    :ivar size: of the file [bytes].
    :ivar rate: frames per second of the run.
    :ivar duration: [s].
    """

    path: Path
    size: int
    frames: int
    rate: float
    duration: float


def write_page(
    server: viser.ViserServer,
    source: RecordedSource,
    path: Path,
    progress: Callable[[float], None] = lambda _: None,
) -> Exported:
    """Write a page that shows robot, twin, paths, bodies and forces of a whole run.

    :param server: whose scene is used; nobody needs to look at it.
    :param progress: gets the share of the frames that are done, 0 to 1.
    :raises StorageError: the file cannot be written.
    """
    duration = source.duration
    rate = min(RATE, MOST_FRAMES / duration)
    times = np.append(np.arange(0.0, duration - 0.5 / rate, 1.0 / rate), duration)
    scene = Scene(server.scene, source.description())
    view = view_of(scene.bounds)
    camera = server.initial_camera
    camera.fov, camera.position, camera.look_at = FOV, view.position, view.look_at
    top = np.array([*view.look_at[:2], scene.bounds[1, 2] + SAID_ABOVE])
    words = server.scene.add_label('/words', '', position=top, depth_test=False)
    first = source.frame_at(0.0)
    scene.show(first, {})
    words.text = _words(first)
    serializer = server.get_scene_serializer()
    for i, (before, time) in enumerate(pairwise(times)):
        serializer.insert_sleep(float(time - before))
        frame = source.frame_at(float(time))
        scene.show(frame, {})
        text = _words(frame)
        if words.text != text:
            words.text = text
        progress((i + 1) / len(times))
    html = _titled(serializer.as_html(), source.description().title)
    write_text(path, html)
    return Exported(path, path.stat().st_size, len(times), rate, duration)


def _words(frame: Frame) -> str:
    """Return what happens, in one line: the page has no panel for it."""
    alarm = frame.alarm
    said = [frame.activity]
    if alarm is not None and alarm.kind != 'none':
        where = f' on {alarm.link} ({100.0 * alarm.probability:.0f} %)' if alarm.link else ''
        late = '' if alarm.delay is None else f' after {1e3 * alarm.delay:.0f} ms'
        said.append(f'alarm: {alarm.kind}{where}{late}')
    said.append(frame.progress.ended)
    return ' · '.join(filter(None, said))


def _titled(html: str, title: str) -> str:
    return re.sub(r'<title>.*?</title>', f'<title>{title}</title>', html, count=1)
