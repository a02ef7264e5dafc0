"""Make the moving picture of the README: ``python docs/make_animation.py``.

Runs the first seconds of ``yumi_collision``: a ball hits, the residual jumps, the robot stops and
goes on. Left what the plant simulates, right what the control loop knows. The box of the scenario
is reached later and is not drawn. Writes a GIF to ``docs/images``.
"""

from __future__ import annotations

from pathlib import Path
import tempfile
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
import msgspec
import numpy as np
from PIL import Image
import pybullet

from simloop_ros.assembly.assemble import assemble
from simloop_ros.core.values import Array
from simloop_ros.loop.step_record import StepRecord
from simloop_ros.plants.pybullet_plant import PyBulletPlant
from simloop_ros.robot.model import RobotModel
from simloop_ros.scenario.loading import load_scenario

PATH = Path(__file__).parent / 'images' / 'collision.gif'
NAME, DURATION = 'yumi_collision', 1.9
SIZE, DOTS = (480, 390), 105
SPEEDS = ((0.26, 0.024), (0.44, 0.008), (1.9, 0.032))
"""Until when [s], and the simulated time between two frames [s]: slow at the hit."""
FRAME, LAST = 70, 1500
"""Time for which a frame is shown, and the last one [ms]."""
COLOURS = 128
STILL = 0.01
"""Speed of a tool that stands [m/s]."""
EYE, TARGET = (1.25, -0.95, 0.75), (0.08, -0.08, 0.24)
RED, BLUE, GREY, BALL = '#B81D13', '#0077BB', '#666666', (0.95, 0.45, 0.1, 1.0)


class Moment(msgspec.Struct, frozen=True):
    """What is drawn of one step.

    :ivar ball: its position [m].
    :ivar tips: positions of the tools [m], shape ``(2, 3)``.
    """

    time: float
    record: StepRecord
    ball: tuple[float, float, float]
    tips: Array


def main() -> None:
    """Run the scenario and write the picture."""
    prepared = assemble(load_scenario(NAME, [f'duration={DURATION}']))
    model, scenario = prepared.facts.model, prepared.facts.scenario
    plant: Any = prepared.loop.plant
    while not isinstance(plant, PyBulletPlant):
        plant = plant._plant
    moments = []
    for step in range(round(DURATION / scenario.period)):
        record = prepared.loop.step()
        ball, _ = plant.client.call('getBasePositionAndOrientation', plant.robot + 1)
        tips = model.tip_positions(record.plant.truth.position)
        moments.append(Moment((step + 1) * scenario.period, record, ball, tips))
    write(model, scenario.plant.obstacles[0].radius, moments)


def write(model: RobotModel, radius: float, moments: list[Moment]) -> None:
    """Draw the frames and write them.

    :param radius: of the ball [m].
    """
    stage, curves = Stage(model, radius), Curves(moments)
    frames = []
    for moment in chosen(moments):
        left, right = stage.picture(moment), curves.picture(moment)
        frames.append(Image.fromarray(np.concatenate((left, right), axis=1)))
    some = np.concatenate([np.asarray(frame) for frame in frames[:: len(frames) // 8]])
    palette = Image.fromarray(some).quantize(COLOURS)
    small = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    times = [FRAME] * (len(small) - 1) + [LAST]
    small[0].save(PATH, save_all=True, append_images=small[1:], duration=times, loop=0)
    print(f'{PATH.name}: {len(small)} frames, {PATH.stat().st_size / 1e6:.2f} MB')


def chosen(moments: list[Moment]) -> list[Moment]:
    """Return the moments to draw, more of them around the hit."""
    found, due = [], 0.0
    for moment in moments:
        if moment.time >= due - 1e-9:
            found.append(moment)
            due = moment.time + next(apart for until, apart in SPEEDS if moment.time <= until)
    return found


class Stage:
    """The robot and the ball, drawn by PyBullet without a display."""

    def __init__(self, model: RobotModel, radius: float):
        self._id = client = pybullet.connect(pybullet.DIRECT)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / 'robot.urdf'
            path.write_text(model.urdf.replace('><', '>\n<'))
            self._robot = pybullet.loadURDF(str(path), useFixedBase=True, physicsClientId=client)
        names = {}
        for i in range(pybullet.getNumJoints(self._robot, physicsClientId=client)):
            names[pybullet.getJointInfo(self._robot, i, physicsClientId=client)[1].decode()] = i
        self._joints = [names[name] for name in model.joint_names]
        shape = pybullet.createVisualShape(
            pybullet.GEOM_SPHERE, radius=radius, rgbaColor=BALL, physicsClientId=client
        )
        self._ball = pybullet.createMultiBody(0.0, -1, shape, physicsClientId=client)

    def picture(self, moment: Moment) -> np.ndarray:
        """Return a picture of a moment, shape ``(height, width, 3)``."""
        client = self._id
        for joint, q in zip(self._joints, moment.record.plant.truth.position, strict=True):
            pybullet.resetJointState(self._robot, joint, q, physicsClientId=client)
        upright = (0.0, 0.0, 0.0, 1.0)
        pybullet.resetBasePositionAndOrientation(
            self._ball, moment.ball, upright, physicsClientId=client
        )
        width, height = SIZE
        image = pybullet.getCameraImage(
            width,
            height,
            pybullet.computeViewMatrix(EYE, TARGET, (0, 0, 1)),
            pybullet.computeProjectionMatrixFOV(33, width / height, 0.1, 5.0),
            lightDirection=(1.0, -0.4, 1.5),
            renderer=pybullet.ER_TINY_RENDERER,
            physicsClientId=client,
        )
        return np.reshape(image[2], (height, width, 4))[:, :, :3].astype(np.uint8)


class Curves:
    """The residual and the speed of both tools, up to the moment."""

    def __init__(self, moments: list[Moment]):
        self._time = np.array([moment.time for moment in moments])
        readings = [m.record.monitor.reading for m in moments if m.record.monitor is not None]
        share = [np.nan if r.verdict == 'unknown' else 1.0 - r.margin for r in readings]
        self._figure = Figure(figsize=(SIZE[0] / DOTS, SIZE[1] / DOTS), dpi=DOTS)
        FigureCanvasAgg(self._figure)
        above, below = self._figure.subplots(2, 1, sharex=True)
        self._figure.subplots_adjust(0.15, 0.13, 0.96, 0.85, hspace=0.35)
        self._lines = []
        for ax, curves in ((above, [np.array(share)]), (below, list(speeds(moments).T))):
            for curve, colour in zip(curves, (BLUE, RED), strict=False):
                ax.plot(self._time, curve, color=colour, alpha=0.13, lw=1)
                (line,) = ax.plot([], [], color=colour, lw=1.6)
                self._lines.append((line, curve))
            ax.tick_params(labelsize=7)
            ax.grid(alpha=0.3, lw=0.5)
        above.set_yscale('log')
        above.set_ylim(0.05, 300.0)
        above.axhline(1.0, color=GREY, lw=0.9, ls='--')
        above.text(1.85, 1.2, 'contact', fontsize=7.5, color=GREY, ha='right')
        above.set_title('residual of the monitor / threshold', fontsize=8, loc='left', pad=3)
        below.set_title('speed of the tools [m/s]', fontsize=8, loc='left', pad=3)
        for place, label, colour in (
            (0.9, 'tool of the arm that is hit', RED),
            (0.77, 'other tool', BLUE),
        ):
            below.text(
                0.3, place, label, color=colour, fontsize=7.5, va='top', transform=below.transAxes
            )
        below.set_xlim(0.0, DURATION)
        below.set_ylim(0.0, 0.5)
        below.set_xlabel('time [s]', fontsize=8, labelpad=1)
        self._said = self._figure.text(0.15, 0.94, '', fontsize=11, weight='bold', va='center')
        self._story = story(moments)

    def picture(self, moment: Moment) -> np.ndarray:
        """Return the curves up to a moment, shape ``(height, width, 3)``."""
        done = self._time <= moment.time
        for line, curve in self._lines:
            line.set_data(self._time[done], curve[done])
        text, colour = next(said for since, *said in reversed(self._story) if moment.time >= since)
        self._said.set(text=text, color=colour)
        self._figure.canvas.draw()
        canvas: Any = self._figure.canvas
        return np.asarray(canvas.buffer_rgba())[:, :, :3]


def speeds(moments: list[Moment]) -> Array:
    """Return the speeds of both tools [m/s], shape ``(steps, 2)``."""
    time, tips = [m.time for m in moments], np.array([m.tips for m in moments])
    found: Array = np.linalg.norm(np.gradient(tips, time, axis=0), axis=2)
    return found


def story(moments: list[Moment]) -> list[tuple[float, str, str]]:
    """Return what happens, each from a time on [s], and the colour that it is written in."""
    found = next(m.time for m in moments if m.record.monitor and m.record.monitor.contact)
    touched = next(m.time for m in moments if m.record.plant.contacts)
    time = np.array([m.time for m in moments])
    moving = time[(speeds(moments) > STILL).any(axis=1)]
    pause = int(np.argmax(np.diff(moving)))  # the longest rest
    stopped, onward = float(moving[pause]), float(moving[pause + 1])
    noticed = f'found after {1e3 * (found - touched):.0f} ms'
    return [
        (0.0, 'both arms move, a ball comes', GREY),
        (found, f'hit: {noticed}', RED),
        (stopped, f'{noticed}, stopped after {1e3 * (stopped - touched):.0f} ms', RED),
        (onward, 'free again: it goes on', GREY),
    ]


if __name__ == '__main__':
    main()
