"""A plant with contact: PyBullet."""

from __future__ import annotations

from itertools import combinations
import weakref
import xml.etree.ElementTree as ET

import msgspec
import numpy as np

from ..core.errors import ModelError
from ..core.values import (
    UNDISTURBED,
    Array,
    BodyReport,
    Contact,
    Disturbance,
    JointState,
    PlantReport,
)
from ..robot.model import RobotModel
from .config import HeldObject, Obstacle
from .contact_law import SLIDING_FRICTION, sum_contacts
from .engine_urdf import DIAGONAL, engine_urdf
from .overlap import turned
from .plant import Plant, joint_disturbance, total_torque
from .pybullet_client import PyBulletClient, SavedSimulation
from .pybullet_object import PALM_PREFIX, PyBulletObject, add_palms

SOLVER_ITERATIONS = 200
SPEED_CUTOFF = 1e9
"""Speed to which PyBullet limits a joint [rad/s]: so high that it never does."""
POSITION, VELOCITY = 0, 1
LINK, OTHER_BODY, PLACE, NORMAL, NORMAL_FORCE = 3, 2, 5, 7, 9


class PyBulletSnapshot(msgspec.Struct, frozen=True):
    """The report of the last step, its joint state included, and the state of the engine."""

    report: PlantReport
    saved: SavedSimulation


class PyBulletPlant(Plant):
    """A rigid arm among fixed obstacles, with an object to hold, in PyBullet.

    Without contact its step is that of ``PinocchioPlant``: semi-implicit Euler, no damping, no
    motors, no self collision and, as in every plant, no joint ends. Contact is rigid and without
    restitution. Links that are fixed to the world touch nothing. A held object is touched by palms
    alone, see ``PyBulletObject``.

    :param model: the robot; the plant starts at its home, at rest.
    :param period: time of one ``step`` [s].
    :param held: what the hands shall hold.
    :ivar client: the simulation, for direct calls of PyBullet.
    :ivar robot: the robot's number in it.
    :ivar joints: the joints' numbers, in the model's order.
    :raises MissingDependencyError: PyBullet is not installed.
    :raises ModelError: PyBullet cannot read the robot.
    :raises ConfigError: the object cannot be where it shall be.
    """

    def __init__(
        self,
        model: RobotModel,
        period: float,
        substeps: int = 1,
        obstacles: tuple[Obstacle, ...] = (),
        held: HeldObject | None = None,
    ):
        self.client = client = PyBulletClient()
        self._finalizer = weakref.finalize(self, client.close)
        self._bullet = client.bullet
        self._substeps = substeps
        client.call(
            'setPhysicsEngineParameter',
            fixedTimeStep=period / substeps,
            numSolverIterations=SOLVER_ITERATIONS,
            # Without it the order of contacts depends on the past, and so does the last bit.
            deterministicOverlappingPairs=1,
        )
        client.call('setGravity', *model.gravity)
        links, self.joints = self._load_robot(model, bool(obstacles), held)
        self._links = {i: link for i, link in links.items() if not link.startswith(PALM_PREFIX)}
        self._obstacles = {self._add(obstacle): obstacle.name for obstacle in obstacles}
        self._thrown = [
            (body, obstacle.name)
            for body, obstacle in zip(self._obstacles, obstacles, strict=True)
            if obstacle.mass
        ]
        self._separate_base(model)
        for pair in combinations(self._obstacles, 2):
            client.call('setCollisionFilterPair', *pair, -1, -1, enableCollision=0)
        self._object: PyBulletObject | None = None
        if held is not None:
            palms = {link: i for i, link in links.items() if link.startswith(PALM_PREFIX)}
            self._object = PyBulletObject(
                client,
                self.robot,
                tuple(self._links),
                [palms[PALM_PREFIX + tip] for tip in model.tips],
                tuple(self._obstacles),
                model,
                held,
            )
        self._fresh = SavedSimulation(client)
        self._zero: Array = np.zeros(model.n)
        self._no_wrenches = None if held is None else np.zeros((len(model.tips), 6))
        self.start(JointState(model.home, self._zero))

    @property
    def truth(self) -> JointState:
        """Return the joint state."""
        return JointState(self._q, self._v)

    def start(self, state: JointState) -> None:
        """Begin at a joint state that touches nothing yet."""
        self._load(self._fresh, state)
        self._external, self._wrenches = self._zero, self._no_wrenches
        self._report: PlantReport | None = self._new_report(())

    def step(self, effort: Array, disturbance: Disturbance = UNDISTURBED) -> None:
        """Apply efforts [N m], shape ``(n,)``, and a disturbance for one period."""
        push = disturbance.object_wrench
        external = disturbance.torque if self._object else joint_disturbance(disturbance)
        self._external = self._zero if external is None else external
        bullet, client = self._bullet, self.client.id
        torques = total_torque(effort, external).tolist()
        wrenches = []
        for _ in range(self._substeps):
            # PyBullet forgets torques after each of its steps.
            bullet.setJointMotorControlArray(
                self.robot,
                self.joints,
                bullet.TORQUE_CONTROL,
                forces=torques,
                physicsClientId=client,
            )
            if self._object is not None and push is not None:
                self._object.push(push)
            bullet.stepSimulation(physicsClientId=client)
            if self._object is not None:
                wrenches.append(self._object.wrenches())
        states = bullet.getJointStates(self.robot, self.joints, physicsClientId=client)
        self._q = np.array([joint[POSITION] for joint in states])
        self._v = np.array([joint[VELOCITY] for joint in states])
        if wrenches:
            self._wrenches = np.mean(wrenches, axis=0)
        self._report = None

    def observe(self) -> Array:
        """Return the joint positions [rad], shape ``(n,)``."""
        return self._q

    def report(self) -> PlantReport:
        """Return joint state, external torque, contacts and, if there is one, the object."""
        if self._report is None:
            self._report = self._new_report(self._contacts() if self._obstacles else ())
        return self._report

    def snapshot(self) -> PyBulletSnapshot:
        """Return the report and the state of the engine, which takes about a millisecond."""
        return PyBulletSnapshot(self.report(), SavedSimulation(self.client))

    def restore(self, snapshot: PyBulletSnapshot) -> None:
        """Go back to an earlier snapshot."""
        if snapshot.saved.client is not self.client:
            raise ValueError('a PyBullet snapshot belongs to the plant that it was taken from')
        report = snapshot.report
        self._load(snapshot.saved, report.truth)
        self._report, self._external = report, report.external
        self._wrenches = report.true_wrenches

    def close(self) -> None:
        """End the simulation."""
        self._finalizer()

    def _new_report(self, contacts: tuple[Contact, ...]) -> PlantReport:
        return PlantReport(
            self.truth,
            self._external,
            contacts,
            true_wrenches=self._wrenches,
            object=None if self._object is None else self._object.report(),
            bodies=self._bodies(),
        )

    def _contacts(self) -> tuple[Contact, ...]:
        points = self.client.call('getContactPoints', bodyA=self.robot)
        return sum_contacts(
            (
                self._links[p[LINK]],
                self._obstacles[p[OTHER_BODY]],
                p[NORMAL_FORCE],
                p[PLACE],
                p[NORMAL],
            )
            for p in points
            if p[OTHER_BODY] in self._obstacles
        )

    def _bodies(self) -> tuple[BodyReport, ...]:
        """Return where the thrown bodies are."""
        reports = []
        for body, name in self._thrown:
            place, (x, y, z, w) = self.client.call('getBasePositionAndOrientation', body)
            reports.append(BodyReport(name, np.array(place), np.array([w, x, y, z])))
        return tuple(reports)

    def _load(self, saved: SavedSimulation, joints: JointState) -> None:
        if self._object is not None:
            self._object.forget_contacts()
        self.client.call('restoreState', stateId=saved.id)
        self.client.call(
            'resetJointStatesMultiDof',
            self.robot,
            self.joints,
            joints.position[:, None].tolist(),
            joints.velocity[:, None].tolist(),
        )
        self._q, self._v = joints.position, joints.velocity

    def _load_robot(
        self, model: RobotModel, collision: bool, held: HeldObject | None
    ) -> tuple[dict[int, str], list[int]]:
        """Load the robot; return its links by index and its joints in the model's order."""
        call = self.client.call
        root = engine_urdf(model.urdf, collision=collision)
        if held is not None:
            add_palms(root, model.tips, held.palm)
        for joint in root.findall('joint'):
            # PyBullet takes an empty range for none, and refuses a prismatic joint without one.
            ET.SubElement(joint, 'limit', lower='0', upper='-1', effort='0', velocity='0')
        moments = _take_moments(root)
        try:
            self.robot = self.client.load_urdf(root)
        except self._bullet.error as error:
            raise ModelError(f'{model.name}: PyBullet cannot read the robot: {error}') from error
        infos = [
            call('getJointInfo', self.robot, i) for i in range(call('getNumJoints', self.robot))
        ]
        base = call('getBodyInfo', self.robot)[0].decode()
        links = {-1: base} | {info[0]: info[12].decode() for info in infos}
        # These are the body's; in one call with a link's values PyBullet would forget the link.
        call(
            'changeDynamics',
            self.robot,
            -1,
            linearDamping=0,
            angularDamping=0,
            maxJointVelocity=SPEED_CUTOFF,
        )
        for index, link in links.items():
            call(
                'changeDynamics',
                self.robot,
                index,
                jointDamping=0,
                restitution=0,
                lateralFriction=SLIDING_FRICTION,
                localInertiaDiagonal=moments[link],
            )
        index_of = {info[1].decode(): info[0] for info in infos}
        joints = [index_of[name] for name in model.joint_names]
        call(
            'setJointMotorControlArray',
            self.robot,
            joints,
            self._bullet.VELOCITY_CONTROL,
            forces=[0.0] * model.n,
        )
        return links, joints

    def _add(self, obstacle: Obstacle) -> int:
        bullet, call = self._bullet, self.client.call
        turn = turned(obstacle).coeffs().tolist()
        if obstacle.kind == 'plane':
            turn = [0.0, 0.0, 0.0, 1.0]  # its shape has the normal
            normal = np.array(obstacle.normal) / np.linalg.norm(obstacle.normal)
            shape = call('createCollisionShape', bullet.GEOM_PLANE, planeNormal=normal.tolist())
        elif obstacle.kind == 'box':
            half = [size / 2.0 for size in obstacle.size]
            shape = call('createCollisionShape', bullet.GEOM_BOX, halfExtents=half)
        elif obstacle.kind == 'cylinder':
            size = {'radius': obstacle.radius, 'height': obstacle.height}
            shape = call('createCollisionShape', bullet.GEOM_CYLINDER, **size)
        else:
            shape = call('createCollisionShape', bullet.GEOM_SPHERE, radius=obstacle.radius)
        body: int = call(
            'createMultiBody',
            obstacle.mass,
            shape,
            basePosition=obstacle.position,
            baseOrientation=turn,
        )
        # PyBullet multiplies the coefficients of the two bodies.
        call(
            'changeDynamics',
            body,
            -1,
            restitution=0,
            lateralFriction=1.0,
            linearDamping=0,
            angularDamping=0,
        )
        if obstacle.mass:
            call('resetBaseVelocity', body, obstacle.velocity)
        return body

    def _separate_base(self, model: RobotModel) -> None:
        """Let links that cannot move pass through obstacles: nothing could push them out."""
        for index, link in self._links.items():
            if model.pin_model.frames[model.frame(link)].parentJoint == 0:
                for body in self._obstacles:
                    self.client.call(
                        'setCollisionFilterPair', self.robot, body, index, -1, enableCollision=0
                    )


def _take_moments(root: ET.Element) -> dict[str, list[float]]:
    """Take the principal moments [kg m^2] of every link out of an engine's description.

    PyBullet complains of moments that no solid body can have and sets them to zero; Pinocchio
    takes them. So PyBullet reads harmless ones and gets the true ones afterwards.
    """
    moments = {}
    for link in root.findall('link'):
        for tensor in link.iter('inertia'):
            moments[link.get('name', '')] = [float(tensor.get(key, 0.0)) for key in DIAGONAL]
            tensor.attrib.update(dict.fromkeys(DIAGONAL, '1'))
    return moments
