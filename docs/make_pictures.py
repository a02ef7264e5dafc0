"""Make the pictures of the README and the docs: ``python docs/make_pictures.py``.

Runs the scenarios in a temporary folder and writes PNG files to ``docs/images``.
"""

from __future__ import annotations

from pathlib import Path
import shutil
import tempfile
import time

from matplotlib.figure import Figure
import numpy as np
import pybullet

from simloop_ros.assembly.assemble import assemble
from simloop_ros.assembly.run import run
from simloop_ros.record.mcap import read_mcap
from simloop_ros.report.page import draw_run
from simloop_ros.scenario.loading import load_scenario

IMAGES = Path(__file__).parent / 'images'
SIZE = 640, 520
RUNS = {
    'yumi_step': ('yumi_step', ['plant.mass_bias=0.1']),
    'sphere_step': ('sphere_step', ['plant.mass_bias=0.1']),
    'sphere_collision': ('sphere_collision', []),
    'sphere_guiding': ('sphere_guiding', []),
}
KEPT = {
    'yumi_step': ('path_comparison', 'force_difference'),
    'sphere_step': ('force_comparison', 'path_difference'),
    'sphere_collision': ('force_comparison',),
    'sphere_guiding': ('path_comparison',),
}


def main() -> None:
    """Run everything and write the pictures."""
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        for name, (scenario, settings) in RUNS.items():
            folder = Path(scratch) / name
            graphs = f'graphs=[{", ".join(KEPT[name])}]'
            prepared = assemble(load_scenario(scenario, [*settings, graphs]))
            run(prepared, folder, time.perf_counter)
            draw_run(folder)
            for graph in KEPT[name]:
                shutil.copy(folder / f'{graph}.png', IMAGES / f'{name}_{graph}.png')
        draw_robot(Path(scratch) / 'yumi_step')


def draw_robot(folder: Path) -> None:
    """Draw YuMi before and after its step, and the force difference that tells its weight."""
    log = read_mcap(folder / 'log.mcap')
    model = assemble(load_scenario('yumi_step')).facts.model
    position, effort = log.column('measured_position'), log.column('effort')
    difference = effort - log.column('rollback_effort')
    figure = Figure(figsize=(13, 4.2), layout='constrained')
    start, end, graph = figure.subplots(1, 3, width_ratios=(1, 1, 1.15))
    for axes, q, title in ((start, model.home, 'before'), (end, position[-1], 'after')):
        axes.imshow(picture(model.urdf, model.joint_names, q))
        axes.set_title(f'YuMi {title} its step of 0.3 m')
        axes.axis('off')
    for i, name in enumerate(log.joint_names):
        if name.endswith('_l') and np.abs(difference[:, i]).max() > 0.05:
            graph.plot(log.time, difference[:, i], label=name)
    graph.set_title("τ − τ' finds the 10 % that the robot is too heavy")
    graph.set_xlabel('time [s]')
    graph.set_ylabel('force difference [N m]')
    graph.legend(fontsize=8)
    graph.grid(alpha=0.3)
    figure.savefig(IMAGES / 'yumi.png', dpi=90)


def picture(
    urdf: str,
    joint_names: tuple[str, ...],
    q: np.ndarray,
    eye: tuple[float, float, float] = (1.25, 0.0, 0.75),
    target: tuple[float, float, float] = (0.0, 0.0, 0.22),
) -> np.ndarray:
    """Return a picture of a robot, shape ``(height, width, 3)``.

    :param eye: where it is seen from [m].
    :param target: what is in the middle of the picture [m].
    """
    client = pybullet.connect(pybullet.DIRECT)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / 'robot.urdf'
        path.write_text(urdf.replace('><', '>\n<'))
        robot = pybullet.loadURDF(str(path), useFixedBase=True, physicsClientId=client)
    for i in range(pybullet.getNumJoints(robot, physicsClientId=client)):
        name = pybullet.getJointInfo(robot, i, physicsClientId=client)[1].decode()
        if name in joint_names:
            value = q[joint_names.index(name)]
            pybullet.resetJointState(robot, i, value, physicsClientId=client)
    width, height = SIZE
    view = pybullet.computeViewMatrix(eye, target, (0, 0, 1))
    projection = pybullet.computeProjectionMatrixFOV(37, width / height, 0.1, 5.0)
    image = pybullet.getCameraImage(
        width,
        height,
        view,
        projection,
        lightDirection=(1.0, 0.6, 1.5),
        renderer=pybullet.ER_TINY_RENDERER,
        physicsClientId=client,
    )
    pybullet.disconnect(physicsClientId=client)
    return np.reshape(image[2], (height, width, 4))[:, :, :3].astype(np.uint8)


if __name__ == '__main__':
    main()
