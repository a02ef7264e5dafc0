"""Validation of the links of a robot description: places, inertias, shapes."""

from __future__ import annotations

from collections.abc import Iterator
import math
import xml.etree.ElementTree as ET

import numpy as np

from ..core.values import Array
from .problem import Problem, given, number
from .urdf import MOVING_TYPES

SMALLEST_RATIO = 1e-9
"""Least ratio of the smallest to the largest principal inertia. A wire of 1 m and 0.1 mm has 6e-8;
below that stands a zero with the round-off of the eigenvalues."""

TRIANGLE_ROUNDING = 1e-3
"""How far, as a share of the largest one, principal inertias may break the triangle inequality: a
flat plate meets it with equality, and files give three or four digits."""

LARGEST_GYRATION = 10.0
"""Radius of gyration of a link from which its mass and inertia hardly have the same units [m]."""

LENGTHS = {
    'sphere': ('radius',),
    'cylinder': ('radius', 'length'),
    'capsule': ('radius', 'length'),
}
"""Shape -> its attributes of one number each [m]."""

SHAPES = ('box', *LENGTHS, 'mesh')
"""Shapes that a URDF may have."""

VECTORS = frozenset(('xyz', 'rpy', 'size', 'scale'))
"""Attributes of three numbers."""


def vectors(root: ET.Element) -> Iterator[Problem]:
    """Check what must be three numbers: places, angles, axes, sizes."""
    for part in (*root.findall('link'), *root.findall('joint')):
        moves = part.get('type') in MOVING_TYPES
        for element in part.iter():
            for key in VECTORS.intersection(element.attrib):
                text = element.get(key, '')
                try:
                    numbers = np.array([float(word) for word in text.split()])
                except ValueError:
                    numbers = np.empty(0)
                where = part.get('name', '')
                what = f'{key} of its <{element.tag}> is {text[:60]!r}'
                if numbers.shape != (3,) or not np.isfinite(numbers).all():
                    yield Problem(where, what, 'give three numbers')
                elif element.tag == 'axis' and moves and not numbers.any():
                    yield Problem(where, what, 'give the direction of the axis')


def shapes(root: ET.Element) -> Iterator[Problem]:
    """Check that shapes have a size; control needs those of collisions only."""
    for link in root.findall('link'):
        for tag in ('collision', 'visual'):
            for geometry in link.iterfind(f'{tag}/geometry'):
                for what, remedy, wrong in _faults(geometry):
                    name, fatal = link.get('name', ''), wrong and tag == 'collision'
                    yield Problem(name, f'{what} in its <{tag}>', remedy, fatal)


def _faults(geometry: ET.Element) -> Iterator[tuple[str, str, bool]]:
    """Yield what is wrong with a shape, what to do, and whether it is more than no size."""
    if not len(geometry):
        yield 'there is no shape', 'give one, or take it out', True
    for shape in geometry:
        if shape.tag not in SHAPES:
            what = f'<{shape.tag}> is no shape of a URDF'
            yield what, f'take one of {", ".join(SHAPES)}, or take it out', True
        sizes = {key: [number(shape, key)] for key in LENGTHS.get(shape.tag, ())}
        if shape.tag == 'box':
            sizes['size'] = [float(word) for word in shape.get('size', '0 0 0').split()]
        for key, values in sizes.items():
            if not all(0.0 < value < math.inf for value in values):
                what = f'{key} of the <{shape.tag}> is {given(shape, key)}'
                wrong = not all(0.0 <= value < math.inf for value in values)
                yield what, 'give a positive length [m]', wrong


def body(links: list[ET.Element]) -> Iterator[Problem]:
    """Check the inertial data of the links that one joint moves."""
    first = links[0].get('name', '')
    inertials = {
        link.get('name', ''): inertial
        for link in links
        if (inertial := link.find('inertial')) is not None
    }
    if not inertials:
        yield Problem(
            first, 'it moves, but has no <inertial>', 'add its mass, centre of mass and inertia'
        )
        return
    masses = {name: number(item.find('mass'), 'value') for name, item in inertials.items()}
    inertias = {name: _inertia(item.find('inertia')) for name, item in inertials.items()}
    for name, mass in masses.items():
        if not math.isfinite(mass):
            what = f'its mass is {given(inertials[name].find("mass"), "value")}'
            yield Problem(name, f'{what}, which is not a number', 'give a number [kg]')
        elif mass < 0.0:
            yield Problem(name, f'its mass is {mass:g} kg', 'give a positive mass')
    if sum(masses.values()) == 0.0:
        yield Problem(first, 'it moves, but its mass is 0', 'give a positive mass')
    for name, inertia in inertias.items():
        # A point mass, or a mere frame, is fine on a body whose other links have inertia.
        others = (other for key, other in inertias.items() if key != name)
        if inertia.any() or not any(other.any() for other in others):
            yield from _principal(name, inertia, masses[name])


def _principal(link: str, inertia: Array, mass: float) -> Iterator[Problem]:
    """Check the principal inertias of a link [kg m^2] given its tensor, shape ``(3, 3)``."""
    if not np.isfinite(inertia).all():
        yield Problem(link, 'its inertia has an entry that is not a number', 'correct it')
        return
    small, middle, large = np.linalg.eigvalsh(inertia)
    shown = f'{small:.3g}, {middle:.3g}, {large:.3g} kg m^2'
    remedy = 'take the inertia about its centre of mass from CAD'
    if large <= 0.0 or small < SMALLEST_RATIO * large:
        what = f'its inertia is not positive definite: principal inertias {shown}'
        yield Problem(link, what, remedy)
    elif small + middle < (1.0 - TRIANGLE_ROUNDING) * large:
        what = f'no body has this inertia (triangle inequality): principal inertias {shown}'
        yield Problem(link, what, remedy)
    elif mass > 0.0 and (size := math.sqrt(large / mass)) > LARGEST_GYRATION:
        what = f'its inertia is that of {mass:g} kg at {size:.2g} m from its centre of mass'
        yield Problem(link, what, 'are the units kg and kg m^2?', fatal=False)


def _inertia(element: ET.Element | None) -> Array:
    """Return the inertia tensor [kg m^2], shape ``(3, 3)``."""
    xx, xy, xz, yy, yz, zz = (
        number(element, key) for key in ('ixx', 'ixy', 'ixz', 'iyy', 'iyz', 'izz')
    )
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
