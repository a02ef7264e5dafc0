"""Make the pictures of ``docs/world.md``: ``python docs/make_world_picture.py``.

Runs ``irb120_around`` and ``yumi_two_arms``, and draws the robots with their worlds on their ways.
"""

from __future__ import annotations

from pathlib import Path
import xml.etree.ElementTree as ET

from make_pictures import picture
from matplotlib.figure import Figure
import numpy as np

from simloop_ros.assembly.assemble import assemble
from simloop_ros.scenario.loading import load_scenario
from simloop_ros.world.config import BoxBody, SphereBody, WorldConfig

IMAGES = Path(__file__).parent / 'images'
VIEWS = {
    'irb120_around': ((1.25, -0.75, 0.95), (0.1, 0.0, 0.3)),
    'yumi_two_arms': ((1.6, 0.0, 0.95), (0.1, 0.0, 0.2)),
}
"""Scenario -> where it is seen from, and what is in the middle [m]."""
SHARES = (0.0, 0.33, 0.67, 1.0)
"""Of the time of the motion, at which it is drawn."""


def main() -> None:
    """Draw every scenario."""
    for name, (eye, target) in VIEWS.items():
        prepared = assemble(load_scenario(name))
        model, scenario = prepared.facts.model, prepared.facts.scenario
        steps = round((prepared.facts.planned or 0.0) / scenario.period)
        q = np.array([prepared.loop.step().plant.truth.position for _ in range(steps)])
        urdf = with_world(model.urdf, model.base, scenario.world)
        figure = Figure(figsize=(13, 3.2), layout='constrained')
        for axes, share in zip(figure.subplots(1, len(SHARES)), SHARES, strict=True):
            step = round(share * (steps - 1))
            axes.imshow(picture(urdf, model.joint_names, q[step], eye, target))
            axes.set_title(f't = {(step + 1) * scenario.period:.2f} s')
            axes.axis('off')
        figure.savefig(IMAGES / f'{name}.png', dpi=80)


def with_world(urdf: str, base: str, world: WorldConfig) -> str:
    """Return a robot description with the bodies of a world fixed to its base."""
    root = ET.fromstring(urdf)
    for body in world.bodies:
        visual = ET.SubElement(ET.SubElement(root, 'link', name=body.name), 'visual')
        geometry = ET.SubElement(visual, 'geometry')
        if isinstance(body, BoxBody):
            ET.SubElement(geometry, 'box', size=' '.join(map(str, body.size)))
        elif isinstance(body, SphereBody):
            ET.SubElement(geometry, 'sphere', radius=str(body.radius))
        else:
            size = {'radius': str(body.radius), 'length': str(body.height)}
            ET.SubElement(geometry, 'cylinder', size)
        ET.SubElement(
            ET.SubElement(visual, 'material', name=f'{body.name} paint'),
            'color',
            rgba='0.75 0.25 0.1 1',
        )
        joint = ET.SubElement(root, 'joint', name=f'{body.name} place', type='fixed')
        ET.SubElement(joint, 'parent', link=base)
        ET.SubElement(joint, 'child', link=body.name)
        place = {key: ' '.join(map(str, getattr(body, key))) for key in ('position', 'rpy')}
        ET.SubElement(joint, 'origin', xyz=place['position'], rpy=place['rpy'])
    return ET.tostring(root, encoding='unicode')


if __name__ == '__main__':
    main()
