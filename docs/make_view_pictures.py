"""Make the pictures of ``simloop view``: two that move, and a sheet of robots and scenarios.

All are what Chromium shows of the page. The robot is led by the pointer of that browser; steps are
taken between two pictures, so that the machine's speed changes nothing::

    PYTHONPATH=benchmarks python docs/make_view_pictures.py [led] [collision] [sheet]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import files
from itertools import pairwise
from pathlib import Path
import sys
import time

import numpy as np
from PIL import Image, ImageDraw, ImageFont
from view_screen import SteppedSource, screen

from simloop_bench.chromium import chromium, missing
from simloop_ros.core.errors import SimloopError
from simloop_ros.core.values import Array
from simloop_ros.scenario.shipped import scenario_names

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
TILE, TILE_TEXT = (420, 360), 26
"""Of the sheet [pixels]."""
TILE_PAGE = 1060, 360
"""Of the browser's page for it, with the panels that the sheet leaves out [pixels]."""
SHEET_COLUMNS = 6
TRIES = 3
"""Browsers that are started for a tile, if one fails."""
CARRIED_REACH, CARRIED_FROM = 0.45, (0.8, 0.1, 0.6)
"""What is seen around the object of two hands [m], and from where."""
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
        'tips': '[gripperStator]',
        'lock': '[jointGripper]',
        'home': '{joint2: 1.2, joint3: -1.0}',
    },
}
"""Arms of the PyPI package example-robot-data, in bent postures."""
MOVE = 'planner.move=[[0, 0.05, 0.05]]'


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
    """Every shipped scenario, at about a half of its time, and arms of example-robot-data.

    :raises SimloopError: with the tiles that could not be made; the others are made first.
    """
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
    tiles = [(name, _tile(name, *of)) for name, of in wanted.items()]
    failed = [name for name, picture in tiles if picture is None]
    if failed:
        raise SimloopError(f'{path.name} stays as it is, without a picture of {", ".join(failed)}')
    _lay_out(path, [(name, picture) for name, picture in tiles if picture is not None])


def _tile(title: str, name: str, settings: Sequence[str]) -> Image.Image | None:
    """Return a scenario's scene, or nothing; each try has a browser of its own."""
    begin = time.monotonic()
    for _ in range(TRIES):
        with _told(title):
            picture = _scene_of(name, settings)
            print(f'{title}: {time.monotonic() - begin:.0f} s', flush=True)
            return picture
    return None


@contextmanager
def _told(title: str) -> Iterator[None]:
    """Say why a browser failed, and go on."""
    from selenium.common.exceptions import WebDriverException

    try:
        yield
    except (SimloopError, WebDriverException, OSError) as error:
        print(f'{title}: {error}', flush=True)


def _scene_of(name: str, settings: Sequence[str]) -> Image.Image:
    source = SteppedSource(name, settings)
    facts = source.run.facts
    half = 0.5 * facts.steps * facts.scenario.period
    with chromium(*TILE_PAGE) as driver, screen(driver, source) as shown:
        shown.show(min(half, 3.0))
        carried = source.frame().bodies if facts.scenario.plant.object is not None else ()
        for body in carried:
            shown.look_at(body.position, CARRIED_REACH, CARRIED_FROM)
        return shown.scene()


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
