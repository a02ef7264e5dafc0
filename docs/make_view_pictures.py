"""Make the pictures of ``simloop view``: two that move, and a sheet of robots and scenarios.

All are what Chromium shows of the page. The robot is led by the pointer of that browser; steps are
taken between two pictures, so that the machine's speed changes nothing::

    PYTHONPATH=benchmarks python docs/make_view_pictures.py [led] [collision] [sheet]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import files
import io
from itertools import pairwise
from pathlib import Path
import sys
import time
from typing import Any

import msgspec
import numpy as np
from PIL import Image, ImageDraw, ImageFont
import pinocchio as pin

from simloop_bench.chromium import chromium, missing
from simloop_ros.core.errors import SimloopError
from simloop_ros.core.values import Array
from simloop_ros.scenario.loading import load_scenario
from simloop_ros.scenario.shipped import scenario_names
from simloop_ros.view.actions import Action
from simloop_ros.view.description import Description
from simloop_ros.view.frame import Frame
from simloop_ros.view.live.describe import describe
from simloop_ros.view.live.live_run import LiveRun
from simloop_ros.view.page.camera import view_of
from simloop_ros.view.page.page import Page
from simloop_ros.view.page.server import serve
from simloop_ros.view.source import PageNotice

IMAGES = Path(__file__).resolve().parent / 'images'
SIZE = 1240, 620
"""Of the browser's page for the moving pictures [pixels]."""
SHOWN = 0.8
"""Scale of the moving pictures."""
MOST_BYTES = 3_000_000
RATE = 12.0
"""Pictures per second of a moving picture."""
MOVES = 3
"""Movements of the pointer from one picture to the next."""
SLOWER = 0.4
"""Speed of the moving picture of a collision, times that of reality."""
HITS = (0.17, 0.8), (1.9, 3.35)
"""When there is something to see of that [s]."""
FRONT = 0.86, -0.34, 0.38
"""Direction of the camera for the moving pictures."""
PATIENCE = 25.0
"""Time in which the browser has to draw [s]."""
TILE, TILE_TEXT = (420, 360), 26
"""Of the sheet [pixels]."""
TILE_PAGE = 1060, 360
"""Of the browser's page for it, with the panels that the sheet leaves out [pixels]."""
SHEET_COLUMNS = 6
UR_HOME = (
    '{shoulder_lift_joint: -1.2, elbow_joint: 1.8, wrist_1_joint: -2.0, wrist_2_joint: -1.57}'
)
ARMS = {
    'panda': {
        'urdf': 'panda_description/urdf/panda.urdf',
        'tips': '[panda_hand_tcp]',
        'lock': '[panda_finger_joint1, panda_finger_joint2]',
        'home': '{panda_joint2: -0.5, panda_joint4: -2.2, panda_joint6: 1.8}',
    },
    'ur3': {'urdf': 'ur_description/urdf/ur3_robot.urdf', 'tips': '[tool0]', 'home': UR_HOME},
    'ur5': {'urdf': 'ur_description/urdf/ur5_robot.urdf', 'tips': '[tool0]', 'home': UR_HOME},
    'ur10': {'urdf': 'ur_description/urdf/ur10_robot.urdf', 'tips': '[tool0]', 'home': UR_HOME},
    'kinova': {
        'urdf': 'kinova_description/robots/kinova.urdf',
        'tips': '[j2s6s200_end_effector]',
        'home': '{j2s6s200_joint_2: 2.9, j2s6s200_joint_3: 1.3, j2s6s200_joint_4: 4.2, '
        'j2s6s200_joint_5: 1.4}',
    },
    'xarm7': {
        'urdf': 'xarm_description/urdf/xarm7.urdf',
        'tips': '[link_eef]',
        'home': '{joint2: -0.5, joint4: 1.0, joint6: 1.5}',
    },
    'talos_arm': {
        'urdf': 'talos_data/robots/talos_left_arm.urdf',
        'tips': '[gripper_left_base_link]',
        'home': '{arm_left_2_joint: 0.4, arm_left_4_joint: -1.2}',
    },
    'z1': {
        'urdf': 'z1_description/urdf/z1.urdf',
        'tips': '[gripperMover]',
        'home': '{joint2: 1.2, joint3: -1.0}',
    },
}
"""Arms of the PyPI package example-robot-data, in bent postures."""
MOVE = 'planner.move=[[0, 0.05, 0.05]]'
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
        self._page = Page(self._served.server, source)
        self._driver_get()

    def _driver_get(self) -> None:
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
        view = view_of(self._page._scene.bounds, np.array(direction), room)
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
    shown = Screen(driver, source)
    try:
        yield shown
    finally:
        shown.close()
        source.close()


def make_led(path: Path) -> None:
    """YuMi is led by the mouse at its left tool."""
    source = SteppedSource('yumi_guiding', ('plant.hands=[]',))
    model, tip = source.run.facts.model, source.run.facts.model.tips[0]
    pictures = []
    with chromium(*SIZE) as driver, screen(driver, source) as shown:
        shown.look(FRONT, 1.1)
        shown.hide_masses()  # their numbers would be under the pointer
        shown.show(0.3)
        joints = source.frame().joints
        start = shown.place(model.frame_poses(joints, [tip])[0].translation)
        way = _way(start)
        press, release = 4 * MOVES, len(way) - 8 * MOVES
        for i, (x, y) in enumerate(way):
            held = press <= i < release
            kind = {press: 'mousePressed', release: 'mouseReleased'}.get(i, 'mouseMoved')
            shown.pointer(kind, x, y, pressed=held)
            time_ = 0.3 + i / (MOVES * RATE)
            if i % MOVES:
                shown.go_on(time_)
            else:
                shown.show(time_)
                pictures.append(shown.picture())
    _save(path, pictures)


def _way(start: Array) -> list[tuple[float, float]]:
    """Return where the pointer goes: to the tool, around, and away [pixels]."""
    corners = np.array([[0, 0], [-70, -50], [-20, -130], [60, -60], [0, 10]], np.float64)
    corners = start + corners
    parts = [np.repeat(corners[:1], 7 * MOVES, axis=0)]
    for begin, end in pairwise(corners):
        share = 0.5 - 0.5 * np.cos(np.pi * np.linspace(0.0, 1.0, 10 * MOVES + 1)[1:, None])
        parts.append(begin + share * (end - begin))
    parts.append(np.repeat(corners[-1:], 12 * MOVES, axis=0))
    return [(float(x), float(y)) for x, y in np.concatenate(parts)]


def make_collision(path: Path) -> None:
    """A ball hits one arm of YuMi, a box is in the way of the other: it stops each time."""
    source = SteppedSource('yumi_collision', speed=SLOWER)
    spans = [np.arange(begin, end, SLOWER / RATE) for begin, end in HITS]
    pictures = []
    with chromium(*SIZE) as driver, screen(driver, source) as shown:
        shown.look(FRONT, 0.95)
        for moment in np.concatenate(spans):
            shown.show(float(moment))
            pictures.append(shown.picture())
    _save(path, pictures)


def _save(path: Path, pictures: Sequence[Image.Image]) -> None:
    """Write a moving picture, as good as its largest size allows."""
    size = tuple(round(SHOWN * length) for length in SIZE)
    small = [picture.resize(size, Image.Resampling.LANCZOS) for picture in pictures]
    for quality in (80, 65, 50, 35, 20):
        small[0].save(
            path,
            save_all=True,
            append_images=small[1:],
            duration=round(1000.0 / RATE),
            loop=0,
            quality=quality,
            method=6,
        )
        if path.stat().st_size <= MOST_BYTES:
            break
    print(f'{path.name}: {len(pictures)} pictures, {path.stat().st_size / 1e6:.2f} MB')


def make_sheet(path: Path) -> None:
    """Every shipped scenario, at about a half of its time, and arms of example-robot-data."""
    listed = files('example-robot-data') or []
    wanted: dict[str, tuple[str, Sequence[str]]] = {
        name: (name, ()) for name in scenario_names() if name != 'step'
    }
    for name, robot in ARMS.items():
        urdf = next((str(f.locate()) for f in listed if str(f).endswith(robot['urdf'])), '')
        settings = [f'robot.{key}={value}' for key, value in {**robot, 'urdf': urdf}.items()]
        if urdf:
            wanted[f'step: {name}'] = 'step', (*settings, MOVE)
        else:
            print(f'{name}: not in this version of example-robot-data')
    tiles = [(name, _tile(*of)) for name, of in wanted.items()]
    _lay_out(path, tiles)


def _tile(name: str, settings: Sequence[str]) -> Image.Image:
    """Return a scenario's scene; a browser that does not show it is tried again."""
    for again in (True, True, False):
        source = SteppedSource(name, settings)
        half = 0.5 * source.run.facts.steps * source.run.facts.scenario.period
        try:
            with chromium(*TILE_PAGE) as driver, screen(driver, source) as shown:
                shown.show(min(half, 3.0))
                picture = shown.scene()
            print(name, *settings[:1], flush=True)
            break
        except SimloopError:
            if not again:
                raise
    return picture


def _lay_out(path: Path, tiles: Sequence[tuple[str, Image.Image]]) -> None:
    width, height = TILE[0], TILE[1] + TILE_TEXT
    rows = -(-len(tiles) // SHEET_COLUMNS)
    sheet = Image.new('RGB', (SHEET_COLUMNS * width, rows * height), 'white')
    draw, font = ImageDraw.Draw(sheet), ImageFont.load_default(20)
    for i, (name, picture) in enumerate(tiles):
        left, top = i % SHEET_COLUMNS * width, i // SHEET_COLUMNS * height
        draw.text((left + 8, top + 2), name, 'black', font)
        sheet.paste(picture.resize(TILE), (left, top + TILE_TEXT))
    sheet = sheet.resize([round(0.75 * x) for x in sheet.size], Image.Resampling.LANCZOS)
    sheet.quantize(256, Image.Quantize.FASTOCTREE).save(path, optimize=True)
    print(f'{path.name}: {len(tiles)} pictures, {path.stat().st_size / 1e6:.2f} MB')


PICTURES = {
    'led': (make_led, 'view_led.webp'),
    'collision': (make_collision, 'view_collision.webp'),
    'sheet': (make_sheet, 'view_sheet.png'),
}

if __name__ == '__main__':
    if missing():
        print(f'pictures of the page are left out: {missing()}')
        sys.exit(0)
    for chosen in sys.argv[1:] or PICTURES:
        make, name = PICTURES[chosen]
        make(IMAGES / name)
