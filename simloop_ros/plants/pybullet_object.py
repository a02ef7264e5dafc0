"""The beam for two hands in PyBullet: a block between palms, on a table."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from math import sqrt
from typing import Any
import xml.etree.ElementTree as ET

import numpy as np
import pinocchio as pin

from ..core.errors import ConfigError
from ..core.values import Array, ObjectReport
from ..robot.model import RobotModel
from .config import HeldObject
from .overlap import object_start
from .pybullet_client import PyBulletClient

PALM_PREFIX = 'palm of '
"""Prefix of the names of the palms; no link has it."""
PALM_THICKNESS = 0.01
"""Of a palm [m]."""
TABLE_SIZE = (2.0, 2.0, 0.1)
"""Edges of the table [m]."""
FAR_AWAY = (0.0, 0.0, 1e3)
"""Where the block touches nothing [m]."""
CORNERS = 4
"""Points in which an end of the block touches a palm."""
SOLVER_RESIDUAL = 1e-12
"""Square of the speed [m^2/s^2] that may be left at a contact; PyBullet's own is 1 N of noise."""
LINK, POINT = 3, 5
SIZES, DIRECTIONS = (9, 10, 12), (7, 11, 13)
"""Where a contact point has its normal force and two friction forces, and their directions."""
FRAME_POSITION, FRAME_ROTATION = 4, 5


def add_palms(root: ET.Element, tips: Iterable[str], edge: float) -> None:
    """Put a palm on every tip of an engine's description: a thin, massless square block.

    Its outer face is in the plane through the tip's origin, and the tip's z axis points out of it.

    :param edge: of the square [m].
    """
    for tip in tips:
        link = ET.SubElement(root, 'link', name=PALM_PREFIX + tip)
        inertial = ET.SubElement(link, 'inertial')
        ET.SubElement(inertial, 'mass', value='0')
        ET.SubElement(inertial, 'inertia', ixx='0', iyy='0', izz='0', ixy='0', ixz='0', iyz='0')
        collision = ET.SubElement(link, 'collision')
        ET.SubElement(collision, 'origin', xyz=f'0 0 {-0.5 * PALM_THICKNESS!r}')
        geometry = ET.SubElement(collision, 'geometry')
        ET.SubElement(geometry, 'box', size=f'{edge!r} {edge!r} {PALM_THICKNESS!r}')
        joint = ET.SubElement(root, 'joint', name=PALM_PREFIX + tip, type='fixed')
        ET.SubElement(joint, 'parent', link=tip)
        ET.SubElement(joint, 'child', link=PALM_PREFIX + tip)


class PyBulletObject:
    """The block, its table, and its wrenches on the palms.

    Friction obeys Coulomb's law. A rigid block neither deforms nor bounces. Each point of a soft
    one is a spring and a damper, which PyBullet solves implicitly::

        f = k d + c d',    k = K / 2,    c = ratio sqrt(K m) / 2

    with the depth ``d`` in a palm or in the table. An end touches a palm in its four corners, so
    it has the stiffness ``2 K``; both ends, one behind the other, have ``K``, and the block, which
    oscillates between the palms with the frequency ``sqrt(4 K / m)``, has the damping ratio.

    Palms and table touch nothing else, and the robot's links do not touch the block.

    :param robot: the robot's number in it.
    :param links: numbers of the robot's links without the palms.
    :param palms: numbers of the palms, in the order of the tips.
    :param obstacles: numbers of the other bodies.
    :ivar body: the block's number in the simulation.
    :raises ConfigError: the robot has no tips, the table is not level, or a palm is in the block.
    """

    def __init__(
        self,
        client: PyBulletClient,
        robot: int,
        links: Collection[int],
        palms: Sequence[int],
        obstacles: Collection[int],
        model: RobotModel,
        config: HeldObject,
    ):
        if not model.tips:
            raise ConfigError('plant.object: the robot has no hands; name them: robot.tips')
        place = object_start(model, config, PALM_THICKNESS)
        self._client, self._robot, self._palms = client, robot, palms
        self._sensors = model.sensors_in_tips()
        client.call(
            'setPhysicsEngineParameter',
            # PyBullet would leave a depth of 10 um alone, which is 2 N of a beam of 1e5 N/m.
            contactSlop=0.0,
            solverResidualThreshold=SOLVER_RESIDUAL,
        )
        for palm in palms:
            client.call('changeDynamics', robot, palm, lateralFriction=1.0)
        self.body = self._add_block(config, place)
        apart = [(robot, self.body, link) for link in links]
        apart += [(robot, obstacle, palm) for obstacle in obstacles for palm in palms]
        if config.table:
            table = self._add_table(config, max(0.0, -model.gravity[2]) * config.mass)
            apart += [(robot, table, link) for link in (*links, *palms)]
            apart += [(obstacle, table, -1) for obstacle in obstacles]
        for first, second, link in apart:
            client.call('setCollisionFilterPair', first, second, link, -1, enableCollision=0)

    def report(self) -> ObjectReport:
        """Return where the block is."""
        call = self._client.call
        position, quaternion = call('getBasePositionAndOrientation', self.body)
        velocity = np.concatenate(call('getBaseVelocity', self.body))
        return ObjectReport(np.array(position), pin.log3(_rotation(quaternion)), velocity)

    def push(self, wrench: Array) -> None:
        """Apply a wrench at its centre, in world axes, in the next physics step, ``(6,)``."""
        call, world = self._client.call, self._client.bullet.WORLD_FRAME
        centre, _ = call('getBasePositionAndOrientation', self.body)
        call('applyExternalForce', self.body, -1, wrench[:3].tolist(), centre, world)
        call('applyExternalTorque', self.body, -1, wrench[3:].tolist(), world)

    def forget_contacts(self) -> None:
        """Remove all contacts, which a restored state that has none would leave as they are."""
        call = self._client.call
        if call('getContactPoints', self.body):
            call('resetBasePositionAndOrientation', self.body, FAR_AWAY, (0.0, 0.0, 0.0, 1.0))
            call('performCollisionDetection')

    def wrenches(self) -> Array:
        """Return its wrenches on the hands in the last physics step [N, N m], ``(tips, 6)``.

        At the sensors' origins and in their axes, as ``PlantReport.true_wrenches``.
        """
        wrenches = np.zeros((len(self._palms), 6))
        bullet, client = self._client.bullet, self._client.id
        points = bullet.getContactPoints(self._robot, self.body, physicsClientId=client)
        # These frames are, as the points, those at the start of the physics step.
        frames = bullet.getLinkStates(self._robot, self._palms, physicsClientId=client)
        for hand, palm in enumerate(self._palms):
            touching = [point for point in points if point[LINK] == palm]
            if touching:
                frame = frames[hand]
                place = pin.SE3(_rotation(frame[FRAME_ROTATION]), np.array(frame[FRAME_POSITION]))
                sensor = place * self._sensors[hand]
                wrenches[hand] = sensor.actInv(_wrench(touching)).vector
        return wrenches

    def _add_block(self, config: HeldObject, place: pin.SE3) -> int:
        call = self._client.call
        size = (config.width, config.length, config.width)
        body = self._add_box(size, config.mass, place)
        # PyBullet multiplies the coefficients of the two bodies; all others have 1.
        call('changeDynamics', body, -1, lateralFriction=config.friction)
        # Without it friction stops a speed, not a place: the block creeps between the palms.
        call('changeDynamics', body, -1, frictionAnchor=1)
        call('changeDynamics', body, -1, linearDamping=0, angularDamping=0)
        if config.kind == 'soft':
            damping = 2.0 * config.damping_ratio * sqrt(config.stiffness * config.mass)
            call(
                'changeDynamics',
                body,
                -1,
                contactStiffness=2.0 * config.stiffness / CORNERS,
                contactDamping=damping / CORNERS,
            )
        return body

    def _add_table(self, config: HeldObject, weight: float) -> int:
        """Put the table so high that the block lies still, and return its number.

        :param weight: of the block [N], by which a soft one is sunk in.
        """
        x, y, z = config.position
        sunk = 0.5 * weight / config.stiffness if config.kind == 'soft' else 0.0
        centre = np.array([x, y, z + sunk - 0.5 * (config.width + TABLE_SIZE[2])])
        return self._add_box(TABLE_SIZE, 0.0, pin.SE3(np.eye(3), centre))

    def _add_box(self, size: Sequence[float], mass: float, place: pin.SE3) -> int:
        call, bullet = self._client.call, self._client.bullet
        half = [0.5 * edge for edge in size]
        shape = call('createCollisionShape', bullet.GEOM_BOX, halfExtents=half)
        body: int = call(
            'createMultiBody',
            mass,
            shape,
            basePosition=place.translation.tolist(),
            baseOrientation=pin.Quaternion(place.rotation).coeffs().tolist(),
        )
        call('changeDynamics', body, -1, restitution=0, lateralFriction=1.0)
        return body


def _wrench(points: Sequence[Sequence[Any]]) -> pin.Force:
    """Return the sum of contact points' forces on the first body, at the world's origin.

    The torque ``sum p x f`` is the skew part of ``sum p f^T``.
    """
    places = np.array([point[POINT] for point in points])
    sizes = np.array([[point[i] for i in SIZES] for point in points])
    directions = np.array([[point[i] for i in DIRECTIONS] for point in points])
    forces = (sizes[:, :, None] * directions).sum(axis=1)
    m = places.T @ forces
    torque = np.array([m[1, 2] - m[2, 1], m[2, 0] - m[0, 2], m[0, 1] - m[1, 0]])
    return pin.Force(forces.sum(axis=0), torque)


def _rotation(quaternion: Sequence[float]) -> Array:
    """Return the matrix of a quaternion ``x, y, z, w``, whose norm is 1 to single precision."""
    matrix: Array = pin.Quaternion(np.array(quaternion)).normalized().toRotationMatrix()
    return matrix
