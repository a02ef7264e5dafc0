"""The page of ``simloop view`` in a browser, for pictures: steps are taken between two of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
import io
import time
from typing import Any

import msgspec
import numpy as np
from PIL import Image
import pinocchio as pin

from simloop_ros.core.errors import SimloopError
from simloop_ros.core.values import Array
from simloop_ros.scenario.loading import load_scenario
from simloop_ros.view.actions import Action
from simloop_ros.view.description import Description
from simloop_ros.view.frame import Frame
from simloop_ros.view.live.describe import describe
from simloop_ros.view.live.live_run import LiveRun
from simloop_ros.view.page.camera import View, view_of
from simloop_ros.view.page.page import Page
from simloop_ros.view.page.server import serve
from simloop_ros.view.source import PageNotice

PATIENCE = 60.0
"""Time in which the browser has to draw [s]."""
CURSOR = """
const c = document.createElement('div'); c.id = 'cursor';
c.style.cssText = 'position:fixed;z-index:99999;pointer-events:none;width:0;height:0;left:-50px';
c.innerHTML = '<svg width="22" height="30" viewBox="0 0 11 15">'
  + '<path d="M0 0v13l3-3 2 5 2-1-2-5h4z" fill="black" stroke="white" stroke-width="0.8"/></svg>';
document.body.appendChild(c);
"""
CLOSE_NOTES = """
for (const b of document.querySelectorAll('button[class*="Notification-closeButton"]')) b.click();
"""
CANVAS = """
const r = [...document.querySelectorAll('canvas')].map(c => c.getBoundingClientRect())
  .sort((a, b) => b.width * b.height - a.width * a.height)[0];
return [r.left, r.top, r.width, r.height];
"""


class SteppedSource:
    """A scenario whose steps are taken when this program says so."""

    def __init__(self, name: str, settings: Sequence[str] = (), speed: float = 1.0):
        self._speed = speed
        self.run = LiveRun(load_scenario(name, settings))
        self._description = describe(self.run)
        self._notices: list[PageNotice] = []
        self.last: Frame | None = None

    def description(self) -> Description:
        """Return the scene."""
        return self._description

    def frame(self) -> Frame:
        """Return what is new, and keep it."""
        frame = self.run.frame()
        # As fast as the moving picture shows it.
        progress = msgspec.structs.replace(
            frame.progress, playing=True, speed=self._speed, factor=self._speed
        )
        self.last = msgspec.structs.replace(frame, progress=progress)
        return self.last

    def notices(self) -> tuple[PageNotice, ...]:
        """Return what there is to say."""
        notices, self._notices = tuple(self._notices), []
        return notices

    def send(self, action: Action) -> None:
        """Do what the page asks for."""
        try:
            self.run.take(action, 0.0)
        except SimloopError as error:
            self._notices.append(PageNotice(str(error), 'error'))

    def step_to(self, time: float) -> None:
        """Take steps up to a time [s]."""
        while self.run.time < time - 1e-9:
            self.run.step()

    def close(self) -> None:
        """End the run."""
        self.run.close()


class Screen:
    """The page of a source in a browser."""

    def __init__(self, driver: Any, source: SteppedSource):
        self.driver, self._source = driver, source
        self._served = serve(port=0)
        try:
            self._page = Page(self._served.server, source)
            self._open()
        except Exception:
            self.close()
            raise

    def _open(self) -> None:
        self.driver.get(self._served.address)
        self._until(lambda: bool(self._served.server.get_clients()), 'connected')
        (self._client,) = self._served.server.get_clients().values()
        self._page.turn()
        self._until(self._has_drawn, 'drawn')
        # Meshes come after the panels.
        self._until(
            lambda: self.driver.execute_script('return document.querySelector("canvas") !== null'),
            'canvas',
        )
        time.sleep(1.0)
        self.driver.execute_script(CLOSE_NOTES)
        self.driver.execute_script(CURSOR)
        time.sleep(0.5)

    def close(self) -> None:
        """End the page."""
        self._served.stop()

    def look(self, direction: Sequence[float], room: float) -> None:
        """Put the camera into a direction from the robot, so far that it fits ``room`` times."""
        self._place(view_of(self._page._scene.bounds, np.array(direction), room))

    def look_at(self, point: Array, reach: float, direction: Sequence[float]) -> None:
        """Put the camera into a direction from a point, so far that a ball around it fits [m]."""
        corner = reach / np.sqrt(3.0)
        bounds = np.stack([point - corner, point + corner])
        self._place(view_of(bounds, np.array(direction)))

    def _place(self, view: View) -> None:
        camera = self._client.camera
        camera.position, camera.look_at = view.position, view.look_at
        time.sleep(1.0)

    def show(self, time_: float) -> None:
        """Take steps up to a time, and wait until the browser shows it."""
        self._source.step_to(time_)
        self._page.turn()
        self._until(self._has_drawn, f'{time_:.2f} s drawn')
        time.sleep(0.08)
        self.driver.set_script_timeout(PATIENCE)
        self.driver.execute_async_script(
            'const f = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => f()))'
        )

    def go_on(self, time_: float) -> None:
        """Pass on what the pointer did, and take steps up to a time."""
        self._page.turn()
        self._source.step_to(time_)

    def hide_masses(self) -> None:
        """Show no effective masses."""
        self._page._scene.masses.visible = False

    def picture(self) -> Image.Image:
        """Return what is to be seen."""
        return Image.open(io.BytesIO(self.driver.get_screenshot_as_png())).convert('RGB')

    def scene(self) -> Image.Image:
        """Return the scene without the panels beside it."""
        left, top, width, height = map(round, self.driver.execute_script(CANVAS))
        return self.picture().crop((left, top, left + width, top + height))

    def pointer(self, kind: str, x: float, y: float, *, pressed: bool = False) -> None:
        """Move, press or release the pointer, and wait until the page has heard of it."""
        self.driver.execute_script(
            'const c = document.getElementById("cursor");'
            f'c.style.left = "{x:.0f}px"; c.style.top = "{y:.0f}px";'
        )
        button = 'none' if kind == 'mouseMoved' and not pressed else 'left'
        event = {'type': kind, 'x': x, 'y': y, 'button': button}
        event |= {'buttons': int(pressed), 'clickCount': int(kind != 'mouseMoved')}
        self.driver.execute_cdp_cmd('Input.dispatchMouseEvent', event)
        time.sleep(0.1)

    def place(self, point: Array) -> Array:
        """Return where a point in the world [m] is on the page [pixels]."""
        camera = self._client.camera
        w, x, y, z = camera.wxyz
        seen = pin.Quaternion(w, x, y, z).matrix().T @ (point - camera.position)
        left, top, width, height = self.driver.execute_script(CANVAS)
        scale = 0.5 * height / np.tan(0.5 * camera.fov)
        return seen[:2] / seen[2] * scale + [left + 0.5 * width, top + 0.5 * height]

    def _has_drawn(self) -> bool:
        assert self._source.last is not None
        text = self.driver.execute_script('return document.body.innerText')
        return f'{self._source.last.time:.2f} s' in text

    def _until(self, condition: Callable[[], bool], what: str) -> None:
        end = time.monotonic() + PATIENCE
        while not condition():
            if time.monotonic() > end:
                raise SimloopError(f'the browser does not show the page: not {what}')
            time.sleep(0.02)


@contextmanager
def screen(driver: Any, source: SteppedSource) -> Iterator[Screen]:
    """Yield the page of a source, and end both."""
    try:
        shown = Screen(driver, source)
        try:
            yield shown
        finally:
            shown.close()
    finally:
        source.close()
