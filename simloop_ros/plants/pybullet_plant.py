"""A plant with contact: PyBullet."""

from __future__ import annotations

from itertools import combinations
import weakref
import xml.etree.ElementTree as ET

import msgspec
import numpy as np

from ..core.errors import ModelError
from ..core.values import Array, Contact, JointState, ObjectReport
from ..robot.model import RobotModel
from .config import HeldObject, Obstacle
from .contact_law import SLIDING_FRICTION, sum_contacts
from .engine_urdf import DIAGONAL, engine_urdf
from .plant import Plant, with_external
from .pybullet_client import PyBulletClient, Snapshot
from .pybullet_object import PALM, PyBulletObject, add_palms

SOLVER_ITERATIONS = 200
FASTEST = 1e9
"""Speed at which PyBullet cuts off [rad/s]: far beyond what makes sense, so that it never does."""
POSITION, VELOCITY = 0, 1
LINK, OTHER_BODY, NORMAL_FORCE = 3, 2, 9


class PyBulletState(msgspec.Struct, frozen=True):
    """The joint state, what touched, and the snapshot that has the rest.

    :ivar contacts: of the last physics step.
    :ivar external: torque from outside in the last step [N m], shape ``(n,)``.
    :ivar wrenches: of the held object on the hands in the last step, shape ``(tips, 6)``.
    """

    joints: JointState
    contacts: tuple[Contact, ...]
    external: Array
    wrenches: Array | None
    snapshot: Snapshot


class PyBulletPlant(Plant):
    """A rigid arm among fixed obstacles, with an object to hold, in PyBullet.

    Without contact its step is that of ``PinocchioPlant``: semi-implicit Euler, no damping, no
    motors, no self collision and, as in every plant, no joint ends. Contact is rigid and without
    restitution. Links that are fixed to the world touch nothing. A held object is touched by palms
    alone, see ``PyBulletObject``.

    :param model: the robot; the plant starts at its home, at rest.
    :param period: time of one ``step`` [s].
    :param substeps: number of physics steps in one ``step``.
    :param obstacles: the bodies in the way.
    :param held: what the hands shall hold.
    :ivar client: the simulation, for whoever wants to talk to PyBullet itself.
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
        self._links = {i: link for i, link in links.items() if not link.startswith(PALM)}
        self._obstacles = {self._add(obstacle): obstacle.name for obstacle in obstacles}
        self._separate_base(model)
        for pair in combinations(self._obstacles, 2):
            client.call('setCollisionFilterPair', *pair, -1, -1, enableCollision=0)
        self._object: PyBulletObject | None = None
        if held is not None:
            palms = {link: i for i, link in links.items() if link.startswith(PALM)}
            self._object = PyBulletObject(
                client,
                self.robot,
                tuple(self._links),
                [palms[PALM + tip] for tip in model.tips],
                tuple(self._obstacles),
                model,
                held,
            )
        self._contacts: tuple[Contact, ...] | None = ()
        self._fresh = Snapshot(client)
        self._none: Array = np.zeros(model.n)
        self._untouched = None if held is None else np.zeros((len(model.tips), 6))
        self.reset(JointState(model.home, self._none))

    @property
    def state(self) -> PyBulletState:
        """Return the joint state and a snapshot of the rest, which takes about a millisecond."""
        return PyBulletState(
            self.truth, self.contacts(), self._external, self._wrenches, Snapshot(self.client)
        )

    @property
    def truth(self) -> JointState:
        """Return the joint state."""
        return JointState(self._q, self._v)

    @property
    def external(self) -> Array:
        """Return the torque from outside in the last step [N m], shape ``(n,)``."""
        return self._external

    def reset(self, state: JointState | PyBulletState) -> None:
        """Go to a joint state that touches nothing yet, or to an earlier ``state``."""
        self._push: Array | None = None
        if isinstance(state, PyBulletState):
            if state.snapshot.client is not self.client:
                raise ValueError('a PyBullet state belongs to the plant that it was taken from')
            self._restore(state.snapshot, state.joints)
            self._contacts, self._external = state.contacts, state.external
            self._wrenches = state.wrenches
        else:
            self._restore(self._fresh, state)
            self._contacts, self._external = (), self._none
            self._wrenches = self._untouched

    def push_object(self, wrench: Array) -> None:
        """Let somebody push the object in the next step."""
        self._push = wrench if self._push is None else self._push + wrench

    def step(self, effort: Array, external: Array | None = None) -> None:
        """Apply efforts and torques from outside [N m], shape ``(n,)``, for one period."""
        self._external = self._none if external is None else external
        bullet, client = self._bullet, self.client.id
        torques = with_external(effort, external).tolist()
        felt = []
        for _ in range(self._substeps):
            # PyBullet forgets torques after each of its steps.
            bullet.setJointMotorControlArray(
                self.robot,
                self.joints,
                bullet.TORQUE_CONTROL,
                forces=torques,
                physicsClientId=client,
            )
            if self._object is not None and self._push is not None:
                self._object.push(self._push)
            bullet.stepSimulation(physicsClientId=client)
            if self._object is not None:
                felt.append(self._object.wrenches())
        self._push = None
        states = bullet.getJointStates(self.robot, self.joints, physicsClientId=client)
        self._q = np.array([joint[POSITION] for joint in states])
        self._v = np.array([joint[VELOCITY] for joint in states])
        self._contacts = None
        if felt:
            self._wrenches = np.mean(felt, axis=0)

    def observe(self) -> Array:
        """Return the joint positions [rad], shape ``(n,)``."""
        return self._q

    def contacts(self) -> tuple[Contact, ...]:
        """Return the contacts of the last physics step."""
        if self._contacts is None:
            points = self.client.call('getContactPoints', bodyA=self.robot)
            self._contacts = sum_contacts(
                (self._links[p[LINK]], self._obstacles[p[OTHER_BODY]], p[NORMAL_FORCE])
                for p in points
                if p[OTHER_BODY] in self._obstacles
            )
        return self._contacts

    def true_wrenches(self) -> Array | None:
        """Return what the object did to the hands in the last step, shape ``(tips, 6)``."""
        return self._wrenches

    def held_object(self) -> ObjectReport | None:
        """Return where the object is, if there is one."""
        return None if self._object is None else self._object.report()

    def close(self) -> None:
        """End the simulation."""
        self._finalizer()

    def _restore(self, snapshot: Snapshot, joints: JointState) -> None:
        self.client.call('restoreState', stateId=snapshot.id)
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
            maxJointVelocity=FASTEST,
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
        """Put a body into the simulation and return its number."""
        bullet, call = self._bullet, self.client.call
        if obstacle.kind == 'plane':
            normal = np.array(obstacle.normal) / np.linalg.norm(obstacle.normal)
            shape = call('createCollisionShape', bullet.GEOM_PLANE, planeNormal=normal.tolist())
        elif obstacle.kind == 'box':
            half = [size / 2.0 for size in obstacle.size]
            shape = call('createCollisionShape', bullet.GEOM_BOX, halfExtents=half)
        else:
            shape = call('createCollisionShape', bullet.GEOM_SPHERE, radius=obstacle.radius)
        body: int = call('createMultiBody', obstacle.mass, shape, basePosition=obstacle.position)
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
